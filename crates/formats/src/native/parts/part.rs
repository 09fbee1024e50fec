//! One part: the two files of a process, indexed. Nothing is decoded before it is needed.

use std::collections::BTreeMap;

use marigraph_wire::chunk::{Chunks, Head, Kind, Moment};
use marigraph_wire::part::{Identity, Live, Tail, Word, read_identity};
use marigraph_wire::record::{RECORD, Record};
use marigraph_wire::segment;

/// The bytes of a part's two files; either may be missing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Files<B> {
    pub live: Option<B>,
    pub log: Option<B>,
}

impl<B: std::ops::Deref<Target = [u8]>> Files<B> {
    pub fn as_slices(&self) -> Files<&[u8]> {
        Files { live: self.live.as_deref(), log: self.log.as_deref() }
    }
}

/// What the recorder could not record, by its own count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    pub lost: u64,
    /// Calls made while the recorder itself ran on the thread.
    pub skipped: u64,
    /// Chunks.
    pub unwritten: u64,
    /// Opens.
    pub unfollowed: u64,
    /// Uses of names that the user's filters leave out.
    pub excluded: u64,
    /// Ring entries that could not be read.
    pub unseen: u64,
}

#[derive(Debug)]
enum Stored<'a> {
    Folded(&'a [u8]),
    Plain(&'a [u8]),
    Tail(Vec<Record>),
}

#[derive(Debug)]
struct Span<'a> {
    first: u64,
    records: u64,
    stored: Stored<'a>,
}

/// The records of a thread, in order, without duplicates.
#[derive(Debug, Default)]
pub(super) struct Thread<'a> {
    spans: Vec<Span<'a>>,
    pub(super) records: u64,
    /// Ordinals without a record.
    pub(super) missing: u64,
}

#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) identity: Option<Identity>,
    live: Option<Live<'a>>,
    pub(super) moments: Vec<Moment>,
    /// By the recorder's numbers.
    pub(super) threads: BTreeMap<u32, Thread<'a>>,
    /// Lines of `/proc/self/maps`, oldest first.
    pub(super) maps: Vec<&'a [u8]>,
    /// Whether the process ended in order; if so, `words` holds the words of its live page.
    pub(super) ended: bool,
    words: &'a [u8],
    /// Bytes of the log that belong to no chunk.
    pub(super) torn: u64,
}

impl<'a> Part<'a> {
    pub(super) fn new(files: Files<&'a [u8]>) -> Part<'a> {
        let live = files.live.and_then(Live::new);
        let mut part = Part {
            identity: None,
            live,
            moments: Vec::new(),
            threads: BTreeMap::new(),
            maps: Vec::new(),
            ended: false,
            words: &[],
            torn: 0,
        };
        let mut chunks = Chunks::new(files.log.unwrap_or(&[]));
        for (head, content) in chunks.by_ref() {
            part.chunk(&head, content);
        }
        part.torn = chunks.torn;
        part.moments.extend(live.and_then(|live| live.last()));
        part.moments.retain(|moment| moment.ticks != 0 && moment.wall != 0);
        for tail in live.iter().flat_map(Live::tails) {
            part.tail(tail);
        }
        part.threads.values_mut().for_each(Thread::put_in_order);
        part.threads.retain(|_, thread| thread.records > 0);
        part
    }

    fn chunk(&mut self, head: &Head, content: &'a [u8]) {
        self.moments.push(head.moment);
        match head.kind {
            Kind::Identity => {
                if let Some(identity) = read_identity(content) {
                    self.moments.extend([identity.began, identity.opened]);
                    self.identity.get_or_insert(identity);
                }
            }
            Kind::Folded => self.span(head, Stored::Folded(content)),
            Kind::Plain => self.span(head, Stored::Plain(content)),
            Kind::Maps => self.maps.push(content),
            Kind::End => (self.ended, self.words) = (true, content),
        }
    }

    fn span(&mut self, head: &Head, stored: Stored<'a>) {
        let records = u64::from(head.records);
        self.threads.entry(head.thread).or_default().spans.push(Span { first: head.first, records, stored });
    }

    fn tail(&mut self, tail: Tail) {
        let Tail { thread, first, records } = tail;
        let span = Span { first, records: records.len() as u64, stored: Stored::Tail(records) };
        self.threads.entry(thread).or_default().spans.push(span);
    }

    /// A word of the live page. A process that ended in order removed the page and left the words
    /// in its log.
    pub(super) fn word(&self, word: Word) -> u64 {
        let last = || self.words.chunks_exact(8).nth(word as usize)?.try_into().ok().map(u64::from_le_bytes);
        self.live.and_then(|live| live.word(word)).or_else(last).unwrap_or(0)
    }

    pub(super) fn counters(&self) -> Counters {
        let word = |word| self.word(word);
        Counters {
            lost: word(Word::Lost),
            skipped: word(Word::Skipped),
            unwritten: word(Word::Unwritten),
            unfollowed: word(Word::Unfollowed),
            excluded: word(Word::Excluded),
            unseen: word(Word::Unseen),
        }
    }

    pub(super) fn records(&self, thread: u32) -> Records<'_> {
        let spans = self.threads.get(&thread).map_or(&[][..], |thread| &thread.spans);
        Records { spans: spans.iter(), unreadable: 0 }
    }

