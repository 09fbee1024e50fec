//! Estimates the undisturbed bursts from their places in all runs.

use super::align::Place;
use super::curve::Curve;
use super::template::{Phase, Template};
use crate::quantile;

/// A burst as one run shows it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seen {
    /// Seconds from the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    /// Bytes above the background.
    pub bytes: f64,
    pub observed: bool,
}

impl Seen {
    pub fn length_s(&self) -> f64 {
        self.end_s - self.start_s
    }
}

/// Bounds of the share of a burst's bytes that is cut at each end before the edges are
/// extrapolated.
const STEADY: (f64, f64) = (0.1, 0.3);

/// Measures a burst at a place, with edges finer than intervals.
pub fn look(curve: &Curve, (from, to): Place) -> Seen {
    let (from_s, to_s) = (curve.second(from) - curve.interval_s, curve.second(to) + curve.interval_s);
    let (from_s, to_s) = (from_s.max(0.0), to_s.min(curve.duration_s));
    let bytes = curve.bytes_until(to_s) - curve.bytes_until(from_s);
    let moment = |share: f64| curve.second_of(share * bytes, from_s, to_s);
    // The first and last interval are only partly filled, so the edges are extrapolated from the
    // full ones.
    let share = (1.1 * curve.interval_s / (to_s - from_s)).clamp(STEADY.0, STEADY.1);
    let (first, last) = (moment(share), moment(1.0 - share));
    let per_share = (last - first) / (1.0 - 2.0 * share);
    let observed = curve.observed.get(from..to).is_some_and(|seen| seen.iter().all(|seen| *seen));
    let start_s = (first - share * per_share).max(0.0);
    let end_s = (last + share * per_share).min(curve.duration_s);
    Seen { start_s, end_s: end_s.max(start_s + 0.5), bytes, observed }
}

/// Maximum relative deviation of the bytes of an undisturbed burst.
const CLEAN: f64 = 0.1;
/// Quantile over runs for bytes and gaps: noise only adds.
const LOW: f64 = 0.3;
/// Quantile over runs for lengths, which others extend almost always.
const SHORT: f64 = 0.1;
/// A gap is confirmed if this many longer ones lie within these seconds plus this share.
const CONFIRMED: (usize, f64, f64) = (2, 1.5, 0.01);
/// If at least this share of gaps lies between undisturbed bursts, only these count.
const CLEAN_RUNS: f64 = 0.6;
/// Share of all gaps that must confirm a gap beside a disturbed burst.
const MAX_CONFIRM: f64 = 0.33;
/// Minimum number of undisturbed bursts to use instead of all.
const MIN: usize = 3;

/// All runs, with the same bursts in each.
pub struct Runs<'a> {
    pub curves: &'a [&'a Curve],
    pub seen: &'a [Vec<Seen>],
}

impl Runs<'_> {
    /// Estimates the bursts as they are without other jobs.
    pub fn template(&self) -> Template {
        let count = self.seen.first().map_or(0, Vec::len);
        let bytes: Vec<f64> = (0..count).map(|at| self.bytes(at)).collect();
        (0..count)
            .map(|at| Phase {
                gap_s: self.gap(at, &bytes),
                length_s: self.length(at, &bytes),
                bytes: bytes[at],
            })
            .collect()
    }

    /// Estimates the bytes of a burst: others only add to them.
    fn bytes(&self, at: usize) -> f64 {
        let mut all: Vec<f64> = self.column(at).filter(|seen| seen.observed).map(|seen| seen.bytes).collect();
        if all.is_empty() {
            all = self.column(at).map(|seen| seen.bytes).collect();
        }
        quantile::between(&mut all, LOW)
    }

    fn column(&self, at: usize) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter_map(move |seen| seen.get(at))
    }

    pub fn is_clean(&self, run: usize, at: usize, bytes: f64) -> bool {
        let seen = self.seen.get(run).and_then(|seen| seen.get(at));
        seen.is_some_and(|seen| seen.observed && (seen.bytes / bytes.max(1.0) - 1.0).abs() < CLEAN)
    }

    /// Returns the runs with an undisturbed burst; all runs if there are none.
    pub fn clean(&self, at: usize, bytes: f64) -> Vec<usize> {
        let runs = 0..self.seen.len();
        let clean: Vec<usize> = runs.clone().filter(|&run| self.is_clean(run, at, bytes)).collect();
        if clean.is_empty() { runs.collect() } else { clean }
    }

    /// Returns the values of clean runs, or of all runs if too few are clean.
    fn of_clean<T>(&self, value: impl Fn(usize) -> Option<T>, clean: impl Fn(usize) -> bool) -> Vec<T> {
        let runs = 0..self.seen.len();
        let passed: Vec<T> = runs.clone().filter(|&run| clean(run)).filter_map(&value).collect();
        if passed.len() >= MIN { passed } else { runs.filter_map(&value).collect() }
    }

    fn gap(&self, at: usize, bytes: &[f64]) -> f64 {
        let value = |run: usize| {
            let seen = self.seen.get(run)?;
            let before = at.checked_sub(1).and_then(|before| seen.get(before)).map_or(0.0, |seen| seen.end_s);
            Some(seen.get(at)?.start_s - before)
        };
        let clean = |run: usize| {
            self.is_clean(run, at, bytes[at]) && (at == 0 || self.is_clean(run, at - 1, bytes[at - 1]))
        };
        let gap = |run: usize| Some(Gap { seconds: value(run)?, clean: clean(run) });
        shortest((0..self.seen.len()).filter_map(gap).collect()).max(0.0)
    }

    fn length(&self, at: usize, bytes: &[f64]) -> f64 {
        let value = |run: usize| Some(self.seen.get(run)?.get(at)?.length_s());
        let clean = |run: usize| self.is_clean(run, at, bytes[at]);
        quantile::between(&mut self.of_clean(value, clean), SHORT)
    }
}

/// Time from one burst to the next in a run.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    pub seconds: f64,
    pub clean: bool,
}

/// Returns the shortest gap that is not a measuring error: others are close to it. Edges of
/// disturbed bursts are unreliable, so their gaps count only where most are disturbed, and need
/// more confirmation.
pub fn shortest(mut gaps: Vec<Gap>) -> f64 {
    let count = gaps.len();
    if gaps.iter().filter(|gap| gap.clean).count() as f64 >= (CLEAN_RUNS * count as f64).max(MIN as f64) {
        gaps.retain(|gap| gap.clean);
    }
    gaps.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
    // With many runs some gaps are measured too short; more runs must not make the result shorter.
    let rank = (0.05 * gaps.len() as f64 - 0.45).max(0.0);
    let confirmed = |&at: &usize| {
        let gap = &gaps[at];
        let (mut more, seconds, mut share) = CONFIRMED;
        if !gap.clean {
            (more, share) = (more.max((MAX_CONFIRM * gaps.len() as f64).ceil() as usize), 0.0);
        }
        gaps.get(at + more).is_some_and(|other| other.seconds - gap.seconds <= seconds + share * gap.seconds)
    };
    match (rank as usize..gaps.len()).find(confirmed) {
        Some(at) => gaps[at].seconds + rank.fract() * (gaps[at + 1].seconds - gaps[at].seconds),
        None => quantile::between(&mut gaps.iter().map(|gap| gap.seconds).collect::<Vec<_>>(), LOW),
    }
}
