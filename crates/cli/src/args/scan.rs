//! Arguments of `scan` and `scan-diff`.

use std::path::PathBuf;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph scan /scratch -o 2026-01.snap                 what it holds: sizes, ages, owners, projects
  marigraph scan /scratch -o 2026-01.snap --resume        go on with one that was interrupted
  marigraph scan a.snap b.snap -o both.snap               snapshots of several trees as one")]
pub struct ScanArgs {
    /// Folders to scan; snapshots among them are added as they are
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The snapshot to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Go on with a scan that was interrupted, if there is one
    #[arg(long)]
    pub resume: bool,
    /// Go on into other file systems
    #[arg(long)]
    pub cross: bool,
    /// Take sizes as they are at hand, without asking the servers of a network file system
    #[arg(long)]
    pub lazy: bool,
    /// Directories of this name are not entered
    #[arg(long, value_name = "NAME", default_values = [".snapshot", ".snapshots", ".zfs"])]
    pub not_entered: Vec<std::ffi::OsString>,
    /// Name so many of the largest files and directories
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub top: usize,
    /// Seconds between two times that what is done is put down
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    pub every: f64,
    /// Number of threads (default: all cores, at least 4: most of the time is spent waiting for storage)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// No progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph scan-diff 2026-01.snap 2026-03.snap
  marigraph scan-diff 2026-01.snap 2026-03.snap --limit-files 500000000 --json")]
pub struct ScanDiffArgs {
    /// The earlier snapshot
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// The later one
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// Bytes that there is room for (default: what the file system has)
    #[arg(long, value_name = "BYTES")]
    pub limit_bytes: Option<u64>,
    /// Files that there is room for (default: what the file system has)
    #[arg(long, value_name = "N")]
    pub limit_files: Option<u64>,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
}
