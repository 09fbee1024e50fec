//! Numbers formatted for people.

use marigraph_model::Civil;

/// Binary units, three significant digits: `1.50 GiB`.
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut scaled = value.abs();
    let mut unit = 0;
    while scaled >= if unit == 0 { 1024.0 } else { 1023.5 } && unit + 1 < UNITS.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    let sign = if value < 0.0 { "-" } else { "" };
    if unit == 0 {
        format!("{sign}{scaled:.0} B")
    } else {
        format!("{sign}{} {}", digits(scaled), UNITS[unit])
    }
}

pub fn rate(value: f64) -> String {
    format!("{}/s", bytes(value))
}

/// `1.23 ms`, `12.3 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`.
pub fn seconds(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    let v = value.abs();
    if v == 0.0 {
        return "0 s".to_string();
    }
    if v < 0.9995e-3 {
        return format!("{sign}{} µs", digits(v * 1e6));
    }
    if v < 0.9995 {
        return format!("{sign}{} ms", digits(v * 1e3));
    }
    if v < 59.95 {
        return format!("{sign}{} s", digits(v));
    }
    let whole = v.round() as u64;
    let (d, h, m, s) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
    match (d, h, m) {
        (0, 0, _) => format!("{sign}{m} min {s} s"),
        (0, _, _) => format!("{sign}{h} h {m} min"),
        _ => format!("{sign}{d} d {h} h"),
    }
}

/// Four digits, for measured times: `60.02 s`, `3,601 s`.
pub fn precise_seconds(value: f64) -> String {
    let v = value.abs();
    match v {
        _ if !v.is_finite() => "unknown".to_string(),
        _ if v == 0.0 => "0 s".to_string(),
        _ if v < 0.999_95e-3 => format!("{} µs", significant(value * 1e6, 4)),
        _ if v < 0.999_95 => format!("{} ms", significant(value * 1e3, 4)),
        _ if v < 999.95 => format!("{} s", significant(value, 4)),
        _ => format!("{} s", count(v.round() as u64)),
    }
}

pub fn significant(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let magnitude = value.abs().log10().floor() as i32;
    let scale = 10f64.powi((digits - 1 - magnitude).clamp(-300, 300));
    (value * scale).round() / scale
}

/// With commas between groups of three digits: `1,234,567`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    if value != 0.0 && value.abs() < 0.1 { "<0.1 %".to_string() } else { format!("{value:.1} %") }
}

/// At least three significant digits.
fn digits(value: f64) -> String {
    match value {
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => format!("{v:.0}"),
    }
}

/// Rounds to the microsecond, so that JSON shows no artefacts of arithmetic.
pub fn tidy(value: f64) -> f64 {
    if value.abs() > 1e15 {
        return value.clamp(f64::MIN, f64::MAX);
    }
    (value * 1e6).round() / 1e6
}

/// In UTC: `2025-05-09 05:37:13`.
pub fn moment(seconds_since_1970: i64) -> String {
    let Civil { year, month, day, hour, minute, second, .. } = Civil::from_seconds(seconds_since_1970);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_three_digits() {
        assert_eq!(bytes(0.0), "0 B");
        assert_eq!(bytes(1023.0), "1023 B");
        assert_eq!(bytes(1024.0), "1.00 KiB");
        assert_eq!(bytes(1_610_612_736.0), "1.50 GiB");
        assert_eq!(bytes(1_073_741_823.0), "1.00 GiB");
        assert_eq!(rate(5e6), "4.77 MiB/s");
        assert_eq!(seconds(0.0), "0 s");
        assert_eq!(seconds(0.000_012), "12.0 µs");
        assert_eq!(seconds(0.0123), "12.3 ms");
        assert_eq!(seconds(12.34), "12.3 s");
        assert_eq!(seconds(200.0), "3 min 20 s");
        assert_eq!(seconds(7500.0), "2 h 5 min");
        assert_eq!(seconds(273_600.0), "3 d 4 h");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!(percent(0.1234), "12.3 %");
        assert_eq!(percent(0.000_01), "<0.1 %");
        assert_eq!(moment(1_746_769_033), "2025-05-09 05:37:13");
        assert_eq!(moment(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(tidy(1.999_999_999), 2.0);
        assert_eq!(precise_seconds(0.050_019), "50.02 ms");
        assert_eq!(precise_seconds(60.0249), "60.02 s");
        assert_eq!(precise_seconds(3600.6), "3,601 s");
        assert_eq!(precise_seconds(f64::NAN), "unknown");
        assert_eq!((significant(1_234_567.0, 3), significant(0.0, 3)), (1_230_000.0, 0.0));
    }
}
