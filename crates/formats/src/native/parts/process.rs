//! The calls of one process, per thread or merged by time of return.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use marigraph_model::{Call, Names, Nanos, Slot};
use marigraph_wire::op::{Layer, Op};
use marigraph_wire::record::Record;

use super::book::Book;
use super::clock::Clock;
use super::maps::Site;
use super::part::{Part, Records, is_name};

/// A process whose files are loaded.
#[derive(Debug)]
pub struct Process<'a> {
    part: Part<'a>,
    book: Arc<Book>,
    clock: Clock,
    threads: Vec<u32>,
}

impl<'a> Process<'a> {
    pub(super) fn new(part: Part<'a>, book: Arc<Book>, clock: Clock) -> Process<'a> {
        let threads = part.threads.keys().copied().collect();
        Process { part, book, clock, threads }
    }

    /// Includes the names of its parent.
    pub fn names(&self) -> &(dyn Names + Send + Sync) {
        &*self.book
    }

    /// Call sites, by [`Call::site`]; the first is unknown.
    pub fn sites(&self) -> &[Site] {
        self.book.sites()
    }

    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    pub fn calls(&self) -> u64 {
        self.book.calls
    }

    pub(super) fn book(&self) -> &Book {
        &self.book
    }

    /// Calls of a thread in the order of returns, at most one segment in memory. They include
    /// notes: [`Op::More`] directly after its call, and [`Op::Inherit`] with its arguments resolved
    /// for this process: id of the name (-1 unknown), flags, code of the operation that opened it.
    pub fn thread(&self, at: usize) -> Calls<'_> {
        let number = self.threads.get(at).copied().unwrap_or(u32::MAX);
        Calls {
            records: self.part.records(number),
            batch: Vec::new().into_iter(),
            book: &self.book,
            clock: self.clock,
            last: Nanos(0),
        }
    }

    pub fn merged(&self) -> Merged<'_> {
        Merged::new((0..self.threads.len()).map(|at| self.thread(at)).collect())
    }
}

/// The calls of one thread.
#[derive(Debug)]
pub struct Calls<'a> {
    records: Records<'a>,
    batch: std::vec::IntoIter<Record>,
    book: &'a Book,
    clock: Clock,
    last: Nanos,
}

impl Calls<'_> {
    fn call(&mut self, record: &Record) -> Option<Call> {
        let op = record.op()?;
        // Notes may have no times; they take the time of the record before.
        let untimed = op == Op::More || (op.layer() == Layer::Note && record.end == 0);
        let (start, end) = if untimed {
            (self.last, self.last)
        } else {
            (self.clock.at(record.start), self.clock.at(record.end))
        };
        self.last = end;
        let args = if op == Op::Inherit {
            self.book.inherited(Slot(record.slot))
        } else {
            [record.a, record.b, record.c]
        };
        Some(Call {
            op,
            depth: record.depth,
            flags: record.flags,
            slot: Slot(record.slot),
            args,
            ret: record.ret,
            start,
            end,
            site: self.book.site(record.site()),
        })
    }
}

impl Iterator for Calls<'_> {
    type Item = Call;

    fn next(&mut self) -> Option<Call> {
        loop {
            let Some(record) = self.batch.next() else {
                self.batch = self.records.next()?.into_iter();
                continue;
            };
            if is_name(&record) {
                continue;
            }
            if let Some(call) = self.call(&record) {
                return Some(call);
            }
        }
    }
}

/// The calls of all threads, by time of return.
#[derive(Debug)]
pub struct Merged<'a> {
    threads: Vec<(Calls<'a>, Option<Call>)>,
    /// Time of return of each thread's next call. A thread's own order takes precedence over its
    /// clock.
    heap: BinaryHeap<Reverse<(Nanos, usize)>>,
}

impl<'a> Merged<'a> {
    fn new(threads: Vec<Calls<'a>>) -> Merged<'a> {
        let mut merged = Merged {
            threads: threads.into_iter().map(|calls| (calls, None)).collect(),
            heap: BinaryHeap::new(),
        };
        for at in 0..merged.threads.len() {
            merged.advance(at, Nanos(i64::MIN));
        }
        merged
    }

    /// Takes the current call of a thread and queues its next one, not before `time`. Further
    /// arguments of the call taken come directly after it.
    fn advance(&mut self, at: usize, time: Nanos) -> Option<Call> {
        let (calls, present) = self.threads.get_mut(at)?;
        let taken = std::mem::replace(present, calls.next());
        if let Some(next) = present {
            let due = if next.op == Op::More { Nanos(i64::MIN) } else { next.end.max(time) };
            self.heap.push(Reverse((due, at)));
        }
        taken
    }
}

impl Iterator for Merged<'_> {
    type Item = (u32, Call);

    fn next(&mut self) -> Option<(u32, Call)> {
        let Reverse((_, at)) = self.heap.pop()?;
        let end = self.threads.get(at)?.1?.end;
        let call = self.advance(at, end)?;
        Some((at as u32, call))
    }
}
