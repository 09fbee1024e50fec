//! The declarations.

use super::{Table, table};

table! {
    per job: jobs as JOBS, JobRow<'a> = "One row per run with its totals, from the log that tells most of it; `sources` has the other logs, `invalid` those that contradict themselves. A byte that passes several interfaces counts once, at the lowest.";
    uid: i64 = "Numeric user id.",
    exe: Option<&'a str> = "The program: the first word of the command line.",
    command: &'a str = "The command line.",
    nprocs: u64 = "Processes.",
    nnodes: Option<u64> = "Compute nodes; null if the log does not have them.",
    start_s: Option<f64> = "When it started, in seconds since 1970.",
    end_s: Option<f64> = "When it ended, in seconds since 1970.",
    runtime_s: Option<f64> = "Seconds from start to end.",
    bytes_read: u64 = "Bytes read.",
    bytes_written: u64 = "Bytes written.",
    reads: u64 = "Read calls.",
    writes: u64 = "Write calls.",
    metadata_ops: u64 = "Opens, stats, seeks, syncs and the like.",
    read_time_s: Option<f64> = "Seconds reading, over all processes.",
    write_time_s: Option<f64> = "Seconds writing, over all processes.",
    metadata_time_s: Option<f64> = "Seconds in metadata calls, over all processes.",
    files: u64 = "Distinct files.",
    mib_per_s: Option<f64> = "Estimated throughput in MiB per second, as Darshan's tools define it.",
    period_s: Option<f64> = "Seconds from one I/O phase to the next; null without a period.",
    period_confidence: Option<f64> = "Probability that the period is within 10 % of the true one.",
    modules: &'a str = "Modules of the log, separated by commas.",
    partial: bool = "1 if a module ran out of memory and its records are not complete, else 0.",
    problems: u64 = "Number of problems in the log; `marigraph show` prints them.",
    format: &'a str = "Format of the log.",
    version: &'a str = "Version of the format.",
    source: &'a str = "Where the log was read from.",
    io_time_s: Option<f64> = later "Seconds of I/O of the slowest process, by which `mib_per_s` divides.",
    files_written: Option<u64> = later "Distinct files that it wrote to.",
    files_new: Option<u64> = later "Number of these that were missing or empty before; null if the log does not have it.",
    run_key: Option<&'a str> = later "Identity of the run, the same in every log of it; null if the log does not say when it started or of which program.",
    detail: Option<u64> = later "What the log has: 2 every call, 1 reads and writes one by one, 0 counters.",
}

table! {
    per job: files as FILES, FileRow<'a> = "One row per file, interface and process (or all processes, if the log has one shared record).";
    file_id: i64 = "Hash of the name, the same in every log, as a signed number.",
    path: &'a str = "Name of the file; the id in brackets if the log has no name.",
    module: &'a str = "Interface: `POSIX`, `MPI-IO`, `STDIO` and so on.",
    rank: Option<i64> = "The process; null for all of them together.",
    bytes_read: u64 = "Bytes read.",
    bytes_written: u64 = "Bytes written.",
    reads: u64 = "Read calls.",
    writes: u64 = "Write calls.",
    opens: u64 = "Opens.",
    metadata_ops: u64 = "Metadata calls, opens included.",
    read_time_s: Option<f64> = "Seconds reading.",
    write_time_s: Option<f64> = "Seconds writing.",
    metadata_time_s: Option<f64> = "Seconds in metadata calls.",
    open_start_s: Option<f64> = "When it was first opened.",
    close_end_s: Option<f64> = "When it was last closed.",
    read_start_s: Option<f64> = "Start of the first read.",
    read_end_s: Option<f64> = "End of the last read.",
    write_start_s: Option<f64> = "Start of the first write.",
    write_end_s: Option<f64> = "End of the last write.",
}

table! {
    per job: counters as COUNTERS, CounterRow<'a> = "One row per job, module and non-zero counter, reduced over files and processes according to the counter's meaning (sum, maximum, first). The log has the values per file.";
    module: &'a str = "Module of the log.",
    name: &'a str = "Name of the counter, as in Darshan.",
    value: Option<f64> = "Its value.",
}

