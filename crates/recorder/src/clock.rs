//! Time: the processor's counter where its rate is constant, else the kernel's clock.

use core::arch::x86_64::{__cpuid, _rdtsc};
use core::sync::atomic::{AtomicU32, Ordering};

use marigraph_wire::chunk::Moment;

/// Ticks are nanoseconds of `CLOCK_MONOTONIC`.
pub const STEADY: u32 = 1;
/// Ticks are the processor's time stamp counter.
pub const COUNTER: u32 = 2;

static KIND: AtomicU32 = AtomicU32::new(STEADY);

pub fn choose() {
    // The invariant TSC bit: the counter keeps its rate in all states of the processor.
    let steady = __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0;
    KIND.store(if steady { COUNTER } else { STEADY }, Ordering::Relaxed);
}

pub fn kind() -> u32 {
    KIND.load(Ordering::Relaxed)
}

/// In ticks.
#[inline(always)]
pub fn now() -> u64 {
    if KIND.load(Ordering::Relaxed) == COUNTER {
        // SAFETY: every x86-64 processor has the instruction.
        unsafe { _rdtsc() }
    } else {
        read(libc::CLOCK_MONOTONIC)
    }
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call, which the C library answers without entering the kernel.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

pub fn moment() -> Moment {
    let before = now();
    let steady = read(libc::CLOCK_MONOTONIC);
    let after = now();
    let ticks = before.wrapping_add(after.wrapping_sub(before) / 2);
    Moment { ticks, steady, wall: read(libc::CLOCK_REALTIME) }
}
