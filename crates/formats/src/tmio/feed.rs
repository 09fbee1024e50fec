//! Splits incremental input, a growing file or messages, into flushes.
//!
//! Nothing here does I/O: the caller hands over bytes, in any portions.

use marigraph_model::{Events, Problem};

use super::gather::{Gather, Unit};
use super::msgpack::Stop;
use super::phases::{self, Columns};
use super::stream::{Kind, Parts, resume};
use super::tally::Tally;
use super::{json, lines, shapes, stream};
use crate::csv::row::{Ids, Layout, each};

/// An incomplete line or value of this many bytes is discarded.
const LARGEST: usize = 256 << 20;
/// Maximum length of the beginning of a mode.
const MODE_HEAD: usize = 32;

/// What is new in one flush.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flush {
    pub events: Events,
    /// Ranks known so far; 0 if none was named.
    pub ranks: u64,
}

/// The first bytes decide.
#[derive(Debug, Default)]
enum Form {
    /// Nothing decisive arrived, and a byte order mark may still.
    #[default]
    Start,
    /// Only a mark and empty lines arrived.
    Blank,
    /// Lines of JSON or of a table.
    Text,
    /// MessagePack values; `lost` while searching for the next mode after damage.
    Binary { parts: Parts, lost: bool },
}

impl Form {
    fn of(first: u8) -> Form {
        if first < 0x80 { Form::Text } else { Form::Binary { parts: Parts::default(), lost: false } }
    }
}

/// Takes bytes as they arrive and returns complete flushes.
///
/// A flush of TMIO ends with its times; a line of several modes, a generic map and the values of
/// one GekkoFS client are each a flush, and so are all table rows of one portion.
#[derive(Debug, Default)]
pub struct Feed {
    unit: Unit,
    form: Form,
    /// Incomplete input, and how much of it was searched for the end of a line.
    buffer: Vec<u8>,
    searched: usize,
    too_long: bool,
    lines: u64,
    layout: Option<Layout>,
    /// The incomplete flush: its modes and their requests.
    modes: Vec<Vec<u8>>,
    events: Events,
    columns: Columns,
    tally: Tally,
}

impl Feed {
    pub fn new(unit: Unit) -> Feed {
        Feed { unit, ..Feed::default() }
    }

    pub fn push(&mut self, bytes: &[u8]) -> Vec<Flush> {
        self.buffer.extend_from_slice(bytes);
        let mut flushes = Vec::new();
        self.begin();
        self.form = match std::mem::take(&mut self.form) {
            Form::Text => {
                self.text(&mut flushes);
                Form::Text
            }
            Form::Binary { parts, lost } => self.binary(parts, lost, &mut flushes),
            unknown => unknown,
        };
        flushes
    }

    /// Takes a whole message, which is a flush.
    pub fn message(&mut self, bytes: &[u8]) -> Flush {
        let mut events = Events::default();
        let mut emit = |event| events.push(event);
        let mut gather = Gather::new(&mut self.tally, self.unit, &mut emit);
        let content = lines::without_mark(bytes).trim_ascii_start();
        match content.first().map(|&first| Form::of(first)) {
            Some(Form::Binary { .. }) => stream::read(content, &mut gather),
            _ => lines::read(bytes, &mut gather),
        }
        Flush { events, ranks: self.tally.ranks }
    }

    pub fn finish(&mut self) -> Vec<Flush> {
        let mut flushes = Vec::new();
        // The last line may lack its end, but nothing else.
        let whole = |line: &[u8]| !lines::is_object(line) || json::parse(line.trim_ascii()).is_ok();
        if matches!(self.form, Form::Text) && whole(&self.buffer) {
            flushes = self.push(b"\n");
        }
        self.tally.cut |= !self.buffer.is_empty();
        self.close(&mut flushes);
        flushes
    }

    /// Handles a restart of the writer: incomplete data are lost, and any form may follow.
    pub fn restart(&mut self) {
        let (unit, tally) = (self.unit, std::mem::take(&mut self.tally));
        *self = Feed { unit, tally, ..Feed::default() };
    }

    pub fn problems(&self) -> Vec<Problem> {
        self.tally.problems()
    }

    /// Skips a byte order mark and leading empty lines, which must not pile up, and detects what
    /// follows. A mark after anything else is not one, in whatever portions it arrives.
    fn begin(&mut self) {
        if matches!(self.form, Form::Start) && !lines::is_half_mark(&self.buffer) {
            let mark = self.buffer.len() - lines::without_mark(&self.buffer).len();
            self.buffer.drain(..mark);
            self.form = Form::Blank;
        }
        if matches!(self.form, Form::Blank) {
            let blank = self.buffer.len() - self.buffer.trim_ascii_start().len();
            self.lines += self.buffer.drain(..blank).filter(|&byte| byte == b'\n').count() as u64;
            self.form = self.buffer.first().map_or(Form::Blank, |&first| Form::of(first));
        }
    }

