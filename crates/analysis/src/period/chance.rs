//! Whether intervals could be random.

/// Shorter intervals, relative to the mean, count as this one.
const SHORTEST: f64 = 1e-3;
/// Lower limit of the gap between the logarithm of the mean and the mean logarithm.
const FINEST: f64 = 1e-4;

/// How much more regular intervals are than those between events at random moments; negative if
/// less. It is the log-likelihood ratio of the best gamma distribution against an exponential one,
/// in standard deviations, on a logarithmic scale. So the same regularity counts more with more
/// intervals.
pub fn order(times: &[f64]) -> f64 {
    let count = times.len() as f64;
    let mean = times.iter().sum::<f64>() / count.max(1.0);
    if mean <= 0.0 || !mean.is_finite() {
        return 0.0;
    }
    let logarithms: f64 = times.iter().map(|time| (time / mean).max(SHORTEST).ln()).sum();
    // Excess of the logarithm of the mean over the mean logarithm: the sufficient statistic of the
    // gamma shape.
    let gap = (-logarithms / count).max(FINEST);
    let shape = shape(gap);
    let gain = shape * shape.ln() - log_gamma(shape) - (shape - 1.0) * gap - shape + 1.0;
    ((2.0 * count * gain.max(0.0)).sqrt() * (shape - 1.0).signum()).asinh()
}

/// The most likely shape of a gamma distribution, to 1.5 % (Minka 2002).
fn shape(gap: f64) -> f64 {
    (3.0 - gap + ((gap - 3.0).powi(2) + 24.0 * gap).sqrt()) / (12.0 * gap)
}

/// The logarithm of the gamma function by Stirling's series at `x` + 4, shifted back by recursion.
fn log_gamma(x: f64) -> f64 {
    let moved = x + 4.0;
    let series = (moved - 0.5) * moved.ln() - moved + 0.5 * std::f64::consts::TAU.ln() + 1.0 / (12.0 * moved)
        - 1.0 / (360.0 * moved.powi(3));
    series - (x * (x + 1.0) * (x + 2.0) * (x + 3.0)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Random;

    #[test]
    fn the_gamma_function_is_right() {
        for (x, expected) in [(1.0, 0.0), (5.0, 24.0f64.ln()), (0.5, 0.572_364_943), (100.0, 359.134_205_4)] {
            assert!((log_gamma(x) - expected).abs() < 1e-6, "{x} {}", log_gamma(x));
        }
    }

    #[test]
    fn order_is_none_of_random_times_and_grows_with_their_number() {
        let mut random = Random::new(3);
        let mut mean_order = |count: usize, mut draw: Box<dyn FnMut(&mut Random) -> f64>| {
            let mut one = || order(&(0..count).map(|_| draw(&mut random)).collect::<Vec<f64>>());
            (0..400).map(|_| one()).sum::<f64>() / 400.0
        };
        let by_chance = mean_order(20, Box::new(|random| random.exponential(7.0)));
        let (few, many) = (
            mean_order(6, Box::new(|random| random.between(8.0, 12.0))),
            mean_order(40, Box::new(|random| random.between(8.0, 12.0))),
        );
        assert!(by_chance.abs() < 0.4, "{by_chance}");
        assert!(few > 1.5 && many > few + 0.7, "{few} {many}");
        assert!(order(&[5.0; 10]) > many - 1.0);
        assert_eq!((order(&[]), order(&[0.0; 4])), (0.0, 0.0));
    }
}
