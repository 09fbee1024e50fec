//! `marigraph completions`: from the declarations in [`crate::args`].

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::error::Failure;
use crate::output;

/// Prints a completion script.
pub fn run(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "marigraph", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
