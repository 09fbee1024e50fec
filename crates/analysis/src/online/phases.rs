//! The known phases, and the assignment of new bursts to them.
//!
//! Where pauses separate the phases that the finder saw, the same pause separates the next ones, so
//! bursts are assigned without the finder. A burst that does not fit raises a doubt, and the finder
//! is called again.

use super::Burst;
use super::change::differ;
use crate::period::Phase;
use crate::period::hypothesis::{distances, mean, period};
use crate::period::rows::join;
use crate::quantile::median;

/// Maximum number of phases kept.
const MOST: usize = 128;
/// Pauses between phases must be longer than all pauses within, by this factor.
const CLEARLY: f64 = 2.0;
/// Minimum separating pause, as a share of the pauses between phases.
const SHORTEST_PAUSE: f64 = 0.1;
/// Runs of bursts below this share of a phase's usual volume are not phases.
const MIN: f64 = 0.05;
/// Maximum volume between phases, relative to a phase; from `ALMOST` on it counts as a phase.
const MAX_BETWEEN: f64 = 0.25;
const ALMOST: f64 = 0.6;
/// Relative to the usual volume, a phase above this may be several, and one below only a part.
const TOO_MUCH: f64 = 1.7;
const TOO_LITTLE: f64 = 0.4;

#[derive(Debug, Clone, Copy, PartialEq)]
struct Parting {
    pause_s: f64,
    least_bytes: f64,
    usual_bytes: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Step {
    pub(super) began: bool,
    /// Something does not fit the known phases.
    pub(super) doubt: bool,
}

/// Phases in order of time; the last one may be in progress.
#[derive(Debug, Clone, Default)]
pub(super) struct Phases {
    list: Vec<Phase>,
    /// A run of bursts with too little volume so far to be a phase.
    pending: Option<Phase>,
    parting: Option<Parting>,
}

impl Phases {
    pub(super) fn all(&self) -> &[Phase] {
        &self.list
    }

    pub(super) fn since(&self, moment_s: f64) -> &[Phase] {
        let at = self.list.partition_point(|phase| phase.start_s < moment_s);
        self.list.get(at..).unwrap_or(&[])
    }

    /// Mean bytes of a phase since a moment. The last phase counts only if there is no other,
    /// because it may be in progress.
    pub(super) fn bytes_since(&self, moment_s: f64) -> Option<f64> {
        let phases = self.since(moment_s);
        let whole = phases.split_last().map_or(phases, |(_, whole)| whole);
        let counted = if whole.is_empty() { phases } else { whole };
        let bytes: Vec<f64> = counted.iter().map(|phase| phase.bytes).collect();
        (!bytes.is_empty()).then(|| mean(&bytes))
    }

    /// Returns whether bursts can be assigned to phases without the finder.
    pub(super) fn are_parted(&self) -> bool {
        self.parting.is_some()
    }

    /// Longest pause that does not separate phases; 0 if unknown.
    pub(super) fn pause_s(&self) -> f64 {
        self.parting.map_or(0.0, |parting| parting.pause_s)
    }

    pub(super) fn forget_before(&mut self, moment_s: f64) {
        self.list.retain(|phase| phase.start_s >= moment_s);
    }

    pub(super) fn clear(&mut self) {
        *self = Phases::default();
    }

    /// Replaces the phases from `from_s` on by those that the finder saw in these bursts. Where
    /// pauses separate them, takes the phases from the bursts themselves, which is more exact.
    pub(super) fn replace(&mut self, from_s: f64, found: Vec<Phase>, period_s: f64, bursts: &[Burst]) {
        let run = |burst: &Burst| Phase { start_s: burst.start_s, end_s: burst.end_s, bytes: burst.bytes };
        let mut runs: Vec<Phase> = bursts.iter().map(run).collect();
        join(&mut runs, 0.0);
        let parted = Parting::learn(&found, &runs).map(|parting| (parting, parting.part(runs)));
        let parted = parted.filter(|(_, phases)| !differ(period(&distances(phases)), period_s));
        self.parting = parted.as_ref().map(|(parting, _)| *parting);
        self.pending = None;
        self.list.retain(|phase| phase.start_s < from_s);
        self.list.extend(parted.map_or(found, |(_, phases)| phases));
        self.list.drain(..self.list.len().saturating_sub(MOST));
    }

    /// `bursts` are in order of time.
    pub(super) fn extend(&mut self, bursts: &[Burst]) -> Step {
        let Some(parting) = self.parting else { return Step { doubt: true, ..Step::default() } };
        let mut all = Step::default();
        for burst in bursts {
            let step = self.put(burst, parting);
            all = Step { began: all.began || step.began, doubt: all.doubt || step.doubt };
        }
        self.list.drain(..self.list.len().saturating_sub(MOST));
        all
    }

