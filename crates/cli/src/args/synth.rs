//! Arguments of `synth`.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use marigraph_analysis::synth::TraceKind;
use marigraph_analysis::synth::server::{Kind, Law};

use super::period::share;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph synth job --seed 1 -o job.darshan                       a job of 64 processes
  marigraph synth job --seed 1 --files 200000 -o large.darshan      with 200,000 small files
  marigraph synth trace --seed 1 -o phases.csv                      requests of 20 I/O phases
  marigraph synth corpus --logs 5000 --seed 1 -o corpus             5,000 logs and their categories
  marigraph synth server --seed 1 -o centre                         two weeks of a storage system and its jobs
  marigraph synth system --seed 1 -o intrepid                       two months of a whole machine, as published")]
pub struct SynthArgs {
    #[command(subcommand)]
    pub kind: SynthKind,
}

#[derive(Subcommand, Debug)]
pub enum SynthKind {
    /// Darshan log of one job, with its truth in OUT.truth.json
    Job(SynthJobArgs),
    /// Requests over time with known phases; their period is in OUT.truth.json
    Trace(SynthTraceArgs),
    /// Folder of Darshan logs with known categories; their truth is in DIR/truth.jsonl
    Corpus(SynthCorpusArgs),
    /// Server and scheduler logs around four known applications; their signatures are in DIR/truth.json
    Server(SynthServerArgs),
    /// A whole system: logs of jobs, scheduler and servers, and file system snapshots; the truth is in DIR/truth.json
    System(SynthSystemArgs),
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
The published values of the Intrepid study (MSST 2011) are reproduced: projects and their coverage, idle periods,
throughput, sizes, ages and growth of files, speeds. DIR gets logs/, jobs.txt (as sacct -P), devices/, january.snap,
march.snap, annotations.csv and truth.json, which has the values that `marigraph study --json` should find.

Examples:
  marigraph synth system --seed 1 -o intrepid                          20,000 batch jobs, 60 days
  marigraph synth system --seed 2 --jobs 1500 --days 10 -o small       a small one, in a second")]
pub struct SynthSystemArgs {
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of batch jobs that ran and ended
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(400..=2_000_000))]
    pub jobs: u64,
    /// Length in days
    #[arg(long, value_name = "DAYS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(2..=2000))]
    pub days: u32,
    /// Share of batch jobs whose runs have Darshan logs
    #[arg(long, value_name = "SHARE", default_value_t = 0.27, value_parser = logs_share)]
    pub logs_share: f64,
    /// Number of file servers, each with its own throughput log
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub servers: u32,
    #[command(flatten)]
    pub made: MadeArgs,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Known applications run among interactive load, rebuilds, spikes, unrelated bursts, other periodic applications and
storms. They are drawn at random, or with --kind paper those of the IOSI study: three of IOR, one like S3D. DIR gets
throughput.csv, jobs.sacct and truth.json, which has the signature of each application alone.

Examples:
  marigraph synth server --seed 1 -o centre                           two weeks, ten runs of each application
  marigraph synth server --kind small --law fifo --seed 3 -o small    many small bursts on servers with a queue
  marigraph synth server --seed 2 --contention 6 --runs 20 -o busy    more contention")]
pub struct SynthServerArgs {
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Applications: one kind, all kinds in turn (mixed), or the fixed ones of the IOSI study (paper)
    #[arg(long, value_name = "KIND", default_value = "mixed", value_parser = PossibleValuesParser::new(Kind::ALL.map(Kind::name).into_iter().chain(["mixed", "paper"])))]
    pub kind: String,
    /// How other traffic slows bursts down; mixed gives each application its own law, but those of the study lose
    /// efficiency
    #[arg(long, value_name = "LAW", default_value = "mixed", value_parser = PossibleValuesParser::new(Law::ALL.map(Law::name).into_iter().chain(["mixed"])))]
    pub law: String,
    /// Length of the log in days
    #[arg(long, value_name = "DAYS", default_value_t = 14.0, value_parser = days)]
    pub days: f64,
    /// Runs of each application
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub runs: u16,
    /// Number of these that restart from a checkpoint
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub restarts: u16,
    /// Amount of other traffic; 1 is usual
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = factor)]
    pub noise: f64,
    /// Variation of the time between bursts; 1 is usual
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = factor)]
    pub jitter: f64,
    /// Slow-down of bursts by other traffic; 1 is usual, 6 strong
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = factor)]
    pub contention: f64,
    /// Number of gaps in the log, of seconds to most of an hour (3; with --kind paper none)
    #[arg(long, value_name = "N")]
    pub gaps: Option<u16>,
    /// Seconds between lines
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=3600))]
    pub interval: u16,
    /// Folder to create
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Applications cover all ways of reading, writing and loading the metadata servers; one in twelve lies close to a
threshold of a category. DIR/truth.jsonl has what happened, and what each log can show of it.

