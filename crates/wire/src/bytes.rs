//! Integers as bytes: a bounded writer, a checked reader, a checksum.

/// Writes into a given buffer, and remembers if it overflowed.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut [u8],
    used: usize,
    full: bool,
}

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut [u8]) -> Writer<'a> {
        Writer { out, used: 0, full: false }
    }

    /// `None` if the buffer was too small.
    pub fn finish(self) -> Option<&'a [u8]> {
        if self.full { None } else { self.out.get(..self.used) }
    }

    pub fn len(&self) -> usize {
        self.used
    }

    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    #[inline]
    pub fn byte(&mut self, byte: u8) {
        match self.out.get_mut(self.used) {
            Some(to) => {
                *to = byte;
                self.used += 1;
            }
            None => self.full = true,
        }
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        match self.used.checked_add(bytes.len()).and_then(|end| self.out.get_mut(self.used..end)) {
            Some(to) => {
                to.copy_from_slice(bytes);
                self.used += bytes.len();
            }
            None => self.full = true,
        }
    }

    /// Seven bits per byte, low first.
    #[inline]
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    /// Short for values near zero of either sign.
    #[inline]
    pub fn signed(&mut self, value: i64) {
        self.varint(zigzag(value));
    }
}

/// Maps 0, -1, 1, -2 ... to 0, 1, 2, 3 ...
#[inline]
pub fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

#[inline]
pub fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Reads what a [`Writer`] wrote; every step is checked.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(byte)
    }

    pub fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    #[inline]
    pub fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..70).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    #[inline]
    pub fn signed(&mut self) -> Option<i64> {
        self.varint().map(unzigzag)
    }

    /// Reads a number of items, each of which takes at least one of the remaining bytes.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.varint()?).ok()?;
        (count <= self.rest.len()).then_some(count)
    }
}

const fn crc_table() -> [u32; 256] {
    let mut table = [0u32; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0x82f6_3b78 } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
}

static CRC: [u32; 256] = crc_table();

pub fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, &byte| {
        let at = usize::from((sum as u8) ^ byte);
        (sum >> 8) ^ CRC.get(at).copied().unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        let values = [0, 1, 127, 128, 1 << 35, u64::MAX];
        let mut out = [0; 64];
        let mut writer = Writer::new(&mut out);
        values.iter().for_each(|&value| writer.varint(value));
        [i64::MIN, -1, 0, 63, i64::MAX].iter().for_each(|&value| writer.signed(value));
        let bytes = writer.finish().expect("fits");
        let mut reader = Reader::new(bytes);
        values.iter().for_each(|&value| assert_eq!(reader.varint(), Some(value)));
        [i64::MIN, -1, 0, 63, i64::MAX].iter().for_each(|&value| assert_eq!(reader.signed(), Some(value)));
        assert_eq!(reader.varint(), None);
        assert_eq!(Reader::new(&[0xff; 11]).varint(), None);
    }

    #[test]
    fn a_full_writer_gives_nothing() {
        let mut out = [0; 2];
        let mut writer = Writer::new(&mut out);
        writer.bytes(&[1, 2, 3]);
        writer.byte(1);
        assert!(writer.finish().is_none());
    }

    #[test]
    fn check_sum_is_the_published_one() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    }
}
