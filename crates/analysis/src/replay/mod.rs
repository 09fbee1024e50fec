//! Plans the replay of a trace before anything is touched.
//!
//! | question | where |
//! |---|---|
//! | which calls are performed, which only order ranks | [`Screen`] |
//! | where a recorded path lies below the root | [`below`] |
//! | what must exist before, what the trace creates | [`Planner`] |
//! | when a call is due | [`Clock`] |
//!
//! Without MPI, POSIX and STDIO calls are performed at any depth. MPI-IO, HDF5 and PnetCDF calls
//! are not: the trace contains the POSIX calls they made, and performing both would do the work
//! twice. With MPI, MPI calls are performed and the calls inside them are not.

mod path;
mod plan;
mod schedule;
mod views;

pub use path::below;
pub use plan::{CREATE, EXCLUSIVE, PATHS, Plan, PlanError, Planned, Planner};
pub use schedule::{Clock, Drift, Schedule};

use std::collections::HashSet;

use marigraph_model::{Call, Slot};
use marigraph_wire::op::{self, Ending, Layer, Op};

use crate::standard::Standard;

/// A call as it is performed.
#[derive(Debug, Clone, Copy)]
pub struct Action<'a> {
    pub call: Call,
    pub names: [Option<&'a [u8]>; 2],
    /// Further arguments, in groups of three.
    pub more: &'a [[i64; 3]],
}

/// What a replay uses to perform calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// System calls and streams of the C library.
    System,
    Mpi,
}

/// What a replay does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Perform,
    /// All ranks synchronize.
    Meet,
    Together,
    /// It is I/O of the program but cannot be performed.
    LeaveOut,
    /// It is not I/O.
    Ignore,
}

/// Whether the call would make, remove or alter a file or folder if it worked.
pub fn changes(call: &Call) -> bool {
    const MPI_READ_ONLY: i64 = 2;
    let opens = |flags: i64| flags & (plan::ACCESS | CREATE | plan::TRUNCATE) != 0;
    call.op.changes()
        || call.arg(op::Role::OpenFlags).is_some_and(opens)
        || call.arg(op::Role::MpiMode).is_some_and(|mode| mode & MPI_READ_ONLY == 0)
}

fn role(op: Op) -> Role {
    match op.layer() {
        Layer::Mpi if op.meets() => Role::Meet,
        Layer::Note | Layer::Mpi | Layer::Hdf5 | Layer::Pnetcdf => Role::Ignore,
        Layer::Posix | Layer::Stdio if op.is_replayable() => Role::Perform,
        Layer::Posix | Layer::Stdio => Role::LeaveOut,
    }
}

/// Whether a call at this depth is part of an MPI call; `outer` is the layer of the enclosing call
/// at depth 0. What HDF5 and PnetCDF call directly is not, but the calls inside those are.
pub fn is_inside_mpi(depth: u8, outer: Layer) -> bool {
    depth > 1 || depth == 1 && outer == Layer::Mpi
}

/// Decides what a replay does with each call of a thread.
#[derive(Debug)]
pub struct Screen {
    standard: Standard,
    meetings: Meetings,
    means: Means,
}

impl Screen {
    pub fn new(ranks: u32, means: Means) -> Screen {
        Screen { standard: Standard::default(), meetings: Meetings::new(ranks), means }
    }

    /// `inside_mpi` says whether an MPI call made it.
    pub fn role(&mut self, call: &Call, inside_mpi: bool) -> Role {
        if self.standard.takes(call) {
            return Role::Ignore;
        }
        self.meetings.note(call);
        let (op, meets) = (call.op, self.meetings.meets(call));
        match (self.means, role(op)) {
            (Means::Mpi, _) if inside_mpi => Role::Ignore,
            // The replay initializes and finalizes MPI itself.
            (Means::Mpi, _) if matches!(op, Op::Init | Op::Finalize) => Role::Meet,
            (Means::Mpi, _) if op.layer() == Layer::Mpi && meets => Role::Together,
            (Means::Mpi, _) if op.layer() == Layer::Mpi => Role::Perform,
            (_, Role::Meet) if !meets => Role::Ignore,
            (_, role) => role,
        }
    }
}

/// Finds the collective calls that involve all ranks: those on the world communicator.
#[derive(Debug)]
struct Meetings {
    ranks: i64,
    worlds: HashSet<i64>,
    of_all: HashSet<Slot>,
}

/// `MPI_COMM_WORLD` in traces.
const WORLD: i64 = 1;

impl Meetings {
    fn new(ranks: u32) -> Meetings {
        Meetings { ranks: ranks.into(), worlds: HashSet::from([WORLD]), of_all: HashSet::new() }
    }

    /// A communicator with as many processes as there are ranks contains all of them.
    fn note(&mut self, call: &Call) {
        let [made, processes, _] = call.args;
        if call.op == Op::Comm && made > 2 {
            if processes == self.ranks {
                self.worlds.insert(made)
            } else {
                self.worlds.remove(&made)
            };
        }
    }

    fn meets(&mut self, call: &Call) -> bool {
        match call.op {
            op if role(op) != Role::Meet => false,
            Op::Init | Op::Finalize => true,
            Op::Barrier | Op::FileOpen => {
                let comm = call.arg(op::Role::Communicator);
                let world = comm.is_some_and(|comm| self.worlds.contains(&comm));
                if world && call.op == Op::FileOpen && call.ret >= 0 {
                    self.of_all.insert(call.slot);
                }
                world
            }
            Op::FileClose => self.of_all.remove(&call.slot),
            _ => self.of_all.contains(&call.slot),
        }
    }
}

/// Interval in which ranks met in a call, in nanoseconds of the trace. Initialization takes its
/// time regardless of who arrives first, so it counts as of its end; finalization counts as of its
/// start.
pub fn meeting(call: &Call) -> (i64, i64) {
    let (start, end) = (call.start.0, call.end.0);
    match call.op {
        Op::Init => (end, end),
        Op::Finalize => (start, start),
        _ => (start, end),
    }
}

/// Bytes that calls moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    pub read: u64,
    pub written: u64,
}

/// Bytes that a call moves if it returns `ret`. Nonblocking calls count the bytes they request;
/// their completion is another call.
pub fn moved(call: &Call, ret: i64) -> Moved {
    let op = call.op;
    let bytes = match op.ending() {
        Ending::Returns => ret,
        _ if ret == 0 => call.arg(op::Role::Bytes).unwrap_or(0),
        _ => 0,
    };
    let bytes = if op.is_replayable() { u64::try_from(bytes).unwrap_or(0) } else { 0 };
    Moved { read: if op.reads() { bytes } else { 0 }, written: if op.writes() { bytes } else { 0 } }
}

#[cfg(test)]
mod tests;
