//! MessagePack, as far as streams of rates need it: a cursor over values. A length alone never
//! causes an allocation.

use super::scan::{Scan, pass_plain};

/// A value, or the head of a container.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value<'a> {
    Nothing,
    Truth(bool),
    Whole(u64),
    Negative(i64),
    Fraction(f64),
    Text(&'a [u8]),
    /// Bytes, or a value of an extension type.
    Blob,
    /// This many values follow.
    Array(u32),
    /// This many pairs of values follow.
    Map(u32),
}

impl Value<'_> {
    pub fn number(self) -> Option<f64> {
        match self {
            Value::Whole(number) => Some(number as f64),
            Value::Negative(number) => Some(number as f64),
            Value::Fraction(number) => Some(number),
            _ => None,
        }
    }

    pub fn is_open(self) -> bool {
        self.inside() > 0
    }

    pub fn inside(self) -> u64 {
        match self {
            Value::Array(count) => u64::from(count),
            Value::Map(count) => 2 * u64::from(count),
            _ => 0,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Short,
    /// No value begins like this, or it is nested too deeply.
    Bad,
}

#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor::from(bytes, 0)
    }

    pub fn from(bytes: &'a [u8], at: usize) -> Cursor<'a> {
        Cursor { bytes, at }
    }

    pub fn place(&self) -> usize {
        self.at
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Stop> {
        let end = self.at.checked_add(count).ok_or(Stop::Short)?;
        let taken = self.bytes.get(self.at..end).ok_or(Stop::Short)?;
        self.at = end;
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], Stop> {
        self.take(N)?.try_into().map_err(|_| Stop::Short)
    }

    fn length(&mut self, power: u8) -> Result<u32, Stop> {
        Ok(match power {
            0 => u32::from(self.fixed::<1>()?[0]),
            1 => u32::from(u16::from_be_bytes(self.fixed()?)),
            _ => u32::from_be_bytes(self.fixed()?),
        })
    }

    fn skip(&mut self, count: u32) -> Result<Value<'a>, Stop> {
        self.take(count as usize).map(|_| Value::Blob)
    }

    /// The next value; only the head of a container.
    #[inline]
    pub fn value(&mut self) -> Result<Value<'a>, Stop> {
        let byte = self.fixed::<1>()?[0];
        Ok(match byte {
            0x00..=0x7f => Value::Whole(u64::from(byte)),
            0x80..=0x8f => Value::Map(u32::from(byte & 15)),
            0x90..=0x9f => Value::Array(u32::from(byte & 15)),
            0xa0..=0xbf => Value::Text(self.take(usize::from(byte & 31))?),
            0xcb => Value::Fraction(f64::from_be_bytes(self.fixed()?)),
            0xe0..=0xff => Value::Negative(i64::from(byte as i8)),
            _ => self.longer(byte)?,
        })
    }

    fn longer(&mut self, byte: u8) -> Result<Value<'a>, Stop> {
        Ok(match byte {
            0xc0 => Value::Nothing,
            0xc2 | 0xc3 => Value::Truth(byte == 0xc3),
            0xc4..=0xc6 => {
                let length = self.length(byte - 0xc4)?;
                self.skip(length)?
            }
            0xc7..=0xc9 => {
                let length = self.length(byte - 0xc7)?;
                self.take(1)?;
                self.skip(length)?
            }
            0xca => Value::Fraction(f64::from(f32::from_be_bytes(self.fixed()?))),
            0xcc => Value::Whole(u64::from(self.fixed::<1>()?[0])),
            0xcd => Value::Whole(u64::from(u16::from_be_bytes(self.fixed()?))),
            0xce => Value::Whole(u64::from(u32::from_be_bytes(self.fixed()?))),
            0xcf => Value::Whole(u64::from_be_bytes(self.fixed()?)),
            0xd0 => Value::Negative(i64::from(i8::from_be_bytes(self.fixed()?))),
            0xd1 => Value::Negative(i64::from(i16::from_be_bytes(self.fixed()?))),
            0xd2 => Value::Negative(i64::from(i32::from_be_bytes(self.fixed()?))),
            0xd3 => Value::Negative(i64::from_be_bytes(self.fixed()?)),
            0xd4..=0xd8 => self.skip(1 + (1 << (byte - 0xd4)))?,
            0xd9..=0xdb => {
                let length = self.length(byte - 0xd9)?;
                Value::Text(self.take(length as usize)?)
            }
            0xdc | 0xdd => Value::Array(self.length(byte - 0xdc + 1)?),
            0xde | 0xdf => Value::Map(self.length(byte - 0xde + 1)?),
            _ => return Err(Stop::Bad),
        })
    }

    /// The next value as a number, NaN if it is not one; skips its content.
    #[inline]
    pub fn number(&mut self) -> Option<f64> {
        // Nearly all are doubles.
        if let Some([0xcb, digits @ ..]) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<9>())
        {
            self.at += 9;
            return Some(f64::from_be_bytes(*digits));
        }
        let value = self.value().ok()?;
        self.pass(value)?;
        Some(value.number().unwrap_or(f64::NAN))
    }

    pub fn text(&mut self) -> Option<String> {
        match self.value() {
            Ok(Value::Text(text)) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        }
    }

    /// Values that are not numbers become NaN.
    pub fn numbers(&mut self, count: u32) -> Option<Vec<f64>> {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(self.number()?);
        }
        Some(numbers)
    }

    #[inline]
    pub fn pass(&mut self, value: Value<'_>) -> Option<()> {
        if value.is_open() { self.pass_values(value.inside()) } else { Some(()) }
    }

    #[inline]
    pub fn pass_values(&mut self, count: u64) -> Option<()> {
        let left;
        (self.at, left) = pass_plain(self.bytes, self.at, count);
        if left == 0 { Some(()) } else { self.pass_nested(left) }
    }

    #[cold]
    fn pass_nested(&mut self, count: u64) -> Option<()> {
        self.at = Scan::inside(self.at, count).end(self.bytes).ok()?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_value_is_known() {
        let cases: [(&[u8], Value<'_>); 18] = [
            (&[0x7f], Value::Whole(127)),
            (&[0xff], Value::Negative(-1)),
            (&[0xcc, 200], Value::Whole(200)),
            (&[0xcd, 1, 0], Value::Whole(256)),
            (&[0xce, 0, 0, 1, 0], Value::Whole(256)),
            (&[0xcf, 0, 0, 0, 0, 0, 0, 1, 0], Value::Whole(256)),
            (&[0xd0, 0x80], Value::Negative(-128)),
            (&[0xd1, 0xff, 0], Value::Negative(-256)),
            (&[0xd2, 0xff, 0xff, 0xff, 0], Value::Negative(-256)),
            (&[0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0], Value::Negative(-256)),
            (&[0xca, 0x3f, 0xc0, 0, 0], Value::Fraction(1.5)),
            (&[0xcb, 0x3f, 0xf8, 0, 0, 0, 0, 0, 0], Value::Fraction(1.5)),
            (&[0xc3], Value::Truth(true)),
            (&[0xd9, 2, b'h', b'i'], Value::Text(b"hi")),
            (&[0xc4, 1, 9], Value::Blob),
            (&[0xd6, 1, 2, 3, 4, 5], Value::Blob),
            (&[0xdd, 0, 0, 0, 9], Value::Array(9)),
            (&[0xde, 0, 3], Value::Map(3)),
        ];
        for (bytes, value) in cases {
            let mut cursor = Cursor::new(bytes);
            assert_eq!((cursor.value(), cursor.at), (Ok(value), bytes.len()), "{bytes:02x?}");
            let cut = &bytes[..bytes.len() - 1];
            assert_eq!(Cursor::new(cut).value(), Err(Stop::Short), "{cut:02x?}");
        }
        assert_eq!(Cursor::new(&[0xc1]).value(), Err(Stop::Bad));
    }
}