    fn put(&mut self, burst: &Burst, parting: Parting) -> Step {
        let pause_s = parting.pause_s;
        let near = |phase: &&mut Phase| {
            burst.start_s >= phase.start_s - pause_s && burst.start_s <= phase.end_s + pause_s
        };
        if let Some(phase) = self.list.iter_mut().rev().find(near) {
            take_in(phase, burst);
            return Step { began: false, doubt: phase.bytes > TOO_MUCH * parting.usual_bytes };
        }
        if self.list.last().is_some_and(|last| burst.start_s < last.start_s) {
            // Late, and at a time without activity.
            return Step { began: false, doubt: true };
        }
        self.gather(burst, parting)
    }

    /// Adds a burst after the last phase; the next phase begins when enough has moved.
    fn gather(&mut self, burst: &Burst, parting: Parting) -> Step {
        let goes_on = |pending: &Phase| burst.start_s <= pending.end_s + parting.pause_s;
        let mut pending = self.pending.take().filter(goes_on).unwrap_or(Phase {
            start_s: burst.start_s,
            end_s: burst.end_s,
            bytes: 0.0,
        });
        take_in(&mut pending, burst);
        if pending.bytes < parting.least_bytes {
            self.pending = Some(pending);
            return Step::default();
        }
        let doubt = self.list.last().is_none_or(|last| last.bytes < TOO_LITTLE * parting.usual_bytes);
        self.list.push(pending);
        Step { began: true, doubt }
    }
}

fn take_in(phase: &mut Phase, burst: &Burst) {
    phase.start_s = phase.start_s.min(burst.start_s);
    phase.end_s = phase.end_s.max(burst.end_s);
    phase.bytes += burst.bytes;
}

impl Parting {
    /// Learns from phases and from runs of bursts without pauses; `None` if pauses alone do not
    /// separate the phases.
    fn learn(phases: &[Phase], runs: &[Phase]) -> Option<Parting> {
        let (mut within, mut between, mut strays) = (0.0_f64, f64::INFINITY, Vec::new());
        // The end of the last run that belongs to a phase, and the index of the phase.
        let mut last: Option<(f64, usize)> = None;
        for run in runs {
            let at = phases.partition_point(|phase| phase.end_s < run.start_s);
            if !phases.get(at).is_some_and(|phase| phase.start_s <= run.end_s) {
                strays.push(*run);
                continue;
            }
            if phases.get(at + 1).is_some_and(|next| next.start_s <= run.end_s) {
                return None;
            }
            match last {
                Some((end_s, same)) if same == at => within = within.max(run.start_s - end_s),
                Some((end_s, _)) => between = between.min(run.start_s - end_s),
                None => {}
            }
            last = Some((run.end_s, at));
        }
        if !between.is_finite() || between <= CLEARLY * within {
            return None;
        }
        let pause_s = (CLEARLY * within).max(SHORTEST_PAUSE * between).min(between / CLEARLY.sqrt());
        let usual_bytes = median(phases.iter().map(|phase| phase.bytes).collect());
        join(&mut strays, pause_s);
        // A run that moves as much as a phase is one, even if the finder left it out.
        let small = strays.iter().map(|run| run.bytes).filter(|bytes| *bytes < ALMOST * usual_bytes);
        let stray = small.fold(0.0, f64::max);
        let least_bytes = (2.0 * stray).max(MIN * usual_bytes);
        (stray <= MAX_BETWEEN * usual_bytes).then_some(Parting { pause_s, least_bytes, usual_bytes })
    }

