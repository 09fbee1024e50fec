//! `marigraph replay`: performs a trace again, below one folder.

mod emit;
mod launched;
mod steps;
mod survey;
mod worker;

use std::collections::BTreeSet;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::Ordering::Relaxed;

use marigraph_analysis::replay::{Drift, Means, Schedule};
use marigraph_formats::native::mari::{Loaded, Mari};
use marigraph_report::replay::{DryRun, Replayed};
use marigraph_system::replay::{Counters, Crew, Ended, Root, Shared, Stage, StageError, WORKER};
use marigraph_system::stop;
use marigraph_wire::op::Layer;
use survey::Survey;

use crate::args::{AsArg, ModeArg, ReplayArgs, ScheduleArg};
use crate::error::{self, Failure};
use crate::{input, output};

/// Maximum number of calls per thread.
const CALLS: u64 = 1_000_000_000;
/// Maximum number of calls that a dry run examines one by one.
const LOOKED_AT: u64 = 100_000_000;
/// Maximum number of threads.
const STREAMS: u64 = 4096;

/// Performs a trace; exit code 0 if all calls were made and returned the recorded values, 1 otherwise
/// or on failure, 2 for wrong usage.
pub fn run(args: &ReplayArgs) -> ExitCode {
    let done = match std::env::var(WORKER) {
        _ if args.emit.is_some() => emit::run(args).map(|()| true),
        Ok(variable) => worker::run(args, &variable).map(|()| true),
        Err(_) => replay(args),
    };
    match done {
        Ok(false) => ExitCode::from(1),
        done => error::exit_code(done.map(|_| ())),
    }
}

/// Returns whether every call was made, as far as that is asked for, and returned the recorded value.
fn replay(args: &ReplayArgs) -> Result<bool, Failure> {
    if !(args.speed.is_finite() && args.speed > 0.0) {
        return Err(Failure::Usage("--speed must be a number above zero".to_string()));
    }
    let bytes = input::load(&args.trace)?;
    let mari = Mari::read(&bytes)
        .map_err(|error| Failure::format(&args.trace.display().to_string(), &error.into()))?;
    let launch = launched::launch();
    if args.dry_run {
        // One rank reports for all.
        let tells = launch.is_none_or(|launch| launch.rank == 0);
        return if tells { dry_run(args, &mari).map(|()| true) } else { Ok(true) };
    }
    let replayed = match launch {
        Some(launch) => launched::replay(args, &launch, &bytes, &mari)?,
        None => Some(alone(args, &bytes, &mari)?),
    };
    let Some(mut replayed) = replayed else { return Ok(true) };
    replayed.problems = input::warned(&args.trace, mari.problems());
    output::print(&if args.json { format!("{}\n", replayed.json()) } else { replayed.text() })?;
    if replayed.left_out > 0 && !args.allow_left_out {
        let message = format!("{} calls were left out", replayed.left_out);
        let hint = Some("--allow-left-out accepts calls that replay cannot perform".to_string());
        return Err(Failure::Input { path: args.trace.display().to_string(), message, hint });
    }
    Ok(replayed.mismatches == 0)
}

fn alone(args: &ReplayArgs, trace: &[u8], mari: &Mari<'_>) -> Result<Replayed, Failure> {
    let streams = load(args, mari, &|_| true)?;
    let survey = survey::survey(&streams, Means::System).map_err(|error| refused(args, &error))?;
    let threads = streams.len() as u32;
    drop(streams);
    if survey.mpi_calls > 0 && !survey.shows_inside {
        let (message, ranks) =
            ("the trace does not have the calls inside its MPI-IO calls", survey.ranks.len());
        let hint = format!("replay it under MPI: mpirun -n {ranks} marigraph replay ...");
        let path = args.trace.display().to_string();
        return Err(Failure::Input { path, message: message.to_string(), hint: Some(hint) });
    }
    stop::on_signals();
    with_root(args, |root| perform(args, trace, &survey, threads, root))
}

