//! The declaration itself.

use super::{Column, Table, float, int, text};

const JOB_KEY: Column = text("job_key", "Identity of the log: a hash of its content, 32 hexadecimal digits.");
const JOB_ID: Column = int("job_id", "The scheduler's id of the job, or a process id where there is none.");

/// `jobs`.
pub static JOBS: Table = Table {
    name: "jobs",
    about: "One row per log: what ran and what it did in all. A byte that passes several interfaces counts once, at the lowest.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        int("uid", "Numeric user id."),
        text("exe", "The program: the first word of the command line."),
        text("command", "The command line."),
        int("nprocs", "Processes."),
        int("nnodes", "Compute nodes, where the log tells."),
        float("start_s", "When it started, in seconds since 1970."),
        float("end_s", "When it ended, in seconds since 1970."),
        float("runtime_s", "Seconds from start to end."),
        int("bytes_read", "Bytes read."),
        int("bytes_written", "Bytes written."),
        int("reads", "Read calls."),
        int("writes", "Write calls."),
        int("metadata_ops", "Opens, stats, seeks, syncs and the like."),
        float("read_time_s", "Seconds reading, over all processes."),
        float("write_time_s", "Seconds writing, over all processes."),
        float("metadata_time_s", "Seconds in metadata calls, over all processes."),
        int("files", "Distinct files."),
        float("mib_per_s", "Estimated throughput in MiB per second, as Darshan's tools define it."),
        float("period_s", "Seconds from one phase of I/O to the next, where there is a period."),
        float("period_confidence", "Probability that this period is right within 10 %."),
        text("modules", "Modules of the log, separated by commas."),
        int("partial", "1 if a module ran out of memory and its records are not complete, else 0."),
        int("problems", "Faults found in the log; `marigraph show` tells them."),
        text("format", "Format of the log."),
        text("version", "Version of the format."),
        text("source", "Where the log was read from."),
        float("io_time_s", "Seconds of I/O of the slowest process, by which `mib_per_s` divides."),
        int("files_written", "Distinct files that it wrote to."),
        int(
            "files_new",
            "Of these, the ones that were not there or were empty before; null where the log does not tell.",
        ),
    ],
};

/// `files`.
pub static FILES: Table = Table {
    name: "files",
    about: "One row per file, interface and process (or all processes, where the log has them as one).",
    columns: &[
        JOB_KEY,
        JOB_ID,
        int("file_id", "Hash of the name, the same in every log, as a signed number."),
        text("path", "Name of the file; the id in brackets where the log has no name."),
        text("module", "Interface: `POSIX`, `MPI-IO`, `STDIO` and so on."),
        int("rank", "The process; null for all of them together."),
        int("bytes_read", "Bytes read."),
        int("bytes_written", "Bytes written."),
        int("reads", "Read calls."),
        int("writes", "Write calls."),
        int("opens", "Opens."),
        int("metadata_ops", "Metadata calls, opens included."),
        float("read_time_s", "Seconds reading."),
        float("write_time_s", "Seconds writing."),
        float("metadata_time_s", "Seconds in metadata calls."),
        float("open_start_s", "When it was first opened."),
        float("close_end_s", "When it was last closed."),
        float("read_start_s", "Start of the first read."),
        float("read_end_s", "End of the last read."),
        float("write_start_s", "Start of the first write."),
        float("write_end_s", "End of the last write."),
    ],
};

/// `counters`.
pub static COUNTERS: Table = Table {
    name: "counters",
    about: "One row per job, module and counter that is not zero, reduced over files and processes as the counter's meaning asks (sum, largest, first). A row per file would be a hundred times as many and is in the log.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        text("module", "Module of the log."),
        text("name", "Name of the counter, as Darshan has it."),
        float("value", "Its value."),
    ],
};

/// `operations`.
pub static OPERATIONS: Table = Table {
    name: "operations",
    about: "Reading and writing in the order of time, from the best evidence that the log holds; what overlaps or nearly touches is one row, as in `marigraph categorize`.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        text("direction", "`read` or `write`."),
        float("start_s", "Beginning, in seconds since the job's start."),
        float("end_s", "End, in seconds since the job's start."),
        int("bytes", "Bytes moved."),
        text("evidence", "What tells the times: `dxt`, `trace`, `heatmap` or `records`."),
    ],
};

/// `phases`.
pub static PHASES: Table = Table {
    name: "phases",
    about: "Phases of I/O, where the log tells when bytes moved (single operations or a heat map).",
    columns: &[
        JOB_KEY,
        JOB_ID,
        int("phase", "Number of the phase, from 0."),
        float("start_s", "Beginning, in seconds since the job's start."),
        float("end_s", "End, in seconds since the job's start."),
        float("bytes", "Bytes moved."),
    ],
};

/// `categories`.
pub static CATEGORIES: Table = Table {
    name: "categories",
    about: "One row per job and label of its behaviour, as `marigraph categorize` gives them.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        text("label", "The label."),
        float("confidence", "How far to trust it, from 0 to 1."),
        text("evidence", "What it rests on: `dxt`, `trace`, `heatmap` or `records`."),
    ],
};

