//! A replay that an MPI launcher started once for each rank: it performs MPI-IO calls as such.
//!
//! The launched process prepares and cleans up (on the first rank), and starts another one for the
//! calls. A recorder follows only that one, so that it records exactly the calls of the trace.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::sync::atomic::Ordering::Relaxed;

use marigraph_analysis::replay::Means;
use marigraph_formats::native::mari::{Loaded, Mari};
use marigraph_report::replay::Replayed;
use marigraph_system::replay::{Crew, Launch, Library, Member, Mpi, Root, Session, Shared};
use marigraph_system::stop;
use marigraph_wire::op::Op;

use super::survey::{self, Survey};
use super::worker;
use crate::args::ReplayArgs;
use crate::error::Failure;

const LIBRARY: &str = "MARIGRAPH_MPI";

pub fn launch() -> Option<Launch> {
    Launch::of(&|name| std::env::var(name).ok())
}

fn library(launch: &Launch) -> io::Result<Library> {
    let named = std::env::var_os(LIBRARY).and_then(|name| CString::new(name.into_vec()).ok());
    Library::load(launch.family, named.as_deref())
}

/// Only the first rank reports the result.
pub fn replay(
    args: &ReplayArgs,
    launch: &Launch,
    trace: &[u8],
    mari: &Mari<'_>,
) -> Result<Option<Replayed>, Failure> {
    let is_first = launch.rank == 0;
    // All ranks find the same.
    let found = checked(args, launch, mari);
    let library = found.map_err(|failure| if is_first { failure } else { Failure::Told })?;
    stop::on_signals_of_launcher();
    let shared = Shared::new().map_err(|error| super::unusable(args, &error))?;
    let scene = Scene { args, launch, trace, library, shared };
    if is_first {
        return first(&scene, mari).map(Some);
    }
    match played(&scene) {
        Err(_) if stop::asked() => Err(Failure::Told),
        done => done.map(|()| None),
    }
}

struct Scene<'a> {
    args: &'a ReplayArgs,
    launch: &'a Launch,
    trace: &'a [u8],
    library: Library,
    shared: Shared,
}

fn checked(args: &ReplayArgs, launch: &Launch, mari: &Mari<'_>) -> Result<Library, Failure> {
    let ranks = mari.streams().map(|stream| stream.key().rank).max().map_or(0, |last| u64::from(last) + 1);
    if ranks != u64::from(launch.ranks) {
        let message = format!("the trace has {ranks} ranks, but {} processes were started", launch.ranks);
        let hint = Some(format!("start {ranks} processes (mpirun -n {ranks})"));
        return Err(Failure::Input { path: args.trace.display().to_string(), message, hint });
    }
    library(launch).map_err(|error| {
        let hint = Some(format!("set {LIBRARY} to the path of the library"));
        Failure::Input { path: args.trace.display().to_string(), message: error.to_string(), hint }
    })
}

fn first(scene: &Scene<'_>, mari: &Mari<'_>) -> Result<Replayed, Failure> {
    let args = scene.args;
    let surveyed = || {
        let streams = super::load(args, mari, &|_| true)?;
        survey::survey(&streams, Means::Mpi).map_err(|error| super::refused(args, &error))
    };
    let mut begun = false;
    let made =
        surveyed().and_then(|survey| super::with_root(args, |root| staged(scene, &survey, root, &mut begun)));
    if !begun && made.is_err() && !stop::asked() {
        // The others wait for the first rank.
        scene.shared.counters().stop.store(1, Relaxed);
        let _ = played(scene);
    }
    made
}