/// Creates the root, and removes it at the end if it did not exist before.
fn with_root<R>(args: &ReplayArgs, perform: impl FnOnce(&Root) -> Result<R, Failure>) -> Result<R, Failure> {
    let new = !args.root.exists();
    let made = std::fs::create_dir_all(&args.root).and_then(|()| Root::open(&args.root));
    let performed = made.map_err(|error| unusable(args, &error)).and_then(|root| perform(&root));
    if new && !args.keep {
        // Fails if something is left in it, which its owner should see.
        let _ = std::fs::remove_dir(&args.root);
    }
    performed
}

fn unusable(args: &ReplayArgs, error: &io::Error) -> Failure {
    Failure::Input { path: args.root.display().to_string(), message: error.to_string(), hint: None }
}

fn refused(args: &ReplayArgs, error: &dyn std::fmt::Display) -> Failure {
    Failure::trace(&args.trace.display().to_string(), error)
}

fn too_long(args: &ReplayArgs, message: String) -> Failure {
    let hint = Some("--dry-run prints what it would do".to_string());
    Failure::Input { path: args.trace.display().to_string(), message, hint }
}

fn schedule(args: &ReplayArgs) -> Schedule {
    match (args.mode, args.schedule) {
        (ModeArg::Fast, _) => Schedule::Fast,
        (ModeArg::Timed, ScheduleArg::Think) => Schedule::Think,
        (ModeArg::Timed, ScheduleArg::Open) => Schedule::Open,
    }
}

fn load<'m>(
    args: &ReplayArgs,
    mari: &'m Mari<'m>,
    own: &dyn Fn(u32) -> bool,
) -> Result<Vec<Loaded<'m>>, Failure> {
    if mari.stream_count() > STREAMS {
        let message = format!("the trace has {} threads; the limit is {STREAMS}", mari.stream_count());
        return Err(too_long(args, message));
    }
    let mut streams = Vec::new();
    for stream in mari.streams().filter(|stream| own(stream.key().rank)) {
        let loaded = stream.load().map_err(|error| refused(args, &error))?;
        let calls = loaded.calls_len();
        if calls > CALLS {
            let rank = loaded.key().rank;
            let message = format!("rank {rank} makes {calls} calls; the limit is {CALLS}");
            return Err(too_long(args, message));
        }
        streams.push(loaded);
    }
    // Streams are ordered by thread; those of a rank go together, its first thread first.
    streams.sort_by_key(|stream| (stream.key().rank, stream.key().process, stream.key().thread));
    Ok(streams)
}

fn dry_run(args: &ReplayArgs, mari: &Mari<'_>) -> Result<(), Failure> {
    let (totals, damage) = mari.totals();
    damage.map_or(Ok(()), |error| Err(refused(args, &error)))?;
    let ((_, posix), (_, stdio)) = (totals.layer(Layer::Posix), totals.layer(Layer::Stdio));
    let survey = if totals.calls <= LOOKED_AT && mari.stream_count() <= STREAMS {
        let streams = load(args, mari, &|_| true)?;
        Some(survey::survey(&streams, Means::System).map_err(|error| refused(args, &error))?)
    } else {
        None
    };
    let ranks: BTreeSet<u32> = mari.streams().map(|stream| stream.key().rank).collect();
    let dry = DryRun {
        ranks: ranks.len() as u64,
        calls: posix.calls.saturating_add(stdio.calls),
        read: posix.read.saturating_add(stdio.read),
        written: posix.written.saturating_add(stdio.written),
        counts: survey.as_ref().map(|survey| survey.plan.counts()),
        seconds: survey.as_ref().map(|survey| seconds(survey.end.saturating_sub(survey.origin))),
        problems: input::warned(&args.trace, mari.problems()),
    };
    output::print(&if args.json { format!("{}\n", dry.json()) } else { dry.text() })
}

