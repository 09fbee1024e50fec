//! `marigraph synth`: synthetic data with its truth.

mod corpus;
mod job;
mod phases;
mod sacct;
mod server;
mod system;
mod trace;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::args::{SynthArgs, SynthKind};
use crate::error::Failure;
use crate::output;

pub fn run(args: &SynthArgs) -> Result<(), Failure> {
    match &args.kind {
        SynthKind::Job(args) => job::run(args),
        SynthKind::Trace(args) => trace::run(args),
        SynthKind::Corpus(args) => corpus::run(args),
        SynthKind::Server(args) => server::run(args),
        SynthKind::System(args) => system::run(args),
    }
}

/// Creates a folder; refuses one that is not empty, because the truth would not cover its content.
fn start(folder: &Path) -> Result<(), Failure> {
    let name = folder.display();
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        let message = format!("{name} is not empty\nhint: choose a new folder");
        return Err(Failure::Usage(message));
    }
    fs::create_dir_all(folder).map_err(|error| Failure::write(&name.to_string(), error))
}

fn write_truth(output: &Path, truth: &Value) -> Result<(), Failure> {
    let mut beside = output.to_path_buf().into_os_string();
    beside.push(".truth.json");
    output::write_file(&PathBuf::from(beside), format!("{truth}\n").as_bytes())
}
