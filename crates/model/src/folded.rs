//! Traces written as loops: what a program did, in the size of the program rather than of its run.
//!
//! A folded trace is a list of nodes for a set of ranks. A node is one call, or a loop over nodes.
//! Values that change from one turn to the next, or from rank to rank, are affine in the loop
//! counters and in the rank. Totals come from the structure alone; events are produced block by
//! block, so a trace of 10^12 calls can be streamed in constant memory.

use crate::event::{Event, Events, Op};
use crate::file::FileId;
use crate::job::Rank;
use crate::module::Module;
use crate::trace::Sink;
use crate::value::Nanos;

/// Ranks `first, first + step, ...`, `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankRun {
    /// The first.
    pub first: u32,
    /// From one to the next.
    pub step: u32,
    /// How many.
    pub count: u32,
}

impl RankRun {
    fn iter(self) -> impl Iterator<Item = Rank> {
        (0..self.count).map(move |n| Rank(self.first.saturating_add(self.step.saturating_mul(n))))
    }
}

/// A value that may change with the loops around it (outermost first) and with the rank.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// For rank 0, in the first turn of every loop.
    pub base: i64,
    /// Added per rank.
    pub per_rank: i64,
    /// Added per turn of each enclosing loop; shorter lists mean zero for the inner loops.
    pub per_turn: Vec<i64>,
}

impl Value {
    /// The same everywhere.
    pub fn constant(base: i64) -> Value {
        Value { base, ..Value::default() }
    }

    fn at(&self, rank: Rank, turns: &[u64]) -> i64 {
        let loops = self
            .per_turn
            .iter()
            .zip(turns)
            .fold(0i64, |sum, (&step, &turn)| sum.wrapping_add(step.wrapping_mul(turn as i64)));
        self.base.wrapping_add(self.per_rank.wrapping_mul(i64::from(rank.0))).wrapping_add(loops)
    }
}

/// One call of the program text, standing for all its executions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Through which interface.
    pub interface: Module,
    /// What it does.
    pub op: Op,
    /// To which file.
    pub file: FileId,
    /// Where, if known.
    pub offset: Option<Value>,
    /// How much; negative values of the formula count as nothing.
    pub bytes: Value,
    /// Nanoseconds from the job's start.
    pub start: Value,
    /// Nanoseconds from call to return.
    pub duration: Value,
}

/// A call or a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// One call per turn of the loops around it.
    Call(Call),
    /// The body, `count` times.
    Loop {
        /// Number of turns.
        count: u64,
        /// What happens in each.
        body: Vec<Node>,
    },
}

/// What a set of ranks does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folded {
    /// Who.
    pub ranks: Vec<RankRun>,
    /// What, in order.
    pub nodes: Vec<Node>,
}

impl Folded {
    /// Number of events, from the structure alone; saturates.
    pub fn events(&self) -> u128 {
        let ranks: u128 = self.ranks.iter().map(|run| u128::from(run.count)).sum();
        ranks.saturating_mul(count_events(&self.nodes))
    }

    /// Sends every event to the sink, rank by rank, in blocks of at most [`Events::BLOCK`].
    pub fn stream(&self, sink: &mut dyn Sink) {
        let mut out = Blocks { block: Events::default(), sink };
        for rank in self.ranks.iter().flat_map(|run| run.iter()) {
            expand(&self.nodes, rank, &mut Vec::new(), &mut out);
        }
        out.flush();
    }
}

fn count_events(nodes: &[Node]) -> u128 {
    nodes.iter().fold(0u128, |sum, node| {
        sum.saturating_add(match node {
            Node::Call(_) => 1,
            Node::Loop { count, body } => u128::from(*count).saturating_mul(count_events(body)),
        })
    })
}

struct Blocks<'a> {
    block: Events,
    sink: &'a mut dyn Sink,
}

impl Blocks<'_> {
    fn push(&mut self, event: Event) {
        self.block.push(event);
        if self.block.len() >= Events::BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if !self.block.is_empty() {
            self.sink.events(&self.block);
            self.block.clear();
        }
    }
}

fn expand(nodes: &[Node], rank: Rank, turns: &mut Vec<u64>, out: &mut Blocks<'_>) {
    for node in nodes {
        match node {
            Node::Call(call) => out.push(call.event(rank, turns)),
            Node::Loop { count, body } => {
                turns.push(0);
                for turn in 0..*count {
                    if let Some(innermost) = turns.last_mut() {
                        *innermost = turn;
                    }
                    expand(body, rank, turns, out);
                }
                turns.pop();
            }
        }
    }
}

impl Call {
    fn event(&self, rank: Rank, turns: &[u64]) -> Event {
        let amount = |value: &Value| u64::try_from(value.at(rank, turns)).unwrap_or(0);
        let start = self.start.at(rank, turns);
        Event {
            interface: self.interface,
            op: self.op,
            rank,
            file: self.file,
            start: Nanos(start),
            end: Nanos(start.saturating_add(self.duration.at(rank, turns).max(0))),
            offset: self.offset.as_ref().map(amount),
            bytes: amount(&self.bytes),
            thread: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Trace;

    fn checkpoint(turns: u64) -> Folded {
        let write = Call {
            interface: Module::Posix,
            op: Op::Write,
            file: FileId(7),
            offset: Some(Value { base: 0, per_rank: 1000, per_turn: vec![4000, 100] }),
            bytes: Value::constant(100),
            start: Value { base: 5, per_rank: 0, per_turn: vec![1_000_000, 10] },
            duration: Value::constant(3),
        };
        Folded {
            ranks: vec![RankRun { first: 0, step: 2, count: 2 }],
            nodes: vec![Node::Loop {
                count: turns,
                body: vec![Node::Loop { count: 10, body: vec![Node::Call(write)] }],
            }],
        }
    }

    #[test]
    fn loops_expand_to_the_events_they_stand_for() {
        let mut trace = Trace::default();
        checkpoint(3).stream(&mut trace);
        assert_eq!(trace.events.len(), 60);
        let last = trace.events.get(59).expect("last event");
        assert_eq!(last.rank, Rank(2));
        assert_eq!(last.offset, Some(2 * 1000 + 2 * 4000 + 9 * 100));
        assert_eq!((last.start, last.end), (Nanos(2_000_095), Nanos(2_000_098)));
    }

    #[test]
    fn counting_needs_no_expansion() {
        assert_eq!(checkpoint(50_000_000_000).events(), 1_000_000_000_000);
        assert_eq!(checkpoint(0).events(), 0);
    }

    #[test]
    fn blocks_stay_small() {
        #[derive(Default)]
        struct Largest(usize, usize);
        impl Sink for Largest {
            fn events(&mut self, block: &Events) {
                self.0 = self.0.max(block.len());
                self.1 += block.len();
            }
        }
        let mut largest = Largest::default();
        checkpoint(5_000).stream(&mut largest);
        assert_eq!(largest.1, 100_000);
        assert!(largest.0 <= Events::BLOCK);
    }
}