    fn text(&mut self, flushes: &mut Vec<Flush>) {
        let new = &self.buffer[self.searched..];
        let Some(last) = new.iter().rposition(|&byte| byte == b'\n').map(|at| self.searched + at) else {
            self.searched = self.buffer.len();
            if self.buffer.len() > LARGEST {
                self.give_up("a line is too long");
                self.too_long = true;
            }
            return;
        };
        let rest = self.buffer.split_off(last + 1);
        let whole = std::mem::replace(&mut self.buffer, rest);
        self.searched = self.buffer.len();
        let mut lines = &whole[..];
        if std::mem::take(&mut self.too_long) {
            lines = &lines[lines::first(lines).len()..];
            self.lines += 1;
        }
        while !lines.is_empty() {
            let object = lines::is_object(lines::first(lines));
            let length = if object { lines::first(lines).len() } else { lines::before_object(lines) };
            let (piece, after) = lines.split_at(length);
            let take = if object { Feed::object } else { Feed::rows };
            take(self, piece, flushes);
            lines = after;
        }
    }

    fn object(&mut self, line: &[u8], flushes: &mut Vec<Flush>) {
        self.lines += 1;
        let number = self.lines;
        let bad = |tally: &mut Tally, detail: String| tally.bad(|| format!("line {number}"), || detail);
        let node = match json::parse(line.trim_ascii()) {
            Ok(node) => node,
            Err(error) => return bad(&mut self.tally, error.detail),
        };
        let mode = match node.fields() {
            [(key, _)] if key == shapes::TIMES => return self.close_always(flushes),
            [(key, _)] if shapes::is_mode(key) => Some(key.as_bytes()),
            _ => None,
        };
        let mut events = Events::default();
        let mut emit = |event| events.push(event);
        if shapes::take(&node, &mut Gather::new(&mut self.tally, self.unit, &mut emit)) {
            self.add(mode, events, flushes);
        } else {
            bad(&mut self.tally, "no rates in a known form".into());
        }
    }

    fn rows(&mut self, lines: &[u8], flushes: &mut Vec<Flush>) {
        let layout = self.layout.get_or_insert_with(Layout::in_order);
        let (mut events, mut ids) = (Events::default(), Ids::default());
        let Tally { ranks, end, .. } = &mut self.tally;
        let bad = each(lines, self.lines + 1, layout, |row| {
            *ranks = (*ranks).max(u64::from(row.rank) + 1);
            *end = (*end).max(row.end);
            events.push(row.event(ids.of(&row.file).0));
        });
        self.lines += lines.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.tally.requests += events.len() as u64;
        if let Some((line, detail)) = bad.first {
            self.tally.bad(|| format!("line {line}"), || detail);
            self.tally.bad += bad.count - 1;
        }
        if !events.is_empty() {
            self.add(None, events, flushes);
        }
    }

    fn binary(&mut self, mut parts: Parts, mut lost: bool, flushes: &mut Vec<Flush>) -> Form {
        let buffer = std::mem::take(&mut self.buffer);
        loop {
            if lost {
                let Some(at) = resume(&buffer, parts.start()) else {
                    parts = Parts::from(parts.start().max(buffer.len().saturating_sub(MODE_HEAD)));
                    break;
                };
                (parts, lost) = (Parts::from(at), false);
            }
            match parts.next(&buffer) {
                Ok(part) => self.part(part.kind, &buffer[part.at], flushes),
                Err(Stop::Short) => break,
                Err(Stop::Bad) => {
                    self.tally.bad(|| "a value".into(), || "no MessagePack".into());
                    (parts, lost) = (Parts::from(parts.reached() + 1), true);
                }
            }
        }
        self.buffer = buffer;
        self.buffer.drain(..parts.start());
        parts.forget();
        if self.buffer.len() > LARGEST {
            self.give_up("a value is too long");
            (parts, lost) = (Parts::default(), true);
        }
        Form::Binary { parts, lost }
    }

    fn part(&mut self, kind: Kind, value: &[u8], flushes: &mut Vec<Flush>) {
        if kind == Kind::Times {
            return self.close_always(flushes);
        }
        let mut events = Events::default();
        let mut emit = |event| events.push(event);
        if self.columns.take(kind, value, &mut Gather::new(&mut self.tally, self.unit, &mut emit)) {
            self.add((kind == Kind::Mode).then(|| phases::name(value)), events, flushes);
        } else {
            self.tally.bad(|| "a value".into(), || "not in TMIO's form".into());
        }
    }

    /// Adds a mode to the current flush; anything else is a flush of its own.
    fn add(&mut self, mode: Option<&[u8]>, events: Events, flushes: &mut Vec<Flush>) {
        // A repeated mode belongs to the next flush: the times of the last one were lost.
        if mode.is_none_or(|name| self.modes.iter().any(|known| known == name)) {
            self.close(flushes);
        }
        if self.events.is_empty() {
            self.events = events;
        } else {
            self.events.append(&events);
        }
        match mode {
            Some(name) => self.modes.push(name.to_vec()),
            None => self.close_always(flushes),
        }
    }

    fn close(&mut self, flushes: &mut Vec<Flush>) {
        if !self.modes.is_empty() || !self.events.is_empty() {
            self.close_always(flushes);
        }
    }

    fn close_always(&mut self, flushes: &mut Vec<Flush>) {
        self.modes.clear();
        flushes.push(Flush { events: std::mem::take(&mut self.events), ranks: self.tally.ranks });
    }

    fn give_up(&mut self, why: &str) {
        self.tally.bad(String::new, || why.to_string());
        self.buffer = Vec::new();
        self.searched = 0;
    }
}
