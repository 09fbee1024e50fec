//! Borders between phases of equal volume: refines a first guess of the volume.

use super::align::Aligned;
use super::volume::Pause;

const STEPS: usize = 14;
/// Number of long pauses of which two determine a volume; tolerance against the first guess;
/// tolerance of a pause against a border; and minimum share of borders that fall on pauses.
const ANCHORS: usize = 48;
const ROUGHLY: f64 = 0.08;
const EXACTLY: f64 = 0.002;
pub const HIT: f64 = 0.9;
/// Number of longest pauses, which determine the volume best.
const LONGEST: usize = 128;

/// Pauses on which volumes are tested.
pub struct Tried<'a> {
    pauses: &'a [Pause],
    total: f64,
    /// In order of position.
    longest: Aligned,
    /// Positions of the very longest pauses, longest first.
    anchors: Vec<f64>,
    marks: Marks,
}

impl Tried<'_> {
    /// Takes pauses in order, on an axis of `total` bytes.
    pub fn new(pauses: &[Pause], total: f64) -> Tried<'_> {
        let mut longest: Vec<&Pause> = pauses.iter().collect();
        longest.sort_by(|a, b| b.length_s.total_cmp(&a.length_s));
        longest.truncate(LONGEST);
        longest.sort_by_key(|pause| pause.after);
        let aligned = Aligned::new(&longest);
        longest.sort_by(|a, b| b.length_s.total_cmp(&a.length_s));
        let anchors = longest.iter().take(ANCHORS).map(|pause| pause.bytes).collect();
        Tried { pauses, total, longest: aligned, anchors, marks: Marks::new(total) }
    }

    /// The volume near `guess` at which the pauses align best, and the offset of its multiples.
    pub fn refine(&self, guess: f64) -> (f64, f64) {
        let count = self.longest.last().map_or(1.0, |bytes| (bytes / guess).max(1.0));
        let (mut best, mut step) = (guess, guess / count / 4.0);
        let mut height = self.longest.height(best);
        for _ in 0..STEPS {
            for volume in [best - step, best + step] {
                let other = self.longest.height(volume);
                if other > height {
                    (best, height) = (volume, other);
                }
            }
            step *= 0.6;
        }
        (best, self.longest.offset(best).rem_euclid(best))
    }

    /// Volume and offset at which all borders but a few fall exactly on pauses, if any: two long
    /// pauses, a whole number of volumes apart, determine both.
    pub fn exact(&mut self, guess: f64) -> Option<(f64, f64)> {
        self.marks.mark(self.pauses, EXACTLY * (1.0 + ROUGHLY) * guess);
        let mut best: Option<(f64, f64, f64)> = None;
        for (at, one) in self.anchors.iter().enumerate() {
            for other in &self.anchors[at + 1..] {
                let apart = (one - other).abs();
                // Rounds: the quotient is never negative or very large.
                let volume = apart / ((apart / guess + 0.5) as u32).max(1) as f64;
                if (volume / guess - 1.0).abs() > ROUGHLY {
                    continue;
                }
                if !self.marks.may_hit(*one, volume) {
                    continue;
                }
                let borders = Borders { volume, offset: one.rem_euclid(volume), total: self.total };
                let (hit, idle) = borders.hit(self.pauses);
                if hit >= HIT && best.is_none_or(|known| idle > known.0) {
                    best = Some((idle, volume, borders.offset));
                }
            }
        }
        best.map(|(_, volume, offset)| (volume, offset))
    }
}

/// Cells of the byte axis that are far from every pause: a border there falls on none.
struct Marks {
    /// 1 for such a cell, 0 for others.
    far: Vec<u8>,
    per_byte: f64,
}

impl Marks {
    /// A cell is about as long as the tolerance of a border.
    const CELLS: usize = 1 << 14;
    /// Positions are fixed-point numbers with this many fractional bits.
    const PART_BITS: u32 = 32;

    fn new(total: f64) -> Marks {
        Marks { far: vec![1; Marks::CELLS + 2], per_byte: Marks::CELLS as f64 / total }
    }

