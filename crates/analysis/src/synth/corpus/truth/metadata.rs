//! How a job loads the metadata servers (section 2.7).

use std::collections::BTreeMap;

use super::super::events::Calls;
use super::near;

/// Requests in one second that make a high spike, if there are more.
const HIGH: f64 = 250.0;
/// Requests in one second that make a spike.
const SPIKE: f64 = 50.0;
/// Spikes that are many.
const MANY: usize = 5;
/// Mean requests per second that are dense.
const DENSE: f64 = 50.0;

/// Metadata requests over time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Requests {
    /// All of them.
    pub total: f64,
    /// In the busiest second.
    pub peak_per_s: f64,
    /// Over the run.
    pub mean_per_s: f64,
    /// Seconds with 50 or more.
    pub spikes: usize,
    /// Processes of the job.
    pub nprocs: f64,
}

/// Counts requests by seconds. Also whether another way of placing or rounding them would change a label.
pub fn count(calls: &[(Calls, bool)], runtime_s: f64, nprocs: u64) -> (Requests, bool) {
    let spread = Seconds::new(calls, runtime_s, false);
    let requests = spread.summed(SPIKE, runtime_s, nprocs);
    let labels = requests.labels();
    let differs = |seconds: &Seconds, spike: f64| seconds.summed(spike, runtime_s, nprocs).labels() != labels;
    let placed = calls.iter().any(|(calls, unknown)| *unknown && calls.count > 0);
    let doubtful = (placed && differs(&Seconds::new(calls, runtime_s, true), SPIKE))
        || differs(&spread, SPIKE * 0.97)
        || differs(&spread, SPIKE * 1.03)
        || near(requests.peak_per_s, HIGH, 0.015)
        || (requests.spikes >= MANY - 1 && near(requests.mean_per_s, DENSE, 0.015))
        || (nprocs > 50 && near(requests.total, requests.nprocs, 0.01));
    (requests, doubtful)
}

/// Requests in each second of a run, as runs of equal seconds: a run can last for days.
struct Seconds(Vec<(usize, f64)>);

impl Seconds {
    /// Requests whose times are not known (seeks) are spread over the time of the opens, or placed
    /// `at_once` at their begin.
    fn new(calls: &[(Calls, bool)], runtime_s: f64, at_once: bool) -> Seconds {
        let count = runtime_s.ceil().max(1.0) as usize;
        // Of each second where something changes: requests of that second alone, change of the rate.
        let mut marks: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        let mut mark = |second: usize, alone: f64, change: f64| {
            let known = marks.entry(second).or_default();
            *known = (known.0 + alone, known.1 + change);
        };
        for (calls, unknown) in calls.iter().filter(|(calls, _)| calls.count > 0) {
            let (length, amount) = (calls.to_s - calls.from_s, calls.count as f64);
            let second = |time: f64| (time.max(0.0) as usize).min(count - 1);
            let (first, end) = (second(calls.from_s), second(calls.to_s));
            if length <= 0.0 || first == end || (*unknown && at_once) {
                mark(first, amount, 0.0);
                continue;
            }
            let per_s = amount / length;
            mark(first, per_s * ((first + 1) as f64 - calls.from_s), 0.0);
            mark(end, per_s * (calls.to_s - end as f64), -per_s);
            mark(first + 1, 0.0, per_s);
        }
        let (mut runs, mut done, mut rate) = (Vec::new(), 0, 0.0);
        for (second, (alone, change)) in marks {
            runs.push((second - done, rate));
            rate += change;
            runs.push((1, rate + alone));
            done = second + 1;
        }
        runs.push((count.saturating_sub(done), rate));
        runs.retain(|(length, _)| *length > 0);
        Seconds(runs)
    }

    fn summed(&self, spike: f64, runtime_s: f64, nprocs: u64) -> Requests {
        let total: f64 = self.0.iter().map(|&(seconds, requests)| seconds as f64 * requests).sum();
        let peak_per_s = self.0.iter().map(|&(_, requests)| requests).fold(0.0, f64::max);
        let spikes =
            self.0.iter().filter(|(_, requests)| *requests >= spike).map(|(seconds, _)| seconds).sum();
        Requests { total, peak_per_s, mean_per_s: total / runtime_s, spikes, nprocs: nprocs as f64 }
    }
}

impl Requests {
    /// The labels, with the published thresholds.
    pub fn labels(&self) -> Vec<&'static str> {
        let many = self.spikes >= MANY;
        [
            (self.peak_per_s > HIGH, "high_spike"),
            (many, "multiple_spikes"),
            (many && self.mean_per_s >= DENSE, "high_density"),
            // Whole requests were added up in parts.
            (self.total.round() < self.nprocs, "insignificant_load"),
        ]
        .into_iter()
        .filter_map(|(holds, label)| holds.then_some(label))
        .collect()
    }

    /// Whether a value lies within 20 % of its threshold.
    pub fn is_near(&self) -> bool {
        let many = self.spikes >= MANY;
        near(self.peak_per_s, HIGH, 0.2)
            || near(self.peak_per_s, SPIKE, 0.2)
            || (self.peak_per_s >= SPIKE && near(self.spikes as f64, MANY as f64, 0.2))
            || (many && near(self.mean_per_s, DENSE, 0.2))
            || (self.nprocs > 4.0 && near(self.total, self.nprocs, 0.2))
    }
}
