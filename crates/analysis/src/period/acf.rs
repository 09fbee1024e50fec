//! The period of a signal by its autocorrelation.

use realfft::RealFftPlanner;

use super::spectrum;
use crate::outliers::peaks::peaks;

const HEIGHT: f64 = 0.15;

/// Values of the autocorrelation closer than this are equal: the transform leaves rounding errors
/// on flat parts, and each would be a peak.
const RESOLUTION: f64 = 1e-9;

/// Distances further from their mean than this many standard deviations are left out.
const OUTLIER: f64 = 1.0;

/// What weights the distance between two peaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// The height of the later peak, so that large lags, which rest on little of the signal, count
    /// less.
    Heights,
    /// How much higher the later peak is, mostly a negative number, as in FTIO 0.0.9. The mean can
    /// lie outside of all distances.
    Differences,
}

/// The period according to the autocorrelation.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    pub period_s: f64,
    /// 1 minus the coefficient of variation of the distances, at least 0 (without a bound in FTIO).
    pub confidence: f64,
    /// Distances between neighbouring peaks, in order, without outliers.
    pub distances_s: Vec<f64>,
}

/// Correlation of the signal with itself, by lag in samples; 1 at lag 0. It is biased: the sum over
/// the overlap is divided by the number of all samples, so it decreases with the lag. Empty if the
/// signal is constant or shorter than four samples.
pub fn autocorrelation(samples: &[f64]) -> Vec<f64> {
    let Some(mut values) = spectrum::deviations(samples) else { return Vec::new() };
    // Zero padding keeps the end of the signal from wrapping around to its start.
    values.resize(fast_length(2 * samples.len() - 1), 0.0);
    let transform = RealFftPlanner::<f64>::new().plan_fft_forward(values.len());
    let mut bins = transform.make_output_vec();
    if transform.process(&mut values, &mut bins).is_err() {
        return Vec::new();
    }
    // A power spectrum is real and even, so the forward transform also inverts it.
    let length = values.len();
    for (at, bin) in bins.iter().enumerate() {
        let power = bin.norm_sqr();
        values[at] = power;
        values[(length - at) % length] = power;
    }
    if transform.process(&mut values, &mut bins).is_err() {
        return Vec::new();
    }
    let variance = bins.first().map_or(1.0, |bin| bin.re);
    bins.iter().take(samples.len()).map(|bin| bin.re / variance).collect()
}

/// The shortest length of at least `least` whose transform is fast.
fn fast_length(least: usize) -> usize {
    let length = |odd: usize| odd * least.div_ceil(odd).next_power_of_two();
    [1, 3, 5, 9, 15].into_iter().map(length).min().unwrap_or(least)
}

/// The period from the distances between neighbouring peaks of an autocorrelation, without
/// outliers. `None` with fewer than two peaks, or if they are one sample apart.
pub fn estimate(autocorrelation: &[f64], sampling_hz: f64, weights: Weights) -> Option<Estimate> {
    let peaks = peaks(autocorrelation, HEIGHT, RESOLUTION);
    let height = |at: usize| autocorrelation.get(at).copied();
    let weighted = |pair: &[usize]| match *pair {
        [earlier, later] if later - earlier > 1 => {
            let weight = match weights {
                Weights::Heights => height(later)?,
                Weights::Differences => height(later)? - height(earlier)?,
            };
            Some(((later - earlier) as f64 / sampling_hz, weight))
        }
        _ => None,
    };
    let mut distances: Vec<(f64, f64)> = peaks.windows(2).filter_map(weighted).collect();
    let (mean, deviation) = spread(&distances)?;
    // The margin keeps two equally heavy distances, both one deviation off, from both being
    // dropped.
    distances.retain(|(distance, _)| (distance - mean).abs() <= deviation * (OUTLIER + RESOLUTION));
    let (mean, deviation) = spread(&distances)?;
    let distances_s = distances.into_iter().map(|(distance, _)| distance).collect();
    let agreement = 1.0 - (deviation / mean).abs();
    let confidence = if weights == Weights::Heights { agreement.max(0.0) } else { agreement };
    Some(Estimate { period_s: mean, confidence, distances_s }).filter(|estimate| estimate.period_s > 0.0)
}

