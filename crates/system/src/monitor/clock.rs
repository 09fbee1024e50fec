//! When to look, and gaps between two looks.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use marigraph_model::{Gap, GapCause};

/// Interval at which a sleeper checks whether to stop.
const NAP: Duration = Duration::from_millis(200);
/// Maximum difference between the two clocks from one look to the next; beyond it, the wall clock
/// was set.
const STEP_US: u64 = 250_000;
/// Number of intervals after which a sample is late.
const LATE: u64 = 3;

/// Two clocks: the wall clock, which may be set, and a steady one.
#[derive(Debug)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    pub(super) fn new() -> Clock {
        Clock { began: Instant::now() }
    }

    pub(super) fn now(&self) -> (i64, u64) {
        (wall_us(), u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX))
    }
}

/// Microseconds since 1970.
pub fn wall_us() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |us| -us),
    }
}

/// Sleeps to the next multiple of `interval_us` since 1970, so that looks do not drift and servers
/// look at the same time; or until `stop` returns true.
pub fn sleep_to_multiple(interval_us: u64, stop: impl Fn() -> bool) {
    let interval = i64::try_from(interval_us).unwrap_or(i64::MAX / 2).clamp(1, i64::MAX / 2);
    let wait = interval - wall_us().rem_euclid(interval);
    // While the clock is being corrected, we may wake just before the multiple.
    let wait = if wait < interval / 10 { wait + interval } else { wait };
    let end = Instant::now() + Duration::from_micros(wait.unsigned_abs());
    while !stop() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(left.min(NAP));
    }
}

/// Microseconds since boot, including suspension.
pub fn uptime_us(root: &Path) -> Option<i64> {
    let text = fs::read_to_string(root.join("proc/uptime")).ok()?;
    let seconds: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some((seconds * 1e6) as i64)
}

/// Two consecutive looks.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// The first, in microseconds since 1970 by the wall clock.
    pub from_us: i64,
    pub to_us: i64,
    /// Time between them by the steady clock.
    pub elapsed_us: u64,
    pub interval_us: u64,
}

impl Between {
    /// The gap between them, if any. `slept_us` returns how much longer the machine has been up
    /// than the steady clock ran; it is called only if the clocks disagree.
    pub fn gap(&self, slept_us: impl FnOnce() -> Option<i64>) -> Option<Gap> {
        let elapsed = i64::try_from(self.elapsed_us).unwrap_or(i64::MAX);
        let ahead = self.to_us.saturating_sub(self.from_us).saturating_sub(elapsed);
        let cause = if ahead.unsigned_abs() > STEP_US {
            let slept = slept_us().is_some_and(|slept| slept > ahead / 2 && ahead > 0);
            if slept { GapCause::Suspended } else { GapCause::ClockStep }
        } else if self.elapsed_us > LATE.saturating_mul(self.interval_us) {
            GapCause::Late
        } else {
            return None;
        };
        Some(Gap { from_us: self.from_us, to_us: self.to_us, cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(to_us: i64, elapsed_us: u64, slept_us: Option<i64>) -> Option<GapCause> {
        let between = Between { from_us: 1_000_000, to_us, elapsed_us, interval_us: 2_000_000 };
        between.gap(|| slept_us).map(|gap| gap.cause)
    }

    #[test]
    fn what_lies_between_two_looks() {
        assert_eq!(cause(3_000_000, 2_000_000, None), None);
        assert_eq!(cause(3_100_000, 2_000_000, None), None);
        // A host that is slightly late loses nothing.
        assert_eq!(cause(6_500_000, 5_500_000, None), None);
        assert_eq!(cause(8_500_000, 7_500_000, None), Some(GapCause::Late));
        assert_eq!(cause(3_603_000_000, 2_000_000, Some(10_000)), Some(GapCause::ClockStep));
        assert_eq!(cause(3_603_000_000, 2_000_000, Some(3_600_010_000)), Some(GapCause::Suspended));
        assert_eq!(cause(-3_597_000_000, 2_000_000, Some(0)), Some(GapCause::ClockStep));
    }

    #[test]
    fn sleepers_wake_at_multiples_or_when_told() {
        sleep_to_multiple(10_000, || false);
        assert!(wall_us().rem_euclid(10_000) < 9_999);
        let begun = Instant::now();
        sleep_to_multiple(1_000_000_000_000, || true);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
