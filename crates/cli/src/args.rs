//! Arguments. Help, man pages and completions follow from these declarations.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

mod categorize;
mod diff;
mod extrapolate;
mod monitor;
mod period;
mod predict;
mod replay;
mod scan;
mod signature;
mod study;
mod synth;

pub use categorize::{CategorizeArgs, assignment};
pub use diff::DiffArgs;
pub use extrapolate::ExtrapolateArgs;
pub use monitor::MonitorArgs;
pub use period::{MethodArg, OpArg, PeriodArgs, SamplingArg, UnitArg};
pub use predict::PredictArgs;
pub use replay::{AsArg, ModeArg, ReplayArgs, ScheduleArg};
pub use scan::{ScanArgs, ScanDiffArgs};
pub use signature::{SignatureArgs, SignatureMethod};
pub use study::{FormatArg, IngestArgs, SqlArgs, StudyArgs};
pub use synth::{
    SynthArgs, SynthCorpusArgs, SynthJobArgs, SynthKind, SynthServerArgs, SynthSystemArgs, SynthTraceArgs,
};

/// Understands what jobs do to shared storage, from their I/O logs.
#[derive(Parser, Debug)]
#[command(version, about, max_term_width = 100, arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Command,
}

// Only the arguments of the command that was asked for are built: all of them cost more than a small log.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub enum Command {
    /// Run a program under the recorder and write down its I/O
    Record(RecordArgs),
    /// Join the parts of a run that was killed, or started once per rank
    Merge(MergeArgs),
    /// What a log holds: job, modules, files, operations, counters, problems
    Show(ShowArgs),
    /// One self-contained page about a job, or about many
    Report(ReportArgs),
    /// From one log format to another; several inputs become one log
    Convert(ConvertArgs),
    /// How often the job does I/O: the period of its phases
    Period(PeriodArgs),
    /// The same while the job runs, and when its next phase begins
    Predict(PredictArgs),
    /// What kind of I/O the job does: when, how regularly, with how much metadata
    Categorize(CategorizeArgs),
    /// Whether two traces tell of the same program, and where they differ
    Diff(DiffArgs),
    /// A trace at a scale that was never run, from a few small ones
    Extrapolate(ExtrapolateArgs),
    /// Perform a trace's I/O again, below a folder
    Replay(ReplayArgs),
    /// What applications do to shared storage if they run alone, from servers' and the scheduler's logs
    Signature(SignatureArgs),
    /// Collect what a server's block devices and Lustre targets count
    Monitor(MonitorArgs),
    /// What a file system holds: sizes, ages, owners, projects
    Scan(ScanArgs),
    /// What grew between two snapshots of a file system
    ScanDiff(ScanDiffArgs),
    /// Add logs to a study: the database of what many jobs did
    Ingest(IngestArgs),
    /// Ask a study
    Sql(SqlArgs),
    /// Report on a whole system: figures and tables over everything that a study holds
    Study(StudyArgs),
    /// Made-up data whose truth is known
    Synth(SynthArgs),
    /// Completions for a shell
    Completions(CompletionsArgs),
    /// The manual page
    #[command(after_help = "\
Examples:
  marigraph man | man -l -                                read it
  marigraph man > ~/.local/share/man/man1/marigraph.1     install it")]
    Man,
}

// Options of every command that reads logs. (As a doc comment it would be the help of each such command.)
#[derive(clap::Args, Debug, Clone)]
pub struct ReadArgs {
    /// Logs, folders of logs, or - for standard input
    #[arg(required = true, value_name = "LOG")]
    pub logs: Vec<PathBuf>,
    /// Number of threads (default: all cores)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Stop decompressing an input's region at this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 30)]
    pub max_inflate: u64,
    /// With many inputs: write the names of those skipped, and why, to this file
    #[arg(long, value_name = "FILE")]
    pub skipped: Option<PathBuf>,
    /// With many inputs: fail if any was skipped
    #[arg(long)]
    pub strict: bool,
    /// No progress bar
    #[arg(long, short)]
    pub quiet: bool,
}

