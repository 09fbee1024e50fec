//! Numbers that may be missing, and the units of time.
//!
//! Logs mark "not measured" with special values such as -1. Readers turn these into the missing
//! value here, so nothing beyond a reader has to know them.

/// Value of an integer counter; may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Count(i64);

impl Count {
    /// Not measured.
    pub const MISSING: Count = Count(i64::MIN);

    pub const fn new(value: i64) -> Count {
        Count(value)
    }

    pub const fn get(self) -> Option<i64> {
        if self.0 == i64::MIN { None } else { Some(self.0) }
    }

    /// The value as a count: 0 if missing or negative.
    pub fn amount(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }
}

impl std::fmt::Debug for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// Value of a float counter (seconds, or a variance); may be missing.
#[derive(Clone, Copy)]
pub struct Measure(f64);

impl Measure {
    /// Not measured.
    pub const MISSING: Measure = Measure(f64::NAN);

    /// NaN is missing.
    pub const fn new(value: f64) -> Measure {
        Measure(value)
    }

    pub const fn get(self) -> Option<f64> {
        if self.0.is_nan() { None } else { Some(self.0) }
    }

    /// The value as an amount: 0 if missing, negative or infinite.
    pub fn amount(self) -> f64 {
        if self.0 > 0.0 && self.0.is_finite() { self.0 } else { 0.0 }
    }
}

impl PartialEq for Measure {
    fn eq(&self, other: &Measure) -> bool {
        self.get() == other.get()
    }
}

impl std::fmt::Debug for Measure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// Nanoseconds since the start of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Nanos(pub i64);

impl Nanos {
    /// Rounds to the nearest nanosecond; saturates out of range, and NaN is 0.
    pub fn from_job_seconds(seconds: f64) -> Nanos {
        Nanos(nearest(seconds * 1e9))
    }

    pub fn as_job_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

/// The nearest integer, halves away from zero. `f64::round` gives the same, but is a function call
/// where the target is not known to have an instruction for it.
#[inline]
fn nearest(value: f64) -> i64 {
    let whole = value as i64;
    let rest = value - whole as f64;
    whole.saturating_add(i64::from(rest >= 0.5)).saturating_sub(i64::from(rest <= -0.5))
}

/// A time in UTC: seconds and nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WallTime {
    pub seconds: i64,
    /// Below 10^9.
    pub nanos: u32,
}

impl WallTime {
    /// Negative if the clock went back.
    pub fn seconds_since(self, earlier: WallTime) -> f64 {
        let whole = self.seconds as f64 - earlier.seconds as f64;
        whole + (f64::from(self.nanos) - f64::from(earlier.nanos)) * 1e-9
    }

    pub fn since_1970(self) -> f64 {
        self.seconds as f64 + f64::from(self.nanos) * 1e-9
    }
}

/// A calendar time, in whatever time zone the seconds were counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    pub year: i64,
    /// From 1.
    pub month: i64,
    /// From 1.
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    /// Sunday is 0.
    pub weekday: i64,
}

impl Civil {
    /// From seconds since the Unix epoch, in the proleptic Gregorian calendar.
    pub fn from_seconds(seconds: i64) -> Civil {
        let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Days count from 1 March of year 0, so that leap days come last.
        let shifted = days + 719_468;
        let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Civil {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: of_year - (153 * shifted_month + 2) / 5 + 1,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
            weekday: (days + 4).rem_euclid(7),
        }
    }

    /// Seconds since the Unix epoch; `None` for times that do not exist or are not in the years 0
    /// to 9999. Ignores the weekday.
    pub fn seconds(self) -> Option<i64> {
        if !(0..=9999).contains(&self.year)
            || !(1..=12).contains(&self.month)
            || !(1..=31).contains(&self.day)
        {
            return None;
        }
        // Days count from 1 March, so that leap days come last.
        let year = if self.month <= 2 { self.year - 1 } else { self.year };
        let of_year = (153 * ((self.month + 9) % 12) + 2) / 5 + self.day - 1;
        let days =
            year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year - 719_468;
        let in_range =
            (0..24).contains(&self.hour) && (0..60).contains(&self.minute) && (0..60).contains(&self.second);
        let seconds = days * 86_400 + self.hour * 3600 + self.minute * 60 + self.second;
        // A 30th of February falls in March, so its day differs.
        (in_range && Civil::from_seconds(seconds).day == self.day).then_some(seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_to_nanoseconds() {
        let limits = [0.0, -0.0, 1e300, -1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 9.3e9, -9.3e9];
        let halves = (-40..40).flat_map(|n| [f64::from(n) / 4e9, f64::from(n) * 1.000_000_1 / 4e9]);
        let large = (40..64).flat_map(|n| [-1.0, 1.0].map(|sign| sign * ((1u64 << n) as f64 + 0.5) / 1e9));
        for seconds in limits.into_iter().chain(halves).chain(large) {
            assert_eq!(Nanos::from_job_seconds(seconds), Nanos((seconds * 1e9).round() as i64), "{seconds}");
        }
    }

    #[test]
    fn the_calendar_has_leap_days() {
        let leap = Civil::from_seconds(951_782_400);
        assert_eq!((leap.year, leap.month, leap.day, leap.weekday), (2000, 2, 29, 2));
        let before = Civil::from_seconds(-1);
        assert_eq!((before.year, before.month, before.day, before.hour), (1969, 12, 31, 23));
        let _ = (Civil::from_seconds(i64::MAX), Civil::from_seconds(i64::MIN));
    }

    #[test]
    fn the_calendar_goes_both_ways() {
        for seconds in (-62_000_000_000i64..250_000_000_000).step_by(9_876_543) {
            assert_eq!(Civil::from_seconds(seconds).seconds(), Some(seconds));
        }
        let day = |year, month, day| Civil { year, month, day, ..Civil::from_seconds(0) }.seconds();
        assert_eq!(day(2024, 2, 29), Some(1_709_164_800));
        for (year, month, of_month) in
            [(2023, 2, 29), (2024, 4, 31), (2024, 13, 1), (2024, 0, 1), (2024, 1, 0)]
        {
            assert_eq!(day(year, month, of_month), None);
        }
        assert_eq!(Civil { hour: 24, ..Civil::from_seconds(0) }.seconds(), None);
    }

    #[test]
    fn missing_values_are_not_amounts() {
        assert_eq!(Count::MISSING.get(), None);
        assert_eq!(Count::MISSING.amount(), 0);
        assert_eq!(Count::new(-5).amount(), 0);
        assert_eq!(Count::new(7).get(), Some(7));
        assert_eq!(Measure::MISSING.get(), None);
        assert_eq!(Measure::new(f64::INFINITY).amount(), 0.0);
        assert_eq!(Measure::MISSING, Measure::new(f64::NAN));
    }

    #[test]
    fn nanos_survive_the_way_through_seconds() {
        for nanos in [0, 1, 999_999_999, 1_000_000_001, 86_400_000_000_123, -17] {
            assert_eq!(Nanos::from_job_seconds(Nanos(nanos).as_job_seconds()), Nanos(nanos));
        }
    }
}
