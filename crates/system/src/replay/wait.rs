//! Waits for a moment, to the microsecond.

use std::time::Duration;

/// Nanoseconds that a sleep may overrun; the rest is spent polling the clock.
const SPUN: i64 = 60_000;
/// Longest sleep in nanoseconds, so that a stop is noticed.
const NAP: i64 = 50_000_000;

/// Nanoseconds of the monotonic clock.
pub fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

/// Minimizes the timer slack of this thread.
pub fn exact_sleeps() {
    // SAFETY: a plain system call.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
}

/// Waits until `due`, at the end by polling the clock if `spin`. `stopped` ends it early.
pub fn until(due: i64, spin: bool, stopped: impl Fn() -> bool) {
    let early = if spin { SPUN } else { 0 };
    loop {
        let left = due.saturating_sub(early).saturating_sub(now());
        if left <= 0 || stopped() {
            break;
        }
        sleep_until(now().saturating_add(left.min(NAP)));
    }
    while spin && now() < due && !stopped() {
        std::hint::spin_loop();
    }
}

fn sleep_until(time: i64) {
    let time = Duration::from_nanos(u64::try_from(time).unwrap_or(0));
    let time = libc::timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    // SAFETY: the structure outlives the call. A signal ends it early, and the caller looks again.
    unsafe {
        let (clock, how) = (libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME);
        libc::clock_nanosleep(clock, how, &raw const time, std::ptr::null_mut());
    }
}
