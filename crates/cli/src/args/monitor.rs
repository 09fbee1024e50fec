//! Arguments of `monitor`.

use std::path::PathBuf;

use marigraph_system::address::Address;

use super::predict::{address, seconds};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph monitor -o /var/log/oss1.mon --metrics 9106     run until stopped; one file per day
  marigraph monitor -o disks.mon --devices 'nvme*' --samples 30 --json")]
pub struct MonitorArgs {
    /// File to append to; at midnight UTC it becomes FILE.YYYY-MM-DD
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Seconds between samples
    #[arg(long, value_name = "S", default_value = "2", value_parser = interval)]
    pub interval: f64,
    /// Block devices to watch; * and ? are wildcards (default: all but those of the server's own system)
    #[arg(long, value_name = "PATTERN")]
    pub devices: Vec<String>,
    /// Watch all block devices, also system disks, partitions and members of other devices
    #[arg(long, conflicts_with = "devices")]
    pub all_devices: bool,
    /// Serve the newest counters for Prometheus at http://ADDR/metrics; ADDR is [HOST:]PORT, on loopback
    /// without HOST
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub metrics: Option<Address>,
    /// Folder that stands for /: it holds proc/diskstats, proc/fs/lustre and so on
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
    /// Stop after N samples (default: run until interrupted)
    #[arg(long, value_name = "N")]
    pub samples: Option<u64>,
    /// Print a summary as JSON at the end
    #[arg(long)]
    pub json: bool,
    /// Do not list watched and ignored devices
    #[arg(long, short)]
    pub quiet: bool,
}

fn interval(text: &str) -> Result<f64, String> {
    seconds(text)
        .ok()
        .filter(|seconds| *seconds >= 0.001)
        .ok_or("expected seconds, at least 0.001".to_string())
}
