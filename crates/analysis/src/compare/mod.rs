//! Compares two traces thread by thread: the same program makes the same calls with the same
//! values.
//!
//! Ignores times, hosts, process ids, call sites, and the state of the file system before the run:
//! the size of a file when it is opened, the permissions that `stat` finds. Also ignores the
//! standard streams.
//!
//! | step | where |
//! |---|---|
//! | one call beside another | `step` |
//! | which open file is which | [`Slots`](slots::Slots) |
//! | two streams side by side | [`Comparison::streams`] |

mod align;
mod slots;
mod step;

pub use step::{Paths, argument};

use marigraph_model::Call;

use align::Aligned;
use slots::Slots;

/// Identifies a stream of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId {
    pub rank: u32,
    /// 0-based within the rank.
    pub process: u32,
    /// 0-based within the process.
    pub thread: u32,
}

/// What differs between the traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferenceKind {
    OnlyIn(Side),
    /// Calls that only one trace has: their number, and the first.
    Extra(Side, u64, Call),
    /// The same call with another value: its name, and both calls.
    Value(&'static str, Call, Call),
}

/// One of the two traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    A,
    B,
}

/// Which calls are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    #[default]
    Own,
    /// Also calls that libraries made on its behalf.
    Nested,
    /// POSIX and STDIO calls, whoever made them: what a replay performs.
    System,
}

/// One difference between the traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub stream: StreamId,
    /// 0-based index among the compared calls of the stream in A.
    pub call: u64,
    pub kind: DifferenceKind,
}

pub const KEPT: usize = 100;
/// Maximum number of differences per stream, so that one stream cannot hide the others.
const PER_STREAM: usize = 10;

/// A comparison of two traces, stream by stream.
#[derive(Debug, Default)]
pub struct Comparison {
    scope: Scope,
    /// The first [`KEPT`] differences.
    pub differences: Vec<Difference>,
    pub calls: u64,
    slots: Slots,
}

impl Comparison {
    pub fn new(scope: Scope) -> Comparison {
        Comparison { scope, ..Comparison::default() }
    }

    pub fn is_full(&self) -> bool {
        self.differences.len() >= KEPT
    }

    pub fn only_in(&mut self, stream: StreamId, side: Side) {
        self.add(Difference { stream, call: 0, kind: DifferenceKind::OnlyIn(side) });
    }

    /// Compares two streams, with names as ids of [`Paths`], and returns whether they are the same.
    /// Streams of one process must be consecutive.
    pub fn streams(
        &mut self,
        stream: StreamId,
        a: impl Iterator<Item = Call>,
        b: impl Iterator<Item = Call>,
    ) -> bool {
        self.slots.begin((stream.rank, stream.process));
        let mut aligned = Aligned::new(a, b, self.scope);
        let mut found = 0;
        while found < PER_STREAM
            && let Some(next) = aligned.next(&mut self.slots)
        {
            let kind = match next {
                align::Next::Same(one, other) => {
                    let differs = self.slots.differ(&one, &other).or_else(|| step::differs(&one, &other));
                    differs.map(|what| DifferenceKind::Value(what, one, other))
                }
                align::Next::Extra(side, count, first) => Some(DifferenceKind::Extra(side, count, first)),
            };
            if let Some(kind) = kind {
                self.add(Difference { stream, call: aligned.at().saturating_sub(1), kind });
                found += 1;
            }
        }
        self.calls += aligned.at();
        found == 0
    }

    fn add(&mut self, difference: Difference) {
        if !self.is_full() {
            self.differences.push(difference);
        }
    }
}

#[cfg(test)]
mod tests;
