//! Fast path for the common line (no quotes, no blanks, plain numbers): one pass over its bytes, no
//! allocation. All other lines are left to [`parse`](super::row::parse), and the two agree.

use std::borrow::Cow;

use marigraph_model::{Direction, Nanos};

use super::row::{Layout, Row};

/// Parses a common line at the beginning; also returns its length including its end.
pub(super) fn quick<'l>(bytes: &'l [u8], layout: &Layout) -> Option<(Row<'l>, usize)> {
    let mut row = Row {
        rank: 0,
        start: Nanos(0),
        end: Nanos(0),
        bytes: 0,
        op: Direction::Read,
        file: Cow::Borrowed(&[]),
        offset: None,
    };
    let (mut at, mut found) = (0, 0u8);
    for (place, &column) in layout.fields.iter().enumerate() {
        if place > 0 {
            if bytes.get(at) != Some(&b',') {
                break;
            }
            at += 1;
        }
        let rest = bytes.get(at..)?;
        at += match column {
            Some(0) => whole(rest).and_then(|(rank, length)| {
                row.rank = u32::try_from(rank).ok()?;
                Some(length)
            })?,
            Some(1) => put(&mut row.start, seconds(rest)?),
            Some(2) => put(&mut row.end, seconds(rest)?),
            Some(3) => put(&mut row.bytes, whole(rest)?),
            Some(4) => put(&mut row.op, direction(rest)?),
            Some(6) => whole(rest).map_or(0, |(offset, length)| put(&mut row.offset, (Some(offset), length))),
            name => {
                let length = plain(rest)?;
                if name == Some(5) {
                    row.file = Cow::Borrowed(&rest[..length]);
                }
                length
            }
        };
        found |= column.map_or(0, |column| 1 << column);
    }
    let complete = found & 0b1_1111 == 0b1_1111 && row.start <= row.end;
    let end = end_of_line(&bytes[at..])?;
    complete.then_some((row, at + end))
}

fn put<T>(place: &mut T, (value, length): (T, usize)) -> usize {
    *place = value;
    length
}

/// Length of the rest of a line, including its end and any surplus fields.
fn end_of_line(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while bytes.get(at) == Some(&b',') {
        at += 1 + plain(&bytes[at + 1..])?;
    }
    match &bytes[at..] {
        [] => Some(at),
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    }
}

fn plain(bytes: &[u8]) -> Option<usize> {
    let special = |&byte: &u8| matches!(byte, b',' | b'\n' | b'\r' | b'"' | 0x80..);
    let length = bytes.iter().position(special).unwrap_or(bytes.len());
    match bytes.get(length) {
        Some(b'"' | 0x80..) => None,
        _ => Some(length),
    }
}

fn whole(bytes: &[u8]) -> Option<(u64, usize)> {
    let (value, length) = digits(bytes);
    // Longer numbers may overflow.
    (1..=19).contains(&length).then_some((value, length))
}

/// The digits at the beginning as a number, and their count; digits after the 19th are ignored.
#[inline]
fn digits(bytes: &[u8]) -> (u64, usize) {
    let (mut value, mut length) = (0u64, 0);
    while let Some(digit) = bytes.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
    {
        if length < 19 {
            value = value * 10 + u64::from(digit);
        }
        length += 1;
    }
    (value, length)
}

const SCALE: [u64; 10] =
    [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1];

/// Parses decimal seconds at the beginning, exact to the nanosecond; also returns the length.
pub(super) fn seconds(bytes: &[u8]) -> Option<(Nanos, usize)> {
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let (whole, mut length) = digits(bytes.get(sign..)?);
    // Within these limits, the nanoseconds fit.
    if length == 0 || length > 10 || whole > 9_000_000_000 {
        return None;
    }
    length += sign;
    let mut nanos = whole * SCALE[0];
    if bytes.get(length) == Some(&b'.') {
        let fraction = &bytes[length + 1..];
        let (value, count) = digits(fraction);
        nanos += match SCALE.get(count) {
            Some(scale) => value * scale,
            None => {
                let (value, _) = digits(&fraction[..9]);
                value + u64::from(fraction[9] >= b'5')
            }
        };
        length += 1 + count;
    }
    let nanos = i64::try_from(nanos).ok()?;
    Some((Nanos(if sign == 1 { -nanos } else { nanos }), length))
}

pub(super) fn direction(bytes: &[u8]) -> Option<(Direction, usize)> {
    let words = [
        ("write", Direction::Write),
        ("read", Direction::Read),
        ("w", Direction::Write),
        ("r", Direction::Read),
    ];
    words.into_iter().find_map(|(word, op)| {
        let same = bytes.get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()));
        let ends = matches!(bytes.get(word.len()), None | Some(b',' | b'\n' | b'\r'));
        (same && ends).then_some((op, word.len()))
    })
}
