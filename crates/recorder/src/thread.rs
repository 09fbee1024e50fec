//! What the recorder keeps per thread.
//!
//! Plain cells in thread-local storage that need no set-up and no tear-down, so they may be used
//! from the first instruction of a thread to its last, and in signal handlers.

use core::cell::Cell;

/// The state of one thread.
pub struct Thread {
    /// The process's mark when this thread got its segment; another mark means another process.
    pub mark: Cell<u64>,
    /// Its segment's records.
    pub records: Cell<*mut u8>,
    /// Which segment of the live file.
    pub segment: Cell<u32>,
    /// Records in it.
    pub used: Cell<u32>,
    /// Records it has room for.
    pub room: Cell<u32>,
    /// The segment's turn.
    pub turn: Cell<u16>,
    /// Number of the segment's first record among the thread's.
    pub first: Cell<u64>,
    /// Which thread of the process, in order of appearance.
    pub number: Cell<u32>,
    /// Calls of outer layers that are open.
    pub depth: Cell<u8>,
    /// Whether an MPI call is open: what MPI calls inside is its own affair.
    pub in_mpi: Cell<u8>,
    /// Whether the recorder is at work on this thread.
    pub busy: Cell<bool>,
    /// Whether nothing is to be noted: in a child between `vfork` and `exec`, which is in its parent's
    /// memory, and while an MPI library starts or ends, whose files are its own.
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

/// Runs `f` on this thread's state.
#[inline(always)]
pub fn here<R>(f: impl FnOnce(&Thread) -> R) -> R {
    // No destructor is registered for plain cells, so the state is there as long as the thread is.
    HERE.with(f)
}
