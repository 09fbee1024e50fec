//! Frames: a mark, a length, a checksum, a body. Anything between two valid frames is skipped, so
//! damage costs only what it hits.

use marigraph_wire::bytes::{Reader, crc32c};
use marigraph_wire::sequence::put_varint;

const MARK: [u8; 2] = [0xd1, b'm'];
/// Maximum size of a body: a server with half a million jobs needs less.
const LARGEST: usize = 64 << 20;

pub(super) fn put(out: &mut Vec<u8>, body: &[u8]) {
    out.extend_from_slice(&MARK);
    let from = out.len();
    put_varint(out, body.len() as u64);
    let sum = check_sum(out.get(from..).unwrap_or(&[]), body);
    out.extend_from_slice(&sum.to_le_bytes());
    out.extend_from_slice(body);
}

/// Covers the encoded length, too, because it locates the next frame.
fn check_sum(length: &[u8], body: &[u8]) -> u32 {
    crc32c(body) ^ crc32c(length).rotate_left(16)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) at: usize,
    /// Offset of the first byte after it.
    pub(super) end: usize,
    pub(super) body: &'a [u8],
}

#[derive(Debug)]
pub(super) struct Frames<'a> {
    content: &'a [u8],
    at: usize,
    /// Bytes whose checksum may still be computed in vain: closely spaced frames with large lengths
    /// must not make the search quadratic.
    patience: usize,
}

impl<'a> Frames<'a> {
    pub(super) fn new(content: &'a [u8]) -> Frames<'a> {
        Frames { content, at: 0, patience: content.len().saturating_mul(4).max(LARGEST) }
    }

    pub(super) fn here(&mut self) -> Option<Frame<'a>> {
        let rest = self.content.get(self.at..)?.strip_prefix(&MARK)?;
        let mut reader = Reader::new(rest);
        let length = usize::try_from(reader.varint()?).ok().filter(|&length| length <= LARGEST)?;
        let head = rest.get(..rest.len() - reader.rest().len())?;
        let sum = u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?);
        let body = reader.bytes(length)?;
        let sound = length <= self.patience && check_sum(head, body) == sum;
        if !sound {
            self.patience = self.patience.saturating_sub(length);
            return None;
        }
        Some(Frame { at: self.at, end: self.content.len() - reader.rest().len(), body })
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        while self.at < self.content.len() {
            if let Some(frame) = self.here() {
                self.at = frame.end;
                return Some(frame);
            }
            // Skip to the next mark.
            let rest = self.content.get(self.at + 1..)?;
            let next = rest.windows(MARK.len()).position(|bytes| bytes == MARK)?;
            self.at += 1 + next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(content: &[u8]) -> Vec<&[u8]> {
        Frames::new(content).map(|frame| frame.body).collect()
    }

    #[test]
    fn damage_costs_the_frame_it_hits() {
        let all: [&[u8]; 4] = [b"one", b"", b"\xd1m\xd1m", b"four"];
        let mut content = Vec::new();
        all.iter().for_each(|body| put(&mut content, body));
        assert_eq!(bodies(&content), all);
        let ends: Vec<usize> = Frames::new(&content).map(|frame| frame.end).collect();
        for place in 0..content.len() {
            for bit in 0..8 {
                content[place] ^= 1 << bit;
                let hit = ends.iter().filter(|&&end| end <= place).count();
                let mut left = all.to_vec();
                left.remove(hit);
                assert_eq!(bodies(&content), left, "byte {place}, bit {bit}");
                content[place] ^= 1 << bit;
            }
            let whole = ends.iter().filter(|&&end| end <= place).count();
            assert_eq!(bodies(&content[..place]), all[..whole], "cut at {place}");
        }
    }

    #[test]
    fn promises_of_much_cost_little() {
        // Every six bytes promise 60 MB.
        let mut content = [&MARK[..], &[0x80, 0x80, 0x80, 0x1d]].concat().repeat(1 << 16);
        put(&mut content, b"sound");
        assert_eq!(bodies(&content), [b"sound"]);
    }
}
