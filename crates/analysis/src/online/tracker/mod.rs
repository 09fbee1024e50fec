//! Follows a job from flush to flush.

mod looks;

use super::bursts::Bursts;
use super::change::differ;
use super::merge::Merged;
use super::next::next;
use super::phases::{Phases, Step};
use super::window::{Rule, Window};
use super::{Burst, Finder, Prediction};
use crate::period::hypothesis::{distances, period};
use crate::quantile::median;

/// Minimum number of distances for a period.
const MIN: usize = 2;
/// Time until the next call of the finder: a share of the time seen while it finds nothing, and a
/// share of a period where phases need it.
const GROWN: f64 = 0.05;
const OFTEN: f64 = 0.125;
/// In normal operation, after one in `MORE` of the known phases, at most `AT_MOST`.
const MORE: usize = 4;
const AT_MOST: usize = 64;
/// Minimum share of the time that phases at their usual distance must fill.
const STEADY: f64 = 0.5;

/// Follows a job and predicts its next phase.
#[derive(Debug, Clone)]
pub struct Tracker {
    rule: Rule,
    /// Requests since the last flush.
    incoming: Vec<Burst>,
    bursts: Bursts,
    phases: Phases,
    window: Window,
    merged: Merged,
    now_s: f64,
    first_s: f64,
    /// Data before this belongs to a past behaviour.
    since_s: f64,
    period_s: Option<f64>,
    confidence: f64,
    asked: Asked,
}

/// The last call of the finder.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    at_s: Option<f64>,
    /// Phases that began since.
    phases: usize,
    /// Something has not fitted since.
    doubt: bool,
}

impl Tracker {
    pub fn new(rule: Rule) -> Tracker {
        Tracker {
            rule,
            incoming: Vec::new(),
            bursts: Bursts::new(),
            phases: Phases::default(),
            window: Window::new(rule),
            merged: Merged::default(),
            now_s: 0.0,
            first_s: f64::INFINITY,
            since_s: f64::NEG_INFINITY,
            period_s: None,
            confidence: 0.0,
            asked: Asked::default(),
        }
    }

    pub fn restart(&mut self) {
        *self = Tracker::new(self.rule);
    }

    /// Adds a request, in any order; it counts from the next flush.
    pub fn add(&mut self, rank: u32, start_s: f64, end_s: f64, bytes: f64) {
        self.incoming.push(Burst { rank, start_s, end_s, bytes });
    }

    pub fn now_s(&self) -> f64 {
        self.now_s
    }

    /// Makes a prediction after all requests of a flush were added. `now_s` is the time of the
    /// flush, if known.
    pub fn flush(&mut self, now_s: Option<f64>, find: Finder) -> Prediction {
        let requests = std::mem::take(&mut self.incoming);
        let coarsest = self.coarsest_s();
        let new = self.bursts.absorb(requests, coarsest);
        let ends = new.iter().map(|burst| burst.end_s).chain(now_s.filter(|now| now.is_finite()));
        self.now_s = ends.fold(self.now_s, f64::max);
        self.first_s = new.first().map_or(self.first_s, |burst| burst.start_s.min(self.first_s));
        let step = self.follow(&new);
        // Clear phases show a change at once; a look at old and new together may blur it.
        let mut change = step.began && self.has_changed(find);
        if !change && !new.is_empty() && self.is_due(step) {
            if self.is_plain() {
                self.verify(find);
            } else {
                self.ask(self.window_from(), find);
                change = self.has_changed(find);
            }
        }
        self.forget();
        self.predict(change)
    }

    fn follow(&mut self, new: &[Burst]) -> Step {
        if self.period_s.is_none() || new.is_empty() {
            return Step::default();
        }
        let step = self.phases.extend(new);
        if step.began {
            self.asked.phases += 1;
            self.period_s = self.period_since(self.window_from()).or(self.period_s);
        }
        step
    }

