//! Parses numbers in one pass over their bytes.

/// Powers of ten that floats hold exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Parses a plain decimal number (`12`, `12.5`; no sign, no exponent) at the beginning, rounded as
/// `str::parse` does; also returns its length. `None` for numbers that need more care.
#[inline]
pub(super) fn decimal(bytes: &[u8]) -> Option<(f64, usize)> {
    let (whole, mut length) = digits(bytes, 0);
    if length == 0 {
        return None;
    }
    let (mut mantissa, mut places) = (whole, 0);
    if bytes.get(length) == Some(&b'.') {
        let (all, count) = digits(&bytes[length + 1..], whole);
        (mantissa, places) = (all, count);
        length += 1 + count;
    }
    // Below, both parts are exact, and one division rounds once.
    let simple = mantissa < 1 << 53 && length <= 19 && !matches!(bytes.get(length), Some(b'e' | b'E'));
    if simple && places == 0 {
        return Some((mantissa as f64, length));
    }
    let scale = POWERS.get(places).filter(|_| simple)?;
    Some((mantissa as f64 / scale, length))
}

#[inline]
pub(super) fn digits(bytes: &[u8], before: u64) -> (u64, usize) {
    let (mut value, mut length) = (before, 0);
    while let Some(eight) = bytes.get(length..length + 8).and_then(eight_digits) {
        value = value.wrapping_mul(100_000_000).wrapping_add(eight);
        length += 8;
    }
    while let Some(digit) = bytes.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10)
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        length += 1;
    }
    (value, length)
}

#[inline]
fn eight_digits(bytes: &[u8]) -> Option<u64> {
    let word = u64::from_le_bytes(bytes.try_into().ok()?);
    // In each byte: only 0x30 to 0x39 have the upper half 3 both before and after adding six.
    let upper = 0xf0f0_f0f0_f0f0_f0f0;
    let zeros = 0x3030_3030_3030_3030;
    if word & upper != zeros || word.wrapping_add(0x0606_0606_0606_0606) & upper != zeros {
        return None;
    }
    // Join neighbours: digits to pairs, pairs to fours, fours to all.
    let pairs = (word - zeros).wrapping_mul(10) + ((word - zeros) >> 8);
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100) + ((pairs >> 16) & 0x00ff_00ff_00ff_00ff);
    let all = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000) + ((fours >> 32) & 0x0000_ffff);
    Some(all & 0xffff_ffff)
}

pub(super) fn finite(text: &[u8]) -> Option<f64> {
    match decimal(text) {
        Some((value, length)) if length == text.len() => Some(value),
        _ => std::str::from_utf8(text).ok()?.parse().ok().filter(|value: &f64| value.is_finite()),
    }
}

pub(super) fn rate(text: &[u8]) -> Option<f64> {
    finite(text).filter(|value| *value >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_numbers_are_left_to_care() {
        assert_eq!(decimal(b"12.50,"), Some((12.5, 5)));
        assert_eq!(decimal(b"7.;"), Some((7.0, 2)));
        for text in ["", "-1", ".5", "1e3", "99999999999999999999", "0.00000000000000000001", "nan"] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!((rate(b"1e3"), rate(b"-1"), rate(b"NaN"), rate(b"inf")), (Some(1e3), None, None, None));
        assert_eq!((rate(b"-0"), rate(b"")), (Some(-0.0), None));
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_standard_library(text in "[0-9]{1,17}(\\.[0-9]{0,14})?") {
            if let Some((value, length)) = decimal(text.as_bytes()) {
                prop_assert_eq!((value, length), (text.parse().expect("a number"), text.len()));
            }
        }
    }
}
