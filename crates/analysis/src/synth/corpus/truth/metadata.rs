//! Load on the metadata servers (section 2.7).

use std::collections::BTreeMap;

use super::super::events::Calls;
use super::near;

/// More requests than this in one second are a high spike.
const HIGH: f64 = 250.0;
/// Requests in one second that make a spike.
const SPIKE: f64 = 50.0;
/// Spikes that count as multiple.
const MANY: usize = 5;
/// Mean requests per second that count as dense.
const DENSE: f64 = 50.0;

/// Metadata requests over time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Requests {
    pub total: f64,
    pub peak_per_s: f64,
    pub mean_per_s: f64,
    /// Seconds with 50 or more requests.
    pub spikes: usize,
    pub nprocs: f64,
}

/// Counts requests per second. Also returns whether another placement or rounding would change a
/// label.
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

/// Run-length encoded requests per second: a run can last for days.
struct Seconds(Vec<(usize, f64)>);

impl Seconds {
    /// Spreads requests of unknown time (seeks) over the time of the opens, or places them at its
    /// start if `at_once`.
    fn new(calls: &[(Calls, bool)], runtime_s: f64, at_once: bool) -> Seconds {
        let count = runtime_s.ceil().max(1.0) as usize;
        // For each second with a change: requests in that second only, and the change of the rate.
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
    pub fn labels(&self) -> Vec<&'static str> {
        let many = self.spikes >= MANY;
        [
            (self.peak_per_s > HIGH, "high_spike"),
            (many, "multiple_spikes"),
            (many && self.mean_per_s >= DENSE, "high_density"),
            // Whole requests were summed from fractions.
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
