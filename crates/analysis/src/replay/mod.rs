//! What it takes to perform a trace again, worked out before anything is touched.
//!
//! | question | where |
//! |---|---|
//! | which calls are performed, which only order ranks | [`Screen`] |
//! | where a recorded path lies below the root | [`below`] |
//! | what must be there before, what the trace makes itself | [`Planner`] |
//! | when a call is due | [`Clock`] |
//!
//! Without MPI, calls of POSIX and STDIO are performed, at whatever depth. MPI-IO, HDF5 and PnetCDF are not: the POSIX
//! calls they made are in the trace, and performing both would do the work twice. With MPI, its calls are performed
//! and what happened inside them is not.

mod path;
mod plan;
mod schedule;
mod views;

pub use path::below;
pub use plan::{PATHS, Plan, PlanError, Planned, Planner};
pub use schedule::{Clock, Drift, Schedule};

use std::collections::HashSet;

use marigraph_wire::op::{Ending, Layer, Op};

use crate::standard::Standard;

/// A call as it is performed.
#[derive(Debug, Clone, Copy)]
pub struct Action<'a> {
    /// What was called.
    pub op: Op,
    /// Which open file of the process.
    pub slot: u32,
    /// Arguments, see [`Op`]; those that are names mean nothing here.
    pub args: [i64; 3],
    /// What it returned.
    pub ret: i64,
    /// When it was called and when it returned, in nanoseconds of the trace.
    pub times: (i64, i64),
    /// The names among its arguments.
    pub names: [Option<&'a [u8]>; 2],
    /// Further arguments, by three.
    pub more: &'a [[i64; 3]],
}

/// What a replay performs calls with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// System calls and streams of the C library.
    System,
    /// These and an MPI library.
    Mpi,
}

/// What replay does with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is performed.
    Perform,
    /// All ranks meet.
    Meet,
    /// All ranks perform it together.
    Together,
    /// It belongs to the I/O of the program but cannot be performed.
    LeaveOut,
    /// It is no I/O of its own.
    Ignore,
}

/// What replay does with calls of this kind, whatever they are about.
fn role(op: Op) -> Role {
    match op.layer() {
        Layer::Mpi if op.meets() => Role::Meet,
        Layer::Note | Layer::Mpi | Layer::Hdf5 | Layer::Pnetcdf => Role::Ignore,
        Layer::Posix | Layer::Stdio if op.is_replayable() => Role::Perform,
        Layer::Posix | Layer::Stdio => Role::LeaveOut,
    }
}

/// Whether a call at this depth is part of a call of MPI; `outer` is the layer of the call at depth 0 around it. What
/// HDF5 and PnetCDF call is not, but what goes on inside of that is.
pub fn is_inside_mpi(depth: u8, outer: Layer) -> bool {
    depth > 1 || depth == 1 && outer == Layer::Mpi
}

/// Says what replay does with each call of a thread.
#[derive(Debug)]
pub struct Screen {
    standard: Standard,
    meetings: Meetings,
    means: Means,
}

impl Screen {
    /// For a thread of a trace with this number of ranks.
    pub fn new(ranks: u32, means: Means) -> Screen {
        Screen { standard: Standard::default(), meetings: Meetings::new(ranks), means }
    }

    /// What replay does with the next call; `inside_mpi` says whether a call of MPI made it.
    pub fn role(&mut self, op: Op, slot: u32, args: [i64; 3], ret: i64, inside_mpi: bool) -> Role {
        if self.standard.takes(op, slot, args) {
            return Role::Ignore;
        }
        self.meetings.note(op, args);
        let meets = self.meetings.meets(op, slot, args, ret);
        match (self.means, role(op)) {
            (Means::Mpi, _) if inside_mpi => Role::Ignore,
            // These are the frame of a replay.
            (Means::Mpi, _) if matches!(op, Op::Init | Op::Finalize) => Role::Meet,
            (Means::Mpi, _) if op.layer() == Layer::Mpi && meets => Role::Together,
            (Means::Mpi, _) if op.layer() == Layer::Mpi => Role::Perform,
            (_, Role::Meet) if !meets => Role::Ignore,
            (_, role) => role,
        }
    }
}

/// Which collective calls of a rank are calls of all ranks: those on the world.
#[derive(Debug)]
struct Meetings {
    ranks: i64,
    /// Communicators of all ranks.
    worlds: HashSet<i64>,
    /// Files that all ranks have open.
    of_all: HashSet<u32>,
}

/// The communicator of all ranks.
const WORLD: i64 = 1;

impl Meetings {
    fn new(ranks: u32) -> Meetings {
        Meetings { ranks: ranks.into(), worlds: HashSet::from([WORLD]), of_all: HashSet::new() }
    }

    /// A communicator of as many processes as there are ranks is one of all.
    fn note(&mut self, op: Op, [made, processes, _]: [i64; 3]) {
        if op == Op::Comm && made > 2 {
            if processes == self.ranks {
                self.worlds.insert(made)
            } else {
                self.worlds.remove(&made)
            };
        }
    }

    /// Whether all ranks meet in this call.
    fn meets(&mut self, op: Op, slot: u32, args: [i64; 3], ret: i64) -> bool {
        match op {
            _ if role(op) != Role::Meet => false,
            Op::Init | Op::Finalize => true,
            Op::Barrier => self.worlds.contains(&args[2]),
            Op::FileOpen => {
                let world = self.worlds.contains(&args[2]);
                if world && ret >= 0 {
                    self.of_all.insert(slot);
                }
                world
            }
            Op::FileClose => self.of_all.remove(&slot),
            _ => self.of_all.contains(&slot),
        }
    }
}

/// When ranks meet that did so from `times.0` to `times.1`: when they came, for what they do there is wait. But what
/// MPI does as it begins takes its time, whoever comes first.
pub fn meeting(op: Op, times: (i64, i64)) -> (i64, i64) {
    match op {
        Op::Init => (times.1, times.1),
        Op::Finalize => (times.0, times.0),
        _ => times,
    }
}

/// Bytes that calls moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// Read.
    pub read: u64,
    /// Written.
    pub written: u64,
}

/// Bytes that a call with these arguments moves if it returns this. Calls that return before they are done count for
/// what they ask; that they are done is another call.
pub fn moved(op: Op, [_, asked, _]: [i64; 3], ret: i64) -> Moved {
    let bytes = match op.ending() {
        Ending::Returns => ret,
        _ if ret == 0 => asked,
        _ => 0,
    };
    let bytes = if op.is_replayable() { u64::try_from(bytes).unwrap_or(0) } else { 0 };
    Moved { read: if op.reads() { bytes } else { 0 }, written: if op.writes() { bytes } else { 0 } }
}

#[cfg(test)]
mod tests;
