//! Do the tests notice when the program is wrong? Small changes, drawn by a seed, one at a time.
//!
//! `cargo xtask mutate [--count N] [--seed S] [--minutes M] [--crate NAME]` tries each change (of one
//! crate, if it is named) in a copy of the last commit: the tests of its crate, those of the
//! program, the scripts that use the crate, until one fails. What was tried is kept in
//! `check-out/`, so that a run can be continued; the same seed and commit draw the same changes.

mod draw;
mod places;
mod state;
mod workshop;

use std::path::Path;
use std::time::{Duration, Instant};

use crate::purity::{is_below, test_files};
use crate::tree::{self, Source};
use draw::Share;
use state::{Outcome, State};
use workshop::Workshop;

/// Without `--count`, `--seed` and `--minutes`: the project's bar, a fixed draw, no end.
struct Options {
    count: usize,
    seed: u64,
    minutes: u64,
    only: Option<String>,
}

/// The share of changes that must be noticed, in percent.
const BAR: usize = 85;

/// Tries changes until all drawn ones are tried or time is up; `false` if too few were noticed.
pub fn run(root: &Path, words: &[String]) -> Result<bool, String> {
    let options = options(words)?;
    let begun = Instant::now();
    let workshop = Workshop::open(root)?;
    let sources = tree::read(workshop.folder()).map_err(|error| error.to_string())?;
    let mut shares = draw::draw(&crates(&sources), options.count, options.seed);
    shares.retain(|share| options.only.as_ref().is_none_or(|name| *name == share.name));
    let mut state = State::open(root, &workshop.commit()?, options.seed, options.count)?;
    println!("seed {}, {} changes of {}:", options.seed, options.count, state.commit());
    for share in &shares {
        println!("  {:<10} {:>3}", share.name, share.count);
    }
    while begun.elapsed() < Duration::from_secs(60 * options.minutes)
        && let Some((share, next)) = turn(&shares, &state)
    {
        let mutant = &share.order[next];
        let outcome = workshop.attempt(share, mutant)?;
        println!("{}: {}", state::sentence(share, mutant), outcome.sentence());
        state.add(share, next, outcome)?;
    }
    Ok(summary(&shares, &state))
}

/// The crate of which the smallest part was tried, so that a run that is cut short tells of all.
fn turn<'a>(shares: &'a [Share], state: &State) -> Option<(&'a Share, usize)> {
    let left = shares.iter().filter_map(|share| Some((share, state.next(share)?)));
    left.min_by_key(|(share, _)| (state.counted(share).count() + 1) * 1000 / share.count)
}

fn options(words: &[String]) -> Result<Options, String> {
    let mut options = Options { count: 60, seed: 17, minutes: u64::MAX / 60, only: None };
    for pair in words.chunks(2) {
        let [name, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
        if name == "--crate" {
            options.only = Some(value.clone());
            continue;
        }
        let number: u64 = value.parse().map_err(|_| format!("{name} needs a number, not {value}"))?;
        match name.as_str() {
            "--count" => options.count = number as usize,
            "--seed" => options.seed = number,
            "--minutes" => options.minutes = number,
            _ => return Err(format!("{name} is not known: --count, --seed, --minutes, --crate")),
        }
    }
    Ok(options)
}

/// The product's sources by crate.
fn crates(sources: &[Source]) -> Vec<(String, Vec<&Source>)> {
    let rust: Vec<&Source> = sources.iter().filter(|source| source.is_rust()).collect();
    let tests = test_files(&rust);
    let mut out: Vec<(String, Vec<&Source>)> = Vec::new();
    for source in rust {
        let Some((name, rest)) = source.path.strip_prefix("crates/").and_then(|rest| rest.split_once('/'))
        else {
            continue;
        };
        if !rest.starts_with("src/") || is_below(&source.path, &tests) {
            continue;
        }
        match out.last_mut() {
            Some((last, sources)) if last == name => sources.push(source),
            _ => out.push((name.to_owned(), vec![source])),
        }
    }
    out
}

fn summary(shares: &[Share], state: &State) -> bool {
    let wanted: usize = shares.iter().map(|share| share.count).sum();
    let tried: Vec<_> = shares.iter().flat_map(|share| state.counted(share)).collect();
    let survived: Vec<_> = tried.iter().filter(|(_, outcome)| **outcome == Outcome::Survived).collect();
    println!("\nsurvived:");
    for (mutant, _) in &survived {
        println!("  {mutant}");
    }
    let by = |who: fn(&Outcome) -> bool| tried.iter().filter(|(_, outcome)| who(outcome)).count();
    let own = by(|outcome| matches!(outcome, Outcome::Tests));
    let program = by(|outcome| matches!(outcome, Outcome::Program));
    let scripts = by(|outcome| matches!(outcome, Outcome::Script(_)));
    let caught = own + program + scripts;
    println!("{own} caught by the crate's tests, {program} by the program's, {scripts} by scripts");
    println!("{caught} of {} caught, {} of {wanted} tried, bar {BAR} %", tried.len(), tried.len());
    caught * 100 >= BAR * tried.len() && tried.len() == wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_products_are_changed() {
        let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let all = [
            source("bench/harness/src/main.rs", ""),
            source("crates/model/src/lib.rs", "#[cfg(test)]\nmod literal;\nmod file;"),
            source("crates/model/src/literal.rs", ""),
            source("crates/model/src/file.rs", ""),
            source("crates/model/tests/all.rs", ""),
            source("crates/wire/src/lib.rs", ""),
        ];
        let found: Vec<(String, usize)> =
            crates(&all).into_iter().map(|(name, sources)| (name, sources.len())).collect();
        assert_eq!(found, [("model".to_owned(), 2), ("wire".to_owned(), 1)]);
    }

    #[test]
    fn words_become_options() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let options = options(&words("--seed 3 --minutes 50")).expect("options");
        assert_eq!((options.count, options.seed, options.minutes), (60, 3, 50));
        assert_eq!(super::options(&words("--crate wire")).expect("options").only.as_deref(), Some("wire"));
        assert!(super::options(&words("--seed")).is_err());
        assert!(super::options(&words("--seeds 3")).is_err());
    }
}