Examples:
  marigraph synth corpus --logs 5000 --seed 1 -o corpus                      with and without heat maps and DXT
  marigraph synth corpus --logs 462502 --evidence records -o year            as many as a year of Blue Waters")]
pub struct SynthCorpusArgs {
    /// Number of logs
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub logs: u64,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Share of damaged logs, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = share)]
    pub corrupt: f64,
    /// Evidence in the logs: mixed with heat maps and DXT, or file records only
    #[arg(long, value_name = "WHAT", default_value = "mixed", value_parser = ["mixed", "records"])]
    pub evidence: String,
    #[command(flatten)]
    pub made: MadeArgs,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph synth job --seed 1 -o try.darshan                          64 processes, 10 checkpoints
  marigraph synth job --seed 2 --ranks 1024 --interval 300 -o big.darshan")]
pub struct SynthJobArgs {
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of processes
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub ranks: u32,
    /// Number of checkpoints
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub checkpoints: u32,
    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub interval: f64,
    /// Number of small result files
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(0..=2_000_000))]
    pub files: u32,
    /// Log to write
    #[arg(short, long, value_name = "OUT.darshan")]
    pub output: PathBuf,
}

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Without options, plain traces are those of the FTIO paper (IPDPS 2024): 20 iterations of 11 s of
computing and about 10.4 s in which 32 processes write 3.5 GB each. All other kinds draw their sizes
from the seed; options override them.

Examples:
  marigraph synth trace --seed 1 --phi 10.4 -o phases.csv              processes out of step
  marigraph synth trace --kind regimes --seed 7 -o change.csv          a period that changes
  marigraph synth trace --kind poisson --seed 3 -o random.csv          no period at all
  marigraph synth trace --phases ior.*.mari --sigma 0.5 -o study.csv   phases of recorded runs
  marigraph synth trace --seed 2 -o run.jsonl                          in TMIO's online form")]
pub struct SynthTraceArgs {
    /// Kind of trace
    #[arg(long, value_name = "KIND", default_value = "plain", value_parser = kinds())]
    pub kind: TraceKind,
    /// Logs of recorded phases, one phase each; every iteration repeats one of them, picked at random
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = ["kind", "ranks", "io", "volume"])]
    pub phases: Vec<PathBuf>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Number of processes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub ranks: Option<u32>,
    /// Number of iterations, each with computing and an I/O phase
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub iterations: Option<u32>,
    /// Mean computing time
    #[arg(long, value_name = "SECONDS", value_parser = amount)]
    pub cpu: Option<f64>,
    /// Standard deviation of the computing time, relative to its mean
    #[arg(long, value_name = "X", value_parser = amount)]
    pub sigma: Option<f64>,
    /// Mean delay of a process in a phase
    #[arg(long, value_name = "SECONDS", value_parser = amount)]
    pub phi: Option<f64>,
    /// Mean time of a phase without delays
    #[arg(long, value_name = "SECONDS", value_parser = amount)]
    pub io: Option<f64>,
    /// Bytes that a process writes in a phase
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000_000))]
    pub volume: Option<u64>,
    /// Bytes of a request
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub request: Option<u64>,
    /// Bytes per second that another process writes all the time
    #[arg(long, value_name = "BYTES_PER_S", value_parser = amount)]
    pub noise: Option<f64>,
    /// Write rank 0 everywhere, as if ranks were unknown
    #[arg(long)]
    pub no_ranks: bool,
    /// File to write; its extension selects the format: .csv or .jsonl (TMIO)
    #[arg(short, long, value_name = "OUT")]
    pub output: PathBuf,
}

/// Parses the name of a kind.
fn kinds() -> impl TypedValueParser<Value = TraceKind> {
    PossibleValuesParser::new(TraceKind::ALL.map(|(_, name)| name))
        .map(|name| TraceKind::named(&name).unwrap_or(TraceKind::Plain))
}

/// A number from 0 to 1e12, small enough to compute with.
fn amount(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if (0.0..=1e12).contains(&value) { Ok(value) } else { Err("must lie between 0 and 1e12".to_string()) }
}

/// Length of a log in days.
fn days(text: &str) -> Result<f64, String> {
    between(text, 0.1, 400.0)
}

/// A share that gives every project with logs at least one, but not all.
fn logs_share(text: &str) -> Result<f64, String> {
    between(text, 0.1, 0.5)
}

/// A factor.
fn factor(text: &str) -> Result<f64, String> {
    between(text, 0.0, 100.0)
}

fn between(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if (low..=high).contains(&value) { Ok(value) } else { Err(format!("must lie between {low} and {high}")) }
}

/// How a folder of logs is made.
#[derive(clap::Args, Debug)]
pub struct MadeArgs {
    /// Number of threads (default: all cores); results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
    /// Folder to create
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
}
