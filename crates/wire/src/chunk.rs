//! Chunks: what a process appends to its log while it runs. Each is whole by itself and carries a
//! check sum, so a log that was cut or torn loses only the chunk that was being written.

use crate::bytes::{Writer, crc32c};

/// First bytes of a chunk.
pub const MAGIC: [u8; 4] = *b"mgck";
/// Bytes before the content.
pub const HEAD: usize = 64;

/// What a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Who the process is: see [`crate::part::Identity`].
    Identity,
    /// Records of a thread, folded: see [`crate::segment`].
    Folded,
    /// Records of a thread as they are: too many shapes, or no memory to fold them.
    Plain,
    /// The files mapped into the process, as lines of `/proc/self/maps`.
    Maps,
    /// The process ended in order; the head's clock is the end.
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
    /// Nanoseconds of the machine's steady clock.
    pub steady: u64,
    /// Nanoseconds since 1970.
    pub wall: u64,
}

/// The head of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// What it holds.
    pub kind: Kind,
    /// Of which thread, in order of appearance.
    pub thread: u32,
    /// Number of its first record among the thread's.
    pub first: u64,
    /// Records in it.
    pub records: u32,
    /// Bytes of content.
    pub len: u32,
    /// When it was written.
    pub moment: Moment,
}

impl Head {
    /// The head as bytes, with the check sum of itself and the content.
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

/// The chunks of a log, one by one; bytes that belong to none are counted and passed over.
#[derive(Debug)]
pub struct Chunks<'a> {
    rest: &'a [u8],
    /// Bytes whose check sum may still be taken in vain: heads that promise much and follow each other
    /// closely must not cost the square of the log's length.
    patience: u64,
    /// Bytes passed over so far.
    pub torn: u64,
}

impl<'a> Chunks<'a> {
    /// From the first.
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
            // On to the next place that looks like a chunk.
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
        // A damaged one in the middle costs itself alone.
        log[HEAD + 3 + HEAD] ^= 1;
        let mut chunks = Chunks::new(&log);
        assert_eq!(chunks.by_ref().map(|(head, _)| head.first).collect::<Vec<_>>(), [0, 18]);
        assert_eq!(chunks.torn, HEAD as u64 + 6);
        for cut in 0..log.len() {
            Chunks::new(&log[..cut]).for_each(drop);
        }
    }
}
