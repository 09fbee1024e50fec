//! Rows of a table of rates.

use std::borrow::Cow;

use marigraph_model::Reading;

use super::super::fields::{Quotes, split};
use super::super::moment::Clock;
use super::super::number::{finite, rate};
use super::super::sources::Sources;
use super::layout::{Column, Layout};
use super::quick::quick;
use crate::csv::row::Bad;

/// One row. What its table has no column for is zero or empty.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Row<'l> {
    pub time: f64,
    pub write: f64,
    pub read: f64,
    pub seconds: f64,
    pub host: &'l [u8],
    pub name: &'l [u8],
}

impl Row<'_> {
    /// Which source it is of.
    pub fn source(&self, sources: &mut Sources) -> u32 {
        sources.number(self.host, self.name)
    }

    /// As a reading that begins where the row does; of no length where the table does not tell it.
    pub fn reading(&self, sources: &mut Sources) -> Reading {
        let source = self.source(sources);
        Reading { source, start: self.time, seconds: self.seconds, read: self.read, write: self.write }
    }
}

/// Shows every row until one is enough (`show` says false). A heading among them, as where tables were put
/// together, gives the columns of the rows after it.
pub(super) fn each_row(
    content: &[u8],
    mut layout: Layout,
    clock: &mut Clock<'_>,
    mut show: impl FnMut(&Row<'_>) -> bool,
) -> Bad {
    let mut bad = Bad { next: 1, ..Bad::default() };
    let mut rest = content;
    while !rest.is_empty() {
        let number = bad.next;
        bad.next += 1;
        if let Some((row, length)) = quick(rest, &layout, clock) {
            rest = &rest[length..];
            if !show(&row) {
                break;
            }
            continue;
        }
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let (line, after) = (rest[..end].trim_ascii(), rest.get(end + 1..).unwrap_or(&[]));
        rest = after;
        let mut fields = Vec::new();
        split(line, &[layout.separator], Quotes::Enclose, &mut fields);
        match parse(&fields, &layout, clock) {
            _ if line.is_empty() => {}
            Ok(row) if !show(&row) => break,
            Ok(_) => {}
            Err(detail) => match std::str::from_utf8(line).ok().and_then(Layout::heading) {
                Some(heading) => layout = heading,
                None if line.starts_with(b"#") => {}
                None => bad.add(number, detail),
            },
        }
    }
    bad
}

/// Reads the fields of any line.
pub(super) fn parse<'f>(
    fields: &'f [Cow<'_, [u8]>],
    layout: &Layout,
    clock: &mut Clock<'_>,
) -> Result<Row<'f>, String> {
    let mut row = Row::default();
    for (place, &column) in layout.columns.iter().enumerate() {
        let Some(field) = fields.get(place) else { return Err(missing(place, layout)) };
        let wrong = |what: &str| format!("{what} {:?}", String::from_utf8_lossy(field));
        match column {
            Column::Time => row.time = clock.read_all(field).ok_or_else(|| wrong("no moment:"))?,
            Column::Write => row.write = rate(field).ok_or_else(|| wrong("no rate of writing:"))?,
            Column::Read => row.read = rate(field).ok_or_else(|| wrong("no rate of reading:"))?,
            Column::Seconds => {
                let seconds = finite(field).filter(|seconds| *seconds > 0.0);
                row.seconds = seconds.ok_or_else(|| wrong("no length of an interval:"))?;
            }
            Column::Host => row.host = field,
            Column::Source => row.name = field,
            Column::Other => {}
        }
    }
    Ok(row)
}

fn missing(place: usize, layout: &Layout) -> String {
    format!("it ends after {place} of {} fields", layout.columns.len())
}
