//! Arguments of `signature`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::period::share;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph signature --jobs jobs.sacct --throughput servers.csv                    every application, heaviest first
  marigraph signature --jobs jobs.sacct --throughput a=a.csv b=b.csv --app s3d.x --json
  marigraph signature --jobs jobs.sacct --throughput servers.csv --app ior_a --plot ior_a.html")]
pub struct SignatureArgs {
    /// The scheduler's log: sacct -P or --json, CSV or SWF
    #[arg(long, value_name = "FILE")]
    pub jobs: PathBuf,
    /// Throughput of the servers: CSV, what monitor writes, iostat, sadf, or JSON of Prometheus; files of the same
    /// NAME are one partition, all without a name another
    #[arg(long, value_name = "[NAME=]FILE", required = true, num_args = 1..)]
    pub throughput: Vec<String>,
    /// Only applications of this job name
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    /// Only those of this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The best we can do, the published method to the letter, or its baseline
    #[arg(long, value_enum, default_value_t = SignatureMethod::Auto)]
    pub method: SignatureMethod,
    /// Fewest runs that a signature is mined from
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub min_samples: u16,
    /// Use of each run only as much as all of them have: for long runs that repeat themselves
    #[arg(long)]
    pub partial: bool,
    /// Time zone of the job log: a name such as Europe/Berlin, or an offset such as +02:00
    #[arg(long, value_name = "ZONE", default_value = "UTC", allow_hyphen_values = true)]
    pub tz: String,
    /// For iosi: levels of detail that are smoothed away
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=12))]
    pub wavelet_level: u8,
    /// For iosi: share of runs that make a cell of the grid dense
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub gamma: f64,
    /// For iosi: share of runs that make a burst common
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    pub kappa: f64,
    /// For iosi and dtw: leave outliers, lengths and background as they are
    #[arg(long)]
    pub no_preprocess: bool,
    /// Mine each application by itself, without taking out what others explain
    #[arg(long)]
    pub alone: bool,
    /// Draw it: what servers saw during each run, and the signature
    #[arg(long, value_name = "FILE.html")]
    pub plot: Option<PathBuf>,
    /// JSON instead of text: a line per application
    #[arg(long)]
    pub json: bool,
    /// Threads to use (default: all cores); results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Stop decompressing an input at this many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 30)]
    pub max_inflate: u64,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureMethod {
    /// The best we can do
    Auto,
    /// As published (FAST 2014)
    Iosi,
    /// Dynamic time warping, the baseline of that study
    Dtw,
}
