//! Server traffic while one run lasted.

/// The slice of a throughput log between a run's start and end.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Bytes per second in each interval; not a number for intervals that were not observed.
    pub rates: Vec<f64>,
    /// Intervals from which others' traffic was taken: what is left is less certain. Empty if none was.
    pub mended: Vec<bool>,
    /// Seconds per interval.
    pub interval_s: f64,
    /// Seconds from the first interval's beginning to the run's; not above the interval.
    pub offset_s: f64,
    /// How long the run lasted.
    pub duration_s: f64,
}

impl Sample {
    /// All bytes. The first and the last interval count as far as they belong to the run.
    pub fn bytes(&self) -> f64 {
        let until = self.offset_s + self.duration_s;
        let share = |at: usize| {
            let from = (at as f64 * self.interval_s).max(self.offset_s);
            (((at + 1) as f64 * self.interval_s).min(until) - from).max(0.0)
        };
        self.rates
            .iter()
            .enumerate()
            .map(|(at, rate)| if rate.is_nan() { 0.0 } else { rate * share(at) })
            .sum()
    }
}
