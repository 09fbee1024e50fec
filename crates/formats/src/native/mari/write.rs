//! Writing: streams in, bytes out. The bytes depend on the set of streams alone.

use std::collections::HashSet;

use marigraph_wire::bytes::zigzag;
use marigraph_wire::sequence::put_varint;

use super::gather::Scratch;
use super::layout::{self, Class, Numbering};
use super::meta::Meta;
use super::section::{File, TIMES};
use super::stream::{Closed, Open};
use super::tables::{Numbered, Tables};
use super::times::{Encoder, Times};
use super::{Context, MariError, StreamKey};
use marigraph_model::Call;

/// Kinds of the section of times.
pub(super) const EXACT: u8 = 1;
pub(super) const HISTOGRAM: u8 = 2;
/// Histograms, with first starts folded. Written before [`ESTIMATED`] existed.
pub(super) const MODELLED: u8 = 3;
/// One time that stands for all, with a first start per class.
pub(super) const ESTIMATED: u8 = 4;

/// Builds a trace from streams. Memory grows with the file, not with the calls.
pub struct TraceWriter {
    times: Times,
    tables: Tables,
    scratch: Scratch,
    encoder: Encoder,
    keys: HashSet<StreamKey>,
    streams: Vec<Closed>,
}

/// Takes the calls of one stream. A stream dropped before its end is not in the trace.
pub struct StreamWriter<'a> {
    writer: &'a mut TraceWriter,
    key: StreamKey,
    open: Open,
}

impl StreamWriter<'_> {
    /// Calls must come in the order of returns.
    pub fn call(&mut self, call: &Call, context: &Context<'_>) {
        let writer = &mut *self.writer;
        self.open.call(call, context, &mut writer.tables, &mut writer.scratch, &mut writer.encoder);
    }

    pub fn end(self) {
        self.writer.keys.insert(self.key);
        let closed = self.open.close(&mut self.writer.tables, &mut self.writer.encoder);
        self.writer.streams.push(closed);
    }
}

impl TraceWriter {
    pub fn new(times: Times) -> TraceWriter {
        TraceWriter {
            times,
            tables: Tables::default(),
            scratch: Scratch::default(),
            encoder: Encoder::new(),
            keys: HashSet::new(),
            streams: Vec::new(),
        }
    }

    /// Fails if the trace already has this stream.
    pub fn stream(&mut self, key: StreamKey) -> Result<StreamWriter<'_>, MariError> {
        if self.keys.contains(&key) {
            return Err(MariError::Twice(key));
        }
        let open = Open::new(key, self.times);
        Ok(StreamWriter { writer: self, key, open })
    }

    /// `profile` is the log of the counters, so that readers who need only sums need not expand the
    /// trace; it may be empty.
    pub fn finish(mut self, meta: &Meta, profile: &[u8]) -> Vec<u8> {
        self.streams.sort_by_key(|stream| stream.key);
        let classes = classes(&self.streams, &self.tables);
        let numbering = Numbering::of(&classes, &self.tables);
        let mut file = layout::file(&classes, &numbering, &mut self.tables, (meta, profile));
        match self.times {
            Times::Exact => exact(self.streams, &mut file),
            Times::Histogram => file.section(TIMES, &histograms(&self.streams, &numbering, &self.tables)),
        }
        file.finish()
    }
}

/// Streams of one process and thread with the same units, ordered by their first stream.
fn classes(streams: &[Closed], tables: &Tables) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let mut known = Numbered::default();
    for stream in streams {
        let StreamKey { process, thread, rank } = stream.key;
        let at = known.id(&(process, thread, stream.class)) as usize;
        if at == classes.len() {
            let units = tables.classes.items.get(stream.class as usize).cloned().unwrap_or_default();
            classes.push(Class { process, thread, units, ranks: Vec::new() });
        }
        if let Some(class) = classes.get_mut(at) {
            class.ranks.push(rank);
        }
    }
    classes
}

/// For each stream its length in bytes, its first start, and the times of its shapes.
fn exact(streams: Vec<Closed>, file: &mut File) {
    let mut pieces = vec![vec![EXACT]];
    for stream in streams {
        let mut bytes = 0;
        let head_at = pieces.len();
        pieces.push(Vec::new());
        for chain in stream.times {
            let mut len = Vec::new();
            put_varint(&mut len, chain.len() as u64);
            bytes += len.len() + chain.len();
            pieces.extend([len, chain]);
        }
        let mut head = Vec::new();
        put_varint(&mut head, bytes as u64);
        put_varint(&mut head, zigzag(stream.first_start));
        if let Some(place) = pieces.get_mut(head_at) {
            *place = head;
        }
    }
    let len = pieces.iter().map(Vec::len).sum();
    file.section_of(TIMES, pieces.into_iter(), len);
}

fn histograms(streams: &[Closed], numbering: &Numbering, tables: &Tables) -> Vec<u8> {
    let mut out = vec![HISTOGRAM];
    for stream in streams {
        put_varint(&mut out, zigzag(stream.first_start));
    }
    for &unit in &numbering.units.items {
        let shape = tables.units.items.get(unit as usize).is_some_and(|key| key.shape.is_some());
        if let Some(members) = tables.members.get(unit as usize).filter(|_| shape) {
            members.gaps.write(&mut out);
            members.durations.write(&mut out);
        }
    }
    out
}
