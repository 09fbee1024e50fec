//! The published procedure (Tarraf et al., IPDPS 2024, section II-D), to the letter: after each
//! flush, the published method is applied to all data so far, or to a part of them that follows the
//! periods found, and all answers are merged into intervals of frequencies.
//!
//! Our choices where the paper is silent: a prediction without a period starts the count over, and
//! the window again has everything (as FTIO 0.0.9 does). A shortened window keeps its start until
//! the count is complete again, as in the paper's figure 15. Memory and time of an update grow with
//! the number of requests, up to [`MOST`].

use marigraph_model::{Event, Nanos};

use super::merge::{clusters, reach};
use super::{Interval, Prediction, Rule};
use crate::period::{Outcome, Rules, Samples, Signal, dft, find};
use crate::timeline::Evidence;

/// Maximum number of requests that are kept; beyond it the older half is forgotten.
const MOST: usize = 1 << 22;
/// The neighbourhood of DBSCAN must not be empty.
const MIN_REACH_HZ: f64 = 1e-8;

/// Follows a job as published.
#[derive(Debug, Clone)]
pub struct Published {
    rule: Rule,
    rules: Rules,
    sampling_hz: f64,
    /// Start, end and bytes.
    requests: Vec<(Nanos, Nanos, u64)>,
    first: Nanos,
    now: Nanos,
    /// Where the window begins; without it, at the first request.
    since: Option<Nanos>,
    /// Periods found since the window last changed, and the last of them.
    found: u32,
    period_s: Option<f64>,
    /// Frequency, if there was one, and length of the window of each prediction.
    predictions: Vec<(Option<f64>, f64)>,
}

impl Published {
    pub fn new(rule: Rule, rules: Rules, sampling_hz: Option<f64>) -> Published {
        Published {
            rule,
            rules,
            sampling_hz: sampling_hz.unwrap_or(find::USUAL_HZ),
            requests: Vec::new(),
            first: Nanos(i64::MAX),
            now: Nanos(i64::MIN),
            since: None,
            found: 0,
            period_s: None,
            predictions: Vec::new(),
        }
    }

    pub fn restart(&mut self) {
        *self = Published::new(self.rule, self.rules, Some(self.sampling_hz));
    }

    /// Adds a request, in any order; it counts from the next flush.
    pub fn add(&mut self, event: &Event) {
        if self.requests.len() >= MOST {
            self.requests.sort_unstable_by_key(|request| request.1);
            self.requests.drain(..MOST / 2);
            self.first = self.requests.iter().map(|request| request.0).min().unwrap_or(self.first);
        }
        let (start, end) = (event.start.min(event.end), event.start.max(event.end));
        self.requests.push((start, end, event.bytes));
        self.first = self.first.min(start);
        self.now = self.now.max(end);
    }

    /// Makes a prediction after all requests of a flush were added.
    pub fn flush(&mut self) -> Prediction {
        self.adapt();
        let window = [self.since.map_or(self.first, |since| since.max(self.first)), self.now];
        let length_s = window[1].as_job_seconds() - window[0].as_job_seconds();
        if self.requests.is_empty() || length_s <= 0.0 {
            return self.predict(&dft::follow(&Signal::default(), &self.rules), [0.0; 2]);
        }
        let hertz = self.sampling_hz.min(find::MAX_UNASKED / length_s);
        let mut samples = Samples::new(Evidence::Trace, window, hertz, |_, _| true);
        self.requests.iter().for_each(|&(start, end, bytes)| samples.request(start, end, bytes));
        self.predict(&dft::follow(&samples.finish(), &self.rules), window.map(Nanos::as_job_seconds))
    }

    /// Moves the start of the window.
    fn adapt(&mut self) {
        let now_s = self.now.as_job_seconds();
        let from = |length_s: f64| Some(Nanos::from_job_seconds(now_s - length_s));
        self.since = match (self.rule, self.period_s) {
            (Rule::Hits(count), Some(period_s)) if self.found >= count => {
                self.found = 0;
                from(f64::from(count) * period_s)
            }
            (Rule::Hits(_), Some(_)) => self.since,
            (Rule::Periods(count), Some(period_s)) => from(f64::from(count) * period_s),
            (Rule::Seconds(seconds), _) => from(seconds),
            _ => None,
        };
    }

