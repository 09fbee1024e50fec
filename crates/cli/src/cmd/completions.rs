//! `marigraph completions`: generated from the declarations in [`crate::args`].

use clap::{Args as _, CommandFactory};

use crate::args::{Args, CompletionsArgs, SynthArgs};
use crate::error::Failure;
use crate::output;

pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut command = Args::command();
    // `help` copies the names of all commands; those below `synth` must exist by then.
    for synth in command.get_subcommands_mut().filter(|sub| sub.get_name() == "synth") {
        *synth = SynthArgs::augment_args(std::mem::take(synth)).defer(|built| built);
    }
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "marigraph", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
