//! The second pass: the calls of every process, for the profile and optionally the trace.

use std::sync::{Mutex, PoisonError};

use marigraph_analysis::count::{Counter, Options};
use marigraph_formats::native::parts::{Load, Member, Process, Run, Unreadable};
use marigraph_model::Trace;
use marigraph_system::mounts::BlockSizes;

use super::shelf::Shelf;
use super::trace::Tracing;
use crate::args::JoinArgs;
use crate::error::Failure;
use crate::parallel;
use crate::progress::Progress;

/// Results of the second pass.
pub struct Counted {
    pub calls: u64,
    pub unread: Unreadable,
    pub mari: Option<Tracing>,
}

/// A second thread builds the trace of all calls, if requested.
pub fn read(
    run: &Run,
    shelf: &Shelf<'_>,
    args: &JoinArgs,
    threads: usize,
    trace: &mut Trace,
) -> Result<Counted, Failure> {
    let passes = if args.trace { 2 } else { 1 };
    let progress = Mutex::new(Progress::new(run.members.len() as u64 * passes, args.quiet));
    let done = || progress.lock().unwrap_or_else(PoisonError::into_inner).add(1);
    let (profiled, mari) = std::thread::scope(|scope| {
        let tracing = args.trace.then(|| scope.spawn(|| Tracing::read(run, shelf, args.times, &done)));
        let profiled = profile(run, shelf, args, threads, &done);
        (profiled, tracing.map(|tracing| tracing.join()))
    });
    let mari = match mari {
        None => None,
        Some(Ok(read)) => Some(read?),
        Some(Err(panic)) => std::panic::resume_unwind(panic),
    };
    let (profile, calls, unread) = profiled;
    profile.finish(u32::try_from(run.job.nprocs).unwrap_or(u32::MAX), trace);
    Ok(Counted { calls, unread, mari })
}

fn profile(
    run: &Run,
    shelf: &Shelf<'_>,
    args: &JoinArgs,
    threads: usize,
    done: &(dyn Fn() + Sync),
) -> (Counter, u64, Unreadable) {
    let blocks = BlockSizes::new(&run.job.mounts);
    // The recorder has already excluded files.
    let options = Options { trace: args.trace, exclude: Vec::new(), ..Options::default() };
    // Ranks are not split, so that the result does not depend on the number of threads.
    let pieces = parallel::cut(&run.members, threads * 4, |member| run.records(member), |member| member.rank);
    let profiles = parallel::map(&pieces, threads, &mut |_| {}, &|piece: &&[Member]| {
        let mut profile = Counter::new(options.clone());
        let (mut calls, mut unread) = (0, Unreadable::default());
        for member in *piece {
            let files = shelf.load(&member.stem);
            let process = run.open(member, files.as_slices(), shelf);
            calls += process.calls();
            run.add_unreadable(member, &process, &mut unread);
            count(&mut profile, member, &process, &blocks);
            done();
        }
        (profile, calls, unread)
    });
    let mut whole = (Counter::new(options), 0, Unreadable::default());
    for (profile, calls, unread) in profiles {
        whole.0.merge(profile);
        whole.1 += calls;
        whole.2.add(&unread);
    }
    whole
}

fn count(counter: &mut Counter, member: &Member, process: &Process<'_>, blocks: &BlockSizes) {
    let block_size = |path: &[u8]| blocks.of(path);
    let mut counting = counter.process(member.rank, &block_size);
    for (_, call) in process.merged() {
        counting.call(&call, process.names());
    }
}
