//! Fast path for the common line (no quotes, no blanks, plain numbers): one pass over its bytes.
//! All other lines are left to [`parse`](super::row::parse), and the two agree.

use super::super::moment::Clock;
use super::super::number::decimal;
use super::layout::{Column, Layout};
use super::row::Row;

#[inline]
pub(super) fn quick<'l>(bytes: &'l [u8], layout: &Layout, clock: &mut Clock<'_>) -> Option<(Row<'l>, usize)> {
    let mut row = Row::default();
    let mut at = 0;
    for (place, &column) in layout.columns.iter().enumerate() {
        if place > 0 {
            if bytes.get(at) != Some(&layout.separator) {
                return None;
            }
            at += 1;
        }
        let rest = &bytes[at..];
        at += match column {
            Column::Time => put(&mut row.time, clock.read(rest)?),
            Column::Write => put(&mut row.write, decimal(rest)?),
            Column::Read => put(&mut row.read, decimal(rest)?),
            Column::Seconds => put(&mut row.seconds, decimal(rest)?),
            Column::Host => name(rest, layout.separator, &mut row.host)?,
            Column::Source => name(rest, layout.separator, &mut row.name)?,
            Column::Other => name(rest, layout.separator, &mut &[][..])?,
        };
    }
    let end = match &bytes[at..] {
        [] => 0,
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return None,
    };
    let lasts = row.seconds > 0.0 || !layout.lengths;
    (lasts && at > 0).then_some((row, at + end))
}

fn put(place: &mut f64, (value, length): (f64, usize)) -> usize {
    *place = value;
    length
}

fn name<'l>(bytes: &'l [u8], separator: u8, field: &mut &'l [u8]) -> Option<usize> {
    let special = |&byte: &u8| byte == separator || matches!(byte, b'\n' | b'\r' | b'"' | b' ' | b'\t');
    let length = bytes.iter().position(special).unwrap_or(bytes.len());
    *field = &bytes[..length];
    let ends = bytes.get(length).is_none_or(|byte| *byte == separator || matches!(byte, b'\n' | b'\r'));
    ends.then_some(length)
}