    fn part(&self, mut runs: Vec<Phase>) -> Vec<Phase> {
        join(&mut runs, self.pause_s);
        runs.retain(|run| run.bytes >= self.least_bytes);
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(start_s: f64, bytes: f64) -> Phase {
        Phase { start_s, end_s: start_s + 3.0, bytes }
    }

    fn burst(start_s: f64, end_s: f64, bytes: f64) -> Burst {
        Burst { rank: 0, start_s, end_s, bytes }
    }

    /// Three phases of two bursts each, with a pause of half a second in between.
    fn known() -> Phases {
        let found: Vec<Phase> = [0.0, 30.0, 60.0].map(|start| phase(start, 100.0)).to_vec();
        let mut phases = Phases::default();
        phases.replace(0.0, found, 30.0, &bursts(&[0.0, 30.0, 60.0]));
        phases
    }

    fn bursts(starts: &[f64]) -> Vec<Burst> {
        starts.iter().flat_map(|&at| [burst(at, at + 1.0, 50.0), burst(at + 1.5, at + 3.0, 50.0)]).collect()
    }

    fn step(began: bool, doubt: bool) -> Step {
        Step { began, doubt }
    }

    #[test]
    fn a_pause_parts_phases_to_come() {
        let mut phases = known();
        assert!(phases.are_parted());
        assert_eq!(phases.pause_s(), 2.7);
        assert_eq!(phases.extend(&bursts(&[90.0])), step(true, false));
        assert_eq!(phases.extend(&[]), step(false, false));
        assert_eq!(phases.extend(&[burst(120.0, 121.0, 50.0)]), step(true, false));
        assert_eq!(phases.extend(&[burst(122.0, 125.0, 60.0)]), step(false, false));
        let last = phases.all().last().copied();
        assert_eq!(last, Some(Phase { start_s: 120.0, end_s: 125.0, bytes: 110.0 }));
        assert_eq!(phases.since(61.0).len(), 2);
    }

    #[test]
    fn what_comes_late_goes_to_its_phase_or_is_a_doubt() {
        let mut phases = known();
        assert_eq!(phases.extend(&[burst(31.0, 34.0, 5.0)]), step(false, false));
        assert_eq!(phases.all()[1], Phase { start_s: 30.0, end_s: 34.0, bytes: 105.0 });
        assert_eq!(phases.extend(&[burst(45.0, 46.0, 5.0)]), step(false, true));
    }

    #[test]
    fn a_trickle_is_no_phase() {
        let mut phases = known();
        assert_eq!(phases.extend(&[burst(70.0, 70.1, 1.0), burst(80.0, 80.1, 1.0)]), step(false, false));
        assert_eq!(phases.all().len(), 3);
        // But small pieces add up.
        let pieces: Vec<Burst> = (0..10).map(|n| burst(90.0 + 0.1 * f64::from(n), 91.0, 1.0)).collect();
        assert_eq!(phases.extend(&pieces), step(true, false));
        assert_eq!(phases.all()[3].start_s, 90.0);
        // The next phase shows that the last one was too small.
        assert_eq!(phases.extend(&bursts(&[120.0])), step(true, true));
    }

    #[test]
    fn a_phase_that_does_not_end_is_a_doubt() {
        let mut phases = known();
        let steps: Vec<Step> = (0..3).map(|n| phases.extend(&bursts(&[90.0 + 4.0 * f64::from(n)]))).collect();
        assert_eq!(steps, [step(true, false), step(false, true), step(false, true)]);
    }

    #[test]
    fn where_pauses_do_not_part_the_finder_must() {
        let mut phases = Phases::default();
        assert_eq!(phases.extend(&bursts(&[0.0])), step(false, true));
        // One burst over two phases.
        phases.replace(0.0, vec![phase(0.0, 1.0), phase(30.0, 1.0)], 30.0, &[burst(0.0, 33.0, 2.0)]);
        assert!(!phases.are_parted());
        // Pauses within as long as those between.
        let wide = [burst(0.0, 1.0, 1.0), burst(2.0, 3.0, 1.0), burst(4.0, 7.0, 2.0)];
        phases.replace(0.0, vec![phase(0.0, 2.0), phase(4.0, 2.0)], 4.0, &wide);
        assert!(!phases.are_parted());
        // Much between the phases.
        let other = [burst(0.0, 3.0, 1.0), burst(10.0, 11.0, 0.5), burst(30.0, 33.0, 1.0)];
        phases.replace(0.0, vec![phase(0.0, 1.0), phase(30.0, 1.0)], 30.0, &other);
        assert!(!phases.are_parted());
        assert_eq!(phases.all().len(), 2, "then they are those of the finder");
    }

    #[test]
    fn phases_that_the_finder_left_out_are_found_by_their_pauses() {
        let mut phases = Phases::default();
        let found = vec![phase(30.01, 100.0), phase(60.0, 100.0)];
        phases.replace(0.0, found, 30.0, &bursts(&[0.0, 30.0, 60.0, 90.0]));
        assert!(phases.are_parted());
        let starts: Vec<f64> = phases.all().iter().map(|phase| phase.start_s).collect();
        assert_eq!(starts, [0.0, 30.0, 60.0, 90.0]);
        // But not if that would make another period.
        let found = vec![phase(0.0, 100.0), phase(60.0, 100.0)];
        phases.replace(0.0, found, 60.0, &bursts(&[0.0, 30.0, 60.0, 90.0]));
        assert!(!phases.are_parted());
        assert_eq!(phases.all().len(), 2);
    }

    #[test]
    fn no_more_are_kept_than_needed() {
        let mut phases = known();
        for n in 3..300 {
            phases.extend(&bursts(&[30.0 * f64::from(n)]));
        }
        assert_eq!(phases.all().len(), MOST);
        assert_eq!(phases.all().last().map(|last| last.start_s), Some(8970.0));
    }
}
