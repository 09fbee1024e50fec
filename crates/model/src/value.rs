//! Numbers that may be missing, and the units of time.
//!
//! Logs mark "not measured" with a value (-1 and the like). Readers turn such marks into the
//! missing value here; nothing beyond a reader has to know them.

/// An integer counter's value, or nothing.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Count(i64);

impl Count {
    /// Not measured.
    pub const MISSING: Count = Count(i64::MIN);

    /// A measured value.
    pub const fn new(value: i64) -> Count {
        Count(value)
    }

    /// The value if it was measured.
    pub const fn get(self) -> Option<i64> {
        if self.0 == i64::MIN { None } else { Some(self.0) }
    }

    /// The value as a count of things: missing and negative are nothing.
    pub fn amount(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }
}

impl std::fmt::Debug for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// A float counter's value (seconds, or a variance), or nothing.
#[derive(Clone, Copy)]
pub struct Measure(f64);

impl Measure {
    /// Not measured.
    pub const MISSING: Measure = Measure(f64::NAN);

    /// A measured value; what is not a number is missing.
    pub const fn new(value: f64) -> Measure {
        Measure(value)
    }

    /// The value if it was measured.
    pub const fn get(self) -> Option<f64> {
        if self.0.is_nan() { None } else { Some(self.0) }
    }

    /// The value as an amount of time: missing, negative and infinite are nothing.
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
    /// From seconds since the start of the job, to the nearest nanosecond. What is out of range
    /// (or not a number) saturates.
    pub fn from_job_seconds(seconds: f64) -> Nanos {
        Nanos((seconds * 1e9).round() as i64)
    }

    /// Seconds since the start of the job.
    pub fn as_job_seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

/// A moment on the calendar: seconds and nanoseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct WallTime {
    /// Whole seconds.
    pub seconds: i64,
    /// The rest, below 10^9.
    pub nanos: u32,
}

impl WallTime {
    /// Seconds from `earlier` to `self`; negative when the clock went back.
    pub fn seconds_since(self, earlier: WallTime) -> f64 {
        let whole = self.seconds as f64 - earlier.seconds as f64;
        whole + (f64::from(self.nanos) - f64::from(earlier.nanos)) * 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