/// `interfaces`.
pub static INTERFACES: Table = Table {
    name: "interfaces",
    about: "One row per job and interface that it opened files with. A byte that passes several interfaces counts once, at the highest.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        text("interface", "`POSIX`, `STDIO`, `MPI-IO`, `HDF5` or `PnetCDF`."),
        int("opens", "Opens."),
        int("files", "Files of which it is the highest interface."),
        int("bytes_read", "Bytes read from these."),
        int("bytes_written", "Bytes written to these."),
    ],
};

/// `sharing`.
pub static SHARING: Table = Table {
    name: "sharing",
    about: "One row per job and way in which its processes share files.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        text("way", "`unique` (one process), `partial` (some of them), `shared` (all of them)."),
        int("files", "Files."),
        int("bytes_read", "Bytes read from these, at the highest interface."),
        int("bytes_written", "Bytes written to these."),
    ],
};

/// `findings`.
pub static FINDINGS: Table = Table {
    name: "findings",
    about: "One row per job and thing to be told about its I/O, as `marigraph report` words it.",
    columns: &[
        JOB_KEY,
        JOB_ID,
        text("code", "Which rule."),
        text("severity", "How bad."),
        float("seconds_at_stake", "Seconds of the run that it may cost, where they can be estimated."),
        text("title", "What was found."),
        text("evidence", "What tells it."),
    ],
};

const SOURCE: Column = text("source", "Where it was read from.");

/// `joblog`.
pub static JOBLOG: Table = Table {
    name: "joblog",
    about: "One row per job of the scheduler's log that ran and has ended, whether or not its I/O was recorded.",
    columns: &[
        text("row_key", "Identity of the row: a hash of what it tells."),
        int(
            "job_id",
            "The number of the job, to join with `jobs`; ids come again, so compare the times too.",
        ),
        text("id", "The scheduler's name of the job, with array index or component."),
        text("user", "Login name."),
        text("name", "Name of the job."),
        text("account", "The account or project that pays."),
        text("partition", "Queue or partition."),
        text("state", "How it ended."),
        int("nodes", "Compute nodes."),
        int("processes", "Processors or processes."),
        float("submit_s", "When it was submitted, in seconds since 1970."),
        float("start_s", "When it started."),
        float("end_s", "When it ended."),
        float("core_hours", "Processors times hours."),
        SOURCE,
    ],
};

/// `devices`.
pub static DEVICES: Table = Table {
    name: "devices",
    about: "What one device or server moved in one interval of at least a minute. Time without a row was not observed.",
    columns: &[
        text("row_key", "Identity of the stretch of log that the row came with."),
        text("device", "The device, target or server."),
        float("start_s", "Beginning of the interval, in seconds since 1970."),
        float("seconds", "Length of the interval."),
        float("observed_s", "Seconds of it that the log tells of."),
        float("bytes_read", "Bytes read."),
        float("bytes_written", "Bytes written."),
        SOURCE,
    ],
};

/// `snapshots`.
pub static SNAPSHOTS: Table = Table {
    name: "snapshots",
    about: "What file systems held: one row per snapshot and number of it.",
    columns: &[
        text("row_key", "Identity of the snapshot: a hash of its content."),
        text("roots", "The trees that were scanned, separated by commas."),
        text("host", "The machine that scanned them."),
        float("taken_s", "When it was complete, in seconds since 1970."),
        text(
            "part",
            "What is counted: `total`, `kind`, `room`, `project`, `owner`, `group`, `project_size`, `largest_file`, `fullest_directory`, `heaviest_directory`, the name of a histogram, or `range` for its smallest and largest value.",
        ),
        text("name", "Of which kind, project, owner or group; the number of an owner or group."),
        int("low", "Smallest value of a histogram's bin."),
        int("high", "The first value beyond it."),
        int("count", "Files or other things."),
        int("bytes", "Bytes of these."),
        int("capacity", "Bytes that these take on disk, where told."),
        SOURCE,
    ],
};

/// `signatures`.
pub static SIGNATURES: Table = Table {
    name: "signatures",
    about: "What applications do to shared storage, as `marigraph signature --json` tells.",
    columns: &[
        text("row_key", "Identity of the signature: a hash of its content."),
        text("app", "The application: the job's name in the job log."),
        text("user", "Whose."),
        int("nodes", "Compute nodes."),
        text("storage", "The part of the storage, where it was named."),
        int("runs", "Runs that it was mined from."),
        float("duration_s", "Length of a run."),
        float("bytes_read", "Bytes that a run reads."),
        float("bytes_written", "Bytes that a run writes."),
        int("bursts", "Bursts of I/O."),
        float("period_s", "Seconds from one burst to the next, where they are periodic."),
        float("confidence", "How far to trust it, from 0 to 1."),
        float("step_s", "Seconds from one value of the two next columns to the next."),
        text("read_rates", "Bytes read per second over the run, as a JSON list."),
        text("write_rates", "Bytes written per second over the run, as a JSON list."),
        SOURCE,
    ],
};

/// Every table.
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
    &JOBLOG,
    &DEVICES,
    &SNAPSHOTS,
    &SIGNATURES,
];

/// The tables whose first column tells what a study has already.
pub(crate) static IDENTITIES: &[&Table] = &[&JOBS, &JOBLOG, &DEVICES, &SNAPSHOTS, &SIGNATURES];
