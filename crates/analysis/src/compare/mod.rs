//! Whether two traces tell of the same program: the same calls with the same values, thread by thread.
//!
//! Times, hosts, process ids and places in the program do not count. What the file system was like before the
//! run does not either: the size of a file when it is opened, the rights that a look at it finds. Standard
//! streams are the terminal's affair and are left out.
//!
//! | step | where |
//! |---|---|
//! | a call as it is compared | [`Step`] |
//! | which open file is which | [`Slots`](slots::Slots) |
//! | two streams side by side | [`Comparison::streams`] |

mod align;
mod slots;
mod step;

pub use step::{Paths, Step, argument};

use align::Aligned;
use slots::Slots;

/// Which stream of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StreamId {
    /// The rank.
    pub rank: u32,
    /// Which process of the rank, from 0.
    pub process: u32,
    /// Which thread of the process, from 0.
    pub thread: u32,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DifferenceKind {
    /// Only one of the traces has this stream.
    OnlyIn(Side),
    /// Calls that only one of them has: how many, and the first.
    Extra(Side, u64, Step),
    /// The same call with another value: which, and both.
    Value(&'static str, Step, Step),
}

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// Which calls are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scope {
    /// Those that the program itself made.
    #[default]
    Own,
    /// Also those that libraries made for it.
    Nested,
    /// Those of POSIX and STDIO, whoever made them: what a replay performs.
    System,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub stream: StreamId,
    /// Which of the stream's calls in A that are compared, from 0.
    pub call: u64,
    /// What.
    pub kind: DifferenceKind,
}

/// Differences that are kept.
pub const KEPT: usize = 100;
/// Differences of one stream that are looked for; one alone must not hide those of the others.
const PER_STREAM: usize = 10;

/// A comparison of two traces, stream by stream.
#[derive(Debug, Default)]
pub struct Comparison {
    scope: Scope,
    /// The first of them.
    pub differences: Vec<Difference>,
    /// Calls that were compared.
    pub calls: u64,
    slots: Slots,
}

impl Comparison {
    /// Of calls within a scope.
    pub fn new(scope: Scope) -> Comparison {
        Comparison { scope, ..Comparison::default() }
    }

    /// Whether there are as many differences as are kept.
    pub fn is_full(&self) -> bool {
        self.differences.len() >= KEPT
    }

    /// A stream that only one of them has.
    pub fn only_in(&mut self, stream: StreamId, side: Side) {
        self.add(Difference { stream, call: 0, kind: DifferenceKind::OnlyIn(side) });
    }

    /// Two streams; whether they are the same. Streams of one process come one after the other.
    pub fn streams(
        &mut self,
        stream: StreamId,
        a: impl Iterator<Item = Step>,
        b: impl Iterator<Item = Step>,
    ) -> bool {
        self.slots.begin((stream.rank, stream.process));
        let mut aligned = Aligned::new(a, b, self.scope);
        let mut found = 0;
        while found < PER_STREAM
            && let Some(next) = aligned.next(&mut self.slots)
        {
            let kind = match next {
                align::Next::Same(one, other) => {
                    let differs = self.slots.differ(&one, &other).or_else(|| one.differs(&other));
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
