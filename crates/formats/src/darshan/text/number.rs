//! Formats numbers as `printf` does, without a formatter.

pub fn push_i64(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_u64(out, value.unsigned_abs());
}

pub fn push_u64(out: &mut Vec<u8>, mut value: u64) {
    if value < 10 {
        out.push(b'0' + value as u8);
        return;
    }
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    while value > 0 {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a double as `%.6f` does, with at most 9 decimals, exactly rounded, ties to even.
pub fn push_fixed(out: &mut Vec<u8>, value: f64, decimals: u32) {
    if value.to_bits() == 0 && decimals == 6 {
        out.extend_from_slice(b"0.000000");
        return;
    }
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1075;
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // Zero, subnormal, huge, infinite or NaN: rare, left to the library.
    if exponent <= -1075 || exponent >= 0 {
        push_rare(out, value, decimals);
        return;
    }
    if value < 0.0 {
        out.push(b'-');
    }
    let shift = exponent.unsigned_abs();
    let scale = 10u64.pow(decimals);
    // value = mantissa / 2^shift, with 1 <= shift <= 1074
    let whole = if shift < 64 { mantissa >> shift } else { 0 };
    let rest = if shift < 64 { mantissa & ((1u64 << shift) - 1) } else { mantissa };
    let product = u128::from(rest) * u128::from(scale);
    let (mut fraction, half_way) = if shift < 128 {
        let below = product & ((1u128 << shift) - 1);
        let half = 1u128 << (shift - 1);
        ((product >> shift) as u64, below.cmp(&half))
    } else {
        (0, std::cmp::Ordering::Less)
    };
    if half_way.is_gt() || (half_way.is_eq() && fraction % 2 == 1) {
        fraction += 1;
    }
    let carry = u64::from(fraction == scale);
    push_u64(out, whole + carry);
    push_fraction(out, if carry == 1 { 0 } else { fraction }, decimals);
}

fn push_fraction(out: &mut Vec<u8>, mut fraction: u64, decimals: u32) {
    let mut digits = [b'0'; 10];
    digits[0] = b'.';
    for at in (1..=decimals as usize).rev() {
        digits[at] = b'0' + (fraction % 10) as u8;
        fraction /= 10;
    }
    out.extend_from_slice(&digits[..=decimals as usize]);
}

/// Appends infinities and NaN as `printf` does, and magnitudes that need big arithmetic.
#[cold]
fn push_rare(out: &mut Vec<u8>, value: f64, decimals: u32) {
    let text = if value.is_nan() {
        if value.is_sign_negative() { "-nan".to_string() } else { "nan".to_string() }
    } else if value.is_infinite() {
        if value < 0.0 { "-inf".to_string() } else { "inf".to_string() }
    } else {
        format!("{value:.0$}", decimals as usize)
    };
    out.extend_from_slice(text.as_bytes());
}

/// Appends what `push` appends, padded on the left to `width`.
pub fn push_padded(out: &mut Vec<u8>, width: usize, push: impl FnOnce(&mut Vec<u8>)) {
    let from = out.len();
    push(out);
    let len = out.len() - from;
    if len < width {
        out.resize(from + width, b' ');
        out.copy_within(from..from + len, from + width - len);
        out[from..from + width - len].fill(b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fixed(value: f64, decimals: u32) -> String {
        let mut out = Vec::new();
        push_fixed(&mut out, value, decimals);
        String::from_utf8(out).expect("ascii")
    }

    #[test]
    fn ties_go_to_even_as_in_c() {
        assert_eq!(fixed(0.5, 0), "0.");
        assert_eq!(fixed(0.0000005, 6), "0.000000"); // just below the tie in binary
        assert_eq!(fixed(0.00000152587890625, 6), "0.000002");
        assert_eq!(fixed(2.00390625, 4), "2.0039");
        assert_eq!(fixed(0.03125, 4), "0.0312");
        assert_eq!(fixed(0.09375, 4), "0.0938");
        assert_eq!(fixed(0.9999999, 6), "1.000000");
        assert_eq!(fixed(-0.0, 6), "-0.000000");
        assert_eq!(fixed(-1.0, 6), "-1.000000");
        assert_eq!(fixed(f64::NAN, 6), "nan");
        assert_eq!(fixed(f64::NEG_INFINITY, 6), "-inf");
        assert_eq!(fixed(1e300, 1), format!("{:.1}", 1e300));
    }

    proptest! {
        #[test]
        fn every_double_prints_as_the_library_does(bits: u64, small in 0.0f64..1e6, n in 0u32..2_000_000) {
            for value in [f64::from_bits(bits), small, -small, f64::from(n) / 2_097_152.0, small * 1e-9] {
                if value.is_finite() {
                    for decimals in [4, 6] {
                        prop_assert_eq!(fixed(value, decimals), format!("{:.1$}", value, decimals as usize));
                    }
                }
            }
        }

        #[test]
        fn integers_and_padding(value: i64, width in 0usize..30) {
            let mut out = b"x".to_vec();
            push_padded(&mut out, width, |out| push_i64(out, value));
            prop_assert_eq!(String::from_utf8(out).expect("ascii"), format!("x{value:>width$}"));
        }
    }
}
