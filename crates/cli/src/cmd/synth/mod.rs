//! `marigraph synth`: made-up data with its truth.

mod corpus;
mod job;
mod server;
mod trace;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::args::{SynthArgs, SynthKind};
use crate::error::Failure;
use crate::output;

/// Makes what was asked for.
pub fn run(args: &SynthArgs) -> Result<(), Failure> {
    match &args.kind {
        SynthKind::Job(args) => job::run(args),
        SynthKind::Trace(args) => trace::run(args),
        SynthKind::Corpus(args) => corpus::run(args),
        SynthKind::Server(args) => server::run(args),
    }
}

/// Writes what is true of an output beside it.
fn write_truth(output: &Path, truth: &Value) -> Result<(), Failure> {
    let mut beside = output.to_path_buf().into_os_string();
    beside.push(".truth.json");
    output::write_file(&PathBuf::from(beside), format!("{truth}\n").as_bytes())
}
