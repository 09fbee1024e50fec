//! Arguments of `predict`.

use std::path::PathBuf;

use marigraph_analysis::online::Rule;
use marigraph_system::address::Address;

use super::{OpArg, UnitArg};

#[derive(clap::Args, Debug)]
#[command(
    group(clap::ArgGroup::new("source").required(true).args(["follow", "listen"])),
    after_help = "\
Examples:
  marigraph predict --follow live.jsonl                     what record --stream writes
  marigraph predict --listen tcp://*:5555 --metrics 9105    what TMIO sends"
)]
pub struct PredictArgs {
    /// A file that grows, in any form of TMIO; - is standard input. It need not be there yet
    #[arg(long, value_name = "FILE")]
    pub follow: Option<PathBuf>,
    /// Take what tracers send, by ZeroMQ (PUSH) or plainly over TCP: [tcp://][HOST:]PORT, or zmq:// for
    /// ZeroMQ alone. Without HOST only this machine can connect; * is every interface
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub listen: Option<Address>,
    /// From which part of the past: K periods after K predictions with a period, the last N seconds,
    /// the last K periods, or all
    #[arg(long, value_name = "hits:K|seconds:N|periods:K|off", default_value = "hits:3")]
    pub adapt: Rule,
    /// Serve the newest prediction for Prometheus at http://ADDR/metrics; ADDR is [HOST:]PORT
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub metrics: Option<Address>,
    /// Which operations count
    #[arg(long, value_enum, default_value_t = OpArg::Both)]
    pub op: OpArg,
    /// For TMIO before 0.0.2, which writes MB and MB/s
    #[arg(long, value_enum, ignore_case = true)]
    pub unit: Option<UnitArg>,
    /// JSON Lines on a terminal, too
    #[arg(long)]
    pub json: bool,
    /// End when nothing came for so long; else a signal ends it
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub idle_exit: Option<f64>,
}

pub(super) fn address(text: &str) -> Result<Address, String> {
    Address::parse(text).ok_or_else(|| "[tcp://|zmq://][HOST:]PORT".to_string())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err("a number of seconds above 0".to_string()),
    }
}
