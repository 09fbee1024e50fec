//! Arguments of `ingest` and `sql`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::ReadArgs;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph ingest /logs/2026 --into study           every log below a folder
  marigraph ingest job.darshan --into study --json   one more; a log that is there already is not added again")]
pub struct IngestArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// The study: a folder, made if it is not there. Any number of processes may add to it at once
    #[arg(long, value_name = "STUDY")]
    pub into: PathBuf,
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
