//! `marigraph merge`: joins the parts of a run that was killed, or that was started once per rank.
//! Parts of several runs become several logs.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use marigraph_formats::native::parts::{Facts, Run, job_number, separate};
use marigraph_model::Job;
use marigraph_report::show::problems_json;
use marigraph_system::parts::{self, PartFiles};
use serde_json::json;

use super::join::{self, Joined};
use crate::args::{JoinArgs, MergeArgs};
use crate::error::{Failure, complain};
use crate::output;

pub fn run(args: &MergeArgs) -> Result<(), Failure> {
    let found = find(&args.parts)?;
    let mut runs = separate(join::look(&found, &args.join));
    if let Some(job) = &args.job {
        runs = only(runs, job, &args.parts)?;
    }
    let mut runs: Vec<One> = runs.into_iter().map(|facts| One::new(facts, &found)).collect();
    // Launchers alone are no run.
    if runs.iter().any(|one| !one.run.members.is_empty()) {
        runs.retain(|one| !one.run.members.is_empty());
    }
    let several = runs.len() > 1;
    if several {
        complain(&format!(
            "{} runs have parts here; each gets its own log (--job ID merges one)",
            runs.len()
        ));
    }
    let mut names = Names::new(&runs);
    for one in runs {
        let into = if several { names.next(&args.join, one.run.job.id) } else { args.join.clone() };
        let joined = join::join(&one.parts, one.run, Job::default(), &into)?;
        let darshan = join::output(&into, "darshan");
        join::warn(&darshan, &joined.problems);
        if several {
            let Joined { job, exe, ranks, .. } = &joined;
            complain(&format!("{}: job {job}, ranks {ranks}, {exe}", darshan.display()));
        }
        if args.remove {
            parts::remove(&one.parts, &args.parts).map_err(|error| Failure::write("the parts", error))?;
        }
        if args.json {
            output::print(&format!("{}\n", summary(&joined)))?;
        }
    }
    Ok(())
}

/// One run and its parts.
struct One {
    run: Run,
    parts: Vec<PartFiles>,
}

impl One {
    fn new(facts: Vec<Facts>, found: &[PartFiles]) -> One {
        let stems: HashSet<String> = facts.iter().map(|part| part.stem().to_string()).collect();
        let parts = found.iter().filter(|part| stems.contains(&part.stem)).cloned().collect();
        One { run: Run::new(facts), parts }
    }
}

/// Names of outputs: `NAME.JOB`, and `NAME.JOB.N` if a job has several runs.
struct Names {
    runs: HashMap<i64, usize>,
    given: HashMap<i64, usize>,
}

impl Names {
    fn new(runs: &[One]) -> Names {
        let mut count = HashMap::new();
        runs.iter().for_each(|one| *count.entry(one.run.job.id).or_default() += 1);
        Names { runs: count, given: HashMap::new() }
    }

    fn next(&mut self, args: &JoinArgs, job: i64) -> JoinArgs {
        let mut name = join::output(args, &job.to_string()).into_os_string();
        if self.runs.get(&job).is_some_and(|&runs| runs > 1) {
            let given = self.given.entry(job).or_default();
            *given += 1;
            name.push(format!(".{given}"));
        }
        JoinArgs { output: PathBuf::from(name), ..args.clone() }
    }
}

/// The runs of one batch job, or of a program with this process id.
fn only(runs: Vec<Vec<Facts>>, job: &str, folders: &[PathBuf]) -> Result<Vec<Vec<Facts>>, Failure> {
    let id = |facts: &Vec<Facts>| facts.iter().find_map(Facts::batch_job);
    let known: Vec<String> = runs.iter().map(|facts| id(facts).unwrap_or_else(|| "(none)".into())).collect();
    let wanted = |facts: &Vec<Facts>| {
        id(facts)
            .is_some_and(|id| id == job || job_number(&id).is_some_and(|number| number.to_string() == job))
    };
    let chosen: Vec<Vec<Facts>> = runs.into_iter().filter(wanted).collect();
    if chosen.is_empty() {
        return Err(Failure::Input {
            path: listed(folders),
            message: format!("no part belongs to job {job}"),
            hint: Some(format!("jobs with parts here: {}", known.join(", "))),
        });
    }
    Ok(chosen)
}

fn listed(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// A part in several folders counts once, with all its files.
fn find(folders: &[PathBuf]) -> Result<Vec<PartFiles>, Failure> {
    let mut all: BTreeMap<String, PartFiles> = BTreeMap::new();
    for folder in folders {
        for part in parts::list(folder).map_err(|error| Failure::read(folder, &error))? {
            let known = all.entry(part.stem.clone()).or_default();
            let PartFiles { stem, live, log } = part;
            let (live, log) = (known.live.take().or(live), known.log.take().or(log));
            *known = PartFiles { stem, live, log };
        }
    }
    if all.is_empty() {
        return Err(Failure::Input {
            path: listed(folders),
            message: "no part of a recorded run found".to_string(),
            hint: Some("give the folder written by `marigraph record`: NAME.parts".to_string()),
        });
    }
    Ok(all.into_values().collect())
}

fn summary(joined: &Joined) -> serde_json::Value {
    let outputs: Vec<String> = joined.outputs.iter().map(|path| path.display().to_string()).collect();
    json!({
        "job": joined.job,
        "ranks": joined.ranks,
        "processes": joined.processes,
        "calls": joined.calls,
        "lost": joined.lost,
        "outputs": outputs,
        "problems": problems_json(&joined.problems),
    })
}
