//! The second pass: the calls of every process, into the profile and, if wanted, the trace. The one
//! place that knows both.

use std::sync::Mutex;

use marigraph_formats::native::call::Call;
use marigraph_formats::native::parts::{Load, Member, Process, Run, Unreadable};
use marigraph_formats::native::profile::{self, Held, Options, Profile};
use marigraph_model::{Problem, Trace};
use marigraph_system::mounts::BlockSizes;
use marigraph_wire::op::{Layer, Op};

use super::parallel;
use super::shelf::Shelf;
use crate::args::JoinArgs;
use crate::error::Failure;
use crate::progress::Progress;

/// What the second pass counted.
pub struct Counted {
    pub calls: u64,
    pub unread: Unreadable,
    pub mari: Option<Mari>,
}

/// The trace under construction.
pub struct Mari;

impl Mari {
    /// The bytes of the trace.
    pub fn finish(self, _run: &Run, _problems: &[Problem]) -> Vec<u8> {
        Vec::new()
    }
}

/// Reads all calls; fills the trace of the model.
pub fn read(
    run: &Run,
    shelf: &Shelf<'_>,
    args: &JoinArgs,
    threads: usize,
    trace: &mut Trace,
) -> Result<Counted, Failure> {
    let blocks = BlockSizes::new(&run.job.mounts);
    // Ranks are not divided, so that the result does not depend on the number of threads.
    let pieces = parallel::cut(&run.members, threads * 4, |member| run.records(member), |member| member.rank);
    let progress = Mutex::new(Progress::new(run.members.len() as u64, args.quiet));
    let done = || progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner).add(1);
    let options = Options { trace: args.trace, exclude: Vec::new(), ..Options::default() };
    let profiles = parallel::map(&pieces, threads, &mut |_| {}, &|piece: &&[Member]| {
        let mut profile = Profile::new(options.clone());
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
    let mut whole = Profile::new(options);
    let (mut calls, mut unread) = (0, Unreadable::default());
    for (profile, its_calls, its_unread) in profiles {
        whole.merge(profile);
        calls += its_calls;
        unread.add(&its_unread);
    }
    whole.finish(u32::try_from(run.job.nprocs).unwrap_or(u32::MAX), trace);
    Ok(Counted { calls, unread, mari: None })
}

/// Counts the calls of a process.
fn count(profile: &mut Profile, member: &Member, process: &Process<'_>, blocks: &BlockSizes) {
    let block_size = |path: &[u8]| blocks.of(path);
    let mut counting = profile.process(member.rank, process.names(), &block_size);
    for (_, call) in process.merged() {
        match call.op {
            Op::Inherit => inherit(&mut counting, process, &call),
            _ => counting.call(&call),
        }
    }
}

/// Gives a process what it holds from its parent. Where in the file that stood is not known.
fn inherit(counting: &mut profile::Process<'_>, process: &Process<'_>, call: &Call) {
    const APPEND: i64 = 0o2000;
    let [name, flags, opened_by] = call.args;
    let Some(path) = process.names().name(name) else { return };
    let op = u16::try_from(opened_by).ok().and_then(Op::from_code);
    let stream = op.is_some_and(|op| op.layer() == Layer::Stdio);
    let held = Held { path: path.to_vec(), stream, position: 0, append: flags & APPEND != 0 };
    counting.inherit(call.slot, &held);
}
