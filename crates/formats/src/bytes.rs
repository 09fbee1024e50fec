//! Bounds-checked numbers from bytes in either byte order.

/// Byte order of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

/// Bytes with their byte order, so that no function takes a "swap" flag.
#[derive(Debug, Clone, Copy)]
pub struct Bytes<'a> {
    data: &'a [u8],
    order: Order,
}

impl<'a> Bytes<'a> {
    pub fn new(data: &'a [u8], order: Order) -> Bytes<'a> {
        Bytes { data, order }
    }

    /// Exactly `N` bytes at an offset. Bytes out of bounds read as zero; callers check the length
    /// first.
    fn array<const N: usize>(self, at: usize) -> [u8; N] {
        let mut out = [0; N];
        if let Some(found) = at.checked_add(N).and_then(|end| self.data.get(at..end)) {
            out.copy_from_slice(found);
        }
        out
    }

    pub fn u8(self, at: usize) -> u8 {
        self.array::<1>(at)[0]
    }

    pub fn u32(self, at: usize) -> u32 {
        match self.order {
            Order::Little => u32::from_le_bytes(self.array(at)),
            Order::Big => u32::from_be_bytes(self.array(at)),
        }
    }

    pub fn u64(self, at: usize) -> u64 {
        match self.order {
            Order::Little => u64::from_le_bytes(self.array(at)),
            Order::Big => u64::from_be_bytes(self.array(at)),
        }
    }

    pub fn i64(self, at: usize) -> i64 {
        self.u64(at) as i64
    }

    pub fn f64(self, at: usize) -> f64 {
        f64::from_bits(self.u64(at))
    }

    /// Sixteen bytes as stored; UUIDs are never swapped.
    pub fn uuid(self, at: usize) -> [u8; 16] {
        self.array(at)
    }

    /// Text up to the first NUL in a field of `len` bytes.
    pub fn text(self, at: usize, len: usize) -> &'a [u8] {
        let field = at.checked_add(len).and_then(|end| self.data.get(at..end)).unwrap_or(&[]);
        until_nul(field)
    }

    pub fn extend_i64(self, at: usize, n: usize, out: &mut Vec<i64>) {
        let field = at.checked_add(n * 8).and_then(|end| self.data.get(at..end)).unwrap_or(&[]);
        let words = field.chunks_exact(8);
        match self.order {
            Order::Little => out.extend(words.map(|w| i64::from_le_bytes(word(w)))),
            Order::Big => out.extend(words.map(|w| i64::from_be_bytes(word(w)))),
        }
    }
}

fn word(bytes: &[u8]) -> [u8; 8] {
    let mut out = [0; 8];
    out.copy_from_slice(bytes);
    out
}

pub fn until_nul(field: &[u8]) -> &[u8] {
    field.iter().position(|&byte| byte == 0).map_or(field, |end| &field[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_and_no_way_out_of_bounds() {
        let data = [1, 0, 0, 0, 0, 0, 0, 2];
        assert_eq!(Bytes::new(&data, Order::Little).u64(0), 0x0200_0000_0000_0001);
        assert_eq!(Bytes::new(&data, Order::Big).u64(0), 0x0100_0000_0000_0002);
        assert_eq!(Bytes::new(&data, Order::Big).u32(4), 2);
        assert_eq!(Bytes::new(&data, Order::Big).u64(1), 0);
        assert_eq!(Bytes::new(&data, Order::Big).u64(usize::MAX), 0);
        assert_eq!(Bytes::new(b"ab\0c", Order::Big).text(0, 4), b"ab");
    }
}
