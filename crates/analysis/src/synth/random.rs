//! Seeded random numbers.

/// The SplitMix64 generator.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0 to 1, without 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Log-uniform; both bounds must be positive.
    pub fn between_log(&mut self, low: f64, high: f64) -> f64 {
        self.between(low.ln(), high.ln()).exp()
    }

    /// Uniform in `0..count`; 0 if `count` is 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count.saturating_sub(1))
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Box and Muller 1958.
    pub fn normal(&mut self, mean: f64, deviation: f64) -> f64 {
        // The logarithm needs a number above zero.
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        mean + deviation * radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Redraws until the value is positive.
    pub fn positive_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        // With a mean of at least zero at least half of the draws are positive; the bound is for
        // other means.
        let draws = if deviation > 0.0 { 1000 } else { 0 };
        (0..draws).map(|_| self.normal(mean, deviation)).find(|&value| value > 0.0).unwrap_or(mean.max(0.0))
    }

    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.unit()).ln()
    }

    /// The median is 1.
    pub fn lognormal(&mut self, deviation: f64) -> f64 {
        self.normal(0.0, deviation).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(mut draw: impl FnMut(&mut Random) -> f64) -> (f64, f64) {
        let mut random = Random::new(7);
        let values: Vec<f64> = (0..50_000).map(|_| draw(&mut random)).collect();
        let mean = values.iter().sum::<f64>() / 5e4;
        (mean, (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 5e4).sqrt())
    }

    #[track_caller]
    fn check((mean, deviation): (f64, f64), expected: (f64, f64)) {
        let close = |value: f64, wanted: f64| (value - wanted).abs() < 0.03 * wanted;
        assert!(
            close(mean, expected.0) && close(deviation, expected.1),
            "{mean} {deviation}, not {expected:?}"
        );
    }

    #[test]
    fn distributions_have_their_moments() {
        check(moments(|random| random.normal(5.0, 2.0)), (5.0, 2.0));
        check(moments(|random| random.exponential(3.0)), (3.0, 3.0));
        let (square, e) = (0.25f64, std::f64::consts::E);
        let mean = e.powf(square / 2.0);
        check(moments(|random| random.lognormal(0.5)), (mean, mean * (e.powf(square) - 1.0).sqrt()));
        // A normal distribution around 0, cut at 0, is half-normal.
        let half = (2.0 / std::f64::consts::PI).sqrt();
        check(moments(|random| random.positive_normal(0.0, 1.0)), (half, (1.0 - half * half).sqrt()));
        check(moments(|random| random.index(4) as f64), (1.5, 1.25f64.sqrt()));
    }

    #[test]
    fn degenerate_distributions_are_points() {
        let mut random = Random::new(1);
        assert_eq!(random.positive_normal(11.0, 0.0), 11.0);
        assert_eq!(random.positive_normal(-1.0, 0.0), 0.0);
        assert_eq!(random.exponential(0.0).abs(), 0.0);
        assert_eq!((random.index(0), random.index(1)), (0, 0));
    }
}
