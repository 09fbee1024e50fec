//! How periodic a signal is, and how much of it is substantial I/O.
//!
//! The published measures refer to the trace T with its length L and volume V. Here the trace is
//! the sampled signal, each sample lasting one step: L is the number of samples times the step, V
//! the sum of samples times the step, and a period that ends within a sample gets its share of it.

use super::outcome::{Metrics, Phase};

/// Relative error of sums of many samples; values closer to a bound are on it.
const ROUNDING: f64 = 1e-9;

/// Prefix sums of a signal.
struct Sums {
    /// All samples: volume in units of the step.
    volume: Vec<f64>,
    /// Number of samples above the threshold.
    busy: Vec<f64>,
    /// Volume of those.
    busy_volume: f64,
}

/// Measures a signal of bytes per second with this period, if it has one. I/O above the mean rate
/// is substantial. sigma_vol and sigma_time cover the whole iterations from the start, including
/// those without I/O; the incomplete iteration at the end does not count. They are unknown without
/// I/O, and with a period longer than the signal or shorter than a sample.
pub fn measure(samples: &[f64], sampling_hz: f64, period_s: Option<f64>) -> Metrics {
    let sums = Sums::of(samples);
    let length = samples.len() as f64;
    let busy = sums.busy.last().copied().unwrap_or(0.0);
    if length == 0.0 || busy == 0.0 {
        return Metrics::default();
    }
    let r_io = busy / length;
    let measures = Metrics { r_io, b_io: sums.busy_volume / busy, ..Metrics::default() };
    let Some(period_s) = period_s.filter(|period| period.is_finite() && *period > 0.0) else {
        return measures;
    };
    let period = period_s * sampling_hz;
    let bytes_per_period = Some(sums.busy_volume / length * period_s);
    let Some((sigma_vol, sigma_time)) = sums.sigmas(period, r_io) else {
        return Metrics { bytes_per_period, ..measures };
    };
    Metrics {
        sigma_vol: Some(sigma_vol),
        sigma_time: Some(sigma_time),
        periodicity_score: Some(1.0 - sigma_vol - sigma_time),
        bytes_per_period,
        ..measures
    }
}

pub fn phases(samples: &[f64], sampling_hz: f64, start_s: f64) -> Vec<Phase> {
    let threshold = threshold(samples);
    let mut at = 0;
    let runs = samples.chunk_by(|a, b| (*a > threshold) == (*b > threshold));
    let phase = |run: &[f64]| {
        let from = at;
        at += run.len();
        (run.first().is_some_and(|&rate| rate > threshold)).then(|| Phase {
            start_s: start_s + from as f64 / sampling_hz,
            end_s: start_s + at as f64 / sampling_hz,
            bytes: run.iter().sum::<f64>() / sampling_hz,
        })
    };
    runs.filter_map(phase).collect()
}

/// I/O is substantial above the mean rate of the whole signal. A constant signal does not exceed
/// it, in spite of rounding.
fn threshold(samples: &[f64]) -> f64 {
    samples.iter().sum::<f64>() / samples.len().max(1) as f64 * (1.0 + ROUNDING)
}

impl Sums {
    fn of(samples: &[f64]) -> Sums {
        let threshold = threshold(samples);
        let mut sums = Sums {
            volume: Vec::with_capacity(samples.len() + 1),
            busy: Vec::with_capacity(samples.len() + 1),
            busy_volume: 0.0,
        };
        let (mut volume, mut busy) = (0.0, 0.0);
        for &rate in samples {
            sums.volume.push(volume);
            sums.busy.push(busy);
            volume += rate;
            if rate > threshold {
                busy += 1.0;
                sums.busy_volume += rate;
            }
        }
        sums.volume.push(volume);
        sums.busy.push(busy);
        sums
    }

    /// sigma_vol and sigma_time over the whole iterations of `period` samples.
    fn sigmas(&self, period: f64, r_io: f64) -> Option<(f64, f64)> {
        if period < 1.0 {
            return None;
        }
        let length = (self.volume.len() - 1) as f64;
        let turns = (length / period * (1.0 + ROUNDING)) as usize;
        let per_turn = |sums: &[f64]| -> Vec<f64> {
            let edge = |turn: usize| up_to(sums, turn as f64 * period);
            (0..turns).map(|turn| edge(turn + 1) - edge(turn)).collect()
        };
        let volumes = per_turn(&self.volume);
        let largest = volumes.iter().copied().fold(0.0, f64::max);
        if largest <= 0.0 {
            return None;
        }
        let relative: Vec<f64> = volumes.iter().map(|volume| volume / largest).collect();
        let mean = relative.iter().sum::<f64>() / turns as f64;
        let shares = per_turn(&self.busy).into_iter().map(|busy| busy / period);
        Some((deviation(relative.into_iter(), mean), deviation(shares, r_io)))
    }
}

