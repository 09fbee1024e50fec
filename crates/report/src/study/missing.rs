//! Why an item is missing, and how to get it.

use marigraph_analysis::study::Study;

fn unless(there: bool, why: &str) -> Option<String> {
    (!there).then(|| why.to_string())
}

pub fn shutdown(_: &Study) -> Option<String> {
    let why = "Logs do not have their own writing time. bench/recorder.py measures the cost of recording.";
    Some(why.to_string())
}

pub fn benchmark(_: &Study) -> Option<String> {
    let why = "This needs the output of IOR beside its logs. docs/reference/system-report.md has a comparison with IOR.";
    Some(why.to_string())
}

pub fn reruns(_: &Study) -> Option<String> {
    let why = "This needs runs of one program before and after a change. Record both.";
    Some(why.to_string())
}

pub fn runs(study: &Study) -> Option<String> {
    unless(
        study.looked.runs > 0,
        "The study has no job logs for this time and project. Add them: marigraph ingest LOGS --into STUDY.",
    )
}

pub fn joblog(study: &Study) -> Option<String> {
    unless(
        study.coverage.is_some(),
        "The study has no scheduler log for this time. Add one: sacct -a -P -o ALL > jobs.txt; marigraph ingest jobs.txt --into STUDY.",
    )
}

pub fn devices(study: &Study) -> Option<String> {
    unless(
        study.timeline.is_some(),
        "The study has no device throughput for this time. Collect it with marigraph monitor, iostat or sadf and add the files with marigraph ingest.",
    )
}

pub fn snapshot(study: &Study) -> Option<String> {
    unless(
        !study.file_systems.is_empty(),
        "The study has no file system snapshot for this time. Take one with marigraph scan PATH -o FILE and add it with marigraph ingest FILE --into STUDY.",
    )
}

pub fn two_snapshots(study: &Study) -> Option<String> {
    unless(
        study.file_systems.iter().any(|one| one.growth.is_some()),
        "This needs two snapshots of the same file system at different times. Scan it again later and add that snapshot.",
    )
}

pub fn large_runs(study: &Study) -> Option<String> {
    let known = study.performance.runs > 0;
    let why = "No run of a known project is large enough. Projects come from the job log; --min-procs and --min-bytes set the minimum size.";
    unless(known, why)
}

pub fn metric(study: &Study) -> Option<String> {
    let why = "No large run has both a known throughput and known compute nodes. Nodes come from the job log; --min-procs and --min-bytes set the minimum size.";
    unless(!study.performance.boxes.is_empty(), why)
}

pub fn sizes_at_open(study: &Study) -> Option<String> {
    unless(
        study.overwrites.told > 0,
        "Darshan logs since 3.0 do not have file sizes at open. Traces of marigraph record --trace and logs of Darshan 1 and 2 do.",
    )
}

pub fn labels(study: &Study) -> Option<String> {
    unless(!study.weeks.is_empty(), "No log in the study has enough data to be categorized.")
}

pub fn signatures(study: &Study) -> Option<String> {
    unless(
        !study.signatures.is_empty(),
        "The study has no signatures. Mine them with marigraph signature --json --jobs FILE --throughput FILE > signatures.jsonl and add them with marigraph ingest.",
    )
}

pub fn findings(study: &Study) -> Option<String> {
    unless(!study.findings.is_empty(), "The logs of this study have no findings.")
}

pub fn comparison(study: &Study) -> Option<String> {
    unless(
        study.comparison.is_some(),
        "The time before is not covered. Choose a period with --from and --to that has data for the same length before it.",
    )
}
