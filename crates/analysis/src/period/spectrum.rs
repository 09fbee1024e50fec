//! The frequency spectrum of a signal.

use realfft::RealFftPlanner;

/// A signal that strays from its mean by less than this share of its largest value is constant: the
/// rest are rounding errors of the sums it was made by.
const ROUNDING: f64 = 1e-9;

const MIN: usize = 4;

/// Power per frequency, |X_k|^2 for k = 1 to half the number of samples, as shares of their sum. No
/// taper, no padding. The mean affects only X_0, which is left out, so subtracting it first changes
/// nothing but the rounding. Empty if the signal is constant or shorter than four samples.
pub fn power(samples: &[f64]) -> Vec<f64> {
    let Some(mut input) = deviations(samples) else { return Vec::new() };
    let transform = RealFftPlanner::<f64>::new().plan_fft_forward(input.len());
    let mut output = transform.make_output_vec();
    if transform.process(&mut input, &mut output).is_err() {
        return Vec::new();
    }
    let mut power: Vec<f64> = output.iter().skip(1).map(|value| value.norm_sqr()).collect();
    let sum: f64 = power.iter().sum();
    power.iter_mut().for_each(|share| *share /= sum);
    power
}

/// Period at bin `bin` (from 1) of the spectrum of `samples` samples.
pub fn period_s(bin: usize, samples: usize, sampling_hz: f64) -> f64 {
    samples as f64 / (sampling_hz * bin as f64)
}

/// A wave of a signal: `amplitude * cos(2 pi * turns * share + phase)` at a share of the signal's
/// length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    pub turns: f64,
    pub amplitude: f64,
    pub phase: f64,
}

impl Wave {
    pub fn at(&self, share: f64) -> f64 {
        self.amplitude * (std::f64::consts::TAU * self.turns * share + self.phase).cos()
    }
}

/// The wave of bin `bin` (from 1), as in equation (1) of the publication: 2 |X_k| / N and arg(X_k),
/// once |X_k| / N at half the sampling rate. The signal is its mean and the sum of all its waves.
pub fn wave(samples: &[f64], bin: usize) -> Wave {
    let count = samples.len().max(1);
    let angle = |at: usize| std::f64::consts::TAU * ((bin * at) % count) as f64 / count as f64;
    let part = |of: fn(f64) -> f64| -> f64 {
        samples.iter().enumerate().map(|(at, value)| value * of(angle(at))).sum::<f64>() / count as f64
    };
    let (real, imaginary) = (part(f64::cos), -part(f64::sin));
    let twice = if 2 * bin == count { 1.0 } else { 2.0 };
    Wave { turns: bin as f64, amplitude: twice * real.hypot(imaginary), phase: imaginary.atan2(real) }
}

/// The signal without its mean, scaled to a largest deviation of 1, so that no square overflows.
/// `None` if only rounding errors are left, if the signal is too short, or if it has values that
/// are not finite.
pub(super) fn deviations(samples: &[f64]) -> Option<Vec<f64>> {
    let &origin = samples.first().filter(|_| samples.len() >= MIN)?;
    // Relative to the first sample, a constant has a mean of exactly zero.
    let mean = samples.iter().map(|value| value - origin).sum::<f64>() / samples.len() as f64;
    let mut out: Vec<f64> = samples.iter().map(|value| (value - origin) - mean).collect();
    let largest = |values: &[f64]| values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let scale = largest(&out);
    if !mean.is_finite() || scale <= ROUNDING * largest(samples) {
        return None;
    }
    out.iter_mut().for_each(|value| *value /= scale);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wave(samples: usize, turns: f64) -> Vec<f64> {
        let angle = |n: usize| std::f64::consts::TAU * turns * n as f64 / samples as f64;
        (0..samples).map(|n| 5.0 + angle(n).cos()).collect()
    }

    #[test]
    fn a_wave_has_one_line() {
        for samples in [8, 97, 1000] {
            let power = power(&wave(samples, 3.0));
            assert_eq!(power.len(), samples / 2);
            assert!((power[2] - 1.0).abs() < 1e-12, "{samples}: {power:?}");
        }
        assert_eq!(period_s(3, 1000, 10.0), 100.0 / 3.0);
    }

    #[test]
    fn what_does_not_vary_has_no_spectrum() {
        for signal in [vec![], vec![1.0], vec![1.0, 2.0, 3.0], vec![0.0; 10], vec![0.1; 100]] {
            assert!(power(&signal).is_empty(), "{signal:?}");
        }
        let mut rounded = vec![1e9; 64];
        rounded[7] += 1e-6;
        assert!(power(&rounded).is_empty());
        assert!(power(&[1.0, f64::NAN, 2.0, 3.0, 4.0]).is_empty());
        assert!(power(&[1.0, f64::INFINITY, 2.0, 3.0, 4.0]).is_empty());
    }

    #[test]
    fn a_signal_is_the_sum_of_its_waves() {
        for samples in [vec![3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0], vec![2.0, 7.0, 1.0, 8.0, 2.0, 8.0]] {
            let count = samples.len();
            let mean = samples.iter().sum::<f64>() / count as f64;
            for (at, value) in samples.iter().enumerate() {
                let waves = (1..=count / 2).map(|bin| super::wave(&samples, bin));
                let sum: f64 = waves.map(|wave| wave.at(at as f64 / count as f64)).sum();
                assert!((mean + sum - value).abs() < 1e-9, "{at} of {samples:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn shares_are_as_defined(samples in proptest::collection::vec(0.0f64..1e12, 4..60)) {
            let power = power(&samples);
            prop_assume!(!power.is_empty());
            let count = samples.len();
            let slow = |k: usize| {
                let turn = |n: usize| std::f64::consts::TAU * (k * n % count) as f64 / count as f64;
                let part = |f: fn(f64) -> f64| -> f64 {
                    samples.iter().enumerate().map(|(n, x)| x * f(turn(n))).sum()
                };
                part(f64::cos).powi(2) + part(f64::sin).powi(2)
            };
            let slow: Vec<f64> = (1..=count / 2).map(slow).collect();
            let sum: f64 = slow.iter().sum();
            for (fast, slow) in power.iter().zip(&slow) {
                prop_assert!((fast - slow / sum).abs() < 1e-9, "{fast} {slow}");
            }
        }
    }
}
