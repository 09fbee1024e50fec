//! Rules about balance between ranks.

use marigraph_model::{Direction, FileId};

use super::survey::{RankIo, SharedRecord, side};
use super::{Amount, Code, Facts, Found, MAX_FILES, Rule, rule, share};

pub(super) const RULES: &[Rule] = &[
    rule(Code::RankImbalance, rank_imbalance),
    rule(Code::ByteImbalance, byte_imbalance),
    rule(Code::UnevenWrites, |facts| uneven(facts, Direction::Write)),
    rule(Code::UnevenReads, |facts| uneven(facts, Direction::Read)),
    rule(Code::OneRank, one_rank),
];

impl SharedRecord {
    /// Seconds by which the slowest rank exceeds the mean.
    fn lost(&self, processes: f64) -> f64 {
        self.slowest_s.map_or(0.0, |slowest| (slowest - self.seconds / processes).max(0.0))
    }

    fn time_difference(&self) -> f64 {
        match (self.slowest_s, self.fastest_s) {
            (Some(slowest), Some(fastest)) if self.seconds > 0.0 => (slowest - fastest).abs() / self.seconds,
            _ => 0.0,
        }
    }

    fn byte_difference(&self) -> f64 {
        share(self.slowest_bytes.abs_diff(self.fastest_bytes), self.bytes)
    }
}

fn waiting(facts: &Facts<'_>, of: &dyn Fn(&SharedRecord) -> bool, by: fn(&SharedRecord) -> f64) -> Found {
    let processes = facts.processes();
    let concerned = || facts.survey.shared.iter().filter(|record| of(record));
    let lost: f64 = concerned().map(|record| record.lost(processes)).sum();
    let worst = concerned().map(by).fold(0.0, f64::max);
    let files = concerned().map(|record| (record.file, record.lost(processes)));
    let mut found = Found::costs(lost)
        .figure("lost", Amount::Seconds(lost))
        .figure("difference", Amount::Share(worst))
        .files(files, Amount::Seconds);
    let named: Vec<FileId> = found.files.iter().map(|(id, _)| *id).collect();
    let mut ranks: Vec<u32> = concerned()
        .filter(|record| named.contains(&record.file))
        .filter_map(|record| record.slowest_rank)
        .collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks.truncate(MAX_FILES);
    found.ranks = ranks;
    found
}

/// Drishti compares with the time of all ranks together, which hides any straggler among many ranks.
/// The time lost against the mean, as a share of the slowest ranks' time, does not depend on the
/// number of ranks.
fn rank_imbalance(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    if facts.job.nprocs < 2 {
        return None;
    }
    let processes = facts.processes();
    let shared = &facts.survey.shared;
    let slowest: f64 = shared.iter().filter_map(|record| record.slowest_s).sum();
    let lost: f64 = shared.iter().map(|record| record.lost(processes)).sum();
    let on_the_whole = slowest > 0.0 && lost / slowest > t.lost_share;
    let straggles = |record: &SharedRecord| record.time_difference() > t.straggler_share;
    (on_the_whole || shared.iter().any(straggles)).then(|| {
        let concerned =
            |record: &SharedRecord| straggles(record) || (on_the_whole && record.lost(processes) > 0.0);
        waiting(facts, &concerned, SharedRecord::time_difference).figure("slowest", Amount::Seconds(slowest))
    })
}

fn byte_imbalance(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let unequal = |record: &SharedRecord| record.byte_difference() > t.straggler_share;
    let any = facts.job.nprocs > 1 && facts.survey.shared.iter().any(unequal);
    any.then(|| waiting(facts, &unequal, SharedRecord::byte_difference))
}

fn uneven(facts: &Facts<'_>, op: Direction) -> Option<Found> {
    let t = facts.thresholds();
    let difference = |least: u64, most: u64| share(most.saturating_sub(least), most);
    let files = || {
        let several = facts.survey.files.iter().filter(|file| file.ranks > 1);
        several.map(|file| (file, file.ways[side(op)])).filter_map(|(file, way)| {
            let part = difference(way.least, way.most);
            (part > t.uneven_share).then_some((file, way, part))
        })
    };
    let worst = files().map(|(_, _, part)| part).max_by(f64::total_cmp)?;
    // The time of the rank with the most bytes beyond the mean, if time is proportional to bytes.
    let beyond = files().map(|(file, way, _)| {
        way.seconds * (share(way.most, way.bytes) - 1.0 / f64::from(file.ranks.max(1))).max(0.0)
    });
    let most = files().map(|(_, way, _)| way.most).max().unwrap_or(0);
    Some(
        Found::costs(beyond.sum())
            .figure("difference", Amount::Share(worst))
            .figure("most", Amount::Bytes(most))
            .files(files().map(|(file, _, part)| (file.id, part)), Amount::Share),
    )
}

fn one_rank(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let nprocs = facts.job.nprocs;
    if nprocs < t.large_job {
        return None;
    }
    let survey = facts.survey;
    let heaviest = survey.ranks.iter().max_by_key(|(rank, of)| (of.bytes, std::cmp::Reverse(**rank)));
    let (&rank, &RankIo { bytes, seconds }) = heaviest?;
    let all = survey.ranks.values().map(|of| of.bytes).fold(survey.by_several, u64::saturating_add);
    (bytes > 0 && share(bytes, all) >= t.one_rank_share).then(|| {
        // One process per node, or one of 32 where the nodes are unknown.
        let helpers = facts.nodes.unwrap_or(nprocs / 32).clamp(2, nprocs) as f64;
        let mut found = Found::costs(seconds * (1.0 - 1.0 / helpers))
            .figure("bytes", Amount::Bytes(bytes))
            .figure("share", Amount::Share(share(bytes, all)))
            .figure("processes", Amount::Count(nprocs))
            .figure("seconds", Amount::Seconds(seconds))
            .figure("helpers", Amount::Count(helpers as u64));
        found.ranks = vec![rank];
        found
    })
}
