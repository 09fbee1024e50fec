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
    /// Scheduler log: sacct -P or --json, CSV or SWF
    #[arg(long, value_name = "FILE")]
    pub jobs: PathBuf,
    /// Server throughput: CSV, files of monitor, iostat, sadf, or Prometheus JSON. Files with the same NAME
    /// form one partition, and files without a name another
    #[arg(long, value_name = "[NAME=]FILE", required = true, num_args = 1..)]
    pub throughput: Vec<String>,
    /// Only applications with this job name
    #[arg(long, value_name = "NAME")]
    pub app: Option<String>,
    /// Only applications of this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Mining method
    #[arg(long, value_enum, default_value_t = SignatureMethod::Auto)]
    pub method: SignatureMethod,
    /// Minimum number of runs for a signature
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pub min_samples: u16,
    /// Use only the length of the shortest run: for long runs that repeat themselves
    #[arg(long)]
    pub partial: bool,
    /// Time zone of the job log: a name such as Europe/Berlin, or an offset such as +02:00
    #[arg(long, value_name = "ZONE", default_value = "UTC", allow_hyphen_values = true)]
    pub tz: String,
    /// For iosi: levels of detail to smooth away
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=12))]
    pub wavelet_level: u8,
    /// For iosi: share of runs that makes a grid cell dense
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub gamma: f64,
    /// For iosi: share of runs that makes a burst common
    #[arg(long, value_name = "SHARE", default_value_t = 0.9, value_parser = share)]
    pub kappa: f64,
    /// For iosi and dtw: keep outliers, lengths and background
    #[arg(long)]
    pub no_preprocess: bool,
    /// Mine each application alone, without subtracting what others explain
    #[arg(long)]
    pub alone: bool,
    /// Plot the server traffic of each run, and the signature
    #[arg(long, value_name = "FILE.html")]
    pub plot: Option<PathBuf>,
    /// Print JSON, one line per application
    #[arg(long)]
    pub json: bool,
    /// Number of threads (default: all cores); results do not depend on it
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Limit on decompressed bytes per input
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 30)]
    pub max_inflate: u64,
    /// Show no progress
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignatureMethod {
    /// Our own method
    Auto,
    /// The published method, IOSI (FAST 2014)
    Iosi,
    /// Dynamic time warping, the baseline of that study
    Dtw,
}
