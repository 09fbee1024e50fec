//! Arguments of `scan` and `scan-diff`.

use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph scan /scratch -o 2026-01.snap                 sizes, ages, owners, projects
  marigraph scan /scratch -o 2026-01.snap --resume        continue an interrupted scan
  marigraph scan a.snap b.snap -o both.snap               join snapshots of several trees")]
pub struct ScanArgs {
    /// Folders to scan; snapshots among them are added unchanged
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Snapshot to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Continue an interrupted scan, if there is one
    #[arg(long)]
    pub resume: bool,
    /// Enter other file systems
    #[arg(long)]
    pub cross: bool,
    /// Accept cached sizes, without asking the servers of a network file system
    #[arg(long)]
    pub lazy: bool,
    /// Do not enter directories of this name
    #[arg(long, value_name = "NAME", default_values = [".snapshot", ".snapshots", ".zfs"])]
    pub not_entered: Vec<std::ffi::OsString>,
    /// Number of largest files and directories to list
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub top: usize,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub every: f64,
    /// Number of threads (default: all cores, at least 4: most of the time is spent waiting for storage)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph scan-diff 2026-01.snap 2026-03.snap
  marigraph scan-diff 2026-01.snap 2026-03.snap --limit-files 500000000 --json")]
pub struct ScanDiffArgs {
    /// Earlier snapshot
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// Later snapshot
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// Capacity in bytes (default: that of the file system)
    #[arg(long, value_name = "BYTES")]
    pub limit_bytes: Option<u64>,
    /// Capacity in files (default: that of the file system)
    #[arg(long, value_name = "N")]
    pub limit_files: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
