//! Chunks: what a process appends to its log while it runs. Each is self-contained and has a
//! checksum, so a log that was cut or torn loses only the chunk being written.

use crate::bytes::{Writer, crc32c};

pub const MAGIC: [u8; 4] = *b"mgck";
/// Bytes of a chunk before its content.
pub const HEAD: usize = 64;

/// What a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// See [`crate::part::Identity`].
    Identity,
    /// Records of a thread, folded; see [`crate::segment`].
    Folded,
    /// Records of a thread, unfolded: too many shapes, or no memory to fold them.
    Plain,
    /// Lines of `/proc/self/maps`: the files mapped as code.
    Maps,
    /// The process ended in order, at the head's moment.
    End,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Identity, Kind::Folded, Kind::Plain, Kind::Maps, Kind::End];

    fn code(self) -> u8 {
        self as u8 + 1
    }

    fn from_code(code: u8) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// One moment on three clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// Ticks of the records' clock.
    pub ticks: u64,
    /// Nanoseconds of the monotonic clock.
    pub steady: u64,
    /// Nanoseconds since the Unix epoch.
    pub wall: u64,
}

/// The head of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    /// 0-based, in order of first appearance.
    pub thread: u32,
    /// Ordinal, within the thread, of the first record.
    pub first: u64,
    pub records: u32,
    /// Bytes of content.
    pub len: u32,
    pub moment: Moment,
}

impl Head {
    /// Includes the checksums of the content and of the head.
    pub fn to_bytes(&self, content: &[u8]) -> [u8; HEAD] {
        let mut out = [0; HEAD];
        let mut writer = Writer::new(&mut out);
        writer.bytes(&MAGIC);
        writer.bytes(&[self.kind.code(), 0, 0, 0]);
        writer.bytes(&self.thread.to_le_bytes());
        writer.bytes(&self.records.to_le_bytes());
        writer.bytes(&self.len.to_le_bytes());
        writer.bytes(&crc32c(content).to_le_bytes());
        writer.bytes(&self.first.to_le_bytes());
        writer.bytes(&self.moment.ticks.to_le_bytes());
        writer.bytes(&self.moment.steady.to_le_bytes());
        writer.bytes(&self.moment.wall.to_le_bytes());
        let sum = crc32c(out.get(..60).unwrap_or(&[])).to_le_bytes();
        if let Some(to) = out.get_mut(60..) {
            to.copy_from_slice(&sum);
        }
        out
    }

    fn from_bytes(bytes: &[u8]) -> Option<(Head, u32)> {
        let bytes: &[u8; HEAD] = bytes.get(..HEAD)?.try_into().ok()?;
        let four = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes);
        let eight = |at: usize| bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        if bytes.get(..4)? != MAGIC || four(60)? != crc32c(bytes.get(..60)?) {
            return None;
        }
        let head = Head {
            kind: Kind::from_code(*bytes.get(4)?)?,
            thread: four(8)?,
            records: four(12)?,
            len: four(16)?,
            first: eight(24)?,
            moment: Moment { ticks: eight(32)?, steady: eight(40)?, wall: eight(48)? },
        };
        Some((head, four(20)?))
    }
}

/// Iterates over the chunks of a log; counts and skips bytes that belong to none.
#[derive(Debug)]
pub struct Chunks<'a> {
    rest: &'a [u8],
    /// Bytes that may still be checksummed in vain: heads that promise much and follow each other
    /// closely must not cost the square of the log's length.
    patience: u64,
    /// Bytes skipped so far.
    pub torn: u64,
}

impl<'a> Chunks<'a> {
    pub fn new(log: &'a [u8]) -> Chunks<'a> {
        Chunks { rest: log, patience: (log.len() as u64).saturating_mul(4).max(1 << 26), torn: 0 }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = (Head, &'a [u8]);

    fn next(&mut self) -> Option<(Head, &'a [u8])> {
        while !self.rest.is_empty() {
            if let Some((head, sum)) = Head::from_bytes(self.rest) {
                let content = self.rest.get(HEAD..HEAD.saturating_add(head.len as usize));
                let cost = u64::from(head.len);
                if let Some(content) = content.filter(|_| cost <= self.patience) {
                    if crc32c(content) == sum {
                        self.rest = self.rest.get(HEAD + content.len()..).unwrap_or(&[]);
                        return Some((head, content));
                    }
                    self.patience -= cost;
                }
            }
            // Skip to the next place that looks like a chunk.
            let next = self.rest.get(1..)?.windows(MAGIC.len()).position(|bytes| bytes == MAGIC);
            let skip = next.map_or(self.rest.len(), |at| at + 1);
            self.torn += skip as u64;
            self.rest = self.rest.get(skip..).unwrap_or(&[]);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn head(first: u64, len: u32) -> Head {
        let moment = Moment { ticks: 1, steady: 2, wall: 3 };
        Head { kind: Kind::Folded, thread: 1, first, records: 9, len, moment }
    }

    #[test]
    fn torn_chunks_are_passed_over() {
        let mut log = Vec::new();
        for (first, content) in [(0, &b"one"[..]), (9, b"second"), (18, b"three")] {
            let head = head(first, content.len() as u32);
            log.extend(head.to_bytes(content));
            log.extend(content);
        }
        let all: Vec<_> = Chunks::new(&log).collect();
        assert_eq!(all, [(head(0, 3), &b"one"[..]), (head(9, 6), b"second"), (head(18, 5), b"three")]);
        // A damaged chunk in the middle costs only itself.
        log[HEAD + 3 + HEAD] ^= 1;
        let mut chunks = Chunks::new(&log);
        assert_eq!(chunks.by_ref().map(|(head, _)| head.first).collect::<Vec<_>>(), [0, 18]);
        assert_eq!(chunks.torn, HEAD as u64 + 6);
        for cut in 0..log.len() {
            Chunks::new(&log[..cut]).for_each(drop);
        }
    }
}
