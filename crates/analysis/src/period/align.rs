//! How well pauses align with multiples of a volume.

use std::f64::consts::{PI, TAU};

use super::volume::Pause;

/// Pauses processed together with the same operations.
const LANES: usize = 4;
/// Terms of the series in the squared angle; the error is below 10^-12.
const TERMS: usize = 9;

/// (-1)^n pi^(2n+first) / (2n+first)!: the sine (`first` 1) and cosine (0) of a number of half
/// turns.
const fn series(first: usize) -> [f64; TERMS] {
    let mut all = [0.0; TERMS];
    let mut term = if first == 0 { 1.0 } else { PI };
    let mut n = 0;
    while n < TERMS {
        all[n] = term;
        let next = 2 * n + first;
        term *= -PI * PI / ((next + 1) * (next + 2)) as f64;
        n += 1;
    }
    all
}

const SINE: [f64; TERMS] = series(1);
const COSINE: [f64; TERMS] = series(0);

/// Pauses on an axis of bytes, in columns.
pub struct Aligned {
    bytes: Vec<f64>,
    lengths_s: Vec<f64>,
}

impl Aligned {
    pub fn new(pauses: &[&Pause]) -> Aligned {
        // Pauses of zero length fill the last lanes.
        let filled = pauses.len().next_multiple_of(LANES);
        let column = |value: fn(&Pause) -> f64| {
            let mut column: Vec<f64> = pauses.iter().map(|pause| value(pause)).collect();
            column.resize(filled, 0.0);
            column
        };
        Aligned { bytes: column(|pause| pause.bytes), lengths_s: column(|pause| pause.length_s) }
    }

    pub fn last(&self) -> Option<f64> {
        self.bytes.iter().rev().copied().find(|bytes| *bytes > 0.0)
    }

    /// How well the pauses align with multiples of a volume: the squared length of their sum as
    /// vectors that turn once per volume. It is only compared, so sines to twelve digits suffice,
    /// in a fifth of the time.
    pub fn height(&self, volume: f64) -> f64 {
        let per_byte = 1.0 / volume;
        let (mut cosines, mut sines) = ([0.0; LANES], [0.0; LANES]);
        for (bytes, lengths_s) in self.bytes.chunks_exact(LANES).zip(self.lengths_s.chunks_exact(LANES)) {
            for lane in 0..LANES {
                let (sine, cosine) = turned(bytes[lane] * per_byte);
                cosines[lane] += lengths_s[lane] * cosine;
                sines[lane] += lengths_s[lane] * sine;
            }
        }
        let (cosine, sine): (f64, f64) = (cosines.iter().sum(), sines.iter().sum());
        cosine * cosine + sine * sine
    }

    /// The offset of the best alignment: the angle of the vector sum, exactly.
    pub fn offset(&self, volume: f64) -> f64 {
        let (mut cosine, mut sine) = (0.0, 0.0);
        for (bytes, length_s) in self.bytes.iter().zip(&self.lengths_s) {
            let angle = TAU * (bytes / volume).fract();
            cosine += length_s * angle.cos();
            sine += length_s * angle.sin();
        }
        sine.atan2(cosine) / TAU * volume
    }
}

/// Sine and cosine after this many turns.
#[inline]
fn turned(turns: f64) -> (f64, f64) {
    // Numbers this large have no fraction bits: adding and subtracting one rounds.
    const NO_FRACTIONS: f64 = 1.5 * (1u64 << (f64::MANTISSA_DIGITS - 1)) as f64;
    let part = turns - ((turns + NO_FRACTIONS) - NO_FRACTIONS);
    let square = part * part;
    let (mut sine, mut cosine) = (SINE[TERMS - 1], COSINE[TERMS - 1]);
    for n in (0..TERMS - 1).rev() {
        sine = sine * square + SINE[n];
        cosine = cosine * square + COSINE[n];
    }
    // Of half the angle, since the series holds for at most half a turn.
    let sine = sine * part;
    (2.0 * sine * cosine, 1.0 - 2.0 * sine * sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_those_of_the_library() {
        for n in -4000..4000 {
            let turns = f64::from(n) * 0.001_237;
            let (sine, cosine) = turned(turns);
            let angle = TAU * turns;
            assert!((sine - angle.sin()).abs() < 2e-12 && (cosine - angle.cos()).abs() < 2e-12, "{turns}");
        }
    }
}
