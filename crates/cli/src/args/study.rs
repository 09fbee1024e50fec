//! Arguments of `ingest` and `sql`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::ReadArgs;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph ingest /logs/2026 --into study           every log below a folder
  marigraph ingest jobs.txt oss*.mon march.snap --into study   scheduler log, server logs, file system snapshot
  marigraph ingest job.darshan --into study --json   one more; each log is added once")]
pub struct IngestArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Study: a folder, created if missing. Any number of processes may add to it at once
    #[arg(long, value_name = "STUDY")]
    pub into: PathBuf,
    /// Time zone of times without one in job logs and throughput logs, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    pub tz: String,
    /// Only these devices of throughput logs; * and ? are wildcards
    #[arg(long, value_name = "PATTERN")]
    pub devices: Option<String>,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph sql study 'select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10'
  marigraph sql study 'select path, bytes_read from files where bytes_read > 1e9' --format parquet -o big.parquet
  marigraph sql study                                list tables and columns")]
pub struct SqlArgs {
    /// Study to query
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// SELECT or WITH query in SQLite's dialect; without one, lists tables and columns
    #[arg(value_name = "QUERY")]
    pub query: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Table)]
    pub format: FormatArg,
    /// File to write; required for parquet
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Number of threads (default: all cores)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatArg {
    /// Aligned text
    Table,
    /// One line per row, after a header
    Csv,
    /// One array of objects
    Json,
    /// A Parquet file
    Parquet,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph study study -o study.html                              the whole study
  marigraph study study -o march.html --from 2026-03-01 --to 2026-04-01   one month, compared with the month before
  marigraph study study --json --project climate --min-procs 64    the numbers of one project")]
pub struct StudyArgs {
    /// Study to report on, as written by marigraph ingest
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Page to write
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Start time: 2026-03-01, 2026-03-01T12:00:00, or seconds since 1970
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// End time
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// Only runs and jobs of this project (the account in the job log)
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Minimum number of processes of runs in the comparison of projects
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub min_procs: u64,
    /// Minimum number of bytes that such a run moves
    #[arg(long, value_name = "N", default_value_t = 500 << 20)]
    pub min_bytes: u64,
    /// Per-node throughput limit in MiB/s; estimates above it are flagged as implausible
    #[arg(long, value_name = "MIB")]
    pub node_limit: Option<f64>,
    /// Time spans to mark, such as maintenance: a CSV file with the columns from, to, text
    #[arg(long, value_name = "FILE.csv")]
    pub annotations: Option<PathBuf>,
    /// Time zone of times without one
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    pub tz: String,
    /// Print the numbers behind every figure and table as JSON
    #[arg(long)]
    pub json: bool,
}
