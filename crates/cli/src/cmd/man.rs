//! `marigraph man`: generated from the declarations in [`crate::args`].

use clap::CommandFactory;

use crate::args::Args;
use crate::error::Failure;
use crate::output;

pub fn run() -> Result<(), Failure> {
    let mut page = Vec::new();
    let mut command = Args::command();
    command.build();
    let render = |command: clap::Command, page: &mut Vec<u8>| {
        clap_mangen::Man::new(command).render(page).map_err(|error| Failure::write("standard output", error))
    };
    render(command.clone(), &mut page)?;
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        render(sub.clone(), &mut page)?;
    }
    output::print(&String::from_utf8_lossy(&page))
}
