//! Which of several inputs tell of the same run.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use marigraph_analysis::run::{Detail, Run};
use marigraph_analysis::usage::JobUsage;

use crate::args::ReadArgs;
use crate::cmd::categorize::is_sound;
use crate::error::complain;
use crate::input::{self, Inputs};
use crate::parallel;

/// For each run that several inputs tell of, the one that counts and the others.
#[derive(Default)]
pub struct SameRun(HashMap<PathBuf, Vec<PathBuf>>);

/// Leaves out inputs that tell of a run that another input tells more of, and says so. Of equal ones
/// the first stays.
pub fn one_per_run(args: &ReadArgs, inputs: &mut Inputs) -> SameRun {
    if inputs.paths.len() < 2 {
        return SameRun::default();
    }
    let threads = parallel::threads(args.threads);
    let told = parallel::map(&inputs.paths, threads, &mut |_| {}, &|path: &PathBuf| peek(path, args));
    let mut alike: BTreeMap<Run, Vec<(usize, Detail)>> = BTreeMap::new();
    for (at, told) in told.into_iter().enumerate() {
        if let Some((run, detail)) = told {
            alike.entry(run).or_default().push((at, detail));
        }
    }
    let mut same = SameRun::default();
    let mut out: HashSet<usize> = HashSet::new();
    for (run, logs) in alike.into_iter().filter(|(_, logs)| logs.len() > 1) {
        for logs in by_identity(&run, logs, &inputs.paths, args) {
            let logs = if logs.len() > 1 { sound(&logs, &inputs.paths, args) } else { Vec::new() };
            let Some((&first, others)) = logs.split_first() else { continue };
            let names: Vec<PathBuf> = others.iter().map(|&at| inputs.paths[at].clone()).collect();
            out.extend(others);
            same.0.insert(inputs.paths[first].clone(), names);
        }
    }
    if !out.is_empty() {
        let count = out.len();
        complain(&format!("{count} inputs tell of runs that other inputs tell more of, and are left out"));
        let mut at = 0;
        inputs.paths.retain(|_| {
            at += 1;
            !out.contains(&(at - 1))
        });
    }
    same
}

impl SameRun {
    /// The other inputs of the run that an input tells of.
    pub fn others(&self, path: &Path) -> Vec<String> {
        let others = self.0.get(path).into_iter().flatten();
        others.map(|other| other.display().to_string()).collect()
    }
}

/// What a log says before its content is read; pipes are not touched.
fn peek(path: &Path, args: &ReadArgs) -> Option<(Run, Detail)> {
    if !path.is_file() {
        return None;
    }
    let told = input::with_input(path, args, |input| {
        let reader = input.reader()?;
        let detail = Detail::of(&reader.modules(), reader.trace_facts().is_some());
        Ok(Run::of(&reader.job()).map(|run| (run, detail)))
    });
    told.ok().flatten()
}

/// Logs that are alike, by their runs. Only now are totals read, where they are needed.
fn by_identity(
    run: &Run,
    logs: Vec<(usize, Detail)>,
    paths: &[PathBuf],
    args: &ReadArgs,
) -> Vec<Vec<(usize, Detail)>> {
    if !run.needs_totals() {
        return vec![logs];
    }
    let mut runs: BTreeMap<String, Vec<(usize, Detail)>> = BTreeMap::new();
    for log in logs {
        let identity = input::with_input(&paths[log.0], args, |input| {
            let mut usage = JobUsage::default();
            input.reader()?.stream(&|module| !module.is_operations(), &mut usage);
            Ok(run.identity(&usage.totals()))
        });
        // It stays, and its reader will say what is wrong.
        let identity = identity.unwrap_or_else(|_| paths[log.0].display().to_string());
        runs.entry(identity).or_default().push(log);
    }
    runs.into_values().collect()
}

/// The logs of a run that can be trusted, the one that counts first; the others stay among the
/// inputs, so that their faults are reported.
fn sound(logs: &[(usize, Detail)], paths: &[PathBuf], args: &ReadArgs) -> Vec<usize> {
    let mut logs = logs.to_vec();
    logs.sort_by_key(|&(at, detail)| (std::cmp::Reverse(detail), at));
    logs.into_iter().map(|(at, _)| at).filter(|&at| is_sound(&paths[at], args)).collect()
}
