//! Calls of the finder, and their consequences.

use super::super::change::{OTHER_PERIOD, OTHER_VOLUME, differ, odd_first, step};
use super::super::{Burst, Finder, Found};
use super::{Asked, Tracker};
use crate::period::Phase;
use crate::period::hypothesis::distances;

/// Minimum number of distances for a new period, and of volumes for a new volume.
const NEW_DISTANCES: usize = 2;
const NEW_VOLUMES: usize = 3;
/// Confidence in a period from distances after a change that the finder does not confirm yet.
const FRESH: f64 = 0.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Distances,
    Volumes,
}

impl Tracker {
    /// Calls the finder on clear phases, without the one in progress, to update the confidence. If
    /// it sees another period, that raises a doubt, and a second call decides.
    pub(super) fn verify(&mut self, find: Finder) {
        let from_s = self.window_from();
        let to_s = self.phases.all().last().map_or(self.now_s, |phase| phase.start_s);
        let found = find(&self.bursts.between(from_s, to_s), [from_s, to_s]);
        let agrees = found.period_s.zip(self.period_s).is_some_and(|(found, known)| !differ(found, known));
        self.asked = Asked { at_s: Some(self.now_s), phases: 0, doubt: !agrees };
        if agrees {
            self.confidence = found.confidence;
        }
    }

    /// Calls the finder on everything from a moment on. If it finds nothing there, it looks at
    /// everything that is kept, or at the rest without an odd first phase.
    pub(super) fn ask(&mut self, from_s: f64, find: Finder) {
        let bursts = self.bursts.since(from_s);
        let found = find(&bursts, [from_s, self.now_s]);
        let again_s = if found.period_s.is_some() {
            None
        } else if self.all_from() < from_s {
            Some(self.all_from())
        } else {
            second_of(&found.phases).inspect(|&second_s| self.drop_before(second_s))
        };
        let Some(again_s) = again_s else { return self.take(from_s, found, &bursts) };
        let bursts = self.bursts.since(again_s);
        let found = find(&bursts, [again_s, self.now_s]);
        self.take(again_s, found, &bursts);
    }

    fn take(&mut self, from_s: f64, found: Found, bursts: &[Burst]) {
        self.asked = Asked { at_s: Some(self.now_s), phases: 0, doubt: false };
        match found.period_s {
            Some(period_s) => self.phases.replace(from_s, found.phases, period_s, bursts),
            None => self.phases.clear(),
        }
        (self.period_s, self.confidence) = (found.period_s, found.confidence);
    }

    /// Returns whether the phases have changed; if so, forgets what was before.
    pub(super) fn has_changed(&mut self, find: Finder) -> bool {
        self.skip_odd_first();
        let Some((at_s, kind)) = self.change().filter(|_| !self.is_intermittent()) else { return false };
        // Look at both sides separately: if they have the same period, only the finder's view
        // differed.
        let (bursts, all_s) = (self.bursts.since(at_s), self.all_from());
        let new = find(&bursts, [at_s, self.now_s]);
        let old = find(&self.bursts.between(all_s, at_s), [all_s, at_s]);
        let periods = old.period_s.zip(new.period_s.or(self.period_since(at_s)));
        if periods.is_some_and(|(old, new)| differ(old, new) != (kind == Kind::Distances)) {
            self.ask(all_s, find);
            return false;
        }
        self.drop_before(at_s);
        self.window.reset();
        let fresh = self.period_since(at_s);
        match (fresh, new.period_s) {
            // Too little data for the finder, or it still sees the old period.
            (Some(fresh), found) if found.is_none_or(|found| differ(found, fresh)) => {
                (self.period_s, self.confidence) = (Some(fresh), FRESH);
            }
            _ => self.take(at_s, new, &bursts),
        }
        true
    }

    /// Returns the moment from which distances or volumes have another level, and which of them.
    fn change(&self) -> Option<(f64, Kind)> {
        let phases = self.phases.since(self.since_s);
        let start = |at: usize| phases.get(at).map(|phase| phase.start_s);
        if let Some(at) = step(&distances(phases), OTHER_PERIOD, NEW_DISTANCES) {
            return start(at).map(|at_s| (at_s, Kind::Distances));
        }
        // The last phase may be in progress.
        let whole = phases.split_last().map_or(&[][..], |(_, whole)| whole);
        let volumes: Vec<f64> = whole.iter().map(|phase| phase.bytes).collect();
        let at = step(&volumes, OTHER_VOLUME, NEW_VOLUMES)?;
        start(at).map(|at_s| (at_s, Kind::Volumes))
    }

    fn skip_odd_first(&mut self) {
        if let Some(second_s) = second_of(self.phases.since(self.since_s)) {
            self.drop_before(second_s);
            self.period_s = self.period_since(second_s).or(self.period_s);
        }
    }
}

fn second_of(phases: &[Phase]) -> Option<f64> {
    phases.get(1).filter(|_| odd_first(&distances(phases), OTHER_PERIOD)).map(|second| second.start_s)
}
