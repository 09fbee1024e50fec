//! Entry points for benchmarks and interoperability tests: `marigraph-bench TOOL ARGUMENT...`.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used)] // a tool for measuring

mod categories;
mod inflate;
mod parse;
mod periods;
mod server_log;
mod signatures;
mod stages;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let tool = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    match tool.as_str() {
        "categories" => return categories::run(&words),
        "inflate" => inflate::run(&words),
        "parse" => parse::run(&words),
        "periods" => return periods::run(words),
        "server_log" => server_log::run(&words),
        "signatures" => signatures::run(words),
        "stages" => stages::run(),
        _ => {
            eprintln!(
                "error: name a tool: categories, inflate, parse, periods, server_log, signatures or stages"
            );
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