    fn predict(&mut self, outcome: &Outcome, window_s: [f64; 2]) -> Prediction {
        self.period_s = outcome.period_s;
        self.found = if self.period_s.is_some() { self.found + 1 } else { 0 };
        let frequency = self.period_s.map(|period| 1.0 / period);
        self.predictions.push((frequency, window_s[1] - window_s[0]));
        Prediction {
            t_s: window_s[1],
            period_s: self.period_s,
            confidence: outcome.confidence,
            next: None,
            intervals: self.intervals(),
            window_s,
            bytes_per_period: outcome.metrics.bytes_per_period,
            change: false,
        }
    }

    /// Clusters of the frequencies found, by DBSCAN, and their share of all predictions.
    fn intervals(&self) -> Vec<Interval> {
        let found =
            || self.predictions.iter().filter_map(|&(frequency, window_s)| Some((frequency?, window_s)));
        let reach = reach(found().map(|(_, window_s)| window_s)).max(MIN_REACH_HZ);
        let mut frequencies: Vec<f64> = found().map(|(frequency, _)| frequency).collect();
        frequencies.sort_by(f64::total_cmp);
        let interval = |cluster: &[f64]| {
            let (low_hz, high_hz) = (cluster.first().copied()?, cluster.last().copied()?);
            let probability = cluster.len() as f64 / self.predictions.len() as f64;
            Some(Interval { low_hz, high_hz, probability })
        };
        clusters(&frequencies, reach).filter_map(interval).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::{Direction, FileId, Module, Rank};

    /// A flush of a phase that lasts 4 s.
    fn phase(published: &mut Published, start_s: f64) -> Prediction {
        published.add(&Event {
            interface: Module::Posix,
            direction: Direction::Write,
            rank: Rank(0),
            file: FileId(1),
            start: Nanos::from_job_seconds(start_s),
            end: Nanos::from_job_seconds(start_s + 4.0),
            offset: None,
            bytes: 1000,
            thread: None,
        });
        published.flush()
    }

    fn run(rule: Rule, starts: impl IntoIterator<Item = f64>) -> Vec<Prediction> {
        let mut published = Published::new(rule, Rules::PUBLISHED, Some(2.0));
        starts.into_iter().map(|start_s| phase(&mut published, start_s)).collect()
    }

    #[test]
    fn three_periods_found_shorten_the_window_until_three_more() {
        let told = run(Rule::Hits(3), (0..14).map(|n| 10.0 * f64::from(n)));
        let first = told.iter().position(|one| one.period_s.is_some()).expect("a period");
        let from = |at: usize| told[at].window_s[0];
        assert_eq!(from(first + 2), 0.0, "the third period");
        let shortened = told[first + 3].window_s;
        let period_s = told[first + 2].period_s.expect("a period");
        assert!((shortened[1] - shortened[0] - 3.0 * period_s).abs() < 1e-6, "{shortened:?}");
        assert_eq!(from(first + 4), from(first + 3));
        assert_eq!(from(first + 5), from(first + 3));
        assert!(from(first + 6) > from(first + 3));
    }

    #[test]
    fn fixed_windows_need_no_hits() {
        let starts = || (0..9).map(|n| 10.0 * f64::from(n));
        let told = run(Rule::Seconds(35.0), starts());
        assert_eq!((told[1].window_s, told[8].window_s), ([0.0, 14.0], [49.0, 84.0]));
        assert!(run(Rule::Off, starts()).iter().all(|one| one.window_s[0] == 0.0));
    }

    #[test]
    fn a_miss_gives_the_window_everything() {
        let steady = (0..9).map(|n| 10.0 * f64::from(n));
        let silence = [2000.0, 2010.0];
        let told = run(Rule::Hits(3), steady.chain(silence));
        assert!(told[8].window_s[0] > 0.0);
        let miss = told.iter().skip(9).position(|one| one.period_s.is_none()).expect("a miss");
        if let Some(next) = told.get(9 + miss + 1) {
            assert_eq!(next.window_s[0], 0.0);
        }
    }

    #[test]
    fn predictions_are_merged_into_intervals() {
        let told = run(Rule::Off, (0..12).map(|n| 10.0 * f64::from(n)));
        let last = told.last().expect("predictions");
        let found = told.iter().filter(|one| one.period_s.is_some()).count() as f64;
        let sum: f64 = last.intervals.iter().map(|interval| interval.probability).sum();
        assert!(sum > 0.5 && sum <= found / 12.0 + 1e-9, "{sum} of {found}");
        assert!(last.intervals.iter().any(|one| one.low_hz <= 0.1 && one.high_hz > 0.09));
        let nothing = Published::new(Rule::Off, Rules::PUBLISHED, None).flush();
        assert_eq!((nothing.period_s, nothing.intervals.len()), (None, 0));
    }
}
