//! Parses the rows of a table of rates.

use std::borrow::Cow;

use marigraph_model::Reading;

use super::super::fields::{Quotes, split};
use super::super::moment::Clock;
use super::super::number::{finite, rate};
use super::super::sources::Sources;
use super::layout::{Column, Layout};
use super::quick::quick;
use crate::csv::row::Bad;

/// One row. Values without a column are zero or empty.
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
    pub fn source(&self, sources: &mut Sources) -> u32 {
        sources.number(self.host, self.name)
    }

    /// The length is zero if the table does not state it.
    pub fn reading(&self, sources: &mut Sources) -> Reading {
        let source = self.source(sources);
        Reading { source, start: self.time, seconds: self.seconds, read: self.read, write: self.write }
    }
}

/// Shows every row until `show` returns false. A heading among them, as in concatenated tables,
/// sets the columns of the rows after it.
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
        // Blanks around a line are trimmed with its fields: a tab may be a separator.
        let (line, after) = (&rest[..end], rest.get(end + 1..).unwrap_or(&[]));
        rest = after;
        let mut fields = Vec::new();
        split(line, &[layout.separator], Quotes::Enclose, &mut fields);
        match parse(&fields, &layout, clock) {
            _ if line.trim_ascii().is_empty() => {}
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
            Column::Write => row.write = rate(field).ok_or_else(|| wrong("invalid write rate:"))?,
            Column::Read => row.read = rate(field).ok_or_else(|| wrong("invalid read rate:"))?,
            Column::Seconds => {
                let seconds = finite(field).filter(|seconds| *seconds > 0.0);
                row.seconds = seconds.ok_or_else(|| wrong("invalid interval:"))?;
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

#[cfg(test)]
mod tests {
    use super::super::super::zone::Zone;
    use super::*;
    use proptest::prelude::*;

    const TIME: &str = "(1[0-9]{9}(\\.[0-9]{0,9})?|2026-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-5][0-9](:[0-6][0-9](\\.[0-9]{1,3})?)?(Z| UTC|[+]01:00)?)";
    const ODD: &str = "([0-9]{1,20}|-?[0-9]{1,3}[eE]-?[0-9]{1,2}|[a-z\u{e9} \"\r]{0,5}|nan|inf|-1)";

    /// Text that fits a time, a number and a name, and text that fits nothing, mostly empty.
    fn field() -> impl Strategy<Value = [String; 4]> {
        let odd = prop_oneof![9 => Just(String::new()), 1 => ODD];
        (TIME, "[0-9]{1,17}(\\.[0-9]{0,5})?", "[a-z0-9]{0,5}", odd)
            .prop_map(|(time, number, name, odd)| [time, number, name, odd])
    }

    fn layout() -> impl Strategy<Value = Layout> {
        let columns =
            [Column::Time, Column::Write, Column::Read, Column::Host, Column::Source, Column::Seconds];
        (Just(columns).prop_shuffle(), 1..=6usize, prop_oneof![Just(b','), Just(b';'), Just(b'\t')]).prop_map(
            |(columns, count, separator)| {
                let columns = columns[..count].to_vec();
                Layout { separator, lengths: columns.contains(&Column::Seconds), columns }
            },
        )
    }

    proptest! {
        #[test]
        fn both_ways_of_reading_agree(fields in prop::collection::vec(field(), 6), layout in layout(), more in 0..2usize) {
            let zone = Zone::named("Europe/Berlin").expect("a zone");
            let place = |column: &Column| match column {
                Column::Time => 0,
                Column::Write | Column::Read | Column::Seconds => 1,
                Column::Host | Column::Source | Column::Other => 2,
            };
            let fitting = layout.columns.iter().chain([&Column::Other; 1][..more].iter().copied()).zip(&fields);
            let fields: Vec<&str> =
                fitting.map(|(column, field)| if field[3].is_empty() { &field[place(column)][..] } else { &field[3] }).collect();
            let line = fields.join(&String::from(char::from(layout.separator)));
            if let Some((row, length)) = quick(line.as_bytes(), &layout, &mut Clock::new(&zone)) {
                prop_assert_eq!(length, line.len());
                let mut split_fields = Vec::new();
                split(line.as_bytes(), &[layout.separator], Quotes::Enclose, &mut split_fields);
                prop_assert_eq!(Ok(row), parse(&split_fields, &layout, &mut Clock::new(&zone)));
            }
        }
    }
}
