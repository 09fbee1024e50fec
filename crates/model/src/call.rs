//! Recorded calls: what readers of parts and traces produce.

use marigraph_wire::op::Op;

use crate::job::Rank;
use crate::value::Nanos;

/// One call of one thread; calls are in the order of their returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    pub op: Op,
    /// Open calls of outer layers.
    pub depth: u8,
    /// Of [`marigraph_wire::record::Record`].
    pub flags: u8,
    /// 1-based ordinal of the open in the process; 0 none.
    pub slot: u32,
    /// See [`Op`]. Names are ids in the process's [`Names`].
    pub args: [i64; 3],
    /// Negated error if the call failed.
    pub ret: i64,
    /// From the start of the job.
    pub start: Nanos,
    pub end: Nanos,
    /// Index of the call site in a table of the reader; 0 unknown.
    pub site: u32,
}

/// The names of one process: absolute paths in recorded form, by id.
pub trait Names {
    fn name(&self, id: i64) -> Option<&[u8]>;
}

impl Names for std::collections::HashMap<i64, Vec<u8>> {
    fn name(&self, id: i64) -> Option<&[u8]> {
        self.get(&id).map(Vec::as_slice)
    }
}

/// The calls of one process, its threads merged, in order of return. All share the ids of names.
pub trait CallStream: Names {
    fn next_call(&mut self) -> Option<Call>;
}

/// Receives the calls of a recorded run, process by process.
pub trait CallSink {
    /// Several processes may share a rank.
    fn process(&mut self, rank: Rank, calls: &mut dyn CallStream);
}
