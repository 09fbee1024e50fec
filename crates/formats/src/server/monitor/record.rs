//! Bodies of records, one per observation. `docs/reference/monitor.md` has the layout.

use marigraph_model::{Gap, GapCause, Observed, Target, TargetKind};
use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::sequence::put_varint;

use super::change::MAX_COLUMNS;
use super::write::Header;

/// A full observation that begins a run.
const FIRST: u8 = b'F';
/// The previous observation again, in full.
const AGAIN: u8 = b'A';
/// Changes since the previous observation.
const STEP: u8 = b'S';
/// Follows the kind of full bodies.
const MAGIC: &[u8] = b"marimon";
/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) session: u32,
    pub(super) number: u64,
    pub(super) wall_us: i64,
    /// Since the previous observation, by the steady clock; 0 for the first.
    pub(super) elapsed_us: u64,
    pub(super) gap: Option<Gap>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Full {
    pub(super) head: Head,
    /// Whether another body has the same observation.
    pub(super) again: bool,
    pub(super) header: Header,
    pub(super) observed: Vec<Observed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) id: u64,
    /// Whether counters were reset and `values` are totals; otherwise `values` are increments.
    pub(super) reset: bool,
    pub(super) values: [u64; MAX_COLUMNS],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) head: Head,
    /// Number of targets, without jobs.
    pub(super) present: u64,
    pub(super) gone: Vec<u64>,
    pub(super) born: Vec<Observed>,
    /// By ascending `id`; targets without an entry were idle.
    pub(super) changes: Vec<Change>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    Full(Full),
    Step(Step),
    Unknown(u64),
}

impl Head {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.session.to_le_bytes());
        put_varint(out, self.number);
        put_varint(out, zigzag(self.wall_us));
        put_varint(out, self.elapsed_us);
        // 0 means no gap.
        let cause = self.gap.and_then(|gap| GapCause::ALL.iter().position(|&cause| cause == gap.cause));
        put_varint(out, cause.map_or(0, |at| at as u64 + 1));
        if let Some(gap) = self.gap {
            put_varint(out, zigzag(gap.from_us));
        }
    }

    fn take(reader: &mut Reader<'_>) -> Option<Head> {
        let session = u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?);
        let (number, wall_us, elapsed_us) = (reader.varint()?, reader.signed()?, reader.varint()?);
        let gap = match usize::try_from(reader.varint()?).ok()?.checked_sub(1) {
            None => None,
            Some(at) => {
                let cause = *GapCause::ALL.get(at)?;
                Some(Gap { from_us: reader.signed()?, to_us: wall_us, cause })
            }
        };
        Some(Head { session, number, wall_us, elapsed_us, gap })
    }
}

/// Ascending ids, stored as differences.
struct Ids(u64);

impl Ids {
    fn put(&mut self, out: &mut Vec<u8>, id: u64) {
        put_varint(out, id.wrapping_sub(self.0));
        self.0 = id.wrapping_add(1);
    }

    fn take(&mut self, reader: &mut Reader<'_>) -> Option<u64> {
        let id = self.0.checked_add(reader.varint()?)?;
        self.0 = id.checked_add(1)?;
        Some(id)
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn take_text(reader: &mut Reader<'_>) -> Option<String> {
    let length = reader.count()?;
    Some(String::from_utf8_lossy(reader.bytes(length)?).into_owned())
}

pub(super) struct Rows<'a> {
    out: &'a mut Vec<u8>,
    ids: Ids,
}

impl Rows<'_> {
    pub(super) fn new(out: &mut Vec<u8>) -> Rows<'_> {
        Rows { out, ids: Ids(0) }
    }

    pub(super) fn id(&mut self, id: u64) {
        self.ids.put(self.out, id);
    }

    pub(super) fn observed(&mut self, row: &Observed) {
        self.id(row.id);
        self.out.push(row.target.kind as u8);
        put_text(self.out, &row.target.name);
        put_varint(self.out, row.values.len() as u64);
        row.values.iter().for_each(|&value| put_varint(self.out, value));
    }

    pub(super) fn change(&mut self, id: u64, reset: bool, values: &[u64]) {
        let bits = values.iter().enumerate().filter(|(_, value)| **value != 0);
        let mask = bits.fold(0u64, |mask, (at, _)| mask | 1 << at);
        if mask == 0 && !reset {
            return;
        }
        self.id(id);
        put_varint(self.out, mask << 1 | u64::from(reset));
        values.iter().filter(|&&value| value != 0).for_each(|&value| put_varint(self.out, value));
    }
}

