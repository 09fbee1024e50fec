//! Memory for folding records.

use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use marigraph_wire::segment;

use crate::sys;

pub(super) struct Scratch {
    pub(super) segment: segment::Memory,
    pub(super) out: [u8; 1 << 19],
}

const SCRATCHES: usize = 2;
static SCRATCH_AT: [AtomicPtr<Scratch>; SCRATCHES] =
    [const { AtomicPtr::new(core::ptr::null_mut()) }; SCRATCHES];
static SCRATCH_BUSY: [AtomicBool; SCRATCHES] = [const { AtomicBool::new(false) }; SCRATCHES];

/// `None` if all buffers are taken, or memory is out.
pub(super) fn with_scratch<R>(f: impl FnOnce(&mut Scratch) -> R) -> Option<R> {
    for (place, busy) in SCRATCH_AT.iter().zip(&SCRATCH_BUSY) {
        if busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            continue;
        }
        let mut at = place.load(Ordering::Acquire);
        if at.is_null() {
            at = sys::memory(size_of::<Scratch>()).map_or(core::ptr::null_mut(), <*mut u8>::cast);
            place.store(at, Ordering::Release);
        }
        // SAFETY: mapped memory of the right size, page-aligned, zero at first, which is a valid
        // value of all its numbers; `busy` makes this thread its only user.
        let done = unsafe { at.as_mut() }.map(f);
        busy.store(false, Ordering::Release);
        return done;
    }
    None
}

/// For a child of `fork`, where the threads that held the buffers do not exist.
pub(super) fn free_all() {
    SCRATCH_BUSY.iter().for_each(|busy| busy.store(false, Ordering::Relaxed));
}