// What is made of recorded parts.
#[derive(clap::Args, Debug, Clone)]
pub struct JoinArgs {
    /// Name of what is written: NAME.darshan, with --trace also NAME.mari
    #[arg(short, long, value_name = "NAME")]
    pub output: PathBuf,
    /// Also write every call, to NAME.mari
    #[arg(long)]
    pub trace: bool,
    /// With --trace: keep the time of each call, or histograms of them
    #[arg(long, value_enum, default_value_t = TimesArg::Exact, requires = "trace")]
    pub times: TimesArg,
    /// Number of threads that join (default: all cores)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// No progress bar
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimesArg {
    /// The time of each call
    Exact,
    /// Histograms of durations and gaps
    Histogram,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph record -o run -- mpirun -n 4 ./app in.nml       run.darshan
  marigraph record -o run --trace -- python3 train.py       run.darshan and run.mari")]
pub struct RecordArgs {
    #[command(flatten)]
    pub join: JoinArgs,
    /// Show the run while it lasts: JSON Lines in TMIO's form, every second
    #[arg(long, value_name = "FILE")]
    pub stream: Option<PathBuf>,
    /// Where processes write while they run (default: NAME.parts)
    #[arg(long, value_name = "DIR")]
    pub parts: Option<PathBuf>,
    /// Follow these files too, though they are the system's; * and ? stand for anything
    #[arg(long, value_name = "PATTERN")]
    pub include: Vec<OsString>,
    /// Leave these files out
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<OsString>,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph merge run.parts -o run                          after a run was killed
  marigraph merge /local/*/run.parts -o run --remove        parts that nodes kept for themselves")]
pub struct MergeArgs {
    /// Folders of parts
    #[arg(required = true, value_name = "PARTS")]
    pub parts: Vec<PathBuf>,
    #[command(flatten)]
    pub join: JoinArgs,
    /// Remove the parts when all is written
    #[arg(long)]
    pub remove: bool,
    /// A summary as JSON on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph show job.darshan                    what the job did, at a glance
  marigraph show --json logs/ | jq .totals      every log below a folder, as JSON Lines
  marigraph show --darshan-parser job.darshan   the text of darshan-parser")]
pub struct ShowArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// JSON instead of text; JSON Lines for several inputs
    #[arg(long)]
    pub json: bool,
    /// Number of compute nodes, where the log does not tell
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Print exactly what darshan-parser --show-incomplete prints
    #[arg(long, conflicts_with_all = ["json", "dxt"])]
    pub darshan_parser: bool,
    /// With --darshan-parser: totals per module
    #[arg(long, requires = "darshan_parser")]
    pub total: bool,
    /// With --darshan-parser: estimated performance per module
    #[arg(long, requires = "darshan_parser")]
    pub perf: bool,
    /// With --darshan-parser: file counts per module
    #[arg(long, requires = "darshan_parser")]
    pub file: bool,
    /// Print exactly what darshan-dxt-parser --show-incomplete prints
    #[arg(long, conflicts_with = "json")]
    pub dxt: bool,
    /// Print the loops and calls of a trace (.mari), one line per node
    #[arg(long, conflicts_with_all = ["json", "dxt", "darshan_parser"])]
    pub tree: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph report job.darshan                  what could be better, and how
  marigraph report job.darshan -o job.html      one page about a job
  marigraph report logs/ -o logs.html           a table over all logs below a folder")]
pub struct ReportArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// The page to write; without it, findings are printed
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Findings as JSON on standard output
    #[arg(long)]
    pub json: bool,
    /// Number of compute nodes, where the log does not tell
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// MiB per second that a compute node can move; faster jobs are told to be sparse (default: 25 GB/s)
    #[arg(long, value_name = "MIB")]
    pub node_limit: Option<f64>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph convert job.darshan -o job.csv                   every traced operation as a table
  marigraph convert rank*.darshan -o workflow.darshan        the logs of a workflow as one")]
pub struct ConvertArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// The file to write; its ending says the form: .darshan or .csv
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// For .csv: which interface's operations (default: POSIX, else MPI-IO)
    #[arg(long, value_enum)]
    pub interface: Option<InterfaceArg>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceArg {
    /// POSIX calls
    Posix,
    /// MPI-IO calls
    Mpiio,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph completions bash > /etc/bash_completion.d/marigraph
  marigraph completions zsh > ~/.zfunc/_marigraph")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
