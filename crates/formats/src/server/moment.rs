//! Parses times in logs: seconds since 1970, or a date and a time of day.

use marigraph_model::Civil;

use super::number::{decimal, digits};
use super::zone::{Zone, offset};

/// The two times that a text may mean, in seconds since 1970. They differ only in the hour that
/// clocks show twice.
pub(super) type Moments = (f64, f64);

#[derive(Debug)]
pub(super) struct Clock<'z> {
    zone: &'z Zone,
    /// Start of the last minute looked up, and the distances of its two times: zone rules are slow
    /// to look up, and rows of one minute are often adjacent.
    minute: i64,
    distances: (i64, i64),
    last: f64,
}

impl<'z> Clock<'z> {
    pub fn new(zone: &'z Zone) -> Clock<'z> {
        Clock { zone, minute: i64::MIN, distances: (0, 0), last: f64::NEG_INFINITY }
    }

    /// Parses the time at the beginning of a text; also returns its length. Of two candidates,
    /// takes the one that does not precede the previous time, as in logs written in order.
    #[inline]
    pub fn read(&mut self, text: &[u8]) -> Option<(f64, usize)> {
        let (moments, length) = self.read_both(text)?;
        Some((self.in_order(moments), length))
    }

    /// Must consume the entire text.
    pub fn read_all(&mut self, text: &[u8]) -> Option<f64> {
        let (moments, length) = self.read_both(text)?;
        (length == text.len()).then(|| self.in_order(moments))
    }

    /// The time at which clocks show `local` calendar seconds, in log order.
    pub fn shown(&mut self, local: i64) -> f64 {
        let (early, late) = self.of_zone(local);
        self.in_order((early as f64, late as f64))
    }

    fn in_order(&mut self, (early, late): Moments) -> f64 {
        let moment = if early < self.last && late >= self.last { late } else { early };
        self.last = moment;
        moment
    }

    #[inline]
    pub fn read_both(&mut self, text: &[u8]) -> Option<(Moments, usize)> {
        if !matches!(text.get(4), Some(b'-' | b'/')) {
            let (value, length) = decimal(text).or_else(|| long_decimal(text))?;
            let seconds = since_1970(value);
            return Some(((seconds, seconds), length));
        }
        self.calendar(text)
    }

    fn calendar(&mut self, text: &[u8]) -> Option<(Moments, usize)> {
        let day = date(text)?;
        let (of_day, fraction, length) = time_of_day(text)?;
        let local = day + of_day;
        let rest = text.get(length..)?;
        let (early, late, zone_length) = match zone(rest) {
            Some((distance, zone_length)) => (local - distance, local - distance, zone_length),
            None => {
                let (early, late) = self.of_zone(local);
                (early, late, 0)
            }
        };
        Some(((early as f64 + fraction, late as f64 + fraction), length + zone_length))
    }

    fn of_zone(&mut self, local: i64) -> (i64, i64) {
        let minute = local - local.rem_euclid(60);
        if minute != self.minute {
            let (early, late) = self.zone.moments(minute);
            (self.minute, self.distances) = (minute, (early - minute, late - minute));
        }
        (local + self.distances.0, local + self.distances.1)
    }
}

/// Parses a decimal number with more digits than [`decimal`] takes: some clocks print seconds with
/// seven decimals or more.
fn long_decimal(text: &[u8]) -> Option<(f64, usize)> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    if matches!(text.get(length), Some(b'e' | b'E')) {
        return None;
    }
    let value = std::str::from_utf8(text.get(..length)?).ok()?.parse().ok()?;
    Some((value, length)).filter(|(value, _): &(f64, usize)| value.is_finite())
}

/// Converts a number in seconds or smaller units to seconds since 1970: no log is from the year
/// 5000.
fn since_1970(value: f64) -> f64 {
    match value {
        ..1e11 => value,
        ..1e14 => value / 1e3,
        ..1e17 => value / 1e6,
        _ => value / 1e9,
    }
}

/// Seconds since 1970 at the start of a day such as `2026-11-16`.
fn date(text: &[u8]) -> Option<i64> {
    let number = |from: usize, to: usize| whole(text.get(from..to)?);
    if text.get(4) != text.get(7) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    Civil { year, month, day, ..Civil::from_seconds(0) }.seconds()
}

