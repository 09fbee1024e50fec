//! Load on the metadata servers (section 2.7).

use std::collections::BTreeMap;

use super::super::events::Calls;
use super::cuts::{Cut, Cuts};

/// Metadata requests over time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Requests {
    pub total: f64,
    pub peak_per_s: f64,
    pub mean_per_s: f64,
    /// Seconds with as many requests as a spike has.
    pub spikes: usize,
    pub nprocs: f64,
}

/// Run-length encoded requests per second: a run can last for days.
pub struct Seconds(Vec<(usize, f64)>);

impl Seconds {
    pub fn new(calls: &[Calls], runtime_s: f64) -> Seconds {
        let count = runtime_s.ceil().max(1.0) as usize;
        // For each second with a change: requests in that second only, and the change of the rate.
        let mut marks: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        let mut mark = |second: usize, alone: f64, change: f64| {
            let known = marks.entry(second).or_default();
            *known = (known.0 + alone, known.1 + change);
        };
        for calls in calls.iter().filter(|calls| calls.count > 0) {
            let (length, amount) = (calls.to_s - calls.from_s, calls.count as f64);
            let second = |time: f64| (time.max(0.0) as usize).min(count - 1);
            let (first, end) = (second(calls.from_s), second(calls.to_s));
            if length <= 0.0 || first == end {
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

    pub fn summed(&self, cuts: &Cuts, runtime_s: f64, nprocs: u64) -> Requests {
        let spike = cuts.of(Cut::Spike);
        let total: f64 = self.0.iter().map(|&(seconds, requests)| seconds as f64 * requests).sum();
        let peak_per_s = self.0.iter().map(|&(_, requests)| requests).fold(0.0, f64::max);
        let spikes =
            self.0.iter().filter(|(_, requests)| *requests >= spike).map(|(seconds, _)| seconds).sum();
        Requests { total, peak_per_s, mean_per_s: total / runtime_s, spikes, nprocs: nprocs as f64 }
    }
}

impl Requests {
    pub fn labels(&self, cuts: &Cuts) -> Vec<&'static str> {
        let many = self.spikes as f64 >= cuts.of(Cut::Spikes);
        [
            (self.peak_per_s > cuts.of(Cut::HighSpike), "high_spike"),
            (many, "multiple_spikes"),
            (many && self.mean_per_s >= cuts.of(Cut::Density), "high_density"),
            // Whole requests were summed from fractions.
            (self.total.round() < cuts.of(Cut::Load) * self.nprocs, "insignificant_load"),
        ]
        .into_iter()
        .filter_map(|(holds, label)| holds.then_some(label))
        .collect()
    }
}