fn perform(
    args: &ReplayArgs,
    trace: &[u8],
    survey: &Survey,
    threads: u32,
    root: &Root,
) -> Result<Replayed, Failure> {
    let shared = Shared::new().map_err(|error| unusable(args, &error))?;
    let stage = staged(args, survey, root, &shared)?;
    let played = stage
        .prepare(args.fill, &stop::asked)
        .map_err(|error| not_staged(args, &error))
        .and_then(|()| play(args, trace, survey, threads, root, &shared));
    if !args.keep {
        tell_left(args, stage.clean());
    }
    played
}

fn staged<'a>(
    args: &ReplayArgs,
    survey: &'a Survey,
    root: &'a Root,
    shared: &'a Shared,
) -> Result<Stage<'a>, Failure> {
    let stage = Stage::look(root, &survey.plan, shared, args.into_existing);
    stage.map_err(|error| not_staged(args, &error))
}

fn tell_left(args: &ReplayArgs, left: u64) {
    if left > 0 {
        let root = args.root.display();
        error::complain(&format!(
            "{left} files or folders below {root} were not removed: somebody else uses or filled them"
        ));
    }
}

fn not_staged(args: &ReplayArgs, error: &StageError) -> Failure {
    let hint = match error {
        StageError::Exists(_) => {
            Some("choose an empty folder; --into-existing lets the replay change existing files".to_string())
        }
        StageError::Link(_) => Some("choose an empty folder".to_string()),
        _ => None,
    };
    Failure::Input { path: args.root.display().to_string(), message: error.to_string(), hint }
}

fn play(
    args: &ReplayArgs,
    trace: &[u8],
    survey: &Survey,
    threads: u32,
    root: &Root,
    shared: &Shared,
) -> Result<Replayed, Failure> {
    let failed = |error: io::Error| unusable(args, &error);
    let counters = shared.counters();
    counters.origin.store(survey.origin, Relaxed);
    counters.meetings.store(survey.meetings, Relaxed);
    counters.ranks.store(survey.ranks.len() as u32, Relaxed);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    counters.spin.store(u32::from(threads as usize <= cores), Relaxed);
    let ranks: Vec<Option<u32>> = match args.ranks_are {
        AsArg::Threads => vec![None],
        AsArg::Processes => survey.ranks.iter().map(|&rank| Some(rank)).collect(),
    };
    let crew = Crew::start(trace, shared, root, &ranks).map_err(failed)?;
    let ended = crew.play(shared, threads, &stop::asked).map_err(failed)?;
    whole(args, counters, ended)?;
    Ok(replayed(args, survey, counters))
}

fn whole(args: &ReplayArgs, counters: &Counters, ended: Ended) -> Result<(), Failure> {
    let message = match ended {
        _ if counters.full.load(Relaxed) != 0 => "no space left for what the trace writes".to_string(),
        Ended::Whole => return Ok(()),
        Ended::Stopped => "stopped".to_string(),
        Ended::Broken(status) => format!("a replay process ended early: {status}"),
    };
    Err(Failure::Input { path: args.root.display().to_string(), message, hint: None })
}

fn replayed(args: &ReplayArgs, survey: &Survey, counters: &Counters) -> Replayed {
    let mut drift = Drift::default();
    let bins: Vec<u64> = counters.drift.iter().map(|bin| bin.load(Relaxed)).collect();
    drift.merge(&bins, counters.drift_max.load(Relaxed), counters.drift_last.load(Relaxed));
    let timed = args.mode == ModeArg::Timed;
    Replayed {
        ranks: survey.ranks.len() as u64,
        seconds: seconds(counters.end.load(Relaxed)),
        original_seconds: seconds(survey.end.saturating_sub(survey.origin)),
        drift: timed.then(|| [drift.max, drift.p99(), drift.last].map(seconds)),
        read: counters.read.load(Relaxed),
        written: counters.written.load(Relaxed),
        calls: counters.calls.load(Relaxed),
        left_out: counters.left_out.load(Relaxed),
        not_tried: counters.not_tried.load(Relaxed),
        mismatches: counters.mismatches.load(Relaxed),
        counts: survey.plan.counts(),
        problems: Vec::new(),
    }
}

fn seconds(nanos: i64) -> f64 {
    nanos as f64 / 1e9
}
