//! Per-thread state of the recorder.
//!
//! Plain cells in thread-local storage need no set-up or tear-down, so they are usable from the
//! first instruction of a thread to its last, and in signal handlers.

use core::cell::Cell;

/// The state of one thread.
pub struct Thread {
    /// The process's mark when this thread got its segment; another mark means another process.
    pub mark: Cell<u64>,
    /// Start of the records in its segment.
    pub records: Cell<*mut u8>,
    pub segment: Cell<u32>,
    pub used: Cell<u32>,
    /// Capacity of the segment, in records.
    pub room: Cell<u32>,
    pub turn: Cell<u16>,
    /// Ordinal, within the thread, of the segment's first record.
    pub first: Cell<u64>,
    /// 0-based, in order of first appearance in the process.
    pub number: Cell<u32>,
    /// Open calls of outer layers.
    pub depth: Cell<u8>,
    /// Nesting depth of MPI calls; only the outermost is recorded.
    pub in_mpi: Cell<u8>,
    pub busy: Cell<bool>,
    /// Records nothing: in a child between `vfork` and `exec`, which shares its parent's memory,
    /// and while an MPI library starts or ends, because the files it opens are its own.
    pub muted: Cell<bool>,
}

std::thread_local! {
    static HERE: Thread = const {
        Thread {
            mark: Cell::new(0),
            records: Cell::new(core::ptr::null_mut()),
            segment: Cell::new(0),
            used: Cell::new(0),
            room: Cell::new(0),
            turn: Cell::new(0),
            first: Cell::new(0),
            number: Cell::new(0),
            depth: Cell::new(0),
            in_mpi: Cell::new(0),
            busy: Cell::new(false),
            muted: Cell::new(false),
        }
    };
}

#[inline(always)]
pub fn here<R>(f: impl FnOnce(&Thread) -> R) -> R {
    // No destructor is registered for plain cells, so the state is there as long as the thread is.
    HERE.with(f)
}
