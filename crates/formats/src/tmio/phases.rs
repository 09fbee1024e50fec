//! Values of TMIO's MessagePack: arrays with positional fields, and generic maps of rates.

use marigraph_model::Direction;

use super::gather::{Amounts, Entries, Gather, Ranks};
use super::gekko;
use super::msgpack::{Cursor, Value};
use super::stream::Kind;

/// Fields of a mode between its name and its phases.
const MODE_FIELDS: usize = 12;
/// Values of a mode including its name and its phases.
const MODE_VALUES: u32 = MODE_FIELDS as u32 + 2;
/// Index of the maximum number of phases of a rank.
const MOST: usize = 5;
/// Index of the number of ranks with phases.
const ACTIVE: usize = 10;
/// Index of the number of all ranks.
const ALL: usize = 11;
/// Fields used of a phase: bytes, start, actual end.
const PHASE_FIELDS: u32 = 3;

pub(super) fn direction(name: &[u8]) -> Option<Direction> {
    match name {
        b"read_sync" | b"read_async" | b"read_async_t" => Some(Direction::Read),
        b"write_sync" | b"write_async" | b"write_async_t" => Some(Direction::Write),
        _ => None,
    }
}

pub(super) fn name(value: &[u8]) -> &[u8] {
    let mut cursor = Cursor::new(value);
    match (cursor.value(), cursor.value()) {
        (Ok(Value::Array(_)), Ok(Value::Text(name))) => name,
        _ => &[],
    }
}

/// Columns of one mode, kept to reuse their memory.
#[derive(Debug, Default)]
pub(super) struct Columns {
    volumes: Vec<f64>,
    starts: Vec<f64>,
    ends: Vec<f64>,
}

impl Columns {
    pub fn take(&mut self, kind: Kind, value: &[u8], gather: &mut Gather<'_>) -> bool {
        let taken = match kind {
            Kind::Mode => self.mode(value, gather).map(|_| ()),
            Kind::Times => Some(()),
            Kind::Whole => direct(value, gather),
            Kind::Client => gekko::values(value, gather),
            Kind::Unknown => None,
        };
        taken.is_some()
    }

    /// Takes the requests of the mode at the beginning, if it is complete, and returns its length.
    pub fn mode(&mut self, bytes: &[u8], gather: &mut Gather<'_>) -> Option<usize> {
        let mut cursor = Cursor::new(bytes);
        let Ok(Value::Array(count @ MODE_VALUES..)) = cursor.value() else { return None };
        let Ok(Value::Text(name)) = cursor.value() else { return None };
        let op = direction(name)?;
        let mut fields = [0u64; MODE_FIELDS];
        for field in &mut fields {
            match cursor.value().ok()? {
                Value::Whole(number) => *field = number,
                Value::Array(_) | Value::Map(_) => return None,
                _ => {}
            }
        }
        let Ok(Value::Array(phases)) = cursor.value() else { return None };
        self.clear();
        for _ in 0..phases {
            self.phase(&mut cursor)?;
        }
        cursor.pass_values(u64::from(count - MODE_VALUES))?;
        gather.tally.ranks = gather.tally.ranks.max(fields[ALL]);
        let Columns { volumes, starts, ends } = self;
        let entries = Entries { amounts: Amounts::Volumes(volumes), starts, ends };
        gather.ranked(op, entries, Ranks { count: fields[ACTIVE], most: fields[MOST] });
        Some(cursor.place())
    }

    fn phase(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        let Ok(Value::Array(count @ PHASE_FIELDS..)) = cursor.value() else { return None };
        let Columns { volumes, starts, ends } = self;
        for column in [volumes, starts, ends] {
            column.push(cursor.number()?);
        }
        cursor.pass_values(u64::from(count - PHASE_FIELDS))
    }

    fn clear(&mut self) {
        self.volumes.clear();
        self.starts.clear();
        self.ends.clear();
    }
}

/// Takes a map of rates (`b`), starts (`ts`) and ends (`te`).
fn direct(value: &[u8], gather: &mut Gather<'_>) -> Option<()> {
    let mut cursor = Cursor::new(value);
    let Ok(Value::Map(count)) = cursor.value() else { return None };
    let [mut rates, mut starts, mut ends] = [const { Vec::new() }; 3];
    let mut ranks = 0;
    for _ in 0..count {
        let key = cursor.text()?;
        let value = cursor.value().ok()?;
        match (key.as_str(), value) {
            ("b", Value::Array(count)) => rates = cursor.numbers(count)?,
            ("ts", Value::Array(count)) => starts = cursor.numbers(count)?,
            ("te", Value::Array(count)) => ends = cursor.numbers(count)?,
            ("ranks", Value::Whole(number)) => ranks = number,
            _ => cursor.pass(value)?,
        }
    }
    gather.tally.undirected = true;
    let entries = Entries { amounts: Amounts::Rates(&rates), starts: &starts, ends: &ends };
    gather.ranked(Direction::Read, entries, Ranks { count: ranks, most: 0 });
    Some(())
}
