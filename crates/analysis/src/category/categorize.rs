//! Turns the collected data into labels.

use marigraph_model::{Job, ModuleInfo, Problem};

use super::choose::{Chosen, choose};
use super::collect::Collector;
use super::label::{DirectionLabel, Evidence, Label, Labelled};
use super::merge::Operation;
use super::metadata::{self, Metadata};
use super::periodic::{Periodic, Segment};
use super::temporality::{variation, when};
use super::thresholds::Thresholds;
use crate::valid::{Invalid, check, check_bytes, is_incomplete};

/// Facts about a log beside its content.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub job: &'a Job,
    pub modules: &'a [ModuleInfo],
    pub problems: &'a [Problem],
    /// The kind of single operations in this log: [`Evidence::Dxt`] or [`Evidence::Trace`].
    pub traced: Evidence,
}

/// Activity in one direction.
#[derive(Debug, Clone)]
pub struct Direction {
    pub bytes: u64,
    /// Bytes in each quarter of the run.
    pub chunks: [f64; 4],
    /// Coefficient of variation of the quarters.
    pub variation: f64,
    /// Mean time of the bytes, as a share of the run; `None` without bytes.
    pub mean_time: Option<f64>,
    pub quartiles: Option<[f64; 3]>,
    pub evidence: Evidence,
    /// Periodic activity, most bytes first.
    pub periodic: Vec<Periodic>,
    pub found_in: Evidence,
    /// Operations before merging, thinned out for a plot; empty unless a plot is wanted.
    pub operations: Vec<Operation>,
    pub merged: Vec<Operation>,
    pub segments: Vec<Segment>,
    /// Whether operations were joined to save memory.
    pub folded: bool,
}

/// The result for one log.
#[derive(Debug, Clone)]
pub struct Categories {
    /// In the order of [`Label::ALL`].
    pub labels: Vec<Labelled>,
    pub read: Direction,
    pub write: Direction,
    pub metadata: Metadata,
    pub incomplete: bool,
    pub runtime_s: f64,
}

impl Categories {
    pub fn has(&self, label: Label) -> bool {
        self.labels.iter().any(|labelled| labelled.label == label)
    }
}

pub fn categorize(
    mut collected: Collector,
    facts: &Facts<'_>,
    thresholds: &Thresholds,
) -> Result<Categories, Invalid> {
    check(facts.job, facts.problems, collected.invalid)?;
    let runtime_s = facts.job.runtime_s();
    let mut labels = Vec::new();
    let chosen = [0, 1].map(|side| choose(&collected, side, facts.traced, thresholds));
    check_bytes(facts.job, chosen.iter().map(|chosen| chosen.bytes as f64).sum())?;
    let quarters = chosen.each_ref().map(|chosen| chosen.spread.quarters());
    for (side, chosen) in chosen.iter().enumerate() {
        label_direction(chosen, quarters[side], side, thresholds, &mut labels);
    }
    let known = knows_metadata(&collected);
    let measured = metadata::measure(&mut collected.requests, runtime_s, thresholds, collected.pictured);
    let metadata = Metadata { known, ..measured };
    if known {
        for (label, margin) in metadata::labels(&metadata, facts.job.nprocs, thresholds) {
            labels.push(Labelled { label, confidence: 0.5 + 0.5 * margin, evidence: Evidence::Records });
        }
    }
    labels.sort_by_key(|labelled| labelled.label);
    let [read, write] = chosen;
    let (read, write) = (direction(read, quarters[0]), direction(write, quarters[1]));
    let incomplete =
        facts.modules.iter().any(|info| info.partial) || facts.problems.iter().any(is_incomplete);
    Ok(Categories { labels, read, write, metadata, incomplete, runtime_s })
}

/// Returns whether opens and closes are known: traces of single operations lack them.
fn knows_metadata(collected: &Collector) -> bool {
    let traced = collected.events.iter().chain(&collected.mpi_events).any(|pile| pile.count() > 0);
    collected.counted || !traced
}

