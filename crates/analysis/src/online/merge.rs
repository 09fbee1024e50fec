//! Merges predictions into the published intervals of frequencies with their probabilities.
//!
//! The frequencies of all predictions are clustered (DBSCAN in one dimension, two members make a
//! cluster). As published, the reach is twice the largest difference between the resolutions of
//! consecutive windows. Two bounds are ours. Our answers lie between the bins of a spectrum, so
//! windows of equal length must not give a reach of zero. One short window at the beginning must
//! not put everything into one cluster.

use std::collections::VecDeque;

/// Maximum number of predictions that count, newest first.
const MOST: usize = 1000;
/// Minimum size of a cluster.
const MIN: usize = 2;
/// Bounds of the reach, relative to the median frequency.
const SHORTEST: f64 = 0.01;
const LONGEST: f64 = 0.1;

/// A cluster of close frequencies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Interval {
    pub low_hz: f64,
    pub high_hz: f64,
    /// Share of all predictions, including those without a period.
    pub probability: f64,
}

/// Collects predictions.
#[derive(Debug, Clone, Default)]
pub struct Merged {
    /// Frequency, if there was a period, and length of the window.
    predictions: VecDeque<(Option<f64>, f64)>,
    /// The frequencies among them, ascending.
    sorted: Vec<f64>,
}

impl Merged {
    pub fn push(&mut self, period_s: Option<f64>, window_s: f64) {
        if self.predictions.len() >= MOST
            && let Some((Some(oldest), _)) = self.predictions.pop_front()
        {
            self.sorted.remove(self.place(oldest));
        }
        let frequency = period_s.map(|period| 1.0 / period).filter(|frequency| frequency.is_finite());
        self.predictions.push_back((frequency, window_s));
        if let Some(frequency) = frequency {
            self.sorted.insert(self.place(frequency), frequency);
        }
    }

    fn place(&self, frequency: f64) -> usize {
        self.sorted.partition_point(|known| known.total_cmp(&frequency).is_lt())
    }

    /// Returns the intervals by ascending frequency.
    pub fn intervals(&self) -> Vec<Interval> {
        let Some(&median) = self.sorted.get(self.sorted.len() / 2) else { return Vec::new() };
        let found = self.predictions.iter().filter_map(|&(frequency, window)| frequency.map(|_| window));
        let reach = reach(found).clamp(SHORTEST * median, LONGEST * median);
        let interval = |cluster: &[f64]| {
            let (low_hz, high_hz) = (cluster.first().copied()?, cluster.last().copied()?);
            let probability = cluster.len() as f64 / self.predictions.len() as f64;
            Some(Interval { low_hz, high_hz, probability })
        };
        clusters(&self.sorted, reach).filter_map(interval).collect()
    }
}

/// Returns twice the largest difference between the resolutions of consecutive windows.
pub fn reach(windows_s: impl Iterator<Item = f64>) -> f64 {
    let mut resolutions = windows_s.map(|window| if window > 0.0 { 1.0 / window } else { 0.0 });
    let Some(mut last) = resolutions.next() else { return 0.0 };
    let differences = resolutions.map(|next| (next - std::mem::replace(&mut last, next)).abs());
    2.0 * differences.fold(0.0, f64::max)
}

/// Returns the clusters of sorted values: neighbours at most `reach` apart, and at least two of
/// them. In one dimension DBSCAN does the same.
pub fn clusters(sorted: &[f64], reach: f64) -> impl Iterator<Item = &[f64]> {
    sorted.chunk_by(move |low, high| high - low <= reach).filter(|cluster| cluster.len() >= MIN)
}
