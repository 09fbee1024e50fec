//! Arguments of `predict`.

use std::path::PathBuf;

use marigraph_analysis::online::Rule;
use marigraph_system::address::Address;

use super::period::{hertz, share};
use super::{MethodArg, OpArg, UnitArg};

#[derive(clap::Args, Debug)]
#[command(
    group(clap::ArgGroup::new("source").required(true).args(["follow", "listen"])),
    after_help = "\
Examples:
  marigraph predict --follow live.jsonl                     follow the output of record --stream
  marigraph predict --listen tcp://*:5555 --metrics 9105    receive from TMIO"
)]
pub struct PredictArgs {
    /// Follow a growing file in any form of TMIO; - is standard input. The file need not exist yet
    #[arg(long, value_name = "FILE")]
    pub follow: Option<PathBuf>,
    /// Receive from tracers, by ZeroMQ (PUSH) or plain TCP: [tcp://][HOST:]PORT, or zmq:// for ZeroMQ only.
    /// On loopback without HOST; * is every interface
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub listen: Option<Address>,
    /// Window to predict from: the last K periods after K predictions with a period, the last N seconds,
    /// the last K periods, or everything
    #[arg(long, value_name = "hits:K|seconds:N|periods:K|off", default_value = "hits:3")]
    pub adapt: Rule,
    /// Method; dft is the published one, which knows no next start
    #[arg(long, value_enum, default_value_t = MethodArg::Auto)]
    pub method: MethodArg,
    /// For dft: samples per second (default: 10)
    #[arg(long, value_name = "HZ", value_parser = hertz)]
    pub sampling: Option<f64>,
    /// For dft: accept candidates from this share of the strongest one
    #[arg(long, value_name = "SHARE", default_value_t = 0.8, value_parser = share)]
    pub tolerance: f64,
    /// Serve the newest prediction for Prometheus at http://ADDR/metrics; ADDR is [HOST:]PORT
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub metrics: Option<Address>,
    /// Operations to analyse
    #[arg(long, value_enum, default_value_t = OpArg::Both)]
    pub op: OpArg,
    /// Unit of the input; TMIO before 0.0.2 writes MB and MB/s
    #[arg(long, value_enum, ignore_case = true)]
    pub unit: Option<UnitArg>,
    /// Print JSON Lines even on a terminal
    #[arg(long)]
    pub json: bool,
    /// Stop after this time without new data (default: run until interrupted)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub idle_exit: Option<f64>,
}

pub(super) fn address(text: &str) -> Result<Address, String> {
    Address::parse(text).ok_or_else(|| "expected [tcp://|zmq://][HOST:]PORT".to_string())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(seconds),
        _ => Err("expected seconds above 0".to_string()),
    }
}
