//! Turns the collected data into labels.

use marigraph_model::{Job, ModuleInfo, Problem};

use super::choose::{Chosen, choose};
use super::collect::Collector;
use super::confidence::{Clues, Deciding, beyond};
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
        let told = metadata::labels(&metadata, facts.job.nprocs, thresholds);
        labels.extend(told.into_iter().map(|(label, clues)| Labelled::new(label, Evidence::Records, clues)));
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
    // The times within an interval are unknown, so traffic across the border of two quarters is a
    // guess.
    let guessed = 1.0 - chosen.spread.certain();
    let clues = match said.margin {
        Some(margin) => Clues::new(Deciding::Quarters, [margin, guessed, 0.0]),
        None => Clues::sum(),
    };
    labels.extend(said.kinds.iter().map(|kind| Labelled::new(kind.of(side), chosen.evidence, clues)));
    if said.margin.is_none() {
        return;
    }
    for activity in &chosen.found.activities {
        let evidence = seen_in(activity, chosen.found_in);
        for (kind, clues) in kinds(activity, thresholds) {
            let new = Labelled::new(kind.of(side), evidence, clues);
            match labels.iter_mut().find(|known| known.label == new.label) {
                Some(known) if known.confidence >= new.confidence => {}
                Some(known) => *known = new,
                None => labels.push(new),
            }
        }
    }
}

fn seen_in(activity: &Periodic, found_in: Evidence) -> Evidence {
    if activity.bin_s > 0.0 { Evidence::Heatmap } else { found_in }
}

/// Returns the labels of a periodic activity, each with what speaks for it.
fn kinds(activity: &Periodic, thresholds: &Thresholds) -> [(DirectionLabel, Clues); 3] {
    let cuts = [thresholds.minute_s, thresholds.hour_s, thresholds.day_s];
    let period = activity.period_s;
    let magnitude = match cuts.iter().filter(|cut| period >= **cut).count() {
        0 => DirectionLabel::PeriodicSecond,
        1 => DirectionLabel::PeriodicMinute,
        2 => DirectionLabel::PeriodicHour,
        _ => DirectionLabel::PeriodicDayOrMore,
    };
    let nearest = cuts.iter().map(|cut| beyond(period, *cut)).fold(1.0, f64::min);
    let is_low = activity.busy < thresholds.busy_share;
    let busy =
        if is_low { DirectionLabel::PeriodicLowBusyTime } else { DirectionLabel::PeriodicHighBusyTime };
    let (strength, blur) = (strength(activity, thresholds), (2.0 * activity.bin_s / period).min(1.0));
    // A bin more or less moves the busy time by so much of its distance from the threshold.
    let bin = activity.bin_s / period;
    let blurred = bin / (bin + (activity.busy - thresholds.busy_share).abs()).max(f64::MIN_POSITIVE);
    let clear = beyond(activity.busy, thresholds.busy_share);
    [
        (DirectionLabel::Periodic, Clues::new(Deciding::Period, [strength, blur, 0.0])),
        (magnitude, Clues::new(Deciding::Length, [strength, blur, nearest])),
        (busy, Clues::new(Deciding::Busy, [strength, blurred, clear])),
    ]
}

/// How far an activity keeps its period, by the number of operations and their deviation from it.
fn strength(activity: &Periodic, thresholds: &Thresholds) -> f64 {
    let number = 1.0 - (-(activity.count as f64 - 1.0) / 3.0).exp();
    let beat = 1.0 - 0.5 * (activity.residual / thresholds.comb_residual.max(1e-9)).min(1.0);
    number * beat
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
        found_in: found.activities.first().map_or(found_in, |main| seen_in(main, found_in)),
        periodic: found.activities,
        operations,
        merged: found.merged,
        segments: found.segments,
        folded,
    }
}
