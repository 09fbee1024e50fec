//! Arguments. Help, man pages and completions follow from these declarations.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

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

/// Record, explain, predict and reproduce the I/O of HPC jobs.
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
    /// Run a program and record its I/O
    Record(RecordArgs),
    /// Merge the parts of a run that was killed or started once per rank
    Merge(MergeArgs),
    /// Print what a log holds: job, interfaces, modules, problems
    Show(ShowArgs),
    /// Write a self-contained page about one job or many, or print findings
    Report(ReportArgs),
    /// Convert between log formats; several inputs become one log
    Convert(ConvertArgs),
    /// Find the period of a job's I/O phases
    Period(PeriodArgs),
    /// Predict the next I/O phase of a running job
    Predict(PredictArgs),
    /// Label a job's I/O: when it happens, how regular it is, how much metadata it causes
    Categorize(CategorizeArgs),
    /// Compare two traces call by call
    Diff(DiffArgs),
    /// Compute a trace at a new scale from traces at small scales
    Extrapolate(ExtrapolateArgs),
    /// Perform a trace's I/O again below a folder, or emit it as a C program
    Replay(ReplayArgs),
    /// Find each application's I/O bursts in server and scheduler logs
    Signature(SignatureArgs),
    /// Sample the counters of a server's block devices and Lustre targets
    Monitor(MonitorArgs),
    /// Count what a file system holds: sizes, ages, owners, projects
    Scan(ScanArgs),
    /// Compare two snapshots of a file system: what grew, and when it will be full
    ScanDiff(ScanDiffArgs),
    /// Add logs to a study, the database of many jobs
    Ingest(IngestArgs),
    /// Query a study with SQL
    Sql(SqlArgs),
    /// Report on a whole system from a study
    Study(StudyArgs),
    /// Generate synthetic data with known truth
    Synth(SynthArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
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
    /// Limit on decompressed bytes per region of an input
    #[arg(long, value_name = "BYTES", default_value_t = MAX_INFLATE)]
    pub max_inflate: u64,
    /// With many inputs: list skipped ones and the reasons in this file
    #[arg(long, value_name = "FILE")]
    pub skipped: Option<PathBuf>,
    /// With many inputs: fail if any is skipped
    #[arg(long)]
    pub strict: bool,
    /// Show no progress bar
    #[arg(long, short)]
    pub quiet: bool,
}

/// Default limit on decompressed bytes per region.
const MAX_INFLATE: u64 = 16 << 30;

impl ReadArgs {
    /// The defaults, for one log.
    pub fn of(log: &Path) -> ReadArgs {
        ReadArgs {
            logs: vec![log.to_path_buf()],
            threads: None,
            max_inflate: MAX_INFLATE,
            skipped: None,
            strict: false,
            quiet: true,
        }
    }
}

// How recorded parts become logs.
#[derive(clap::Args, Debug, Clone)]
pub struct JoinArgs {
    /// Base name of the output: NAME.darshan, with --trace also NAME.mari
    #[arg(short, long, value_name = "NAME")]
    pub output: PathBuf,
    /// Also write every call, to NAME.mari
    #[arg(long)]
    pub trace: bool,
    /// With --trace: store the time of each call, or histograms
    #[arg(long, value_enum, default_value_t = TimesArg::Exact, requires = "trace")]
    pub times: TimesArg,
    /// Number of threads for merging (default: all cores)
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Show no progress bar
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
  marigraph record -o run -- mpirun -n 4 ./app in.nml       write run.darshan
  marigraph record -o run --trace -- python3 train.py       write run.darshan and run.mari")]
pub struct RecordArgs {
    #[command(flatten)]
    pub join: JoinArgs,
    /// Write new data to FILE every second while the job runs: JSON Lines in TMIO's form
    #[arg(long, value_name = "FILE")]
    pub stream: Option<PathBuf>,
    /// Folder that processes write to while they run (default: NAME.parts)
    #[arg(long, value_name = "DIR")]
    pub parts: Option<PathBuf>,
    /// Record these system files too; * and ? are wildcards
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
  marigraph merge /local/*/run.parts -o run --remove        parts from the nodes' local disks")]
pub struct MergeArgs {
    /// Folders of parts
    #[arg(required = true, value_name = "PARTS")]
    pub parts: Vec<PathBuf>,
    #[command(flatten)]
    pub join: JoinArgs,
    /// Merge only the run of this job, if the folders have parts of several runs. Otherwise each
    /// run gets its own output: NAME.JOB.darshan
    #[arg(long, value_name = "ID")]
    pub job: Option<String>,
    /// Delete the parts after a successful merge
    #[arg(long)]
    pub remove: bool,
    /// Print a summary as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph show job.darshan                    what the job did
  marigraph show --json logs/ | jq .totals      every log below a folder as JSON Lines
  marigraph show --darshan-parser job.darshan   the text of darshan-parser")]
pub struct ShowArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Print JSON; JSON Lines for several inputs
    #[arg(long)]
    pub json: bool,
    /// Number of compute nodes, if the log does not have it
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
  marigraph report job.darshan                  print findings and advice
  marigraph report job.darshan -o job.html      write a page about a job
  marigraph report logs/ -o logs.html           a table of all logs below a folder")]
pub struct ReportArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// Page to write; without it, findings are printed
    #[arg(short, long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Print findings as JSON
    #[arg(long)]
    pub json: bool,
    /// Number of compute nodes, if the log does not have it
    #[arg(long, value_name = "N")]
    pub nodes: Option<u64>,
    /// Per-node throughput limit in MiB/s; estimates above it are flagged as implausible (default: 23842)
    #[arg(long, value_name = "MIB")]
    pub node_limit: Option<f64>,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph convert job.darshan -o job.csv                   all POSIX operations as a table
  marigraph convert rank*.darshan -o workflow.darshan        one log of a workflow")]
pub struct ConvertArgs {
    #[command(flatten)]
    pub read: ReadArgs,
    /// File to write; its extension selects the format: .darshan or .csv
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
    /// For .csv: interface whose operations are written (default: POSIX, otherwise MPI-IO)
    #[arg(long, value_enum)]
    pub interface: Option<InterfaceArg>,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceArg {
    /// POSIX calls
    Posix,
    /// MPI-IO calls
    Mpiio,
    /// STDIO calls, which only our own traces have
    Stdio,
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
