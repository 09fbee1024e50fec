//! A process of a replay: performs the streams of its rank, or of all ranks.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering::Relaxed;

use marigraph_analysis::replay::{Means, Role, Screen, meeting};
use marigraph_formats::native::mari::{Loaded, Mari};
use marigraph_system::replay::{Files, Member, Mismatch, Player, Session};
use marigraph_wire::op::{Layer, Op};

use super::steps::Steps;
use super::{launched, schedule, survey};
use crate::args::ReplayArgs;
use crate::error::{self, Failure};

/// Maximum number of mismatches printed, over all processes.
const TOLD: u64 = 10;

pub fn run(args: &ReplayArgs, variable: &str) -> Result<(), Failure> {
    let failed = |error: io::Error| Failure::read(&args.trace, &error);
    let member = Member::of(variable).map_err(failed)?;
    let bytes = whole(&member.trace).map_err(failed)?;
    let mari = Mari::read(&bytes).map_err(|error| super::refused(args, &error))?;
    let Some(root) = member.root else {
        let launch = launched::launch().ok_or(Failure::Told)?;
        return launched::work(args, &launch, member, &mari);
    };
    let own = |rank: u32| member.rank.is_none_or(|own| own == rank);
    let streams = super::load(args, &mari, &own)?;
    let (schedule, speed) = (schedule(args), args.speed);
    let session = Session { root, shared: member.shared, schedule, speed, mpi: None };
    play_all(&session, &streams, args.quiet);
    Ok(())
}

fn whole(file: &std::fs::File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(file.metadata()?.len()).unwrap_or(0)];
    // Other processes share the open file and its offset.
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// One thread per stream; the first stream runs on this thread, as it did in the program.
pub fn play_all(session: &Session, streams: &[Loaded<'_>], quiet: bool) {
    let mut threads: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for key in streams.iter().map(Loaded::key) {
        *threads.entry((key.rank, key.process)).or_default() += 1;
    }
    let ranks = session.shared.counters().ranks.load(Relaxed);
    let files: BTreeMap<(u32, u32), Files> =
        threads.into_iter().map(|(process, threads)| (process, Files::new(threads, ranks))).collect();
    let of = |stream: &Loaded<'_>| files.get(&(stream.key().rank, stream.key().process));
    std::thread::scope(|scope| {
        let mut streams = streams.iter().filter_map(|stream| Some((stream, of(stream)?)));
        let first = streams.next();
        for (stream, files) in streams {
            scope.spawn(move || play(session, stream, files, quiet));
        }
        if let Some((stream, files)) = first {
            play(session, stream, files, quiet);
        }
    });
}

fn play(session: &Session, stream: &Loaded<'_>, files: &Files, quiet: bool) {
    let key = stream.key();
    let main = key.process == 0 && key.thread == 0;
    let mut player = Player::new(session, files);
    let means = if session.mpi.is_some() { Means::Mpi } else { Means::System };
    let mut screen = Screen::new(session.shared.counters().ranks.load(Relaxed), means);
    let mut steps = Steps::new(stream);
    while let Some(call) = steps.step() {
        if player.stopped() {
            break;
        }
        let inside = means == Means::Mpi && steps.is_inside_mpi(&call);
        let action = survey::action(call, &steps);
        let mismatch = match screen.role(&call, inside) {
            Role::Perform => player.perform(&action),
            Role::Together => player.perform_together(&action),
            Role::Meet if main => {
                player.meet(meeting(&call));
                None
            }
            Role::LeaveOut => {
                player.leave_out();
                None
            }
            Role::Meet | Role::Ignore => None,
        };
        if let Some(mismatch) = mismatch {
            tell(session, key.rank, call.op, &mismatch, quiet);
        }
    }
    player.finish();
}

fn tell(session: &Session, rank: u32, op: Op, mismatch: &Mismatch, quiet: bool) {
    let before = session.shared.counters().mismatches.fetch_add(1, Relaxed);
    let full = session.shared.counters().full.load(Relaxed) != 0;
    if (quiet && !full) || before >= TOLD {
        return;
    }
    let Mismatch { expected, got, path } = mismatch;
    let path = String::from_utf8_lossy(path);
    let (expected, got) = (value(op, *expected), value(op, *got));
    error::complain(&format!("rank {rank}: {} {path}: {expected} in the trace, {got} now", op.name()));
}

fn value(op: Op, ret: i64) -> String {
    match i32::try_from(ret) {
        Ok(class @ -4095..=-1) if op.layer() == Layer::Mpi => format!("MPI error class {}", -class),
        Ok(error @ -4095..=-1) => format!("error \"{}\"", io::Error::from_raw_os_error(-error)),
        _ => ret.to_string(),
    }
}
