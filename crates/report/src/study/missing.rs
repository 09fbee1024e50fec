//! What is missing where a figure would stand, and how to get it.

use marigraph_analysis::study::Study;

fn unless(there: bool, why: &str) -> Option<String> {
    (!there).then(|| why.to_string())
}

pub fn shutdown(_: &Study) -> Option<String> {
    let why = "Logs do not tell how long writing them took. bench/recorder.py measures what recording costs.";
    Some(why.to_string())
}

pub fn benchmark(_: &Study) -> Option<String> {
    let why = "This needs what IOR itself printed beside its logs. docs/reference/system-report.md has the comparison made with IOR.";
    Some(why.to_string())
}

pub fn reruns(_: &Study) -> Option<String> {
    let why = "This needs runs of one program before and after a change. Record both; `marigraph replay` repeats the I/O of one.";
    Some(why.to_string())
}

pub fn runs(study: &Study) -> Option<String> {
    unless(
        study.looked.runs > 0,
        "No log of a job is in the study for this time and project. Add logs: marigraph ingest LOGS --into STUDY.",
    )
}

pub fn joblog(study: &Study) -> Option<String> {
    unless(
        study.coverage.is_some(),
        "No job log is in the study for this time. Add what the scheduler knows: sacct -a -P -o ALL > jobs.txt; marigraph ingest jobs.txt --into STUDY.",
    )
}

pub fn devices(study: &Study) -> Option<String> {
    unless(
        study.timeline.is_some(),
        "No throughput of storage devices is in the study for this time. Collect it with marigraph monitor, iostat or sadf and add the files with marigraph ingest.",
    )
}

pub fn snapshot(study: &Study) -> Option<String> {
    unless(
        study.sizes.is_some(),
        "No snapshot of a file system is in the study for this time. marigraph scan PATH -o FILE makes one; marigraph ingest FILE --into STUDY adds it.",
    )
}

pub fn two_snapshots(study: &Study) -> Option<String> {
    unless(
        study.growth.is_some(),
        "Two snapshots of the same file system, taken at different times, are needed. Scan it again later and add that snapshot too.",
    )
}

pub fn large_runs(study: &Study) -> Option<String> {
    let known = study.performance.runs > 0;
    let why = "No run of a known project is large enough. Projects come from the job log; --min-procs and --min-bytes set how large a run must be.";
    unless(known, why)
}

pub fn metric(study: &Study) -> Option<String> {
    let why = "No large run has both a known throughput and known compute nodes. Nodes come from the job log; --min-procs and --min-bytes set how large a run must be.";
    unless(!study.performance.boxes.is_empty(), why)
}

pub fn sizes_at_open(study: &Study) -> Option<String> {
    unless(
        study.overwrites.told > 0,
        "Darshan logs since 3.0 do not hold the sizes of files when they were opened. Traces of marigraph record --trace do, and logs of Darshan 1 and 2.",
    )
}

pub fn labels(study: &Study) -> Option<String> {
    unless(!study.weeks.is_empty(), "No log in the study tells enough of its behaviour.")
}

pub fn signatures(study: &Study) -> Option<String> {
    unless(
        !study.signatures.is_empty(),
        "No signature is in the study. marigraph signature --json --jobs FILE --throughput FILE > signatures.jsonl mines them; marigraph ingest adds them.",
    )
}

pub fn findings(study: &Study) -> Option<String> {
    unless(!study.findings.is_empty(), "Nothing was found in the logs of this study.")
}

pub fn comparison(study: &Study) -> Option<String> {
    unless(
        study.comparison.is_some(),
        "The time before is not known well enough. Choose a period with --from and --to that has as long a time before it.",
    )
}
