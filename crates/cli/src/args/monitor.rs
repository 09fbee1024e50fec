//! Arguments of `monitor`.

use std::path::PathBuf;

use marigraph_system::address::Address;

use super::predict::{address, seconds};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  marigraph monitor -o /var/log/oss1.mon --metrics 9106     until it is stopped; a file per day
  marigraph monitor -o disks.mon --devices 'nvme*' --samples 30 --json")]
pub struct MonitorArgs {
    /// The file to append to; at midnight UTC it becomes FILE.YYYY-MM-DD
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Seconds from one look at the counters to the next
    #[arg(long, value_name = "S", default_value = "2", value_parser = interval)]
    pub interval: f64,
    /// Block devices to watch, instead of all but those of the server's own system; * and ? stand for
    /// anything
    #[arg(long, value_name = "PATTERN")]
    pub devices: Vec<String>,
    /// Watch all block devices: local disks, partitions, what other devices are built on
    #[arg(long, conflicts_with = "devices")]
    pub all_devices: bool,
    /// Serve the newest counters for Prometheus at http://ADDR/metrics; ADDR is [HOST:]PORT. Without HOST
    /// only this machine can connect
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub metrics: Option<Address>,
    /// The folder that stands for /: below it are proc/diskstats, proc/fs/lustre and so on
    #[arg(long, value_name = "DIR", default_value = "/")]
    pub root: PathBuf,
    /// End after so many looks; else a signal ends it
    #[arg(long, value_name = "N")]
    pub samples: Option<u64>,
    /// At the end: what was done, as JSON
    #[arg(long)]
    pub json: bool,
    /// Do not say what is watched and what is left out
    #[arg(long, short)]
    pub quiet: bool,
}

fn interval(text: &str) -> Result<f64, String> {
    seconds(text).ok().filter(|seconds| *seconds >= 0.001).ok_or("seconds, at least 0.001".to_string())
}
