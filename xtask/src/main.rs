//! The project's own checks, as one program without network access.
//!
//! `cargo xtask tidy` reads the tree and prints every broken rule as `path:line: what: what to do`;
//! `cargo xtask bless` runs the tests so that they rewrite their expected outputs, to be reviewed
//! as a diff; `cargo xtask mutate` changes the program and looks whether the tests notice. Each
//! group of rules is one file of pure functions from text to findings; only `tree`, `tidy` and
//! `mutate` touch files, and only they and this file print.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is this program's purpose")]

mod arrows;
mod counters;
mod documents;
mod finding;
mod leftovers;
mod mutate;
mod operations;
mod phrases;
mod purity;
mod rust_text;
mod sizes;
mod stored;
mod tidy;
mod tree;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask tidy          check the tree against the project's rules
       cargo xtask bless [ARGS] rewrite expected outputs: cargo test --workspace [ARGS]
       cargo xtask mutate [--count 60] [--seed 17] [--minutes M] [--crate NAME] do the tests notice changes of the program?";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let outcome = match args.next().as_deref() {
        Some("tidy") => tidy::run(&root()),
        Some("mutate") => mutate::run(&root(), &args.collect::<Vec<_>>()),
        Some("bless") => bless(args.collect()),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> PathBuf {
    let beside = std::env::var_os("CARGO_MANIFEST_DIR").map(|folder| PathBuf::from(folder).join(".."));
    let root = beside.unwrap_or_else(|| PathBuf::from("."));
    root.canonicalize().unwrap_or(root)
}

fn bless(args: Vec<String>) -> Result<bool, String> {
    let mut cargo = Command::new(tidy::cargo());
    cargo.args(["test", "--workspace"]).args(args).env("MARIGRAPH_BLESS", "1").current_dir(root());
    cargo.status().map(|status| status.success()).map_err(|error| format!("cannot run cargo: {error}"))
}
