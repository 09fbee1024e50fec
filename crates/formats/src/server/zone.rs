//! The time zone of logs whose times have none.

use std::fmt;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use marigraph_model::Civil;

/// A time zone, UTC by default.
#[derive(Clone, Debug, Default)]
pub struct Zone(Kind);

#[derive(Clone, Debug)]
enum Kind {
    /// Seconds east of UTC.
    Fixed(i64),
    Rules(TimeZone),
}

impl Default for Kind {
    fn default() -> Kind {
        Kind::Fixed(0)
    }
}

/// The name is not a time zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownZone {
    pub name: String,
}

impl fmt::Display for UnknownZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a time zone", self.name)
    }
}

impl UnknownZone {
    pub const HINT: &str = "use a name such as Europe/Berlin, or an offset such as +02:00";
}

impl std::error::Error for UnknownZone {}

impl Zone {
    pub fn utc() -> Zone {
        Zone::default()
    }

    /// The zone of a name (`Europe/Berlin`, `UTC`) or of an offset from UTC (`+02:00`, `-0530`,
    /// `+2`). The rules of named zones are part of the program, so that results do not depend on
    /// the machine.
    pub fn named(name: &str) -> Result<Zone, UnknownZone> {
        let plain = name.trim();
        if plain.eq_ignore_ascii_case("utc") || plain.eq_ignore_ascii_case("z") {
            return Ok(Zone::utc());
        }
        if let Some((seconds, length)) = offset(plain.as_bytes())
            && length == plain.len()
        {
            return Ok(Zone(Kind::Fixed(seconds)));
        }
        let unknown = |_| UnknownZone { name: name.to_string() };
        TimeZoneDatabase::bundled().get(plain).map(|rules| Zone(Kind::Rules(rules))).map_err(unknown)
    }

    /// The times, in seconds since 1970, at which clocks in the zone show `local` calendar seconds:
    /// two if clocks are set back, else the same twice. If clocks are set forward, a skipped time
    /// counts from before.
    pub(super) fn moments(&self, local: i64) -> (i64, i64) {
        let rules = match &self.0 {
            Kind::Fixed(seconds) => return (local - seconds, local - seconds),
            Kind::Rules(rules) => rules,
        };
        let Some(shown) = date_time(local) else { return (local, local) };
        let at = |offset: jiff::tz::Offset| local - i64::from(offset.seconds());
        match rules.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => (at(offset), at(offset)),
            AmbiguousOffset::Gap { before, .. } => (at(before), at(before)),
            AmbiguousOffset::Fold { before, after } => (at(before), at(after)),
        }
    }
}

fn date_time(local: i64) -> Option<DateTime> {
    let civil = Civil::from_seconds(local);
    let small = |value: i64| i8::try_from(value).ok();
    DateTime::new(
        i16::try_from(civil.year).ok()?,
        small(civil.month)?,
        small(civil.day)?,
        small(civil.hour)?,
        small(civil.minute)?,
        small(civil.second)?,
        0,
    )
    .ok()
}

/// Parses an offset from UTC (`+02:00`, `+0200`, `+02`, `+2`) at the beginning, in seconds; also
/// returns its length.
pub(super) fn offset(text: &[u8]) -> Option<(i64, usize)> {
    let sign = match text.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits =
        |from: usize| text.iter().skip(from).take(4).take_while(|byte| byte.is_ascii_digit()).count();
    let value = |from: usize, to: usize| {
        text.get(from..to)?.iter().try_fold(0i64, |sum, byte| Some(sum * 10 + i64::from(byte - b'0')))
    };
    let (hours, minutes, length) = match digits(1) {
        4 => (value(1, 3)?, value(3, 5)?, 5),
        count @ 1..=2 if text.get(count + 1) == Some(&b':') && digits(count + 2) == 2 => {
            (value(1, count + 1)?, value(count + 2, count + 4)?, count + 4)
        }
        count @ 1..=2 => (value(1, count + 1)?, 0, count + 1),
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then_some((sign * (hours * 3600 + minutes * 60), length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_named_or_told_by_their_distance() {
        let noon = 1_785_585_600; // 2026-08-01T12:00:00
        let cases = [("UTC", 0), ("z", 0), ("Europe/Berlin", 2), ("+02:00", 2), ("-0530", -5), ("+2", 2)];
        for (name, hours) in cases {
            let half = if name == "-0530" { -1800 } else { 0 };
            let expected = noon - hours * 3600 - half;
            assert_eq!(Zone::named(name).expect(name).moments(noon), (expected, expected), "{name}");
        }
        for name in ["", "Europe/Atlantis", "+25", "2", "+02:0", "+02:00x"] {
            assert_eq!(Zone::named(name).err(), Some(UnknownZone { name: name.to_string() }));
        }
    }

    #[test]
    fn clocks_are_put_back_and_forward() {
        let berlin = Zone::named("Europe/Berlin").expect("a zone");
        let night = Civil { year: 2026, month: 10, day: 25, hour: 2, minute: 30, second: 0, weekday: 0 };
        let local = night.seconds().expect("a moment");
        assert_eq!(berlin.moments(local), (local - 7200, local - 3600));
        let spring = Civil { month: 3, day: 29, ..night }.seconds().expect("a moment");
        assert_eq!(berlin.moments(spring), (spring - 3600, spring - 3600));
        assert_eq!(berlin.moments(i64::MAX), (i64::MAX, i64::MAX));
    }
}