    /// Visits one thread after another; returns the number of unreadable records.
    pub(super) fn for_each_batch(&self, mut take: impl FnMut(u32, &[Record])) -> u64 {
        let mut unreadable = 0;
        for &number in self.threads.keys() {
            let mut records = self.records(number);
            for batch in records.by_ref() {
                take(number, &batch);
            }
            unreadable += records.unreadable;
        }
        unreadable
    }

    pub(super) fn last_tick(&self) -> u64 {
        let moments = self.moments.iter().map(|moment| moment.ticks).max().unwrap_or(0);
        let tails =
            self.threads.values().flat_map(|thread| &thread.spans).filter_map(|span| match &span.stored {
                Stored::Tail(records) => {
                    records.iter().filter(|record| !is_name(record)).map(|record| record.end).max()
                }
                _ => None,
            });
        tails.fold(moments, u64::max)
    }
}

/// Whether a record carries text rather than a call.
pub(super) fn is_name(record: &Record) -> bool {
    record.op == marigraph_wire::op::Op::Name as u16
}

impl Thread<'_> {
    /// Sorts the spans and drops duplicates: a thread that was killed after it appended a chunk and
    /// before it restarted its segment has the same records in both.
    fn put_in_order(&mut self) {
        // Of equal spans the log comes before the segment.
        self.spans.sort_by_key(|span| span.first);
        let mut next = 0u64;
        let (mut records, mut missing) = (0, 0);
        for span in &mut self.spans {
            missing += span.first.saturating_sub(next);
            let twice = next.saturating_sub(span.first).min(span.records);
            span.skip(twice);
            records += span.records;
            next = next.max(span.first.saturating_add(span.records));
        }
        self.spans.retain(|span| span.records > 0);
        (self.records, self.missing) = (records, missing);
    }
}

impl Span<'_> {
    /// Chunks overlap fully or not at all.
    fn skip(&mut self, count: u64) {
        if let Stored::Tail(records) = &mut self.stored {
            records.drain(..usize::try_from(count).unwrap_or(usize::MAX).min(records.len()));
            self.records = records.len() as u64;
            self.first = self.first.saturating_add(count);
        } else if count > 0 {
            self.records = 0;
        }
    }

    fn decode(&self) -> Option<Vec<Record>> {
        match &self.stored {
            Stored::Folded(content) => segment::decode(content),
            Stored::Plain(content) => Some(plain(content)),
            Stored::Tail(records) => Some(records.clone()),
        }
    }
}

pub(super) fn plain(content: &[u8]) -> Vec<Record> {
    content.chunks_exact(RECORD).filter_map(|bytes| bytes.try_into().ok().map(Record::from_bytes)).collect()
}

/// The records of a thread, at most one segment at a time.
#[derive(Debug)]
pub(super) struct Records<'a> {
    spans: std::slice::Iter<'a, Span<'a>>,
    /// Records so far in chunks that do not decode.
    pub(super) unreadable: u64,
}

impl Iterator for Records<'_> {
    type Item = Vec<Record>;

    fn next(&mut self) -> Option<Vec<Record>> {
        loop {
            let span = self.spans.next()?;
            match span.decode() {
                Some(records) => return Some(records),
                None => self.unreadable += span.records,
            }
        }
    }
}
