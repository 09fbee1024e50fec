//! Arguments of `replay`.

use std::path::PathBuf;

use clap::ValueEnum;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit code: 0 every call was made and returned what it did in the trace, 1 some were not or did not, or the
replay failed, 2 wrong usage.

Examples:
  marigraph replay run.mari --root /scratch/me/again              with the recorded pauses
  marigraph replay run.mari --root /scratch/me/again --mode fast  as fast as possible
  marigraph replay run.mari --root /scratch/me/again --dry-run    print what it would do
  mpirun -n 4 marigraph replay run.mari --root /scratch/me/again  MPI-IO calls through MPI, one process per rank
  marigraph replay run.mari --emit c -o prog.c                    a C program that makes the same calls")]
pub struct ReplayArgs {
    /// A trace (.mari)
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// Folder below which all I/O happens; created if missing. Not with --emit
    #[arg(long, value_name = "DIR", required = false, required_unless_present = "emit")]
    #[arg(default_value_if("emit", clap::builder::ArgPredicate::IsPresent, "."))]
    pub root: PathBuf,
    /// Write a stand-alone program instead of replaying
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub emit: Option<EmitArg>,
    /// File that --emit writes [default: standard output]
    #[arg(long, short, value_name = "FILE", requires = "emit")]
    pub output: Option<PathBuf>,
    /// Keep the recorded times, or run as fast as possible
    #[arg(long, value_enum, default_value_t = ModeArg::Timed)]
    pub mode: ModeArg,
    /// Times to keep: pauses between calls, or the start of each call
    #[arg(long, value_enum, default_value_t = ScheduleArg::Think)]
    pub schedule: ScheduleArg,
    /// Divide pauses, or start times, by X
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub speed: f64,
    /// Run each rank as a process or as a thread
    #[arg(long = "as", value_enum, default_value_t = AsArg::Processes)]
    pub ranks_are: AsArg,
    /// Fill the files that the trace reads, instead of creating sparse files
    #[arg(long)]
    pub fill: bool,
    /// Print what would be done, and touch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Succeed although some calls of the trace cannot be performed
    #[arg(long)]
    pub allow_left_out: bool,
    /// Let the trace change files that are below the root already
    #[arg(long)]
    pub into_existing: bool,
    /// Keep the created files
    #[arg(long)]
    pub keep: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Do not list mismatched return values
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmitArg {
    /// C, with MPI if the trace has MPI calls
    C,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeArg {
    /// With the recorded times
    Timed,
    /// Without pauses
    Fast,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleArg {
    /// Keep pauses between calls; calls take as long as they take
    Think,
    /// Begin each call at its recorded time
    Open,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsArg {
    /// A process
    Processes,
    /// A thread of one process
    Threads,
}
