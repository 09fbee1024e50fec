//! Proposes all ways to split a trace into phases.

use super::activity::Activity;
use super::beats::by_repetition;
use super::hypothesis::{Hypothesis, Way};
use super::mend::Seen;
use super::outcome::Phase;
use super::ranks::by_rank;
use super::runs::{Binned, cuts, joined, pauses, union};
use super::volume::equal_volume;
use crate::parallel::both;

/// Bounds of the rate, as shares of the one that half of the bytes exceed, and whether to search
/// for phases of equal volume above them.
const BOUNDS: [(f64, bool); 4] = [(0.05, false), (0.15, true), (0.35, true), (0.65, false)];
/// The same for the rate that only a few of the bytes exceed, if it differs: others may move more
/// than the phases do, but not as fast.
const HIGH_BOUNDS: [(f64, bool); 2] = [(0.5, true), (0.75, false)];
const FEW: f64 = 0.05;
const HIGHER: f64 = 1.4;
const CUTS: usize = 5;
/// A longer list of stretches holds no useful phases.
const MAX_RUNS: usize = 1 << 17;

/// The data from which hypotheses are made.
#[derive(Debug)]
pub struct Evidence<'a> {
    /// Bursts of each rank, heaviest rank first.
    pub ranks: Vec<&'a [Phase]>,
    pub signal: Binned,
    pub window_s: [f64; 2],
    pub bytes: f64,
}

impl Evidence<'_> {
    pub fn new(activity: &mut Activity) -> Evidence<'_> {
        activity.settle();
        Evidence {
            ranks: activity.ranks(),
            signal: Binned::new(activity),
            window_s: activity.window_s(),
            bytes: activity.bytes(),
        }
    }
}

/// Hypotheses by repetition: they cost more than the others, and are needed where those fail.
pub fn propose_repetition(evidence: &Evidence<'_>) -> Vec<Hypothesis> {
    let mut all = Hypotheses::of(evidence, true);
    all.extend(Way::Repetition, by_repetition(&evidence.signal));
    distinct(all.list)
}

/// All hypotheses but those by repetition; those by volume on demand, since they cost more than all
/// others.
pub fn propose(evidence: &Evidence<'_>, by_volume: bool) -> Vec<Hypothesis> {
    let (rates, mut all) = both(|| by_rates(evidence, by_volume), || by_requests(evidence, by_volume));
    all.extend(rates);
    distinct(all)
}

fn by_requests(evidence: &Evidence<'_>, by_volume: bool) -> Vec<Hypothesis> {
    let mut all = Hypotheses::of(evidence, by_volume);
    let busy = union(&evidence.ranks);
    all.by_pauses(&busy, Way::Pauses);
    all.by_volume(&busy);
    all.extend_fitting(Way::Ranks, by_rank(&evidence.ranks));
    all.list
}

fn by_rates(evidence: &Evidence<'_>, by_volume: bool) -> Vec<Hypothesis> {
    let mut all = Hypotheses::of(evidence, by_volume);
    let typical = evidence.signal.rate_above_which(0.5);
    let high = evidence.signal.rate_above_which(FEW);
    let high_bounds = HIGH_BOUNDS.iter().filter(|_| high > HIGHER * typical);
    let bounds = BOUNDS.iter().map(|bound| (bound, typical)).chain(high_bounds.map(|bound| (bound, high)));
    for (&(share, by_volume), rate) in bounds {
        let runs = evidence.signal.above(share * rate);
        all.by_pauses(&runs, Way::Rates);
        if by_volume {
            all.by_volume(&runs);
        }
    }
    all.list
}

fn distinct(all: Vec<Hypothesis>) -> Vec<Hypothesis> {
    let mut list: Vec<Hypothesis> = Vec::with_capacity(all.len());
    for new in all {
        let same = |old: &Hypothesis| {
            old.way == new.way
                && old.phases.len() == new.phases.len()
                && (old.period_s / new.period_s - 1.0).abs() < 1e-3
        };
        if !list.iter().any(same) {
            list.push(new);
        }
    }
    list
}

struct Hypotheses<'a> {
    seen: Seen<'a>,
    by_volume: bool,
    list: Vec<Hypothesis>,
}

impl Hypotheses<'_> {
    fn of<'e>(evidence: &'e Evidence<'_>, by_volume: bool) -> Hypotheses<'e> {
        let seen = Seen { window_s: evidence.window_s, signal: &evidence.signal };
        Hypotheses { seen, by_volume, list: Vec::new() }
    }

    fn by_pauses(&mut self, runs: &[Phase], way: Way) {
        if runs.len() <= MAX_RUNS {
            let cuts = cuts(pauses(runs), 2, CUTS);
            self.extend(way, cuts.into_iter().map(|cut| joined(runs, cut)).collect());
        }
    }

    fn by_volume(&mut self, runs: &[Phase]) {
        if self.by_volume {
            self.extend_fitting(Way::Volume, equal_volume(runs));
        }
    }

    fn extend(&mut self, way: Way, ways: Vec<Vec<Phase>>) {
        self.extend_fitting(way, ways.into_iter().map(|phases| (1.0, phases)).collect());
    }

    fn extend_fitting(&mut self, way: Way, ways: Vec<(f64, Vec<Phase>)>) {
        let possible = |(fit, phases)| Hypothesis::new(way, phases, fit, &self.seen);
        self.list.extend(ways.into_iter().filter_map(possible));
    }
}