/// Weighted mean and deviation; `None` without weight. With weights of both signs the square of the
/// deviation can be negative: FTIO takes its size.
fn spread(weighted: &[(f64, f64)]) -> Option<(f64, f64)> {
    let weights: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let mean = weighted.iter().map(|(value, weight)| value * weight).sum::<f64>() / weights;
    let square = |(value, weight): &(f64, f64)| (value - mean).powi(2) * weight;
    let variance = weighted.iter().map(square).sum::<f64>() / weights;
    (weights != 0.0).then(|| (mean, variance.abs().sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_repeated_pulse_is_found() {
        let pulses: Vec<f64> = (0..1000).map(|n| if n % 50 < 5 { 2.0 } else { 0.0 }).collect();
        let estimate = estimate(&autocorrelation(&pulses), 10.0, Weights::Heights).expect("a period");
        assert!((estimate.period_s - 5.0).abs() < 1e-9, "{estimate:?}");
        assert!((estimate.confidence - 1.0).abs() < 1e-9, "{estimate:?}");
        assert!(estimate.distances_s.len() > 10);
    }

    #[test]
    fn a_far_distance_is_an_outlier() {
        let mut values = vec![0.0; 200];
        [20, 40, 60, 80, 170].into_iter().for_each(|at| values[at] = 0.5);
        let estimate = estimate(&values, 2.0, Weights::Heights).expect("a period");
        assert_eq!(estimate.distances_s, [10.0; 3]);
        assert_eq!((estimate.period_s, estimate.confidence), (10.0, 1.0));
    }

    #[test]
    fn the_later_peak_is_the_weight() {
        let mut values = vec![0.0; 100];
        [(10, 0.9), (20, 0.6), (32, 0.3)].into_iter().for_each(|(at, height)| values[at] = height);
        // 10 with weight 0.6 lies within one deviation of the mean 10.67; 12 with 0.3 does not.
        assert_eq!(estimate(&values, 1.0, Weights::Heights).expect("a period").distances_s, [10.0]);
        values[32] = 0.6;
        let equal = estimate(&values, 1.0, Weights::Heights).expect("a period");
        assert_eq!(equal.distances_s, [10.0, 12.0]);
        assert!((equal.confidence - (1.0 - 1.0 / 11.0)).abs() < 1e-12);
    }

    #[test]
    fn ftio_weights_by_differences_of_heights() {
        let mut values = vec![0.0; 100];
        [(10, 0.9), (20, 0.6), (32, 0.5)].into_iter().for_each(|(at, height)| values[at] = height);
        // Weights -0.3 and -0.1: the mean is 10.5, the deviation 0.87, so 12 is an outlier.
        let negative = estimate(&values, 1.0, Weights::Differences).expect("a period");
        assert_eq!((negative.period_s, negative.distances_s), (10.0, vec![10.0]));
        (values[10], values[32]) = (0.4, 0.4);
        assert_eq!(estimate(&values, 1.0, Weights::Differences), None, "the weights add up to nothing");
    }

    #[test]
    fn without_two_peaks_there_is_no_estimate() {
        assert_eq!(estimate(&[], 1.0, Weights::Heights), None);
        assert_eq!(estimate(&[1.0, 0.0, 0.5, 0.0, 0.0], 1.0, Weights::Heights), None);
        assert!(autocorrelation(&[3.0; 50]).is_empty());
    }

    proptest! {
        #[test]
        fn it_is_the_sum_of_products(samples in proptest::collection::vec(-1e3f64..1e3, 4..80)) {
            let fast = autocorrelation(&samples);
            prop_assume!(!fast.is_empty());
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            let sum = |lag: usize| -> f64 {
                samples.iter().zip(&samples[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum()
            };
            for (lag, value) in fast.iter().enumerate() {
                prop_assert!((value - sum(lag) / sum(0)).abs() < 1e-9, "{lag} {value}");
            }
        }

        #[test]
        fn padded_lengths_suffice(least in 1usize..5_000_000) {
            let length = fast_length(least);
            prop_assert!(length >= least && length < 2 * least);
        }
    }
}
