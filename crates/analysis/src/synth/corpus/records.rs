//! Accesses of a job's processes to a file, in the form the counter takes.

use marigraph_model::{Direction, FileId, MIB, Nanos, Records, Scope};

use super::super::ranks::{groups, part};
use super::events::FileUse;
use crate::count::{Batch, Place, Through, Usage, What, shared};

const SEEK_S: f64 = 1e-6;

/// Records of a file: in POSIX or, for a stream, in STDIO, and in MPI-IO if the file is accessed
/// through it.
pub fn of(file: &FileUse, nprocs: u64) -> Vec<Records> {
    let lowest = if file.stream { Through::Stdio } else { Through::Posix { block: MIB } };
    let above = file.collective.then_some(Through::MpiIo { collective: true });
    [Some(lowest), above].into_iter().flatten().filter_map(|through| record(file, through, nprocs)).collect()
}

fn record(file: &FileUse, through: Through, nprocs: u64) -> Option<Records> {
    let id = FileId::of_name(file.name.as_bytes());
    let usage = |rank: u64, users: u64| Usage { through, parent: None, batches: batches(file, rank, users) };
    if let Scope::Rank(rank) = file.scope {
        return Some(usage(0, 1).record(id, rank));
    }
    let opens = || file.sessions.iter().map(|session| session.open.count);
    let movers = file.touches.iter().map(|touch| u64::from(touch.rank) + 1);
    let users = opens().chain(movers.clone()).max().unwrap_or(1).clamp(1, nprocs.max(1));
    let firsts =
        movers.flat_map(|next| [next - 1, next]).chain(opens().map(|count| count % users)).chain([1]);
    let groups: Vec<_> = groups(users, firsts)
        .into_iter()
        .map(|some| (some.clone(), usage(some.start.into(), users)))
        .collect();
    shared(id, &groups)
}

fn batches(file: &FileUse, rank: u64, users: u64) -> Vec<Batch> {
    let mut batches = Vec::new();
    let mut add = |what, times, from_s: f64, to_s: f64| {
        let [start, end] = [from_s, to_s].map(Nanos::from_job_seconds);
        batches.push(Batch { what, times, start, end });
    };
    for session in &file.sessions {
        let (open, close) = (session.open, session.close);
        add(What::Open, part(open.count, rank, users), open.from_s, open.to_s);
        add(What::Close, part(close.count, rank, users), close.from_s, close.to_s);
    }
    if let Some(open) = file.sessions.first().map(|session| session.open).filter(|_| rank == 0) {
        add(What::Stat, 1, open.from_s, open.from_s);
    }
    let mut offset = 0;
    for (at, touch) in (0..).zip(&file.touches) {
        if touch.calls > 0 && (users == 1 || u64::from(touch.rank) == rank) {
            let seeks = part(file.seeks, at, file.touches.len() as u64);
            let (start_s, length_s) = (touch.start_s, touch.end_s - touch.start_s);
            add(What::Seek, seeks, start_s, start_s + length_s.min(SEEK_S * seeks as f64));
            let way = if touch.write { Direction::Write } else { Direction::Read };
            let bytes = touch.bytes / touch.calls;
            // The last call takes the remainder.
            let rest = touch.bytes % touch.calls;
            let equal = touch.calls - u64::from(rest > 0);
            let until_s = start_s + length_s * (equal as f64 / touch.calls as f64);
            add(What::Move(way, Place { offset, bytes, step: bytes }), equal, start_s, until_s);
            if rest > 0 {
                let (offset, bytes) = (offset + bytes * equal, bytes + rest);
                add(What::Move(way, Place { offset, bytes, step: bytes }), 1, until_s, touch.end_s);
            }
        }
        offset += touch.bytes;
    }
    batches
}