table! {
    per job: operations as OPERATIONS, OperationRow<'a> = "Reads and writes in order of time, from the best evidence in the log; operations that overlap or nearly touch are one row, as in `marigraph categorize`.";
    direction: &'a str = "`read` or `write`.",
    start_s: Option<f64> = "Beginning, in seconds since the job's start.",
    end_s: Option<f64> = "End, in seconds since the job's start.",
    bytes: u64 = "Bytes moved.",
    evidence: &'a str = "Source of the times: `dxt`, `trace`, `heatmap` or `records`.",
}

table! {
    per job: phases as PHASES, PhaseRow<'a> = "I/O phases, if the log has times (single operations or a heat map).";
    phase: u64 = "Number of the phase, from 0.",
    start_s: Option<f64> = "Beginning, in seconds since the job's start.",
    end_s: Option<f64> = "End, in seconds since the job's start.",
    bytes: Option<f64> = "Bytes moved.",
}

table! {
    per job: categories as CATEGORIES, CategoryRow<'a> = "One row per job and label, as from `marigraph categorize`.";
    label: &'a str = "The label.",
    confidence: Option<f64> = "Confidence from 0 to 1.",
    evidence: &'a str = "Evidence: `dxt`, `trace`, `heatmap` or `records`.",
}

table! {
    per job: interfaces as INTERFACES, InterfaceRow<'a> = "One row per job and interface that it opened files with. A byte that passes several interfaces counts once, at the highest.";
    interface: &'a str = "`POSIX`, `STDIO`, `MPI-IO`, `HDF5` or `PnetCDF`.",
    opens: u64 = "Opens.",
    files: u64 = "Files for which it is the highest interface.",
    bytes_read: u64 = "Bytes read from these.",
    bytes_written: u64 = "Bytes written to these.",
}

table! {
    per job: sharing as SHARING, SharingRow<'a> = "One row per job and kind of file sharing.";
    way: &'a str = "`unique` (one process), `partial` (some of them), `shared` (all of them).",
    files: u64 = "Files.",
    bytes_read: u64 = "Bytes read from these, at the highest interface.",
    bytes_written: u64 = "Bytes written to these.",
}

table! {
    per job: findings as FINDINGS, FindingRow<'a> = "One row per job and finding, as in `marigraph report`.";
    code: &'a str = "Code of the rule.",
    severity: &'a str = "Severity.",
    seconds_at_stake: Option<f64> = "Seconds of the run at stake, if they can be estimated.",
    title: &'a str = "Title of the finding.",
    evidence: &'a str = "Evidence in words.",
}

table! {
    per job: sources as SOURCES, SourceRow<'a> = "One row per further log of a run whose rows come from another log. Join with `jobs` by `run_key`.";
    run_key: &'a str = "Identity of the run.",
    detail: u64 = "What the log has, as in `jobs`.",
    format: &'a str = "Format of the log.",
    version: &'a str = "Version of the format.",
    source: &'a str = "Where the log was read from.",
    stored: bool = "1 if rows of this log are in the files of other tables, where queries leave them out, else 0.",
}

table! {
    per job: invalid as INVALID, InvalidRow<'a> = "One row per log that cannot be trusted; the other tables have no rows of it.";
    reason: &'a str = "Why, as in `marigraph categorize`.",
    problem: &'a str = "The same in words.",
    uid: i64 = "Numeric user id.",
    exe: Option<&'a str> = "The program: the first word of the command line.",
    nprocs: u64 = "Processes.",
    start_s: Option<f64> = "When it started, in seconds since 1970.",
    end_s: Option<f64> = "When it ended, in seconds since 1970.",
    format: &'a str = "Format of the log.",
    version: &'a str = "Version of the format.",
    source: &'a str = "Where the log was read from.",
    stored: bool = "1 if rows of this log are in the files of other tables, where queries leave them out, else 0.",
}

