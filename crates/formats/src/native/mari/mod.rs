//! `.mari`, a whole job's calls in little room: what repeats is kept once.
//!
//! A trace is a set of streams, one per thread. Within a stream, calls fall into shapes (what the
//! program text says), the order of shapes is folded into loops, and each argument of each shape
//! is a folded sequence of numbers. Streams of ranks that run the same code differ in numbers
//! only; these become columns over the ranks. So the size of a regular trace depends neither on
//! iterations nor on ranks. Times stand apart and may be dropped. `docs/reference/mari.md` has the bytes.
//!
//! [`TraceWriter`] takes streams in any order and gives the same bytes for the same set.
//! [`Mari`] reads a trace without expanding it.

mod bones;
mod calls;
mod classes;
mod column;
mod draft;
mod extent;
mod gather;
mod layout;
mod loaded;
mod meta;
mod old;
mod path;
mod ranks;
mod read;
mod section;
mod seek;
mod sequence;
mod series;
mod shape;
mod skeleton;
mod stream;
mod tables;
mod text;
mod times;
mod totals;
mod units;
mod write;

use std::fmt;

use marigraph_model::Names;

use crate::error::Error;

pub use calls::Calls;
pub use classes::Streams;
pub use draft::write_classes;
pub use loaded::Loaded;
pub use meta::{HostRun, Meta, MetaProblem, Moment};
pub use path::NameTable;
pub use read::{Mari, Stream};
pub use section::{MAGIC, VERSION, sniff, without_times};
pub use shape::Site;
pub use text::text;
pub use times::{Histogram, Times};
pub use totals::{LayerTotals, Totals};
pub use write::{StreamWriter, TraceWriter};

/// Maximum number of streams in a trace.
pub const STREAMS: u64 = 1 << 24;

/// Identifies a stream. The order is that of streams in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamKey {
    /// 0-based, within the rank.
    pub process: u32,
    /// 0-based, within the process.
    pub thread: u32,
    pub rank: u32,
}

/// What the numbers in calls refer to.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub names: &'a dyn Names,
    /// Call sites; entry 0 is unknown.
    pub sites: &'a [Site],
}

/// Why there is no trace, or no more of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MariError {
    NotATrace,
    Version(u64),
    Damaged(&'static str),
    /// The trace already has this stream.
    Twice(StreamKey),
}

impl fmt::Display for MariError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MariError::NotATrace => write!(f, "not a Marigraph trace"),
            MariError::Version(version) => write!(f, "Marigraph trace version \"{version}\" is not known"),
            MariError::Damaged(what) => write!(f, "damaged trace: {what}"),
            MariError::Twice(StreamKey { rank, process, thread }) => {
                write!(f, "rank {rank}, process {process}, thread {thread} appears twice")
            }
        }
    }
}

impl std::error::Error for MariError {}

impl From<MariError> for Error {
    fn from(error: MariError) -> Error {
        match error {
            MariError::Version(found) => {
                Error::Version { format: "Marigraph trace", found: found.to_string() }
            }
            MariError::NotATrace => {
                Error::Lacking { detail: error.to_string(), hint: "record with --trace to get a .mari trace" }
            }
            _ => Error::Trace { detail: error.to_string() },
        }
    }
}
