//! The `marigraph` program: arguments in, one library call, rendering out.

mod args;
mod cmd;
mod error;
mod input;
mod many;
mod output;
mod parallel;
mod progress;
mod runs;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let result = match args.command {
        args::Command::Record(args) => return cmd::record::run(&args),
        args::Command::Merge(args) => cmd::merge::run(&args),
        args::Command::Show(args) => cmd::show::run(&args),
        args::Command::Report(args) => cmd::report::run(&args),
        args::Command::Convert(args) => cmd::convert::run(&args),
        args::Command::Period(args) => cmd::period::run(&args),
        args::Command::Predict(args) => cmd::predict::run(&args),
        args::Command::Categorize(args) => cmd::categorize::run(&args),
        args::Command::Diff(args) => return cmd::diff::run(&args),
        args::Command::Extrapolate(args) => cmd::extrapolate::run(&args),
        args::Command::Replay(args) => return cmd::replay::run(&args),
        args::Command::Signature(args) => cmd::signature::run(&args),
        args::Command::Monitor(args) => cmd::monitor::run(&args),
        args::Command::Scan(args) => cmd::scan::run(&args),
        args::Command::ScanDiff(args) => cmd::scan::diff(&args),
        args::Command::Ingest(args) => cmd::ingest::run(&args),
        args::Command::Sql(args) => cmd::sql::run(&args),
        args::Command::Study(args) => cmd::study::run(&args),
        args::Command::Synth(args) => cmd::synth::run(&args),
        args::Command::Completions(args) => cmd::completions::run(&args),
        args::Command::Man => cmd::man::run(),
    };
    error::exit_code(result)
}