/// Seconds of the day and their fraction if a time follows the date, and the length of both.
fn time_of_day(text: &[u8]) -> Option<(i64, f64, usize)> {
    let number = |from: usize, to: usize| whole(text.get(from..to)?);
    if !matches!(text.get(10), Some(b'T' | b't' | b' ')) || text.get(13) != Some(&b':') {
        return Some((0, 0.0, 10));
    }
    let (hour, minute) = (number(11, 13)?, number(14, 16)?);
    let (mut second, mut fraction, mut length) = (0, 0.0, 16);
    if text.get(16) == Some(&b':') {
        // A leap second repeats the second before.
        let shown = number(17, 19).filter(|second| *second <= 60)?;
        (second, length) = (shown.min(59), 19);
        if text.get(19) == Some(&b'.') {
            let rest = &text[20..];
            let (value, count) = digits(&rest[..rest.len().min(15)], 0);
            fraction = value as f64 / 10f64.powi(count as i32);
            length = 20 + rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        }
    }
    (hour < 24 && minute < 60).then_some((hour * 3600 + minute * 60 + second, fraction, length))
}

/// The zone after a time, in seconds east of UTC, and its length.
fn zone(text: &[u8]) -> Option<(i64, usize)> {
    let blank = usize::from(text.first() == Some(&b' '));
    let rest = &text[blank..];
    let named = [&b"UTC"[..], b"GMT", b"Z"].into_iter().find(|name| rest.starts_with(name));
    let (seconds, length) = named.map(|name| (0, name.len())).or_else(|| offset(rest))?;
    Some((seconds, blank + length))
}

pub(super) fn whole(text: &[u8]) -> Option<i64> {
    let (value, length) = digits(text, 0);
    if length == 0 || length != text.len() || length > 18 {
        return None;
    }
    i64::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_have_many_forms() {
        let berlin = Zone::named("Europe/Berlin").expect("a zone");
        let cases = [
            ("1767571200", 1_767_571_200.0),
            ("1767571200.25", 1_767_571_200.25),
            ("1767571200.2500002", 1_767_571_200.250_000_2),
            ("1767571200.250000000000", 1_767_571_200.25),
            ("1767571200250", 1_767_571_200.25),
            ("1767571200250000", 1_767_571_200.25),
            ("2026-01-05T00:00:00Z", 1_767_571_200.0),
            ("2026-01-05 00:00:00 UTC", 1_767_571_200.0),
            ("2026-01-05T01:00:00+01:00", 1_767_571_200.0),
            ("2026-01-04T19:00:00.5-0500", 1_767_571_200.5),
            ("2026-01-05T01:00:00", 1_767_571_200.0),
            ("2026/01/05 01:00", 1_767_571_200.0),
            ("2026-01-05", 1_767_567_600.0),
            ("2026-07-05T02:00:00.123456789", 1_783_209_600.123_456_7),
        ];
        for (text, expected) in cases {
            assert_eq!(Clock::new(&berlin).read_all(text.as_bytes()), Some(expected), "{text}");
        }
        let none = [
            "",
            "-1",
            "2026-13-01",
            "2026-02-30T00:00:00",
            "2026-01-05T24:00:00",
            "2026-01-05T00:00:61",
            "2026-01-05T00:00:00x",
        ];
        for text in none.into_iter().chain(["2026-01/05", "2026-", "2026-01-05T00:60", "Unknown", "12:00:00"])
        {
            assert_eq!(Clock::new(&berlin).read_all(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_hour_that_comes_twice_is_told_by_the_order() {
        let berlin = Zone::named("Europe/Berlin").expect("a zone");
        let mut clock = Clock::new(&berlin);
        let times = ["01:59:00", "02:00:00", "02:30:00", "02:59:00", "02:00:00", "02:30:00", "03:00:00"];
        let read = |time: &str| clock.read_all(format!("2026-10-25T{time}").as_bytes()).expect("a moment");
        let moments: Vec<f64> = times.into_iter().map(read).collect();
        let steps: Vec<f64> = moments.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(steps, [60.0, 1800.0, 1740.0, 60.0, 1800.0, 1800.0]);
    }
}
