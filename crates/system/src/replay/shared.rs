//! Counters that the processes of a replay share.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Number of bins of lateness, as in `marigraph_analysis::replay::Drift`.
const BINS: usize = 512;

/// Counters, initially zero.
#[repr(C)]
#[derive(Debug)]
pub struct Counters {
    /// Paths of the plan that are prepared; [`u64::MAX`] once all are.
    pub prepared: AtomicU64,
    /// First start in the trace.
    pub origin: AtomicI64,
    pub meetings: AtomicU64,
    pub ranks: AtomicU32,
    /// Not zero if there is a core for each thread.
    pub spin: AtomicU32,
    pub ready: AtomicU32,
    /// Not zero if everything must stop.
    pub stop: AtomicU32,
    pub full: AtomicU32,
    arrived: AtomicU32,
    round: AtomicU32,
    /// When the replay begins, on the monotonic clock.
    pub epoch: AtomicI64,
    /// When its last call returned, relative to the epoch.
    pub end: AtomicI64,
    pub calls: AtomicU64,
    pub left_out: AtomicU64,
    /// Failed in the trace, and might work now.
    pub not_tried: AtomicU64,
    pub mismatches: AtomicU64,
    /// Bytes.
    pub read: AtomicU64,
    /// Bytes.
    pub written: AtomicU64,
    pub drift_max: AtomicI64,
    /// Maximum lateness of a rank's last call.
    pub drift_last: AtomicI64,
    pub drift: [AtomicU64; BINS],
}

/// Counters in memory that children inherit.
#[derive(Debug)]
pub struct Shared {
    fd: OwnedFd,
    counters: *const Counters,
}

// SAFETY: the counters are atomics in memory that stays mapped as long as this lives.
unsafe impl Sync for Shared {}
// SAFETY: as above; nothing is bound to a thread.
unsafe impl Send for Shared {}

impl Shared {
    pub fn new() -> io::Result<Shared> {
        // SAFETY: a plain system call, whose descriptor is ours.
        let fd = unsafe { libc::memfd_create(c"replay".as_ptr(), libc::MFD_CLOEXEC) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: nobody else owns it.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        // SAFETY: a plain system call.
        if unsafe { libc::ftruncate(fd.as_raw_fd(), size_of::<Counters>() as i64) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Shared::inherited(fd)
    }

    pub fn inherited(fd: OwnedFd) -> io::Result<Shared> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let len = size_of::<Counters>();
        // SAFETY: a new mapping of a file that is as long; zeros are valid counters, and pages are aligned.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), len, access, libc::MAP_SHARED, fd.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Shared { fd, counters: start.cast() })
    }

    pub fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    pub fn counters(&self) -> &Counters {
        // SAFETY: mapped until `drop`.
        unsafe { &*self.counters }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: a mapping of our own; who borrowed from it borrowed from `self`.
        unsafe { libc::munmap(self.counters.cast_mut().cast(), size_of::<Counters>()) };
    }
}

impl Counters {
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
    }

    /// Starts all threads of this process together, in a moment.
    pub fn begin(&self) {
        self.epoch.store(super::wait::now().saturating_add(super::crew::RUN_UP), Ordering::Relaxed);
    }

    fn sums(&self) -> [&AtomicU64; 6] {
        [&self.calls, &self.left_out, &self.not_tried, &self.mismatches, &self.read, &self.written]
    }

    /// This process's counts, for the first rank.
    pub fn told(&self) -> Vec<i64> {
        let most = [&self.end, &self.drift_max, &self.drift_last];
        let sums = self.sums().into_iter().chain(&self.drift).map(|sum| sum.load(Ordering::Relaxed) as i64);
        most.into_iter().map(|most| most.load(Ordering::Relaxed)).chain(sums).collect()
    }

    pub fn add(&self, told: &[i64]) {
        let mut told = told.iter().copied();
        for most in [&self.end, &self.drift_max, &self.drift_last] {
            most.fetch_max(told.next().unwrap_or(0), Ordering::Relaxed);
        }
        for sum in self.sums().into_iter().chain(&self.drift) {
            sum.fetch_add(told.next().unwrap_or(0) as u64, Ordering::Relaxed);
        }
    }

    pub fn meet(&self, ranks: u32) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == ranks {
            self.arrived.store(0, Ordering::Release);
            self.round.fetch_add(1, Ordering::Release);
            wake(&self.round);
            return;
        }
        while self.round.load(Ordering::Acquire) == round && !self.stopped() {
            sleep_while(&self.round, round);
        }
    }
}

/// Sleeps while `word` is `value`, but only briefly: the replay may be stopped.
fn sleep_while(word: &AtomicU32, value: u32) {
    let limit = libc::timespec { tv_sec: 0, tv_nsec: Duration::from_millis(50).subsec_nanos().into() };
    // SAFETY: the word and the limit outlive the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, &raw const limit) };
}

fn wake(word: &AtomicU32) {
    // SAFETY: the word outlives the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
