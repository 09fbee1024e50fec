//! DXT records: every read and write of one rank to one file.

use marigraph_model::{Direction, Event, Events, FileId, Module, Nanos, Rank};

use super::region::Item;
use crate::bytes::{Bytes, Order};
use crate::inflate::Window;

const HEAD: usize = 104;
const HOST: usize = 64;
const BATCH: usize = 4096;

/// What precedes the segments of a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Head {
    pub id: u64,
    pub rank: i64,
    pub host: Vec<u8>,
    pub writes: u64,
    pub reads: u64,
}

/// One traced operation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Segment {
    /// -1 if unknown.
    pub offset: i64,
    /// In bytes.
    pub length: i64,
    /// Seconds since the start of the job.
    pub start: f64,
    /// Seconds since the start of the job.
    pub end: f64,
    /// `None` if the version has none.
    pub thread: Option<u64>,
}

/// How a module version stores its segments.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    order: Order,
    threads: bool,
    offsets: bool,
}

impl Form {
    /// `None` if the version is unknown.
    pub fn new(module: Module, version: u32, order: Order) -> Option<Form> {
        let (threads, offsets) = match (module, version) {
            (Module::DxtPosix, 1) | (Module::DxtMpiio, 2) => (false, true),
            (Module::DxtMpiio, 1) => (false, false),
            (Module::DxtPosix, 2) | (Module::DxtMpiio, 3) => (true, true),
            _ => return None,
        };
        Some(Form { order, threads, offsets })
    }

    pub fn has_threads(self) -> bool {
        self.threads
    }

    fn size(self) -> usize {
        if self.threads { 40 } else { 32 }
    }

    fn decode(self, stored: &[u8]) -> Segment {
        let bytes = Bytes::new(stored, self.order);
        Segment {
            offset: if self.offsets { bytes.i64(0) } else { -1 },
            length: bytes.i64(8),
            start: bytes.f64(16),
            end: bytes.f64(24),
            thread: self.threads.then(|| bytes.u64(32)),
        }
    }

    pub fn read_head(self, window: &mut Window<'_>) -> Item<Head> {
        let Some(stored) = window.take(HEAD) else { return Item::end(window) };
        let bytes = Bytes::new(stored, self.order);
        let counts = (u64::try_from(bytes.i64(88)), u64::try_from(bytes.i64(96)));
        let (Ok(writes), Ok(reads)) = counts else { return Item::Broken };
        let host = bytes.text(24, HOST).to_vec();
        Item::Some(Head { id: bytes.u64(0), rank: bytes.i64(8), host, writes, reads })
    }

    /// Shows up to `count` segments as they arrive; returns their actual number.
    pub fn read_segments(self, window: &mut Window<'_>, count: u64, mut show: impl FnMut(Segment)) -> u64 {
        let mut left = count;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(BATCH).min(BATCH);
            let stored = window.take_units(self.size(), most);
            if stored.is_empty() {
                break;
            }
            left -= (stored.len() / self.size()) as u64;
            stored.chunks_exact(self.size()).for_each(|chunk| show(self.decode(chunk)));
        }
        count - left
    }
}

pub fn to_event(segment: Segment, interface: Module, op: Direction, rank: Rank, file: FileId) -> Event {
    Event {
        interface,
        direction: op,
        rank,
        file,
        start: Nanos::from_job_seconds(segment.start),
        end: Nanos::from_job_seconds(segment.end),
        offset: u64::try_from(segment.offset).ok(),
        bytes: u64::try_from(segment.length).unwrap_or(0),
        thread: segment.thread,
    }
}

pub fn encode(head: &Head, segments: impl IntoIterator<Item = Segment>, threads: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&head.id.to_le_bytes());
    out.extend_from_slice(&head.rank.to_le_bytes());
    out.extend_from_slice(&[0; 8]);
    let mut host = head.host.clone();
    host.truncate(HOST - 1);
    host.resize(HOST, 0);
    out.extend_from_slice(&host);
    out.extend_from_slice(&head.writes.to_le_bytes());
    out.extend_from_slice(&head.reads.to_le_bytes());
    for segment in segments {
        out.extend_from_slice(&segment.offset.to_le_bytes());
        out.extend_from_slice(&segment.length.to_le_bytes());
        out.extend_from_slice(&segment.start.to_le_bytes());
        out.extend_from_slice(&segment.end.to_le_bytes());
        if threads {
            out.extend_from_slice(&segment.thread.unwrap_or(0).to_le_bytes());
        }
    }
}

pub fn from_event(event: &Event) -> Segment {
    Segment {
        offset: event.offset.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1),
        length: i64::try_from(event.bytes).unwrap_or(i64::MAX),
        start: event.start.as_job_seconds(),
        end: event.end.as_job_seconds(),
        thread: event.thread,
    }
}

pub fn push_event(block: &mut Events, event: Event, flush: &mut dyn FnMut(&Events)) {
    block.push(event);
    if block.len() >= Events::BLOCK {
        flush(block);
        block.clear();
    }
}
