//! Joins the parts of a run into logs: shared by `record` and `merge`.

mod calls;
mod shelf;
mod trace;

use std::path::{Path, PathBuf};

use marigraph_formats::darshan;
use marigraph_formats::native::parts::{Facts, Files, Load, Run, unreadable};
use marigraph_model::{Events, Job, Problem, Trace};
use marigraph_system::mounts;
use marigraph_system::parts::PartFiles;

use self::calls::Counted;
use self::shelf::Shelf;
use crate::args::JoinArgs;
use crate::error::{Failure, complain};
use crate::progress::Progress;
use crate::{output, parallel};

/// The result of a join.
pub struct Joined {
    pub job: i64,
    pub exe: String,
    pub ranks: u64,
    /// Processes, and programs that a process ran before it replaced itself.
    pub processes: usize,
    pub calls: u64,
    pub lost: u64,
    pub outputs: Vec<PathBuf>,
    pub problems: Vec<Problem>,
}

/// The name of an output: `NAME.ending`, even if NAME was given with the extension of a log.
pub fn output(args: &JoinArgs, ending: &str) -> PathBuf {
    let given = &args.output;
    let known = given.extension().is_some_and(|ending| ending == "darshan" || ending == "mari");
    let mut name = if known { given.with_extension("") } else { given.clone() }.into_os_string();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

/// The first pass: what every part tells by itself.
pub fn look(parts: &[PartFiles], args: &JoinArgs) -> Vec<Facts> {
    let shelf = Shelf::new(parts);
    let threads = parallel::threads(args.threads);
    let mut progress = Progress::new(parts.len() as u64, args.quiet);
    parallel::map(parts, threads, &mut |_| progress.add(1), &|part: &PartFiles| {
        let files: Files<_> = shelf.load(&part.stem);
        Facts::of(&part.stem, files.as_slices())
    })
}

/// Joins the parts of one run. `job` is the default for what no part holds.
pub fn join(parts: &[PartFiles], run: Run, job: Job, args: &JoinArgs) -> Result<Joined, Failure> {
    let shelf = Shelf::new(parts);
    let threads = parallel::threads(args.threads);
    let mut run = run;
    if run.members.is_empty() {
        run.job = job;
    }
    run.job.mounts = mounts::here();
    // PyDarshan's report needs it.
    run.job
        .metadata
        .push(("lib_ver".to_string(), concat!("marigraph-", env!("CARGO_PKG_VERSION")).to_string()));
    let mut trace = Trace { job: run.job.clone(), hosts: run.hosts.clone(), ..Trace::default() };
    let counted = calls::read(&run, &shelf, args, threads, &mut trace)?;
    let Counted { calls, unread, mari } = counted;
    if run.missing.lost + run.missing.unfollowed + run.missing.skipped + unread.records > 0 {
        trace.modules.iter_mut().for_each(|info| info.partial = true);
    }
    let mut problems = run.problems.clone();
    problems.extend(unreadable(unread.records, unread.names, unread.operations, unread.clocks));
    problems.extend(shelf.problems());
    problems.append(&mut trace.problems);
    let darshan = output(args, "darshan");
    let (log, left_out) = darshan::write(&trace);
    problems.extend(left_out);
    output::write_file(&darshan, &log)?;
    let mut outputs = vec![darshan];
    if let Some(writer) = mari {
        let path = output(args, "mari");
        // The trace has every operation itself.
        trace.events = Events::default();
        trace.modules.retain(|info| !info.module.is_operations());
        let (profile, _) = darshan::write(&trace);
        output::write_file(&path, &writer.finish(&run, &problems, &profile))?;
        outputs.push(path);
    }
    Ok(Joined {
        job: run.job.id,
        exe: run.job.exe.clone(),
        ranks: run.job.nprocs,
        processes: run.members.len(),
        calls,
        lost: run.missing.lost + unread.records,
        outputs,
        problems,
    })
}

pub fn warn(path: &Path, problems: &[Problem]) {
    problems
        .iter()
        .for_each(|problem| complain(&format!("warning: {}: {}", path.display(), problem.message)));
}