    fn is_due(&mut self, step: Step) -> bool {
        self.asked.doubt |= step.doubt;
        let Some(at_s) = self.asked.at_s else { return true };
        let passed = self.now_s - at_s;
        let Some(period) = self.period_s.filter(|_| !self.is_intermittent()) else {
            let seen = self.now_s - self.bursts.start_s().unwrap_or(self.now_s);
            return passed >= GROWN * seen;
        };
        let odd = |distance: &&f64| differ(**distance, period);
        self.asked.doubt |= distances(self.phases.all()).iter().rev().take(2).filter(odd).count() == 2;
        let many = (self.phases.all().len() / MORE).clamp(1, AT_MOST);
        (self.asked.doubt && passed >= OFTEN * period) || (step.began && self.asked.phases >= many)
    }

    fn drop_before(&mut self, moment_s: f64) {
        self.since_s = moment_s;
        self.bursts.forget_before(moment_s);
        self.phases.forget_before(moment_s);
    }

    fn forget(&mut self) {
        if let Some(longest) = self.window.longest_s().filter(|_| !self.is_intermittent()) {
            self.bursts.forget_before(self.unbroken(self.now_s - longest));
        }
    }

    fn period_since(&self, from_s: f64) -> Option<f64> {
        let distances = distances(self.phases.since(from_s));
        (distances.len() >= MIN).then(|| period(&distances)).filter(|period| *period > 0.0)
    }

    fn all_from(&self) -> f64 {
        self.bursts.start_s().unwrap_or(self.now_s).max(self.since_s)
    }

    fn window_from(&self) -> f64 {
        let Some(length) = self.window.length_s() else { return self.all_from() };
        let mut from_s = self.now_s - length;
        if self.window.may_grow() {
            from_s = if self.is_intermittent() { self.all_from() } else { self.unbroken(from_s) };
        }
        from_s.max(self.first_s).max(self.since_s).min(self.now_s)
    }

    fn is_plain(&self) -> bool {
        let known = self.period_s.is_some() && self.phases.are_parted();
        known && !self.asked.doubt && !self.is_intermittent()
    }

    /// Returns whether the known phases, at their usual distance, fill less than half of the time.
    /// That may be a rhythm within the real phases, which a short window would never show.
    fn is_intermittent(&self) -> bool {
        let distances = distances(self.phases.since(self.since_s));
        let usual_s = median(distances.clone());
        usual_s * (distances.len() as f64) < STEADY * distances.iter().sum::<f64>()
    }

    /// Returns a moment no later than this that is not amid a known phase.
    fn unbroken(&self, moment_s: f64) -> f64 {
        let begun = self.phases.all().iter().rev().find(|phase| phase.start_s <= moment_s);
        begun.map_or(moment_s, |phase| phase.start_s)
    }

    /// Returns the longest pause that may be joined when there are too many bursts.
    fn coarsest_s(&self) -> f64 {
        let seen = self.now_s - self.bursts.start_s().unwrap_or(self.now_s);
        if self.phases.are_parted() { self.phases.pause_s() / 2.0 } else { seen / 1000.0 }
    }

    fn predict(&mut self, change: bool) -> Prediction {
        let period_s = self.period_s;
        let from_s = self.window_from();
        self.window.note(period_s);
        self.merged.push(period_s, self.now_s - from_s);
        let phases = self.phases.since(self.since_s);
        let expected = period_s
            .zip(phases.last())
            .map(|(period_s, last)| next(&distances(phases), period_s, last.start_s, self.now_s));
        Prediction {
            t_s: self.now_s,
            period_s,
            confidence: if period_s.is_some() { self.confidence } else { 0.0 },
            next: expected,
            intervals: self.merged.intervals(),
            window_s: [from_s, self.now_s],
            bytes_per_period: period_s.and_then(|_| self.phases.bytes_since(from_s)),
            change,
        }
    }
}
