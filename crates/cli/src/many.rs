//! Work over many inputs: in parallel, in order; bad ones are skipped and counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::args::ReadArgs;
use crate::error::{Failure, complain};
use crate::input::{self, Inputs};
use crate::progress::Progress;
use crate::{output, parallel};

/// Maximum number of results held before they are passed on in order.
const BATCH: usize = 256;

/// Applies `work` to every input and passes the results to `take` in the order of the inputs. It
/// consumes the inputs, so that folders are walked once.
///
/// A bad input is a failure if it is the only one; otherwise it is skipped and counted.
pub fn for_each<T: Send>(
    args: &ReadArgs,
    inputs: Inputs,
    work: &(dyn Fn(&Path) -> Result<T, Failure> + Sync),
    take: &mut dyn FnMut(&Path, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    visit(args, inputs, work, take)?.finish(args)
}

/// The same, but the caller reports what was skipped.
pub fn visit<T: Send>(
    args: &ReadArgs,
    inputs: Inputs,
    work: &(dyn Fn(&Path) -> Result<T, Failure> + Sync),
    take: &mut dyn FnMut(&Path, T) -> Result<(), Failure>,
) -> Result<Skipped, Failure> {
    input::all_exist(&args.logs)?;
    let Inputs { paths, many, unreadable } = inputs;
    let mut skipped = Skipped::new(many, unreadable);
    let mut progress = Progress::new(paths.len() as u64, args.quiet);
    // One input needs no other thread, and querying the number of cores reads several files.
    let threads = if paths.len() > 1 { parallel::threads(args.threads) } else { 1 };
    for batch in paths.chunks(BATCH) {
        for (path, result) in
            batch.iter().zip(parallel::map(batch, threads, &mut |_| {}, &|path: &PathBuf| work(path)))
        {
            progress.add(1);
            match result {
                Ok(value) => take(path, value)?,
                Err(failure) => skipped.add(failure)?,
            }
        }
    }
    drop(progress);
    if many && paths.is_empty() {
        skipped.found.push(input::nothing_in(&args.logs));
    }
    Ok(skipped)
}

/// Inputs that could not be used.
pub struct Skipped {
    many: bool,
    found: Vec<Failure>,
}

impl Skipped {
    /// `many` says whether bad inputs may be skipped; `found` has known failures.
    pub fn new(many: bool, found: Vec<Failure>) -> Skipped {
        Skipped { many, found }
    }

    /// Skips an input, or fails if it is the only one or the fault is not the input's.
    pub fn add(&mut self, failure: Failure) -> Result<(), Failure> {
        if !self.many || !matches!(failure, Failure::Input { .. }) {
            return Err(failure);
        }
        self.found.push(failure);
        Ok(())
    }

    pub fn by_reason(&self) -> BTreeMap<String, usize> {
        let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
        for failure in &self.found {
            if let Failure::Input { message, .. } = failure {
                // Figures in parentheses differ between files; the reason does not.
                let reason = message.split(" (").next().unwrap_or(message);
                *by_reason.entry(reason.to_string()).or_default() += 1;
            }
        }
        by_reason
    }

    /// What was skipped, as the problems of a JSON document.
    pub fn problems(&self) -> Vec<serde_json::Value> {
        let problem = |failure: &Failure| match failure {
            Failure::Input { path, message, .. } => {
                Some(serde_json::json!({ "kind": "skipped", "message": message, "where": path }))
            }
            _ => None,
        };
        self.found.iter().filter_map(problem).collect()
    }

    pub fn finish(self, args: &ReadArgs) -> Result<(), Failure> {
        let mut list = String::new();
        for failure in &self.found {
            if let Failure::Input { path, message, .. } = failure {
                list.push_str(&format!("{path}\t{message}\n"));
            }
        }
        if let Some(path) = &args.skipped {
            output::write_file(path, list.as_bytes())?;
        }
        for (reason, count) in self.by_reason() {
            complain(&format!("skipped {count}: {reason}"));
        }
        if args.strict && !self.found.is_empty() { Err(Failure::Skipped(self.found.len())) } else { Ok(()) }
    }
}
