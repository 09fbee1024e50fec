//! Finds where MessagePack values end without decoding them, even while their bytes still arrive.

use super::msgpack::{Cursor, Stop};

/// Size of plain values by their first byte; 0 for values of other sizes and for containers.
static PLAIN: [u8; 256] = {
    let mut sizes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        sizes[byte] = match byte {
            0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => 1,
            0xa0..=0xbf => 1 + (byte as u8 & 31),
            0xca | 0xce | 0xd2 => 5,
            0xcb | 0xcf | 0xd3 => 9,
            0xcc | 0xd0 => 2,
            0xcd | 0xd1 => 3,
            _ => 0,
        };
        byte += 1;
    }
    sizes
};

/// Skips up to `count` plain values from `at` on; returns where it stopped, and how many are left.
#[inline]
pub(super) fn pass_plain(bytes: &[u8], mut at: usize, mut count: u64) -> (usize, u64) {
    while count > 0 {
        let size = bytes.get(at).map_or(0, |&byte| usize::from(PLAIN[usize::from(byte)]));
        if size == 0 || size > bytes.len() - at {
            break;
        }
        at += size;
        count -= 1;
    }
    (at, count)
}

/// Maximum nesting; streams of rates need three.
const DEEPEST: usize = 16;

#[derive(Debug, Clone, Default)]
pub(super) struct Scan {
    /// Bytes scanned; an incomplete value is scanned again.
    at: usize,
    /// Number of values that each open container still lacks.
    open: Vec<u64>,
}

impl Scan {
    pub fn from(at: usize) -> Scan {
        Scan { at, open: Vec::new() }
    }

    pub fn inside(at: usize, count: u64) -> Scan {
        Scan { at, open: vec![count] }
    }

    pub fn place(&self) -> usize {
        self.at
    }

    /// Makes positions relative to `at`, which must not be after the current one.
    pub fn forget(&mut self, at: usize) {
        self.at -= at;
    }

    /// Where the value ends. After [`Stop::Short`], call again with the same bytes and more.
    pub fn end(&mut self, bytes: &[u8]) -> Result<usize, Stop> {
        loop {
            let mut cursor = Cursor::from(bytes, self.at);
            let value = cursor.value()?;
            if value.is_open() && self.open.len() == DEEPEST {
                // The scanned bytes end before the damage, as for a byte that begins no value.
                return Err(Stop::Bad);
            }
            self.at = cursor.place();
            if let Some(lacking) = self.open.last_mut() {
                *lacking -= 1;
            }
            if value.is_open() {
                self.open.push(value.inside());
            }
            if let Some(lacking) = self.open.last_mut() {
                (self.at, *lacking) = pass_plain(bytes, self.at, *lacking);
            }
            while self.open.last() == Some(&0) {
                self.open.pop();
            }
            if self.open.is_empty() {
                return Ok(self.at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_in_any_number_of_goes() {
        let bytes = [0x92, 0x81, 0xa1, b'k', 0x93, 1, 2, 3, 0xcd, 1, 0, 0x05];
        let mut scan = Scan::default();
        let goes: Vec<_> = (0..=bytes.len()).map(|have| scan.end(&bytes[..have])).take(12).collect();
        assert_eq!(goes[11], Ok(11));
        assert!(goes[..11].iter().all(|go| *go == Err(Stop::Short)), "{goes:?}");
        assert_eq!(Scan::from(11).end(&bytes), Ok(12));
        assert_eq!(Scan::default().end(&[0x91; 100]), Err(Stop::Bad));
        assert_eq!(Scan::default().end(&[0x90]), Ok(1));
    }
}
