//! Numbers about the contents of file systems.

use marigraph_analysis::study::{
    Bin, FileAges, FileSizes, FileSystem, GrowthTable, Study, Within, most_popular,
};
use serde_json::{Value, json};

use super::share;

fn histogram(bins: &[Bin], low: &str, high: &str) -> Value {
    let all = |of: fn(&Bin) -> u64| bins.iter().map(|bin| of(bin) as f64).sum::<f64>();
    let (count, bytes) = (all(|bin| bin.count), all(|bin| bin.bytes));
    let (mut counted, mut weighed) = (0.0, 0.0);
    let rows = bins.iter().map(|bin| {
        counted += bin.count as f64;
        weighed += bin.bytes as f64;
        json!({
            low: bin.low,
            high: bin.high,
            "count": bin.count,
            "bytes": bin.bytes,
            "cumulative_count": share(counted, count),
            "cumulative_bytes": share(weighed, bytes),
        })
    });
    rows.collect::<Vec<_>>().into()
}

fn popular(bins: &[Bin]) -> Value {
    most_popular(bins)
        .map_or(Value::Null, |bin| json!({ "low": bin.low, "high": bin.high, "count": bin.count }))
}

/// The numbers of the first file system, and those of all of them by their trees.
fn each(study: &Study, numbers: fn(&FileSystem) -> Option<Value>) -> Value {
    let named = |one: &FileSystem| {
        let mut told = numbers(one)?;
        told["roots"] = json!(one.roots);
        Some(told)
    };
    let all: Vec<Value> = study.file_systems.iter().filter_map(named).collect();
    let Some(mut first) = all.first().cloned() else { return Value::Null };
    first["file_systems"] = all.into();
    first
}

pub fn sizes(study: &Study) -> Value {
    each(study, |one| Some(sizes_of(&one.sizes)))
}

fn sizes_of(sizes: &FileSizes) -> Value {
    let without = sizes.without.as_ref().map(|without| {
        json!({
            "project": without.project,
            "files": without.bins.iter().map(|bin| bin.count).sum::<u64>(),
            "most_popular": popular(&without.bins),
            "share_below_1mib": without.below_1mib.files,
            "histogram": histogram(&without.bins, "low", "high"),
        })
    });
    json!({
        "taken": sizes.taken_s,
        "files": sizes.files,
        "bytes": sizes.bytes,
        "largest": sizes.largest,
        "most_popular": popular(&sizes.bins),
        "share_below_1mib": sizes.below[0].files,
        "share_below_2mib": sizes.below[1].files,
        "share_below_128mib": sizes.below[2].files,
        "histogram": histogram(&sizes.bins, "low", "high"),
        "without": without,
    })
}

pub fn growth(study: &Study) -> Value {
    each(study, |one| one.growth.as_ref().map(growth_of))
}

fn growth_of(growth: &GrowthTable) -> Value {
    let rows = growth.rows.iter().map(|row| {
        let change = |(before, after): (u64, u64)| share(after as f64 - before as f64, before as f64);
        json!({
            "name": row.project.as_deref().unwrap_or("total"),
            "bytes_before": row.bytes.0,
            "bytes_after": row.bytes.1,
            "bytes_change": change(row.bytes),
            "files_before": row.files.0,
            "files_after": row.files.1,
            "files_change": change(row.files),
            "share_of_new_files": row.of_new.files,
            "share_of_new_bytes": row.of_new.bytes,
        })
    });
    json!({
        "before": growth.taken_s.0,
        "after": growth.taken_s.1,
        "rows": rows.collect::<Vec<_>>(),
        "files_limit": growth.files_limit.map(|(_, limit)| limit),
        "files_limit_at": growth.files_limit.map(|(at, _)| at),
        "bytes_limit": growth.bytes_limit.map(|(_, limit)| limit),
        "bytes_limit_at": growth.bytes_limit.map(|(at, _)| at),
    })
}

pub fn ages(study: &Study) -> Value {
    each(study, |one| Some(ages_of(&one.ages)))
}

fn ages_of(ages: &FileAges) -> Value {
    let within = |within: Within| json!({ "files": within.files, "bytes": within.bytes });
    json!({
        "taken": ages.taken_s,
        "access": histogram(&ages.access, "low_days", "high_days"),
        "modification": histogram(&ages.modification, "low_days", "high_days"),
        "accessed_32_days": within(ages.accessed_32),
        "accessed_64_days": within(ages.accessed_64),
        "modified_64_days": within(ages.modified_64),
    })
}
