//! Rules about metadata calls and the number of files.

use marigraph_model::{Module, Scope};

use super::{Amount, Code, Facts, Found, MAX_FILES, Rule, rule};
use crate::usage::Totals;

pub(super) const RULES: &[Rule] = &[
    rule(Code::MetadataHeavy, metadata_heavy),
    rule(Code::SlowMetadata, slow_metadata),
    rule(Code::FilePerProcess, file_per_process),
    rule(Code::ManySmallFiles, many_small_files),
];

fn metadata_share(totals: &Totals) -> f64 {
    let all = totals.read_s + totals.write_s + totals.meta_s;
    if all > 0.0 { totals.meta_s / all } else { 0.0 }
}

fn metadata_heavy(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let totals = facts.usage.totals();
    let share = metadata_share(&totals);
    (totals.metadata_ops >= t.few_calls && share > t.metadata_share).then(|| {
        Found::costs(facts.metadata_wall())
            .figure("calls", Amount::Count(totals.metadata_ops))
            .figure("share", Amount::Share(share))
            .figure("seconds", Amount::Seconds(totals.meta_s))
    })
}

fn slow_metadata(facts: &Facts<'_>) -> Option<Found> {
    let slow = &facts.survey.slow_metadata;
    let worst = slow.iter().map(|(_, _, seconds)| *seconds).max_by(f64::total_cmp)?;
    let seconds = slow.iter().map(|(_, _, seconds)| seconds).sum();
    let mut found = Found::costs(facts.wall(Module::Posix, seconds))
        .figure("records", Amount::Count(slow.len() as u64))
        .figure("longest", Amount::Seconds(worst))
        .files(slow.iter().map(|(file, _, seconds)| (*file, *seconds)), Amount::Seconds);
    let mut ranks: Vec<(u32, f64)> = slow
        .iter()
        .filter_map(|(_, scope, seconds)| match scope {
            Scope::Rank(rank) => Some((rank.0, *seconds)),
            Scope::Shared => None,
        })
        .collect();
    ranks.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.ranks = ranks.into_iter().map(|(rank, _)| rank).take(MAX_FILES).collect();
    Some(found)
}

fn file_per_process(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    let nprocs = facts.job.nprocs;
    let totals = facts.usage.totals();
    let share = metadata_share(&totals);
    let each = totals.read_bytes.saturating_add(totals.written_bytes) / nprocs.max(1);
    if nprocs < t.large_job || share <= t.metadata_share || each > t.small_part {
        return None;
    }
    let own = facts.files.by_sharing(nprocs).one;
    (own.files >= nprocs).then(|| {
        Found::costs(facts.metadata_wall())
            .figure("files", Amount::Count(own.files))
            .figure("processes", Amount::Count(nprocs))
            .figure("per_process", Amount::Bytes(each))
            .figure("share", Amount::Share(share))
    })
}

fn many_small_files(facts: &Facts<'_>) -> Option<Found> {
    let t = facts.thresholds();
    if facts.files.count() < t.many_files {
        return None;
    }
    let all = facts.files.by_use().total;
    let mean = all.size_sum.checked_div(all.sized)?;
    (all.sized >= t.many_files && mean <= t.small_file).then(|| {
        Found::costs(facts.metadata_wall())
            .figure("files", Amount::Count(all.sized))
            .figure("mean", Amount::Bytes(mean))
    })
}
