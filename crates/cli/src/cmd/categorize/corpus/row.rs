//! One log as a row of `traces.parquet`.

use std::path::Path;

use marigraph_analysis::category::{Categories, Label};
use marigraph_analysis::for_labels;
use marigraph_report::category::activities_json;
use marigraph_store::JobKey;
use marigraph_store::tables::TraceRow;

use crate::cmd::categorize::one::Examined;

pub const VALID: &str = "valid";
pub const SAME_RUN: &str = "same_run";

pub fn with(path: &Path, examined: &Examined, take: impl FnOnce(TraceRow<'_>)) {
    let job = examined.job.as_ref();
    let run = examined.run.as_ref().map(|run| JobKey::of(run.as_bytes()).to_string());
    let row = TraceRow {
        input: &path.display().to_string(),
        job_id: job.map(|job| job.id),
        uid: job.map(|job| job.uid),
        exe: job.and_then(|job| job.exe.split_whitespace().next()),
        nprocs: job.map(|job| job.nprocs),
        start_s: job.map(|job| job.start.since_1970()),
        runtime_s: job.map(|job| job.runtime_s()),
        run_key: run.as_deref(),
        detail: examined.detail.map(|detail| detail as u64),
        ..TraceRow::default()
    };
    match &examined.found {
        Err(skip) => take(TraceRow { status: skip.reason, problem: Some(&skip.message), ..row }),
        Ok(categories) => with_categories(categories, row, take),
    }
}

fn with_categories(found: &Categories, mut row: TraceRow<'_>, take: impl FnOnce(TraceRow<'_>)) {
    let labels: Vec<&str> = found.labels.iter().map(|labelled| labelled.label.name()).collect();
    for labelled in &found.labels {
        *confidence(&mut row, labelled.label) = Some(labelled.confidence);
    }
    let Categories { read, write, metadata, .. } = found;
    let (main_read, main_write) = (read.periodic.first(), write.periodic.first());
    take(TraceRow {
        status: VALID,
        incomplete: Some(found.incomplete),
        // Which run represents its application is known when all are read.
        heaviest: None,
        runs: None,
        labels: Some(&labels.join(",")),
        read_evidence: Some(read.evidence.name()),
        read_bytes: Some(read.bytes),
        read_quarter_1: Some(read.chunks[0]),
        read_quarter_2: Some(read.chunks[1]),
        read_quarter_3: Some(read.chunks[2]),
        read_quarter_4: Some(read.chunks[3]),
        read_variation: Some(read.variation),
        read_mean_time: read.mean_time,
        read_quartile_1: read.quartiles.map(|at| at[0]),
        read_quartile_2: read.quartiles.map(|at| at[1]),
        read_quartile_3: read.quartiles.map(|at| at[2]),
        read_periodic_evidence: main_read.map(|_| read.found_in.name()),
        read_period_s: main_read.map(|main| main.period_s),
        read_period_count: main_read.map(|main| main.count),
        read_period_bytes: main_read.map(|main| main.bytes),
        read_period_busy: main_read.map(|main| main.busy),
        read_activities: activities_json(&read.periodic).as_deref(),
        write_evidence: Some(write.evidence.name()),
        write_bytes: Some(write.bytes),
        write_quarter_1: Some(write.chunks[0]),
        write_quarter_2: Some(write.chunks[1]),
        write_quarter_3: Some(write.chunks[2]),
        write_quarter_4: Some(write.chunks[3]),
        write_variation: Some(write.variation),
        write_mean_time: write.mean_time,
        write_quartile_1: write.quartiles.map(|at| at[0]),
        write_quartile_2: write.quartiles.map(|at| at[1]),
        write_quartile_3: write.quartiles.map(|at| at[2]),
        write_periodic_evidence: main_write.map(|_| write.found_in.name()),
        write_period_s: main_write.map(|main| main.period_s),
        write_period_count: main_write.map(|main| main.count),
        write_period_bytes: main_write.map(|main| main.bytes),
        write_period_busy: main_write.map(|main| main.busy),
        write_activities: activities_json(&write.periodic).as_deref(),
        metadata_requests: Some(metadata.requests),
        metadata_peak_per_s: Some(metadata.peak_per_s),
        metadata_mean_per_s: Some(metadata.mean_per_s),
        metadata_spikes: Some(metadata.spikes),
        metadata_plateaus: Some(metadata.plateaus),
        metadata_known: Some(metadata.known),
        ..row
    });
}

macro_rules! columns_of_labels {
    ($($name:ident $word:ident $meaning:literal;)*) => {
        pub fn confidence<'r>(row: &'r mut TraceRow<'_>, label: Label) -> &'r mut Option<f64> {
            match label { $(Label::$name => &mut row.$word,)* }
        }
    };
}

for_labels!(columns_of_labels);
