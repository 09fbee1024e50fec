//! Follows a run in progress: takes parts piece by piece and returns flows of data.
//!
//! Nothing here reads files: the caller watches the parts, hands over what is new ([`News`]) in
//! portions of any size, and takes lines when it likes ([`Follower::flush`]). Records in a segment
//! are seen before they are folded into the log, so chunks are matched with them by ordinal and by
//! number of calls: folding moves names to the front of a chunk.

use std::collections::{BTreeMap, HashMap};

use marigraph_model::{Nanos, Rank, Slot};
use marigraph_wire::chunk::{Chunks, HEAD, Head, Kind, Moment};
use marigraph_wire::part::{Tail, Word, read_identity};
use marigraph_wire::record::Record;
use marigraph_wire::segment;

use super::clock::{Clock, Extent, Machines, Place};
use super::facts::environment_rank;
use super::flow::{Flow, Requests, Seen};
use super::part::{is_name, plain};
use crate::tmio::{Moved, Request};

/// What a part gained since the last look.
#[derive(Debug, Clone, Default)]
pub struct News<'a> {
    /// The log from the first byte not yet consumed.
    pub log: &'a [u8],
    /// The words of the live page; empty if it is gone.
    pub words: Vec<u64>,
    pub tails: Vec<Tail>,
}

/// How much of a part was consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Used {
    /// Bytes of the log; the rest is not complete yet.
    pub log: usize,
    pub ended: bool,
}

#[derive(Debug, Default)]
struct Progress {
    next: u64,
    /// Ordinal of the first record of the turn that was partly seen, and the calls seen of it.
    turn: u64,
    calls: u64,
}

#[derive(Debug, Default)]
struct Followed {
    place: Place,
    began: u64,
    extent: Option<Extent>,
    rank: Option<u32>,
    threads: HashMap<u32, Progress>,
    requests: Requests,
    flows: Vec<Flow>,
    /// Last tick seen, and last tick reported.
    last: u64,
    told: u64,
    ended: bool,
}

/// Follows the parts of a run.
#[derive(Debug, Default)]
pub struct Follower {
    parts: BTreeMap<String, Followed>,
    /// Wall time of the start, set by the first flush.
    start: Option<i64>,
}

impl Follower {
    pub fn take(&mut self, stem: &str, news: News<'_>) -> Used {
        if !self.parts.contains_key(stem) {
            self.parts.insert(stem.to_string(), Followed::default());
        }
        let Some(part) = self.parts.get_mut(stem) else { return Used::default() };
        let mut used = 0;
        for (head, content) in Chunks::new(news.log) {
            used = (content.as_ptr() as usize).saturating_sub(news.log.as_ptr() as usize) + content.len();
            part.chunk(&head, content);
        }
        let word = |word: Word| news.words.get(word as usize).copied().unwrap_or(0);
        part.mpi_rank(word(Word::MpiRank));
        news.tails.iter().for_each(|tail| part.tail(tail));
        debug_assert!(used == 0 || used >= HEAD);
        Used { log: used, ended: part.ended }
    }

    /// All flows since the last flush as lines; empty if there are none.
    pub fn flush(&mut self) -> String {
        if self.parts.values().all(|part| part.flows.is_empty()) {
            return String::new();
        }
        let mut machines = Machines::default();
        for part in self.parts.values() {
            part.extent.iter().for_each(|&extent| machines.add(&part.place, extent));
        }
        let clock = |part: &Followed| machines.clock(&part.place, part.extent);
        let starts = self.parts.values().filter(|part| part.extent.is_some());
        let first = starts.map(|part| clock(part).wall(part.began)).min().unwrap_or(0);
        let start = *self.start.get_or_insert(first);
        let mut moved = Moved::default();
        for (number, part) in (0..).zip(self.parts.values_mut()) {
            let clock = machines.clock(&part.place, part.extent).from(start);
            part.tell(number, &clock, &mut moved);
        }
        moved.lines()
    }
}