fn up_to(sums: &[f64], place: f64) -> f64 {
    let at = (place as usize).min(sums.len().saturating_sub(2));
    match sums.get(at..=at + 1) {
        Some(&[before, after]) => before + (after - before) * (place - at as f64).min(1.0),
        _ => 0.0,
    }
}

fn deviation(values: impl ExactSizeIterator<Item = f64>, centre: f64) -> f64 {
    let count = values.len().max(1) as f64;
    (values.map(|value| (value - centre).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, expected: f64) {
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-12), "{found:?} {expected}");
    }

    #[test]
    fn equal_turns_are_wholly_periodic() {
        let samples: Vec<f64> = (0..40).map(|n| if n % 10 < 3 { 100.0 } else { 0.0 }).collect();
        let metrics = measure(&samples, 2.0, Some(5.0));
        near(metrics.sigma_vol, 0.0);
        near(metrics.sigma_time, 0.0);
        near(metrics.periodicity_score, 1.0);
        near(Some(metrics.r_io), 0.3);
        near(Some(metrics.b_io), 100.0);
        near(metrics.bytes_per_period, 150.0);
    }

    #[test]
    fn the_measures_of_a_small_signal() {
        // Two iterations of 4 samples and one more sample: volumes 12 and 6, mean rate 2.
        let samples = [6.0, 6.0, 0.0, 0.0, 6.0, 0.0, 0.0, 0.0, 0.0];
        let metrics = measure(&samples, 1.0, Some(4.0));
        near(metrics.sigma_vol, 0.25);
        near(Some(metrics.r_io), 3.0 / 9.0);
        let time = ((0.5f64 - 1.0 / 3.0).powi(2) + (0.25f64 - 1.0 / 3.0).powi(2)) / 2.0;
        near(metrics.sigma_time, time.sqrt());
        near(metrics.periodicity_score, 0.75 - time.sqrt());
        near(metrics.bytes_per_period, 18.0 / (9.0 * 0.25));
        assert_eq!(
            phases(&samples, 2.0, 10.0),
            [
                Phase { start_s: 10.0, end_s: 11.0, bytes: 6.0 },
                Phase { start_s: 12.0, end_s: 12.5, bytes: 3.0 },
            ]
        );
    }

    #[test]
    fn a_turn_may_end_within_a_sample() {
        // 9 samples are exactly 2 iterations of 4.5; the fifth sample belongs half to each.
        let metrics = measure(&[1.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 3.0], 1.0, Some(4.5));
        near(metrics.sigma_vol, (1.0 - 5.0 / 7.0) / 2.0);
    }

    #[test]
    fn degenerate_signals_have_what_can_be_known() {
        assert_eq!(measure(&[], 1.0, Some(1.0)), Metrics::default());
        assert_eq!(measure(&[0.0; 5], 1.0, Some(2.0)), Metrics::default());
        assert_eq!(measure(&[0.1; 7], 1.0, Some(2.0)), Metrics::default(), "nothing exceeds the mean");
        assert!(phases(&[0.1; 7], 1.0, 0.0).is_empty());
        let without = measure(&[1.0, 0.0], 1.0, None);
        assert_eq!((without.r_io, without.b_io, without.sigma_vol), (0.5, 1.0, None));
        let long = measure(&[1.0, 0.0], 1.0, Some(3.0));
        assert_eq!((long.sigma_vol, long.bytes_per_period), (None, Some(1.5)));
        let silent = measure(&[0.0, 0.0, 1.0], 1.0, Some(2.0));
        assert_eq!(silent.sigma_vol, None, "the only whole turn is without I/O");
        assert_eq!(measure(&[1.0, 0.0], 1.0, Some(1e-300)).sigma_vol, None);
        for nonsense in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(measure(&[1.0, 0.0], 1.0, Some(nonsense)).bytes_per_period, None);
        }
    }
}
