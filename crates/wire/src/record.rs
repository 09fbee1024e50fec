//! One call, as a hook writes it: one cache line.

use crate::op::Op;

pub const RECORD: usize = 64;

/// Text bytes in one [`Op::Name`] record.
pub const NAME_BYTES: usize = 32;

/// A call. The part's header names the clock of the ticks.
///
/// Records are in the order in which calls returned: the calls that a library makes inside one of
/// its own come before that call, with a greater `depth`.
///
/// A name is sent as [`Op::Name`] records before the call that first uses it: `slot` is the name's
/// id, `depth` counts the records that follow for the same name, `start` is the total length of the
/// text, and `a`, `b`, `c`, `ret` hold up to [`NAME_BYTES`] bytes of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C)]
pub struct Record {
    /// In ticks.
    pub start: u64,
    /// In ticks.
    pub end: u64,
    /// Return address in the caller (48 bits), and the segment's turn in the upper 16 bits.
    pub site_turn: u64,
    /// An [`Op`] code; 0 while the record is being written.
    pub op: u16,
    /// Open calls of outer layers on this thread.
    pub depth: u8,
    /// [`Record::UNALIGNED`] and [`Record::IMPLIED`].
    pub flags: u8,
    /// 1-based ordinal of the open in this process; 0 none.
    pub slot: u32,
    /// First argument; see [`Op`].
    pub a: i64,
    pub b: i64,
    pub c: i64,
    /// Negated error if the call failed.
    pub ret: i64,
}

impl Record {
    /// Flag: the buffer in memory was not aligned to 8 bytes.
    pub const UNALIGNED: u8 = 1;
    /// Flag: the flags and mode of the open were not given but follow from the call (`creat`,
    /// `mkstemp`).
    pub const IMPLIED: u8 = 2;

    const SITE: u64 = (1 << 48) - 1;

    pub fn site(&self) -> u64 {
        self.site_turn & Self::SITE
    }

    pub fn turn(&self) -> u16 {
        (self.site_turn >> 48) as u16
    }

    pub fn site_turn(site: u64, turn: u16) -> u64 {
        (site & Self::SITE) | u64::from(turn) << 48
    }

    /// `None` if this version does not know the operation.
    pub fn op(&self) -> Option<Op> {
        Op::from_code(self.op)
    }

    pub fn name_bytes(&self) -> [u8; NAME_BYTES] {
        let mut out = [0; NAME_BYTES];
        for (to, word) in out.chunks_exact_mut(8).zip([self.a, self.b, self.c, self.ret]) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        out
    }

    pub fn set_name_bytes(&mut self, text: &[u8]) {
        let mut words = [0i64; 4];
        for (word, bytes) in words.iter_mut().zip(text.chunks(8)) {
            let mut full = [0; 8];
            for (to, from) in full.iter_mut().zip(bytes) {
                *to = *from;
            }
            *word = i64::from_le_bytes(full);
        }
        [self.a, self.b, self.c, self.ret] = words;
    }

    /// Little-endian.
    pub fn to_bytes(&self) -> [u8; RECORD] {
        let mut out = [0; RECORD];
        let head = u64::from(self.op)
            | u64::from(self.depth) << 16
            | u64::from(self.flags) << 24
            | u64::from(self.slot) << 32;
        let words = [
            self.start,
            self.end,
            self.site_turn,
            head,
            self.a as u64,
            self.b as u64,
            self.c as u64,
            self.ret as u64,
        ];
        for (to, word) in out.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        out
    }

    /// Little-endian.
    pub fn from_bytes(bytes: &[u8; RECORD]) -> Record {
        let mut words = [0u64; 8];
        for (word, from) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            let mut full = [0; 8];
            full.copy_from_slice(from);
            *word = u64::from_le_bytes(full);
        }
        let [start, end, site_turn, head, a, b, c, ret] = words;
        Record {
            start,
            end,
            site_turn,
            op: head as u16,
            depth: (head >> 16) as u8,
            flags: (head >> 24) as u8,
            slot: (head >> 32) as u32,
            a: a as i64,
            b: b as i64,
            c: c as i64,
            ret: ret as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_round_trip() {
        let record = Record {
            start: 1 << 60,
            end: u64::MAX,
            site_turn: Record::site_turn(0x7fff_1234_5678, 0xbeef),
            op: Op::Pwrite as u16,
            depth: 3,
            flags: 1,
            slot: u32::MAX,
            a: -1,
            b: i64::MIN,
            c: 7,
            ret: -28,
        };
        assert_eq!(Record::from_bytes(&record.to_bytes()), record);
        assert_eq!((record.site(), record.turn()), (0x7fff_1234_5678, 0xbeef));
    }

    #[test]
    fn names_fill_four_words() {
        let mut record = Record::default();
        record.set_name_bytes(b"a name of some length");
        assert_eq!(&record.name_bytes()[..21], b"a name of some length");
        assert_eq!(&record.name_bytes()[21..], [0; 11]);
    }
}
