//! Splits lines into fields.

use std::borrow::Cow;

/// Whether quotes enclose fields, as in CSV, or are ordinary characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Enclose,
    Plain,
}

pub(super) fn split<'l>(line: &'l [u8], separator: &[u8], quotes: Quotes, fields: &mut Vec<Cow<'l, [u8]>>) {
    fields.clear();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let (field, after) = if quotes == Quotes::Enclose && text.trim_ascii_start().starts_with(b"\"") {
            quoted(text.trim_ascii_start(), separator)
        } else {
            let end = find(text, separator).unwrap_or(text.len());
            (Cow::Borrowed(text[..end].trim_ascii()), text.get(end + separator.len()..))
        };
        fields.push(field);
        rest = after;
    }
}

/// Parses a quoted field, in which two quotes stand for one; also returns what follows it.
fn quoted<'l>(text: &'l [u8], separator: &[u8]) -> (Cow<'l, [u8]>, Option<&'l [u8]>) {
    let (mut field, mut at) = (Vec::new(), 1);
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'"' {
            field.push(byte);
        } else if text.get(at) == Some(&b'"') {
            field.push(byte);
            at += 1;
        } else {
            break;
        }
    }
    let rest = &text[at.min(text.len())..];
    let end = find(rest, separator).unwrap_or(rest.len());
    (Cow::Owned(field), rest.get(end + separator.len()..))
}

fn find(text: &[u8], separator: &[u8]) -> Option<usize> {
    match separator {
        [] => None,
        [byte] => text.iter().position(|other| other == byte),
        more => text.windows(more.len()).position(|window| window == more),
    }
}

/// Lines with their 1-based numbers, without line ends.
pub(super) fn lines(content: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = content.split(|&byte| byte == b'\n');
    (1u64..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
}

/// The separator of a heading: the first of these characters in it.
pub(super) fn separator_of(heading: &[u8]) -> u8 {
    heading.iter().copied().find(|byte| matches!(byte, b',' | b';' | b'\t' | b'|')).unwrap_or(b',')
}

/// The first non-blank line, for recognising a format; `None` if it is not text.
pub(super) fn first_line(content: &[u8]) -> Option<&str> {
    let beginning = &content[..content.len().min(LONGEST_FIRST_LINE)];
    let mut lines = beginning.split(|&byte| byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    // A tab at either end is a separator.
    std::str::from_utf8(line).ok().map(|line| line.trim_matches([' ', '\r']))
}

const LONGEST_FIRST_LINE: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str, separator: &str, quotes: Quotes) -> Vec<String> {
        let mut found = Vec::new();
        split(line.as_bytes(), separator.as_bytes(), quotes, &mut found);
        found.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect()
    }

    #[test]
    fn fields_may_be_quoted() {
        assert_eq!(fields("a, b ,,c", ",", Quotes::Enclose), ["a", "b", "", "c"]);
        assert_eq!(fields("\"a,\"\"b\" x,c", ",", Quotes::Enclose), ["a,\"b", "c"]);
        assert_eq!(fields("\"a|b\"|c", "|", Quotes::Plain), ["\"a", "b\"", "c"]);
        assert_eq!(fields("a::b::", "::", Quotes::Plain), ["a", "b", ""]);
        assert_eq!(fields("\"open,", ",", Quotes::Enclose), ["open,"]);
        assert_eq!(fields("", ",", Quotes::Enclose), [""]);
    }
}
