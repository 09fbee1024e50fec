//! Chooses the best evidence for one direction.

use std::borrow::Cow;

use super::collect::Collector;
use super::label::Evidence;
use super::merge::Operation;
use super::periodic::{Found, Periodic, find};
use super::pile::Pile;
use super::spread::Spread;
use super::thresholds::Thresholds;

/// Evidence with this share of the bytes counts as complete.
const WHOLE: f64 = 0.9;
/// Operations of up to this many bins are as sharp as a heat map.
const SHARP_BINS: f64 = 2.0;
/// Bins from which a heat map resolves quarters well.
const MIN_BINS: f64 = 32.0;
/// Volumes that differ by this factor belong to different activities.
const VOLUMES_APART: f64 = 2.0;
/// Periods that differ by less than this share are the same.
const SAME_PERIOD: f64 = 0.05;
/// Share of the explained bytes from which two explanations count as equal.
const AS_MUCH: f64 = 0.9;

/// The activity of one direction and its evidence.
#[derive(Debug)]
pub struct Chosen {
    pub bytes: u64,
    pub spread: Spread,
    pub evidence: Evidence,
    /// Operations before merging; empty unless a plot is wanted.
    pub operations: Vec<Operation>,
    pub found: Found,
    /// Where periods were found; those seen in bins come from the heat map all the same.
    pub found_in: Evidence,
    pub folded: bool,
}

/// `traced` is the evidence that single operations give.
pub fn choose(collected: &Collector, side: usize, traced: Evidence, thresholds: &Thresholds) -> Chosen {
    let records = both(&collected.posix[side], &collected.stdio[side]);
    let heat_bytes = collected.heat.bytes(side);
    let operations = traced_operations(collected, side);
    let enough = |bytes: u64| bytes > 0 && bytes as f64 >= WHOLE * records.bytes() as f64;
    let runtime_s = collected.runtime_s;
    let families = collected.has_families();
    if let Some(operations) = operations.filter(|operations| enough(operations.bytes())) {
        let found = periods(&operations, families, runtime_s, thresholds);
        return chosen(collected, records.bytes(), &operations, traced, found);
    }
    let in_records = periods(&records, families, runtime_s, thresholds);
    if !enough(heat_bytes) || collected.heat.bin_s() > runtime_s {
        return chosen(collected, records.bytes(), &records, Evidence::Records, in_records);
    }
    by_heat(collected, side, (&records, in_records), thresholds)
}

fn by_heat(
    collected: &Collector,
    side: usize,
    (records, in_records): (&Pile, Found),
    thresholds: &Thresholds,
) -> Chosen {
    let (runtime_s, bin_s) = (collected.runtime_s, collected.heat.bin_s());
    let bins = collected.heat.operations(side, runtime_s);
    let in_heat =
        seen_in_bins(by_volume(find(bins.clone(), runtime_s, thresholds), runtime_s, thresholds), bin_s);
    let spread = collected.heat.spread(side, runtime_s);
    // With few bins many cross the borders of quarters and blur them.
    let coarse = bin_s > runtime_s / MIN_BINS && records.spread().certain() > spread.certain();
    let bytes = records.bytes().max(collected.heat.bytes(side));
    let (found, found_in) = combined(in_records, in_heat, bytes as f64, bin_s);
    let by_records = found_in == Evidence::Records;
    Chosen {
        bytes,
        spread: if coarse { records.spread().clone() } else { spread },
        evidence: if coarse { Evidence::Records } else { Evidence::Heatmap },
        operations: match (collected.pictured, by_records) {
            (true, false) => bins,
            _ => shown(collected, records),
        },
        found_in,
        found,
        folded: records.folded(),
    }
}

/// An operation touches one bin more than it lasts, on average.
fn seen_in_bins(mut found: Found, bin_s: f64) -> Found {
    for activity in &mut found.activities {
        activity.bin_s = bin_s;
        activity.busy = (activity.busy - bin_s / activity.period_s).max(0.0);
    }
    found
}

/// Puts together the activities that records and bins show. Bins hide what happens within them,
/// records what happens while a file is open. So an activity in records counts if its files are
/// open for no more than a bin or two, if bins show the same period, or if they show none at all.
/// Bins add activities in bytes that records leave unexplained.
fn combined(records: Found, heat: Found, bytes: f64, bin_s: f64) -> (Found, Evidence) {
    let seconds = |activity: &Periodic| activity.busy * activity.period_s;
    let counts = |activity: &&Periodic| {
        seconds(activity) <= SHARP_BINS * bin_s
            || heat.activities.is_empty()
            || heat.activities.iter().any(|other| alike(other, activity))
    };
    let mut activities: Vec<Periodic> = records.activities.iter().filter(counts).copied().collect();
    if activities.is_empty() {
        return (heat, Evidence::Heatmap);
    }
    if activities.len() == records.activities.len() && activities.len() > 1 {
        // Records tell several activities apart, which bins can only blur.
        return (records, Evidence::Records);
    }
    let all = activities.len() == records.activities.len();
    let mut explained: f64 = activities.iter().map(Periodic::total).sum();
    let mut added = false;
    for more in heat.activities {
        if explained + AS_MUCH * more.total() <= bytes && !activities.iter().any(|known| alike(known, &more))
        {
            explained += more.total();
            activities.push(more);
            added = true;
        }
    }
    if all && !added {
        return (records, Evidence::Records);
    }
    activities.sort_by(by_bytes);
    (records.explained_by(activities, explained), Evidence::Records)
}