impl Followed {
    fn chunk(&mut self, head: &Head, content: &[u8]) {
        self.moment(head.moment);
        match head.kind {
            Kind::Identity => {
                let Some(identity) = read_identity(content) else { return };
                self.moment(identity.began);
                self.moment(identity.opened);
                (self.began, self.told) = (identity.began.ticks, identity.began.ticks);
                self.last = self.last.max(self.began);
                self.rank = self.rank.or_else(|| environment_rank(&identity));
                self.place =
                    Place { host: identity.host, boot: identity.boot, nanoseconds: identity.clock == 1 };
            }
            Kind::Folded => self.records(head, || segment::decode(content)),
            Kind::Plain => self.records(head, || Some(plain(content))),
            Kind::Maps => {}
            Kind::End => {
                let rank = content.chunks_exact(8).nth(Word::MpiRank as usize);
                self.mpi_rank(rank.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes));
                self.ended = true;
            }
        }
    }

    fn mpi_rank(&mut self, word: u64) {
        if let Some(rank) = word.checked_sub(1).and_then(|rank| u32::try_from(rank).ok()) {
            self.rank = Some(rank);
        }
    }

    fn moment(&mut self, moment: Moment) {
        if moment.ticks != 0 && moment.wall != 0 {
            let one = Extent { first: moment, last: moment };
            self.extent = Some(self.extent.map_or(one, |extent| extent.with(one)));
        }
    }

    /// Takes those records of a chunk that were not seen in the segment before.
    fn records(&mut self, head: &Head, decode: impl FnOnce() -> Option<Vec<Record>>) {
        let end = head.first.saturating_add(u64::from(head.records));
        let progress = self.threads.entry(head.thread).or_default();
        if end <= progress.next {
            return;
        }
        let seen = if progress.next > head.first && progress.turn == head.first { progress.calls } else { 0 };
        (progress.next, progress.turn, progress.calls) = (end, end, 0);
        let Some(records) = decode() else { return };
        let calls = records.iter().filter(|record| !is_name(record));
        calls
            .skip(usize::try_from(seen).unwrap_or(usize::MAX))
            .for_each(|record| self.call(head.thread, record));
    }

    fn tail(&mut self, tail: &Tail) {
        let progress = self.threads.entry(tail.thread).or_default();
        if tail.first > progress.next {
            // A chunk in between was not written, so the segment counts from here.
            (progress.turn, progress.calls) = (tail.first, 0);
        }
        let known = progress.next.saturating_sub(tail.first);
        let new = tail.records.get(usize::try_from(known).unwrap_or(usize::MAX)..).unwrap_or(&[]);
        progress.next = progress.next.max(tail.first.saturating_add(tail.records.len() as u64));
        let calls = new.iter().filter(|record| !is_name(record));
        progress.calls += calls.clone().count() as u64;
        calls.for_each(|record| self.call(tail.thread, record));
    }

    fn call(&mut self, thread: u32, record: &Record) {
        let Some(op) = record.op() else { return };
        // The calls of a library inside an outer call move the same data again.
        if record.depth > 0 && op != marigraph_wire::op::Op::More {
            return;
        }
        self.last = self.last.max(record.end);
        let seen = Seen {
            op,
            slot: Slot(record.slot),
            args: [record.a, record.b, record.c],
            ret: record.ret,
            start: record.start,
            end: record.end,
        };
        self.flows.extend(self.requests.take(thread, &seen));
    }

    fn tell(&mut self, number: u32, clock: &Clock, moved: &mut Moved) {
        let rank = Rank(self.rank.unwrap_or(number));
        for flow in self.flows.drain(..) {
            let op = flow.direction;
            let [start, end] = [flow.start, flow.end].map(|tick| clock.at(tick));
            let request = Request { rank, op, start, end, bytes: flow.bytes };
            match flow.needed {
                None => moved.add(request),
                Some(needed) => moved.add_async(request, clock.at(needed)),
            }
        }
        moved.ran(rank, Nanos(clock.at(self.last).0.saturating_sub(clock.at(self.told).0)));
        self.told = self.last;
    }
}
