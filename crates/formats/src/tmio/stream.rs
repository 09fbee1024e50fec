//! Splits MessagePack streams into values, classifies them, and resumes after damage.

use super::gather::Gather;
use super::gekko;
use super::msgpack::{Cursor, Stop, Value};
use super::phases::{Columns, direction};
use super::scan::Scan;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Mode,
    Times,
    Whole,
    /// The first of [`gekko::VALUES`] values of a client.
    Client,
    Unknown,
}

/// Kind of the whole value at the beginning. A number also needs the value after it.
fn kind(bytes: &[u8]) -> Result<Kind, Stop> {
    let mut cursor = Cursor::new(bytes);
    let value = cursor.value()?;
    if value.number().is_none() && !value.is_open() {
        return Ok(Kind::Unknown);
    }
    Ok(match (value, cursor.value()?) {
        (Value::Array(_), Value::Text(b"io_time")) => Kind::Times,
        (Value::Array(_), Value::Text(name)) if direction(name).is_some() => Kind::Mode,
        (Value::Map(1), Value::Text(b"flush_t")) => Kind::Client,
        (Value::Map(_), Value::Text(b"b" | b"ts" | b"te" | b"ranks")) => Kind::Whole,
        (Value::Array(_) | Value::Map(_), _) => Kind::Unknown,
        (_, Value::Text(_)) => Kind::Client,
        _ => Kind::Unknown,
    })
}

pub(super) fn begins(bytes: &[u8]) -> bool {
    match kind(bytes) {
        // Other text also begins with bytes that are numbers: a client's time is longer.
        Ok(Kind::Client) => bytes[0] >= 0x80,
        Ok(kind) => kind != Kind::Unknown,
        Err(_) => false,
    }
}

pub(super) fn is_client(bytes: &[u8]) -> bool {
    kind(bytes) == Ok(Kind::Client)
}

pub(super) fn read(content: &[u8], gather: &mut Gather<'_>) {
    let mut parts = Parts::default();
    let mut columns = Columns::default();
    loop {
        let at = parts.start();
        // A complete mode determines its own end.
        if let Some(length) = columns.mode(&content[at..], gather) {
            parts = Parts::from(at + length);
            continue;
        }
        match parts.next(content) {
            Ok(part) => {
                if !columns.take(part.kind, &content[part.at], gather) {
                    gather.tally.bad(|| format!("byte {at}"), || "not in TMIO's form".into());
                }
            }
            Err(Stop::Short) => {
                gather.tally.cut |= at < content.len();
                return;
            }
            Err(Stop::Bad) => {
                gather.tally.bad(|| format!("byte {at}"), || "no MessagePack".into());
                let Some(next) = resume(content, parts.reached() + 1) else { return };
                parts = Parts::from(next);
            }
        }
    }
}

/// Splits a stream into parts: single values, or all values of a client.
#[derive(Debug, Default)]
pub(super) struct Parts {
    scan: Scan,
    /// Start of the part, end of its last complete value, and number of complete values.
    start: usize,
    end: usize,
    whole: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub kind: Kind,
    pub at: std::ops::Range<usize>,
}

impl Parts {
    pub fn from(at: usize) -> Parts {
        Parts { scan: Scan::from(at), start: at, end: at, whole: 0 }
    }

    pub fn start(&self) -> usize {
        self.start
    }

    pub fn reached(&self) -> usize {
        self.scan.place()
    }

    /// Forgets the bytes before the incomplete part, as the caller does.
    pub fn forget(&mut self) {
        self.scan.forget(self.start);
        self.end -= self.start;
        self.start = 0;
    }

    /// After [`Stop::Short`], call again with the same bytes and more.
    pub fn next(&mut self, bytes: &[u8]) -> Result<Part, Stop> {
        if self.whole == 0 {
            self.value(bytes)?;
        }
        let kind = kind(&bytes[self.start..])?;
        while kind == Kind::Client && self.whole < gekko::VALUES {
            self.value(bytes)?;
        }
        let part = Part { kind, at: self.start..self.end };
        (self.start, self.whole) = (self.end, 0);
        Ok(part)
    }

    fn value(&mut self, bytes: &[u8]) -> Result<(), Stop> {
        self.end = self.scan.end(bytes)?;
        self.whole += 1;
        Ok(())
    }
}

pub(super) fn resume(bytes: &[u8], from: usize) -> Option<usize> {
    let starts = (from..bytes.len()).filter(|&at| matches!(bytes[at], 0x9e | 0x9f | 0xdc));
    starts.into_iter().find(|&at| kind(&bytes[at..]) == Ok(Kind::Mode))
}