fn take_observed(reader: &mut Reader<'_>, ids: &mut Ids) -> Option<Observed> {
    let id = ids.take(reader)?;
    let code = reader.byte()?;
    let kind = TargetKind::ALL.into_iter().find(|&kind| kind as u8 == code)?;
    let name = take_text(reader)?;
    let count = reader.count()?;
    let mut values: Vec<u64> = (0..count).map(|_| reader.varint()).collect::<Option<_>>()?;
    // Another release may know fewer columns, or more.
    values.resize(kind.columns().len(), 0);
    Some(Observed { id, target: Target { kind, name }, values })
}

fn take_all(reader: &mut Reader<'_>) -> Option<Vec<Observed>> {
    let mut ids = Ids(0);
    (0..reader.count()?).map(|_| take_observed(reader, &mut ids)).collect()
}

fn take_change(reader: &mut Reader<'_>, ids: &mut Ids) -> Option<Change> {
    let id = ids.take(reader)?;
    let token = reader.varint()?;
    let mut values = [0; MAX_COLUMNS];
    let mut bits = token >> 1;
    while bits != 0 {
        let value = reader.varint()?;
        if let Some(to) = values.get_mut(bits.trailing_zeros() as usize) {
            *to = value;
        }
        bits &= bits - 1;
    }
    Some(Change { id, reset: token & 1 == 1, values })
}

pub(super) fn put_full(out: &mut Vec<u8>, head: &Head, again: bool, header: &Header, observed: &[Observed]) {
    out.push(if again { AGAIN } else { FIRST });
    out.extend_from_slice(MAGIC);
    put_varint(out, VERSION);
    head.put(out);
    put_varint(out, header.interval_us);
    put_text(out, &header.host);
    put_text(out, &header.boot);
    put_varint(out, observed.len() as u64);
    let mut rows = Rows::new(out);
    observed.iter().for_each(|row| rows.observed(row));
}

/// Begins a body with changes. Lists of gone and new targets follow, each after its length, then
/// the changes.
pub(super) fn begin_step(out: &mut Vec<u8>, head: &Head, present: u64) {
    out.push(STEP);
    head.put(out);
    put_varint(out, present);
}

fn take_full(mut reader: Reader<'_>, again: bool) -> Option<Record> {
    let version = reader.varint()?;
    if version != VERSION {
        return Some(Record::Unknown(version));
    }
    let head = Head::take(&mut reader)?;
    let interval_us = reader.varint()?;
    let header = Header { interval_us, host: take_text(&mut reader)?, boot: take_text(&mut reader)? };
    Some(Record::Full(Full { head, again, header, observed: take_all(&mut reader)? }))
}

fn take_step(mut reader: Reader<'_>) -> Option<Record> {
    let head = Head::take(&mut reader)?;
    let present = reader.varint()?;
    let mut ids = Ids(0);
    let gone = (0..reader.count()?).map(|_| ids.take(&mut reader)).collect::<Option<_>>()?;
    let born = take_all(&mut reader)?;
    let mut ids = Ids(0);
    let mut changes = Vec::new();
    while !reader.rest().is_empty() {
        changes.push(take_change(&mut reader, &mut ids)?);
    }
    Some(Record::Step(Step { head, present, gone, born, changes }))
}

pub(super) fn take(body: &[u8]) -> Option<Record> {
    let (&kind, rest) = body.split_first()?;
    match kind {
        FIRST | AGAIN => take_full(Reader::new(rest.strip_prefix(MAGIC)?), kind == AGAIN),
        STEP => take_step(Reader::new(rest)),
        _ => None,
    }
}

/// Whether a body is one that a file begins with.
pub(super) fn is_full(body: &[u8]) -> bool {
    body.split_first().is_some_and(|(kind, rest)| [FIRST, AGAIN].contains(kind) && rest.starts_with(MAGIC))
}
