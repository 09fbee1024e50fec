//! Our method: a template of bursts that is fitted to all runs.
//!
//! The published method does not use these facts: others only add traffic; they extend a burst and
//! never shorten it; a burst that is slowed down moves the same bytes. So a template of gaps and
//! bursts is placed in every run with asymmetric costs ([`align`]) and estimated again from low
//! quantiles over runs ([`estimate`]), in several rounds. The time axis is built from gaps and
//! lengths, not from whole runs.

mod align;
mod between;
mod curve;
mod doubt;
mod draw;
mod estimate;
mod pace;
mod template;
mod timing;

use super::sample::Sample;
use crate::quantile;
use align::align;
use curve::Curve;
pub use doubt::Doubt;
use estimate::{Runs, Seen, look};
use template::{DRIFT, Phase, Template, common_height, join_close, of_run, without};

/// Number of runs that give an initial template.
const BEGINNINGS: usize = 4;
/// Number of failed attempts after which the search ends.
const HOPELESS: usize = 2;
/// Rounds of placing and estimating.
const ROUNDS: usize = 6;
/// A burst must be in this share of runs with this share of its bytes.
const SHARED: (f64, f64) = (0.7, 0.6);
/// Bursts below this share of the largest are dropped.
const MIN: f64 = 0.02;
/// Quantile over runs of the time from the last burst to the end.
const LOW: f64 = 0.3;

/// A burst of a signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Seconds from the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: f64,
    /// Number of runs that have it.
    pub support: usize,
    /// Interquartile range over runs of the time since the end of the previous burst.
    pub spread_s: f64,
}

/// A mined signature.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mined {
    /// Bytes per second, one value per second.
    pub rates: Vec<f64>,
    pub bursts: Vec<Found>,
    /// Indices of the samples that the bursts fit.
    pub fits: Vec<usize>,
    /// For each sample the places of the bursts, in seconds from its start.
    pub placed: Vec<Vec<(f64, f64)>>,
    pub doubt: Doubt,
}

/// `beside` is the traffic in the other direction during the same runs.
pub fn mine(samples: &[Sample], beside: &[Sample]) -> Mined {
    let curves: Vec<Curve> =
        samples.iter().enumerate().map(|(at, sample)| Curve::of(sample, beside.get(at))).collect();
    let height = common_height(&curves);
    let mut order: Vec<usize> = (0..curves.len()).collect();
    let totals: Vec<f64> = samples.iter().map(Sample::bytes).collect();
    order.sort_by(|&one, &other| totals[one].total_cmp(&totals[other]));
    let whole = |at: &&usize| curves[**at].observed.iter().all(|seen| *seen);
    let beginnings = order.iter().filter(whole).take(BEGINNINGS);
    let (mut best, mut failed): (Option<Settled>, usize) = (None, 0);
    for &at in beginnings {
        let mut template = of_run(&curves[at], height);
        keep_possible(&mut template, &curves);
        match settle(&curves, template, best.as_ref().map(|best| &best.template)) {
            Settling::To(settled) if best.as_ref().is_none_or(|best| settled.cost < best.cost) => {
                best = Some(settled)
            }
            Settling::To(_) | Settling::Known => {}
            Settling::Nowhere => failed += 1,
        }
        // If two runs share no template with the others, further ones will not either.
        if best.is_none() && failed == HOPELESS {
            break;
        }
    }
    match best.map(|settled| completed(&curves, settled, height)) {
        Some(settled) => settled.mined(&curves),
        None => Mined { rates: vec![0.0; shortest(samples)], ..Mined::default() },
    }
}

fn shortest(samples: &[Sample]) -> usize {
    samples.iter().map(|sample| sample.duration_s).fold(f64::INFINITY, f64::min).clamp(0.0, 1e9) as usize
}

struct Settled {
    template: Template,
    /// For each run that it fits.
    seen: Vec<Vec<Seen>>,
    runs: Vec<usize>,
    cost: f64,
}

enum Settling {
    To(Settled),
    Known,
    Nowhere,
}

/// Alternates placing and estimating until only shared bursts are left or a `known` template is
/// reached.
fn settle(curves: &[Curve], mut template: Template, known: Option<&Template>) -> Settling {
    let mut settled = None;
    for _ in 0..ROUNDS {
        let Some((places, runs, cost)) = lay(curves, &template) else { return Settling::Nowhere };
        let seen: Vec<Vec<Seen>> = runs
            .iter()
            .zip(&places)
            .map(|(&run, places)| places.iter().map(|&place| look(&curves[run], place)).collect())
            .collect();
        let used: Vec<&Curve> = runs.iter().map(|&run| &curves[run]).collect();
        let estimated = Runs { curves: &used, seen: &seen }.template();
        let dropped = unshared(&template, &estimated, &seen);
        let mut joined = estimated.clone();
        if dropped.is_empty() && join_close(&mut joined) {
            (template, settled) = (joined, None);
        } else if dropped.is_empty() {
            if known.is_some_and(|known| is_still(known, &estimated)) {
                return Settling::Known;
            }
            let still = is_still(&template, &estimated);
            template = estimated.clone();
            settled = Some(Settled { template: estimated, seen, runs, cost });
            if still {
                break;
            }
        } else {
            settled = None;
            dropped.into_iter().rev().for_each(|at| without(&mut template, at));
        }
        if template.is_empty() {
            return Settling::Nowhere;
        }
    }
    settled.map_or(Settling::Nowhere, Settling::To)
}

