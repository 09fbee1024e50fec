//! Server traffic during one run.

/// The slice of a throughput log between a run's start and end.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Bytes per second in each interval; NaN where nothing was observed.
    pub rates: Vec<f64>,
    /// Intervals where others' traffic was subtracted, so that the rest is less certain. Empty if
    /// none.
    pub mended: Vec<bool>,
    pub interval_s: f64,
    /// Seconds from the start of the first interval to the start of the run; at most one interval.
    pub offset_s: f64,
    /// Of the run.
    pub duration_s: f64,
}

impl Sample {
    /// Sums the bytes; the first and the last interval count in proportion to their overlap with
    /// the run.
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
