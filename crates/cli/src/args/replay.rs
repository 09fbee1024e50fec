//! Arguments of `replay`.

use std::path::PathBuf;

use clap::ValueEnum;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit code: 0 every call returned what the trace says, 1 some did not or there was no replay, 2 wrong usage.

Examples:
  marigraph replay run.mari --root /scratch/me/again              with the pauses of the program
  marigraph replay run.mari --root /scratch/me/again --mode fast  as fast as the file system goes
  marigraph replay run.mari --root /scratch/me/again --dry-run    what it would do
  mpirun -n 4 marigraph replay run.mari --root /scratch/me/again  calls of MPI-IO by MPI, a process per rank
  marigraph replay run.mari --emit c -o prog.c                    a program in C that makes the same calls")]
pub struct ReplayArgs {
    /// A trace (.mari)
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The folder below which everything happens; it is made if it is missing. Not with --emit
    #[arg(long, value_name = "DIR", required = false, required_unless_present = "emit")]
    #[arg(default_value_if("emit", clap::builder::ArgPredicate::IsPresent, "."))]
    pub root: PathBuf,
    /// Write a stand-alone program that makes the same calls, instead of making them
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub emit: Option<EmitArg>,
    /// The file that --emit writes [default: standard output]
    #[arg(long, short, value_name = "FILE", requires = "emit")]
    pub output: Option<PathBuf>,
    /// Keep the times of the trace, or go as fast as possible
    #[arg(long, value_enum, default_value_t = ModeArg::Timed)]
    pub mode: ModeArg,
    /// What of the times is kept: pauses between calls, or the start of each call
    #[arg(long, value_enum, default_value_t = ScheduleArg::Think)]
    pub schedule: ScheduleArg,
    /// Divide pauses by this
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    pub speed: f64,
    /// What a rank is
    #[arg(long = "as", value_enum, default_value_t = AsArg::Processes)]
    pub ranks_are: AsArg,
    /// Really write the files that the trace reads, instead of making them with holes
    #[arg(long)]
    pub fill: bool,
    /// Touch nothing: print what would be done
    #[arg(long)]
    pub dry_run: bool,
    /// Leave the files there
    #[arg(long)]
    pub keep: bool,
    /// JSON instead of text
    #[arg(long)]
    pub json: bool,
    /// Do not list calls that returned something else
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmitArg {
    /// C, with MPI if the trace has calls of it
    C,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeArg {
    /// With the times of the trace
    Timed,
    /// Without pauses
    Fast,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleArg {
    /// Pauses between calls are kept; calls take what they take
    Think,
    /// Each call begins when it began in the trace
    Open,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsArg {
    /// A process
    Processes,
    /// A thread of one process
    Threads,
}