fn staged(scene: &Scene<'_>, survey: &Survey, root: &Root, begun: &mut bool) -> Result<Replayed, Failure> {
    let args = scene.args;
    if !survey.all_go_together {
        let message = "its ranks do not make the same collective calls: some would wait forever".to_string();
        let hint = Some("the job may have been killed; replay it without a launcher".to_string());
        return Err(Failure::Input { path: args.trace.display().to_string(), message, hint });
    }
    let stage = super::staged(args, survey, root, &scene.shared)?;
    let counters = scene.shared.counters();
    counters.origin.store(survey.origin, Relaxed);
    counters.meetings.store(u64::from(survey.all_make_communicators), Relaxed);
    let guard =
        if args.keep { None } else { Some(stage.guard().map_err(|error| super::unusable(args, &error))?) };
    let prepared = stage.prepare(args.fill, &stop::asked).map_err(|error| super::not_staged(args, &error));
    *begun = prepared.is_ok();
    let done = prepared.and_then(|()| played(scene));
    match guard {
        Some(guard) if done.is_ok() => {
            super::tell_left(args, stage.clean());
            guard.done();
        }
        Some(guard) => guard.clean(),
        None => {}
    }
    done.map(|()| super::replayed(args, survey, counters))
}

fn played(scene: &Scene<'_>) -> Result<(), Failure> {
    let failed = |error: io::Error| super::unusable(scene.args, &error);
    let (shared, name) = (&scene.shared, scene.library.name());
    let crew = Crew::start_own(scene.trace, shared, scene.launch.rank, name).map_err(failed)?;
    let ended = crew.play(shared, u32::MAX, &stop::asked).map_err(failed)?;
    super::whole(scene.args, shared.counters(), ended)
}

pub fn work(args: &ReplayArgs, launch: &Launch, member: Member, mari: &Mari<'_>) -> Result<(), Failure> {
    let failed = |error: io::Error| super::unusable(args, &error);
    let streams = super::load(args, mari, &|rank| rank == launch.rank)?;
    let (begun, ended) = (begun(&streams), streams.iter().any(|stream| stream.has(Op::Finalize)));
    let mut mpi = library(launch).and_then(|library| Mpi::begin(library, begun)).map_err(failed)?;
    let shared = member.shared;
    let mut words = {
        let counters = shared.counters();
        [
            i64::from(!counters.stopped()),
            counters.origin.load(Relaxed),
            counters.meetings.load(Relaxed) as i64,
        ]
    };
    mpi.told_by_first(&mut words);
    let [go, origin, all_make_communicators] = words;
    if go == 0 {
        mpi.end(ended);
        return Ok(());
    }
    if all_make_communicators == 0 {
        mpi.members_make_communicators();
    }
    let counters = shared.counters();
    counters.origin.store(origin, Relaxed);
    counters.meetings.store(0, Relaxed);
    counters.ranks.store(launch.ranks, Relaxed);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    counters.spin.store(u32::from(streams.len() * launch.here as usize <= cores), Relaxed);
    let root = Root::open(&args.root).map_err(failed)?;
    mpi.meet();
    counters.begin();
    let session =
        Session { root, shared, schedule: super::schedule(args), speed: args.speed, mpi: Some(mpi) };
    worker::play_all(&session, &streams, args.quiet);
    finish(session, launch, ended)
}

/// Sends the counts to the first rank. A rank that had to stop leaves at once: the others wait in
/// collective calls.
fn finish(session: Session, launch: &Launch, ended: bool) -> Result<(), Failure> {
    let (Some(mpi), shared) = (session.mpi, session.shared) else { return Ok(()) };
    let counters = shared.counters();
    if counters.stopped() {
        return Err(Failure::Told);
    }
    let all = mpi.gathered(&counters.told(), launch.rank, launch.ranks);
    all.iter().skip(1).for_each(|told| counters.add(told));
    mpi.end(ended);
    Ok(())
}

/// How the program initialized MPI: not at all, without threads, or with threads.
fn begun(streams: &[Loaded<'_>]) -> Option<bool> {
    let stream = streams.iter().find(|stream| stream.has(Op::Init))?;
    let init = stream.calls().find(|call| call.op == Op::Init)?;
    Some(init.args[0] == 1)
}
