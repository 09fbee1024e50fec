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

/// Every table.
pub static TABLES: &[&Table] = &[&JOBS, &FILES, &COUNTERS, &OPERATIONS, &PHASES, &CATEGORIES];
