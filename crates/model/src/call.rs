//! A recorded call with its meaning in place: what parts and traces are read into.

use marigraph_wire::op::Op;

use crate::job::Rank;
use crate::value::Nanos;

/// One call of one thread, in the order of returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// What was called.
    pub op: Op,
    /// Calls of outer layers that were open.
    pub depth: u8,
    /// [`marigraph_wire::record::Record`] has the flags.
    pub flags: u8,
    /// Which open of the process, from 1; 0 none.
    pub slot: u32,
    /// Arguments, see [`Op`]. Names are ids in the process's [`Names`].
    pub args: [i64; 3],
    /// What it returned, or minus the error.
    pub ret: i64,
    /// When it was called, from the start of the job.
    pub start: Nanos,
    /// When it returned.
    pub end: Nanos,
    /// Where in the program, an index into a table of the reader; 0 unknown.
    pub site: u32,
}

/// The names of one process: paths, absolute and cleaned, by id.
pub trait Names {
    /// The path of an id.
    fn name(&self, id: i64) -> Option<&[u8]>;
}

impl Names for std::collections::HashMap<i64, Vec<u8>> {
    fn name(&self, id: i64) -> Option<&[u8]> {
        self.get(&id).map(Vec::as_slice)
    }
}

/// The calls of one process, its threads merged, in order of return. Ids of names mean the same in
/// all of them.
pub trait CallStream: Names {
    /// The next call.
    fn next_call(&mut self) -> Option<Call>;
}

/// Takes the calls of a recorded run, process by process.
pub trait CallSink {
    /// The calls of a process; several processes may have one rank.
    fn process(&mut self, rank: Rank, calls: &mut dyn CallStream);
}
