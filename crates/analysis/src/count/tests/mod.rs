//! Literal sequences of calls and what they must count, one rule at a time.

mod batches;
mod layers;
mod mpiio;
mod posix;
mod ranks;
mod stdio;

use std::collections::HashMap;

use marigraph_model::counters::{FloatIdx, IntIdx};
use marigraph_model::{Call, FileId, Module, NameId, Nanos, Rank, Record, Scope, SiteId, Slot, Trace};
use marigraph_wire::op::Op;

use super::{Counter, Options};

/// Names by id: 1 and 2 files, 3 a system file, 4 a dataset and 5 a variable of file 1, 6 one more file.
const NAMES: [&str; 6] = ["/data/a", "/data/b", "/etc/x", "/data/a:/group/set", "/data/a:temp", "/data/c"];
const A: &str = NAMES[0];
const B: &str = NAMES[1];

const APPEND: i64 = 0o2000;
const CREATE: i64 = 0o100;

/// A call without time; [`run`] gives each a millisecond, one after the other.
fn call(op: Op, slot: u32, args: [i64; 3], ret: i64) -> Call {
    let (slot, site) = (Slot(slot), SiteId::UNKNOWN);
    Call { op, depth: 0, flags: 0, slot, args, ret, start: Nanos(0), end: Nanos(0), site }
}

/// At given milliseconds.
fn timed(call: Call, start: i64, end: i64) -> Call {
    Call { start: Nanos(start * 1_000_000), end: Nanos(end * 1_000_000), ..call }
}

fn open(slot: u32, name: i64) -> Call {
    call(Op::Open, slot, [name, 2, 0], 3)
}

fn read(slot: u32, bytes: i64) -> Call {
    call(Op::Read, slot, [0, bytes, 0], bytes)
}

fn write(slot: u32, bytes: i64) -> Call {
    call(Op::Write, slot, [0, bytes, 0], bytes)
}

fn pread(slot: u32, at: i64, bytes: i64) -> Call {
    call(Op::Pread, slot, [at, bytes, 0], bytes)
}

fn pwrite(slot: u32, at: i64, bytes: i64) -> Call {
    call(Op::Pwrite, slot, [at, bytes, 0], bytes)
}

fn more(args: [i64; 3]) -> Call {
    call(Op::More, 0, args, 0)
}

fn feed(counter: &mut Counter, rank: u32, calls: &[Call]) {
    let names: HashMap<NameId, Vec<u8>> =
        NAMES.iter().zip(1..).map(|(name, id)| (NameId(id), name.as_bytes().to_vec())).collect();
    let block_size = |_: &[u8]| 4096;
    let mut process = counter.process(Rank(rank), &block_size);
    for (call, at) in calls.iter().zip(1..) {
        let call = if call.end == Nanos(0) { timed(*call, at * 10, at * 10 + 1) } else { *call };
        process.call(&call, &names);
    }
}

fn options() -> Options {
    Options { trace: true, ..Options::default() }
}

/// The trace of a job of processes, each with its rank.
fn job(nprocs: u32, processes: &[(u32, &[Call])]) -> Trace {
    let mut counter = Counter::new(options());
    processes.iter().for_each(|(rank, calls)| feed(&mut counter, *rank, calls));
    let mut trace = Trace::default();
    counter.finish(nprocs, &mut trace);
    trace
}

fn run(calls: &[Call]) -> Trace {
    job(1, &[(0, calls)])
}

fn find<'a>(trace: &'a Trace, module: Module, path: &str, scope: Scope) -> Option<Record<'a>> {
    let id: FileId = FileId::of_name(path.as_bytes());
    trace.records.get(&module)?.iter().find(|record| record.file == id && record.scope == scope)
}

/// Counters of rank 0's record.
fn ints<const N: usize>(trace: &Trace, module: Module, path: &str, idx: [IntIdx; N]) -> [i64; N] {
    let record = find(trace, module, path, Scope::Rank(Rank(0))).expect("a record");
    idx.map(|idx| record.int(idx).get().expect("a value"))
}

fn seconds(trace: &Trace, module: Module, path: &str, idx: FloatIdx) -> f64 {
    let record = find(trace, module, path, Scope::Rank(Rank(0))).expect("a record");
    let value = record.float(idx).get().expect("a value");
    (value * 1e6).round() / 1e6
}
