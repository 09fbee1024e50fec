//! Reads JSON rates: one object per line, or one object over many lines.

use super::gather::Gather;
use super::json::{self, NoJson};
use super::shapes;

const MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) fn without_mark(content: &[u8]) -> &[u8] {
    content.strip_prefix(MARK).unwrap_or(content)
}

pub(super) fn is_half_mark(content: &[u8]) -> bool {
    content.len() < MARK.len() && MARK.starts_with(content)
}

/// Whether a line is an object, or an attempt at one.
pub(super) fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{")
}

/// The first line, including its end.
pub(super) fn first(lines: &[u8]) -> &[u8] {
    let end = memchr::memchr(b'\n', lines);
    &lines[..end.map_or(lines.len(), |at| at + 1)]
}

pub(super) fn before_object(lines: &[u8]) -> usize {
    let mut length = 0;
    while length < lines.len() && !is_object(first(&lines[length..])) {
        length += first(&lines[length..]).len();
    }
    length
}

pub(super) fn read(content: &[u8], gather: &mut Gather<'_>) {
    let content = without_mark(content);
    let mut rest = content;
    let (mut number, mut first) = (0, true);
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest);
        let line = rest[..end.unwrap_or(rest.len())].trim_ascii();
        rest = end.map_or(&[], |end| &rest[end + 1..]);
        number += 1;
        if line.is_empty() {
            continue;
        }
        match json::parse(line) {
            Ok(node) => take(&node, number, gather),
            Err(_) if first && whole(content, gather) => return,
            Err(NoJson { cut: true, .. }) if end.is_none() => gather.tally.cut = true,
            Err(NoJson { detail, .. }) => gather.tally.bad(|| format!("line {number}"), || detail),
        }
        first = false;
    }
}

/// Takes the requests if all lines together are one object, or the beginning of one.
fn whole(content: &[u8], gather: &mut Gather<'_>) -> bool {
    match json::parse(content) {
        Ok(node) => take(&node, 1, gather),
        Err(NoJson { cut: true, .. }) => gather.tally.cut = true,
        // Separate lines after all: read them one by one.
        Err(_) => return false,
    }
    true
}

fn take(node: &json::Node, line: u64, gather: &mut Gather<'_>) {
    if !shapes::take(node, gather) {
        gather.tally.bad(|| format!("line {line}"), || "no rates in a known form".into());
    }
}