fn label_direction(
    chosen: &Chosen,
    quarters: [f64; 4],
    side: usize,
    thresholds: &Thresholds,
    labels: &mut Vec<Labelled>,
) {
    let said = when(chosen.bytes as f64, quarters, thresholds);
    let mut push = |kind: DirectionLabel, confidence: f64, evidence: Evidence| {
        let label = kind.of(side);
        let confidence = confidence.clamp(0.0, 1.0);
        match labels.iter_mut().find(|known| known.label == label) {
            Some(known) => known.confidence = known.confidence.max(confidence),
            None => labels.push(Labelled { label, confidence, evidence }),
        }
    };
    // The times within an interval are unknown, so traffic across the border of two quarters is a
    // guess.
    let sharpness = if chosen.evidence == Evidence::Records { chosen.spread.certain() } else { 1.0 };
    if said.kinds == [DirectionLabel::Insignificant] {
        push(DirectionLabel::Insignificant, 0.5 + 0.5 * said.margin, chosen.evidence);
        return;
    }
    let confidence = (0.5 + 0.5 * said.margin) * (0.4 + 0.6 * sharpness);
    said.kinds.iter().for_each(|&kind| push(kind, confidence, chosen.evidence));
    for activity in &chosen.found.activities {
        for (kind, margin) in kinds(activity, thresholds) {
            let confidence = certainty(activity, chosen.resolution_s, thresholds) * (0.5 + 0.5 * margin);
            push(kind, confidence, chosen.found_in);
        }
    }
}

/// Returns the labels of a periodic activity, each with its distance from a threshold: 0 on it, 1
/// far away.
fn kinds(activity: &Periodic, thresholds: &Thresholds) -> [(DirectionLabel, f64); 3] {
    let cuts = [thresholds.minute_s, thresholds.hour_s, thresholds.day_s];
    let period = activity.period_s;
    let magnitude = match cuts.iter().filter(|cut| period >= **cut).count() {
        0 => DirectionLabel::PeriodicSecond,
        1 => DirectionLabel::PeriodicMinute,
        2 => DirectionLabel::PeriodicHour,
        _ => DirectionLabel::PeriodicDayOrMore,
    };
    let nearest = cuts.iter().map(|cut| (period / cut).ln().abs()).fold(f64::INFINITY, f64::min);
    let busy = if activity.busy < thresholds.busy_share {
        DirectionLabel::PeriodicLowBusyTime
    } else {
        DirectionLabel::PeriodicHighBusyTime
    };
    let clear = (activity.busy / thresholds.busy_share.max(1e-9) - 1.0).abs();
    [(DirectionLabel::Periodic, 1.0), (magnitude, (nearest / 0.1).min(1.0)), (busy, (clear / 0.2).min(1.0))]
}

/// Returns the confidence that an activity is periodic, from its number of operations, their
/// deviation from the period and the resolution of times.
fn certainty(activity: &Periodic, resolution_s: f64, thresholds: &Thresholds) -> f64 {
    let number = 1.0 - (-(activity.count as f64 - 1.0) / 3.0).exp();
    let beat = 1.0 - 0.5 * (activity.residual / thresholds.comb_residual.max(1e-9)).min(1.0);
    let blur = 1.0 - 0.5 * (2.0 * resolution_s / activity.period_s).min(1.0);
    number * beat * blur
}

/// Maximum number of operations in a plot.
const SHOWN: usize = 2000;

fn direction(chosen: Chosen, chunks: [f64; 4]) -> Direction {
    let Chosen { bytes, spread, evidence, mut operations, found, found_in, folded, .. } = chosen;
    let moments = spread.moments();
    operations.sort_unstable_by(super::merge::in_order);
    if operations.len() > SHOWN {
        let step = operations.len().div_ceil(SHOWN);
        operations = operations.into_iter().step_by(step).collect();
    }
    Direction {
        bytes,
        chunks,
        variation: variation(chunks),
        mean_time: moments.map(|(mean, _)| mean),
        quartiles: moments.map(|(_, quartiles)| quartiles),
        evidence,
        periodic: found.activities,
        found_in,
        operations,
        merged: found.merged,
        segments: found.segments,
        folded,
    }
}