/// Maximum number of bursts added between others.
const MISSING: usize = 4;

fn completed(curves: &[Curve], mut settled: Settled, height: f64) -> Settled {
    for _ in 0..MISSING {
        let used: Vec<&Curve> = settled.runs.iter().map(|&run| &curves[run]).collect();
        let more = between::with_missing(&settled.template, &used, &settled.seen, height);
        match more.map(|more| settle(curves, more, Some(&settled.template))) {
            Some(Settling::To(better)) if better.template.len() > settled.template.len() => settled = better,
            _ => break,
        }
    }
    settled
}

/// Changes below this count as none.
const STILL_S: f64 = 0.25;

fn is_still(before: &Template, after: &Template) -> bool {
    let moved = |(one, other): (&Phase, &Phase)| {
        (one.gap_s - other.gap_s).abs().max((one.length_s - other.length_s).abs())
    };
    before.len() == after.len() && before.iter().zip(after).map(moved).all(|seconds| seconds < STILL_S)
}

fn keep_possible(template: &mut Template, curves: &[Curve]) {
    let mut now = 0.0;
    let mut impossible = Vec::new();
    for (at, phase) in template.iter().enumerate() {
        let start = now + phase.gap_s;
        now = start + phase.length_s;
        let reach = DRIFT.0 * now + DRIFT.1;
        let has = |curve: &&Curve| {
            let moved = curve.bytes_until(now + reach) - curve.bytes_until((start - reach).max(0.0));
            moved >= SHARED.1 * phase.bytes
        };
        if (curves.iter().filter(has).count() as f64) < SHARED.0 * curves.len() as f64 {
            impossible.push(at);
        }
    }
    impossible.into_iter().rev().for_each(|at| without(template, at));
}

type Laid = (Vec<Vec<align::Place>>, Vec<usize>, f64);

/// Places a template in all runs that are long enough; `None` if fewer than half are.
fn lay(curves: &[Curve], template: &Template) -> Option<Laid> {
    let (mut places, mut runs, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for (run, curve) in curves.iter().enumerate() {
        if let Some((place, cost)) = align(curve, template) {
            places.push(place);
            runs.push(run);
            costs.push(cost);
        }
    }
    if runs.len() * 2 < curves.len() || runs.is_empty() {
        return None;
    }
    Some((places, runs, quantile::between(&mut costs, 0.5)))
}

fn unshared(before: &Template, estimated: &Template, seen: &[Vec<Seen>]) -> Vec<usize> {
    let largest = estimated.iter().map(|phase| phase.bytes).fold(0.0, f64::max);
    let is_shared = |at: usize| {
        let mut bytes: Vec<f64> = seen.iter().filter_map(|seen| Some(seen.get(at)?.bytes)).collect();
        let typical = before[at].bytes.min(quantile::between(&mut bytes.clone(), 0.5));
        let low = quantile::between(&mut bytes, 1.0 - SHARED.0);
        low >= SHARED.1 * typical && estimated[at].bytes >= MIN * largest
    };
    (0..estimated.len()).filter(|&at| !is_shared(at)).collect()
}

impl Settled {
    fn mined(self, curves: &[Curve]) -> Mined {
        let used: Vec<&Curve> = self.runs.iter().map(|&run| &curves[run]).collect();
        let runs = Runs { curves: &used, seen: &self.seen };
        let last = |(curve, seen): (&&Curve, &Vec<Seen>)| {
            curve.duration_s - seen.last().map_or(0.0, |seen| seen.end_s)
        };
        let mut after: Vec<f64> = used.iter().zip(&self.seen).map(last).collect();
        let paced = timing::timed(&runs, &self.template);
        let rates = draw::draw(&runs, &paced.template, quantile::between(&mut after, LOW).max(0.0));
        let mut placed = vec![Vec::new(); curves.len()];
        for (&run, seen) in self.runs.iter().zip(&self.seen) {
            placed[run] = seen.iter().map(|seen| (seen.start_s, seen.end_s)).collect();
        }
        let bursts = self.bursts(&paced.template);
        let spreads: Vec<f64> = bursts.iter().map(|burst| burst.spread_s).collect();
        let doubt = doubt::doubt(&runs, &paced, &spreads);
        Mined { rates, bursts, placed, fits: self.runs, doubt }
    }

    fn bursts(&self, template: &Template) -> Vec<Found> {
        let mut now = 0.0;
        let mut bursts = Vec::new();
        for (at, phase) in template.iter().enumerate() {
            let start_s = now + phase.gap_s;
            now = start_s + phase.length_s;
            let has =
                |seen: &&Vec<Seen>| seen.get(at).is_some_and(|seen| seen.bytes >= SHARED.1 * phase.bytes);
            let gap = |seen: &Vec<Seen>| {
                let before = at.checked_sub(1).and_then(|at| seen.get(at)).map_or(0.0, |seen| seen.end_s);
                seen.get(at).map(|seen| seen.start_s - before)
            };
            let mut gaps: Vec<f64> = self.seen.iter().filter_map(gap).collect();
            let spread_s = quantile::between(&mut gaps.clone(), 0.75) - quantile::between(&mut gaps, 0.25);
            let support = self.seen.iter().filter(has).count();
            bursts.push(Found { start_s, end_s: now, bytes: phase.bytes, support, spread_s });
        }
        bursts
    }
}
