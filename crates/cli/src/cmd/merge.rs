//! `marigraph merge`: joins the parts of a run that was killed, or that was started once per rank.

use std::collections::BTreeMap;
use std::path::PathBuf;

use marigraph_model::Job;
use marigraph_report::show::problems_json;
use marigraph_system::parts::{self, PartFiles};
use serde_json::json;

use super::join::{self, Joined};
use crate::args::MergeArgs;
use crate::error::Failure;
use crate::output;

pub fn run(args: &MergeArgs) -> Result<(), Failure> {
    let found = find(&args.parts)?;
    let joined = join::join(&found, Job::default(), &args.join)?;
    join::warn(&join::output(&args.join, "darshan"), &joined.problems);
    if args.remove {
        parts::remove(&found, &args.parts).map_err(|error| Failure::write("the parts", error))?;
    }
    if args.json { output::print(&format!("{}\n", summary(&joined))) } else { Ok(()) }
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
        let path = folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ");
        return Err(Failure::Input {
            path,
            message: "no part of a recorded run found".to_string(),
            hint: Some("give the folder written by `marigraph record`: NAME.parts".to_string()),
        });
    }
    Ok(all.into_values().collect())
}

fn summary(joined: &Joined) -> serde_json::Value {
    let outputs: Vec<String> = joined.outputs.iter().map(|path| path.display().to_string()).collect();
    json!({
        "ranks": joined.ranks,
        "processes": joined.processes,
        "calls": joined.calls,
        "lost": joined.lost,
        "outputs": outputs,
        "problems": problems_json(&joined.problems),
    })
}
