//! Files that a program registers with a ring, to refer to them by index.

use core::ffi::c_int;
use core::sync::atomic::Ordering;

use super::{Ring, by_fd};
use crate::files::{Handles, POSIX};

/// Only indices below this are followed.
const FILES: u32 = 4096;
static REGISTERED: Handles<8192> = Handles::EMPTY;

impl Ring {
    fn file_key(&self, index: u32) -> u64 {
        u64::from(self.number.load(Ordering::Relaxed)) << 32 | u64::from(index.wrapping_add(1))
    }

    pub(super) fn registered(&self, index: i32) -> u32 {
        if self.files.load(Ordering::Relaxed) == 0 {
            0
        } else {
            REGISTERED.get(self.file_key(index as u32)) as u32
        }
    }

    pub(super) fn forget_files(&self) {
        for index in 0..self.files.swap(0, Ordering::Relaxed) {
            REGISTERED.take(self.file_key(index));
        }
    }

    pub(super) unsafe fn register(&self, first: u32, at: *const c_int, count: u32) {
        for index in 0..count.min(FILES) {
            let place = first.wrapping_add(index);
            // SAFETY: the caller's array; null registers places without files.
            let fd = if at.is_null() { -1 } else { unsafe { *at.add(index as usize) } };
            let slot = POSIX.slot(fd);
            if place >= FILES || (slot == 0 && self.registered(place as i32) == 0) {
                continue;
            }
            if slot == 0 {
                // -2 leaves an index unchanged.
                if fd != -2 {
                    REGISTERED.take(self.file_key(place));
                }
            } else {
                self.files.fetch_max(place.wrapping_add(1), Ordering::Relaxed);
                REGISTERED.set(self.file_key(place), u64::from(slot));
            }
        }
    }
}

/// Records a successful `io_uring_register`.
///
/// # Safety
/// `argument` is what the operation expects.
pub(super) unsafe fn registered(fd: c_int, operation: u32, argument: usize, count: u32) {
    let Some(ring) = by_fd(fd) else { return };
    // SAFETY: what the kernel has just read.
    unsafe {
        match operation & 0x7fff_ffff {
            2 => ring.register(0, argument as *const c_int, count),
            3 => ring.forget_files(),
            // offset, reserved, descriptors
            6 if argument != 0 => {
                let first = *(argument as *const u32);
                ring.register(first, *(argument.wrapping_add(8) as *const u64) as *const c_int, count);
            }
            // count, flags, reserved, descriptors, tags
            13 if argument != 0 => {
                let count = *(argument as *const u32);
                ring.register(0, *(argument.wrapping_add(16) as *const u64) as *const c_int, count);
            }
            // offset, reserved, descriptors, tags, count
            14 if argument != 0 => {
                let (first, count) = (*(argument as *const u32), *(argument.wrapping_add(24) as *const u32));
                ring.register(first, *(argument.wrapping_add(8) as *const u64) as *const c_int, count);
            }
            _ => {}
        }
    }
}