    /// Clears the cells within `near` bytes of a pause, and one more on each side for rounding.
    fn mark(&mut self, pauses: &[Pause], near: f64) {
        self.far.fill(1);
        let mut marked = 0;
        for pause in pauses.iter().filter(|pause| pause.length_s > 0.0) {
            let from = ((pause.bytes - near) * self.per_byte) as usize;
            let to = (((pause.bytes + near) * self.per_byte) as usize + 2).min(self.far.len());
            // Pauses come in order: the one before has cleared everything up to `marked`.
            self.far[from.saturating_sub(1).max(marked).min(to)..to].fill(0);
            marked = to;
        }
    }

    /// Whether enough borders, of which `border` is one, can fall on a pause. This is much cheaper
    /// than testing whether they do, and rejects most volumes.
    fn may_hit(&self, border: f64, volume: f64) -> bool {
        let parts = |cells: f64| (cells * (1u64 << Marks::PART_BITS) as f64) as u64;
        let (step, cells) = (volume * self.per_byte, Marks::CELLS as f64);
        // With more misses the share of hits is too low, whatever follows.
        let most_misses = ((cells / step + 1.0) * (1.0 - HIT) + 1e-6) as u32;
        // Borders at the very ends do not count.
        let (first, last) = (EXACTLY * step + 1.0, cells - EXACTLY * step - 1.0);
        let mut place = border * self.per_byte - f64::from((border / volume) as u32) * step;
        if place <= first {
            place += step;
        }
        let (mut place, step, last) = (parts(place), parts(step).max(1), parts(last));
        let mut misses = 0;
        while place < last {
            misses += u32::from(self.far[(place >> Marks::PART_BITS) as usize]);
            if misses > most_misses {
                return false;
            }
            place += step;
        }
        true
    }
}

struct Borders {
    volume: f64,
    offset: f64,
    total: f64,
}

impl Borders {
    /// Positions of the borders, without the ends of the run.
    fn places(&self) -> impl Iterator<Item = f64> {
        let (near, last) = (EXACTLY * self.volume, self.total - EXACTLY * self.volume);
        let border = |n: usize| self.offset + n as f64 * self.volume;
        (0..).map(border).take_while(move |border| *border < last).filter(move |border| *border > near)
    }

    /// Share of borders that fall exactly on a pause, and total length of those pauses.
    fn hit(&self, pauses: &[Pause]) -> (f64, f64) {
        let near = EXACTLY * self.volume;
        let (mut borders, mut hits, mut idle) = (0usize, 0usize, 0.0);
        for border in self.places() {
            let first = pauses.partition_point(|pause| pause.bytes < border - near);
            let exact = pauses[first..].iter().take_while(|pause| pause.bytes <= border + near);
            let longest = exact.map(|pause| pause.length_s).fold(0.0, f64::max);
            borders += 1;
            hits += usize::from(longest > 0.0);
            idle += longest;
        }
        (hits as f64 / borders.max(1) as f64, idle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Random;

    fn pauses(random: &mut Random) -> Vec<Pause> {
        let mut places: Vec<f64> = (1..40).map(|n| 50.0 * f64::from(n)).collect();
        places.extend((0..200).map(|_| random.between(0.0, 2000.0)));
        places.sort_by(f64::total_cmp);
        let pause = |(after, bytes)| Pause { bytes, length_s: 1.0, after };
        places.into_iter().enumerate().map(pause).collect()
    }

    #[test]
    fn nothing_is_refused_that_hits() {
        let mut random = Random::new(11);
        let (mut hits, mut refused) = (0, 0);
        for _ in 0..300 {
            let pauses = pauses(&mut random);
            let guess = random.between(20.0, 120.0);
            let mut marks = Marks::new(2000.0);
            marks.mark(&pauses, EXACTLY * (1.0 + ROUGHLY) * guess);
            for (at, volume) in [(7, guess), (60, 50.0), (90, guess * 1.05), (120, 100.0)] {
                let one = pauses[at].bytes;
                if (volume / guess - 1.0).abs() > ROUGHLY {
                    continue;
                }
                let borders = Borders { volume, offset: one.rem_euclid(volume), total: 2000.0 };
                let (does, may) = (borders.hit(&pauses).0 >= HIT, marks.may_hit(one, volume));
                assert!(may || !does, "{volume} {one}");
                (hits, refused) = (hits + usize::from(does), refused + usize::from(!may));
            }
        }
        assert!(hits > 0 && refused > 100, "{hits} {refused}");
    }
}