/// Whether two activities have the same period.
fn alike(one: &Periodic, other: &Periodic) -> bool {
    (one.period_s / other.period_s - 1.0).abs() < SAME_PERIOD
}

fn by_bytes(one: &Periodic, other: &Periodic) -> std::cmp::Ordering {
    other.bytes.total_cmp(&one.bytes).then(one.period_s.total_cmp(&other.period_s))
}

fn chosen(collected: &Collector, recorded: u64, pile: &Pile, evidence: Evidence, found: Found) -> Chosen {
    Chosen {
        bytes: recorded.max(pile.bytes()),
        spread: pile.spread().clone(),
        evidence,
        operations: shown(collected, pile),
        found,
        found_in: evidence,
        folded: pile.folded(),
    }
}

fn shown(collected: &Collector, pile: &Pile) -> Vec<Operation> {
    if collected.pictured { pile.operations() } else { Vec::new() }
}

fn both<'a>(one: &'a Pile, other: &'a Pile) -> Cow<'a, Pile> {
    match (one.count(), other.count()) {
        (_, 0) => Cow::Borrowed(one),
        (0, _) => Cow::Borrowed(other),
        _ => {
            let mut all = one.clone();
            all.take(other.clone());
            Cow::Owned(all)
        }
    }
}

/// Returns the single operations of the lowest traced interface. Darshan does not trace streams, so
/// the intervals of their files stand in.
fn traced_operations(collected: &Collector, side: usize) -> Option<Cow<'_, Pile>> {
    let (system, mpi) = (&collected.events[side], &collected.mpi_events[side]);
    let traced = if system.count() == 0 { mpi } else { system };
    if traced.count() == 0 {
        return None;
    }
    Some(if collected.streams_traced { Cow::Borrowed(traced) } else { both(traced, &collected.stdio[side]) })
}

/// Finds periodic activity: per family of files where that explains as much as all files together.
fn periods(pile: &Pile, families: bool, runtime_s: f64, thresholds: &Thresholds) -> Found {
    let whole = find(pile.operations(), runtime_s, thresholds);
    if (pile.entries().len() as f64) <= thresholds.periodic_members {
        // Too few operations for a period in any subset.
        return whole;
    }
    let mut entries = pile.entries().to_vec();
    entries.sort_unstable_by_key(|entry| entry.0);
    let several = entries.first().map(|entry| entry.0) != entries.last().map(|entry| entry.0);
    if !families || !several {
        return by_volume(whole, runtime_s, thresholds);
    }
    let groups = entries.chunk_by(|one, other| one.0 == other.0);
    let groups = groups.map(|family| family.iter().map(|entry| entry.1).collect::<Vec<Operation>>());
    let (activities, explained) = in_groups(groups, runtime_s, thresholds);
    if explained > 0.0 && explained >= AS_MUCH * whole.explained {
        return whole.explained_by(activities, explained);
    }
    by_volume(whole, runtime_s, thresholds)
}

/// Without file names, separates concurrent activities by volume, if that explains more.
fn by_volume(whole: Found, runtime_s: f64, thresholds: &Thresholds) -> Found {
    if (whole.merged.len() as f64) <= thresholds.periodic_members {
        return whole;
    }
    let mut sorted = whole.merged.clone();
    sorted.sort_unstable_by_key(|operation| operation.bytes);
    let like = |one: &Operation, other: &Operation| (other.bytes as f64) < VOLUMES_APART * one.bytes as f64;
    let groups = sorted.chunk_by(like).map(<[Operation]>::to_vec);
    let (activities, explained) = in_groups(groups, runtime_s, thresholds);
    if AS_MUCH * explained > whole.explained { whole.explained_by(activities, explained) } else { whole }
}

/// Finds periodic activity in groups of operations, most bytes first, and the bytes that it
/// explains.
fn in_groups(
    groups: impl Iterator<Item = Vec<Operation>>,
    runtime_s: f64,
    thresholds: &Thresholds,
) -> (Vec<Periodic>, f64) {
    let mut activities: Vec<Periodic> = Vec::new();
    let mut explained = 0.0;
    for group in groups {
        let found = find(group, runtime_s, thresholds);
        explained += found.explained;
        found.activities.into_iter().for_each(|activity| join(&mut activities, activity, thresholds));
    }
    activities.sort_by(by_bytes);
    (activities, explained)
}

/// Adds an activity; families with the same period and phase become one.
fn join(activities: &mut Vec<Periodic>, new: Periodic, thresholds: &Thresholds) {
    let together = |known: &&mut Periodic| {
        let turns = ((new.first_s - known.first_s) / known.period_s).round();
        let off = (new.first_s - known.first_s - turns * known.period_s).abs() / known.period_s;
        alike(known, &new) && off < thresholds.comb_residual
    };
    match activities.iter_mut().find(together) {
        Some(known) => {
            known.bytes += new.bytes;
            known.busy = (known.busy + new.busy).min(1.0);
            known.count = known.count.max(new.count);
            known.residual = known.residual.max(new.residual);
        }
        None => activities.push(new),
    }
}