table! {
    joblog as JOBLOG, JoblogRow<'a> = "One row per ended job in the scheduler log, whether or not its I/O was recorded.";
    row_key: &'a str = "Identity of the row: a hash of its content.",
    job_id: Option<u64> = "The number of the job, to join with `jobs`; numbers repeat, so compare the times too.",
    id: &'a str = "The scheduler's name of the job, with array index or component.",
    user: &'a str = "Login name.",
    name: &'a str = "Name of the job.",
    account: &'a str = "The account or project that pays.",
    partition: &'a str = "Queue or partition.",
    state: &'a str = "Final state.",
    nodes: Option<u64> = "Compute nodes.",
    processes: Option<u64> = "Processors or processes.",
    submit_s: Option<f64> = "When it was submitted, in seconds since 1970.",
    start_s: Option<f64> = "When it started.",
    end_s: Option<f64> = "When it ended.",
    core_hours: Option<f64> = "Processors times hours.",
    source: &'a str = "Where it was read from.",
}

table! {
    devices as DEVICES, DeviceRow<'a> = "Traffic of one device or server in one interval of at least a minute. Time without a row was not observed.";
    row_key: &'a str = "Identity of the part of the log that the row came from.",
    device: &'a str = "The device, target or server.",
    start_s: Option<f64> = "Beginning of the interval, in seconds since 1970.",
    seconds: Option<f64> = "Length of the interval.",
    observed_s: Option<f64> = "Seconds of it that were observed.",
    bytes_read: Option<f64> = "Bytes read.",
    bytes_written: Option<f64> = "Bytes written.",
    source: &'a str = "Where it was read from.",
}

table! {
    snapshots as SNAPSHOTS, SnapshotRow<'a> = "Contents of file systems: one row per snapshot and figure.";
    row_key: &'a str = "Identity of the snapshot: a hash of its content.",
    roots: &'a str = "The trees that were scanned, separated by commas.",
    host: &'a str = "The machine that scanned them.",
    taken_s: Option<f64> = "When it was complete, in seconds since 1970.",
    part: &'a str = "What is counted: `total`, `kind`, `room`, `project`, `owner`, `group`, `project_size`, `largest_file`, `fullest_directory`, `heaviest_directory`, the name of a histogram, or `range` for its smallest and largest value.",
    name: Option<&'a str> = "Kind, project, owner or group; owners and groups by number.",
    low: Option<u64> = "Smallest value of a histogram's bin.",
    high: Option<u64> = "The first value beyond it.",
    count: u64 = "Files or other things.",
    bytes: Option<u64> = "Bytes of these.",
    capacity: Option<u64> = "Bytes that these take on disk, if known.",
    source: &'a str = "Where it was read from.",
}

table! {
    signatures as SIGNATURES, SignatureRow<'a> = "Signatures of applications, as from `marigraph signature --json`.";
    row_key: &'a str = "Identity of the signature: a hash of its content.",
    app: Option<&'a str> = "The application: the job's name in the job log.",
    user: Option<&'a str> = "User name.",
    nodes: Option<u64> = "Compute nodes.",
    storage: Option<&'a str> = "The partition of the storage, if it was named.",
    runs: Option<u64> = "Runs that it was mined from.",
    duration_s: Option<f64> = "Length of a run.",
    bytes_read: Option<f64> = "Bytes that a run reads.",
    bytes_written: Option<f64> = "Bytes that a run writes.",
    bursts: Option<u64> = "Bursts of I/O.",
    period_s: Option<f64> = "Seconds from one burst to the next, if they are periodic.",
    confidence: Option<f64> = "Confidence from 0 to 1.",
    step_s: Option<f64> = "Seconds between values of the next two columns.",
    read_rates: &'a str = "Bytes read per second over the run, as a JSON list.",
    write_rates: &'a str = "Bytes written per second over the run, as a JSON list.",
    source: &'a str = "Where it was read from.",
}

pub static TABLES: &[&Table] = &[
    &JOBS,
    &FILES,
    &COUNTERS,
    &OPERATIONS,
    &PHASES,
    &CATEGORIES,
    &INTERFACES,
    &SHARING,
    &FINDINGS,
    &SOURCES,
    &INVALID,
    &JOBLOG,
    &DEVICES,
    &SNAPSHOTS,
    &SIGNATURES,
];

/// The tables whose first column identifies what a study already has.
pub(crate) static IDENTITIES: &[&Table] =
    &[&JOBS, &SOURCES, &INVALID, &JOBLOG, &DEVICES, &SNAPSHOTS, &SIGNATURES];

/// Tables of logs whose rows in other tables do not count.
pub(crate) static APART: &[&Table] = &[&SOURCES, &INVALID];
