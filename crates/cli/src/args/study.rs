//! Arguments of `ingest` and `sql`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::ReadArgs;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph ingest /logs/2026 --into study           every log below a folder
  marigraph ingest jobs.txt oss*.mon march.snap --into study   sacct's text, servers' logs, a snapshot of the file system
  marigraph ingest job.darshan --into study --json   one more; a log that is there already is not added again")]
pub struct IngestArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// The study: a folder, made if it is not there. Any number of processes may add to it at once
    #[arg(long, value_name = "STUDY")]
    pub into: PathBuf,
    /// Zone of times without one, in job logs and throughput logs, such as Europe/Berlin
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    pub tz: String,
    /// Of throughput logs only devices of this name; * and ? stand for any text and any letter
    #[arg(long, value_name = "PATTERN")]
    pub devices: Option<String>,
    /// How many were added, as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph sql study 'select exe, count(*), sum(bytes_written) from jobs group by exe order by 3 desc limit 10'
  marigraph sql study 'select path, bytes_read from files where bytes_read > 1e9' --format parquet -o big.parquet
  marigraph sql study                                the tables and their columns")]
pub struct SqlArgs {
    /// The study
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// A SELECT in the words of SQLite; without it, the tables and their columns are told
    #[arg(value_name = "QUERY")]
    pub query: Option<String>,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t = FormatArg::Table)]
    pub format: FormatArg,
    /// Where to; parquet needs a file
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Number of threads (default: all cores)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatArg {
    /// For people
    Table,
    /// A line per row, after a line of names
    Csv,
    /// One array of objects
    Json,
    /// A Parquet file
    Parquet,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph study study -o study.html                              everything that the study holds
  marigraph study study -o march.html --from 2026-03-01 --to 2026-04-01   one month, beside the one before it
  marigraph study study --json --project climate --min-procs 64    the numbers of one project")]
pub struct StudyArgs {
    /// The study, as marigraph ingest made it
    #[arg(value_name = "STUDY")]
    pub study: PathBuf,
    /// Write a page
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// From this moment on: 2026-03-01, 2026-03-01T12:00:00, or seconds since 1970
    #[arg(long, value_name = "T")]
    pub from: Option<String>,
    /// Up to this moment
    #[arg(long, value_name = "T")]
    pub to: Option<String>,
    /// Only runs and jobs of this project (the account in the job log)
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Fewest processes of a run whose speed and accesses are studied
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub min_procs: u64,
    /// Fewest bytes that such a run moves
    #[arg(long, value_name = "N", default_value_t = 500 << 20)]
    pub min_bytes: u64,
    /// MiB per second that a compute node can move at most: estimates above it are told
    #[arg(long, value_name = "MIB")]
    pub node_limit: Option<f64>,
    /// Stretches of time to mark, such as maintenance: a table with the columns from, to, text
    #[arg(long, value_name = "FILE.csv")]
    pub annotations: Option<PathBuf>,
    /// Zone of moments without one
    #[arg(long, value_name = "ZONE", default_value = "UTC")]
    pub tz: String,
    /// The numbers behind every figure and table, as JSON
    #[arg(long)]
    pub json: bool,
}
