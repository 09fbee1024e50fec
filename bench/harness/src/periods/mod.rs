//! Measures how well periods are found on traces with known truth.
//!
//! ```text
//! cargo run --release -p marigraph-bench periods accuracy [--seeds 30] [--first-seed 1]
//! ```
//!
//! | mode | prints |
//! |---|---|
//! | `accuracy` | mean error per point of the study's sweeps; dirty traces answered right |
//! | `reliability` | whether confidence is a probability, on seeds that `accuracy` does not use |
//! | `features` | features of every hypothesis, and whether it is right: to calibrate confidence |
//! | `list` | one line per answer |
//!
//! `--finder NAME` chooses the method, `--only WORD` the cases whose names begin so. `--wrong` with
//! `list` leaves out right answers. `--seeds N` and `--first-seed N` choose the seeds.

mod accuracy;
mod cases;
mod features;
mod finder;
mod list;
mod reliability;
mod scoring;

use std::process::ExitCode;

pub use reliability::{area, calibration};

pub struct Options {
    mode: String,
    find: finder::Finder,
    seeds: Option<u64>,
    first_seed: Option<u64>,
    only: String,
    wrong: bool,
}

impl Options {
    /// The defaults are the mode's.
    fn seeds(&self, count: u64, first: u64) -> std::ops::Range<u64> {
        let first = self.first_seed.unwrap_or(first);
        first..first + self.seeds.unwrap_or(count)
    }
}

pub fn run(words: Vec<String>) -> ExitCode {
    let options = match parse(words.into_iter()) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    match options.mode.as_str() {
        "accuracy" => accuracy::run(&options),
        "reliability" => reliability::run(&options),
        "features" => features::run(&options),
        "list" => list::run(&options),
        mode => {
            eprintln!("error: no mode {mode:?}: accuracy, reliability, features or list");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
    let mode = words.next().ok_or("say a mode: accuracy, reliability, features or list")?;
    let [(_, find), ..] = finder::FINDERS;
    let mut options =
        Options { mode, find, seeds: None, first_seed: None, only: String::new(), wrong: false };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        let number = |text: String| text.parse::<u64>().map_err(|_| format!("{text:?} is no number"));
        match word.as_str() {
            "--seeds" => options.seeds = Some(number(value()?)?),
            "--first-seed" => options.first_seed = Some(number(value()?)?),
            "--only" => options.only = value()?,
            "--wrong" => options.wrong = true,
            "--finder" => options.find = finder::named(&value()?)?,
            _ => return Err(format!("no option {word:?}")),
        }
    }
    Ok(options)
}
