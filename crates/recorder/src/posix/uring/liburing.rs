//! Functions of `liburing`, which makes its system calls itself.

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::Ordering;

use marigraph_wire::op::Op;

use super::registered::registered;
use super::syscall::enters;
use super::{Params, Ring, each, made, may_note, now, place};

/// The library's `struct io_uring`, as far as its versions since 2.0 agree.
#[repr(C)]
pub struct Handle {
    sq_head: *const u32,
    sq_tail: *const u32,
    sq_mask: *const u32,
    sq_entries: *const u32,
    sq_flags: *const u32,
    dropped: *const u32,
    array: *const u32,
    entries: *const u64,
    /// Entries handed out: from the first not submitted up to the next free one.
    first: u32,
    next: u32,
    sq_size: usize,
    sq_map: *const c_void,
    unused: [u32; 4],
    cq_head: *const u32,
    cq_tail: *const u32,
    cq_mask: *const u32,
    cq_entries: *const u32,
    cq_flags: *const u32,
    overflow: *const u32,
    completions: *const c_void,
    cq_size: usize,
    cq_map: *const c_void,
    unused_too: [u32; 4],
    flags: u32,
    fd: c_int,
}

impl Handle {
    fn ring(&self) -> Option<&'static Ring> {
        each().find(|ring| ring.entries.load(Ordering::Acquire) == self.entries as usize)
    }

    /// The ring, registered if it is new.
    unsafe fn known(&self, site: usize) -> Option<&'static Ring> {
        if self.entries.is_null() || self.sq_mask.is_null() || self.sq_tail.is_null() || !may_note() {
            return None;
        }
        if let Some(ring) = self.ring() {
            if !ring.told.swap(true, Ordering::Relaxed) {
                // Known from its system calls until now: the library keeps its entries in order.
                ring.array.store(0, Ordering::Relaxed);
            }
            return Some(ring);
        }
        // SAFETY: a ring that was set up.
        let mask = unsafe { *self.sq_mask };
        // We saw the call that set it up, but not the one that mapped it.
        let half = each().find(|ring| {
            ring.fd.load(Ordering::Relaxed) == self.fd && ring.entries.load(Ordering::Relaxed) == 0
        });
        let ring = match half {
            Some(ring) => ring,
            None => {
                let args = [i64::from(mask).saturating_add(1), i64::from(self.flags), 0];
                now().note(Op::UringSetup, 0, args, 0, site);
                let ring = place()?;
                ring.begin(self.fd, self.flags, 0);
                ring
            }
        };
        ring.told.store(true, Ordering::Relaxed);
        ring.sq_mask.store(mask, Ordering::Relaxed);
        ring.array.store(0, Ordering::Relaxed);
        ring.seen.store(self.first, Ordering::Relaxed);
        ring.sq_tail.store(self.sq_tail as usize, Ordering::Release);
        if !self.cq_mask.is_null() && !self.cq_tail.is_null() && !self.completions.is_null() {
            // SAFETY: a ring that was set up.
            let (mask, tail) = unsafe { (*self.cq_mask, self.cq_tail.read_volatile()) };
            ring.cq_mask.store(mask, Ordering::Relaxed);
            ring.collected.store(tail, Ordering::Relaxed);
            ring.completions.store(self.completions as usize, Ordering::Relaxed);
            ring.cq_tail.store(self.cq_tail as usize, Ordering::Release);
        }
        if let Some((start, len)) = ring.maps.first() {
            len.store(self.sq_size, Ordering::Relaxed);
            start.store(self.sq_map as usize, Ordering::Release);
        }
        if let Some((start, len)) = ring.maps.get(2) {
            len.store(
                (mask as usize).saturating_add(1).saturating_mul(super::entry::ENTRY),
                Ordering::Relaxed,
            );
            start.store(self.entries as usize, Ordering::Release);
        }
        ring.entries.store(self.entries as usize, Ordering::Release);
        Some(ring)
    }
}

unsafe fn begun(handle: *const Handle, ret: c_int, site: usize) -> c_int {
    // SAFETY: filled by the call if it succeeded.
    if let (true, Some(handle)) = (ret >= 0, unsafe { handle.as_ref() }) {
        // SAFETY: the same.
        unsafe { handle.known(site) };
    }
    ret
}

/// Records a call that submits, waits, or both.
unsafe fn goes(handle: *const Handle, submits: bool, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the caller's ring.
    let Some(ring) = unsafe { handle.as_ref() }.and_then(|handle| unsafe { handle.known(site) }) else {
        return call();
    };
    ring.owner.store(super::me(), Ordering::Relaxed);
    if submits {
        ring.collect(site);
        // SAFETY: the caller's ring.
        ring.submitted(unsafe { (&raw const (*handle).next).read_volatile() }, false, site);
    }
    let ret = call();
    ring.collect(site);
    ret
}

/// Records a call that registered files, if it succeeded.
unsafe fn registers(handle: *const Handle, ret: c_int, note: impl FnOnce(&Ring)) -> c_int {
    // SAFETY: the caller's ring.
    if let (true, Some(ring)) = (ret >= 0, unsafe { handle.as_ref() }.and_then(Handle::ring)) {
        note(ring);
    }
    ret
}

crate::foreign_hooks! { &[c"liburing.so.2", c"liburing-ffi.so.2", c"liburing.so.1"];
    "rcx" io_uring_queue_init(entries: c_uint, ring: *mut Handle, flags: c_uint) -> c_int |real, site| {
        begun(ring, real(entries, ring, flags), site)
    }

    "rcx" io_uring_queue_init_params(entries: c_uint, ring: *mut Handle, params: *mut Params) -> c_int |real, site| {
        begun(ring, real(entries, ring, params), site)
    }

    "r9" io_uring_queue_init_mem(entries: c_uint, ring: *mut Handle, params: *mut Params, buffer: *mut c_void, size: usize) -> c_int |real, site| {
        begun(ring, real(entries, ring, params, buffer, size), site)
    }

    "rcx" io_uring_queue_mmap(fd: c_int, params: *mut Params, ring: *mut Handle) -> c_int |real, site| {
        begun(ring, real(fd, params, ring), site)
    }

    "rsi" io_uring_submit(ring: *mut Handle) -> c_int |real, site| {
        goes(ring, true, site, || real(ring))
    }

    "rdx" io_uring_submit_and_wait(ring: *mut Handle, count: c_uint) -> c_int |real, site| {
        goes(ring, true, site, || real(ring, count))
    }

    "r9" io_uring_submit_and_wait_timeout(ring: *mut Handle, out: *mut *mut c_void, count: c_uint, time: *mut c_void, mask: *mut c_void) -> c_int |real, site| {
        goes(ring, true, site, || real(ring, out, count, time, mask))
    }

    "stack" io_uring_submit_and_wait_min_timeout(ring: *mut Handle, out: *mut *mut c_void, count: c_uint, time: *mut c_void, least: c_uint, mask: *mut c_void) -> c_int |real, site| {
        goes(ring, true, site, || real(ring, out, count, time, least, mask))
    }

    "r8" io_uring_submit_and_wait_reg(ring: *mut Handle, out: *mut *mut c_void, count: c_uint, index: c_int) -> c_int |real, site| {
        goes(ring, true, site, || real(ring, out, count, index))
    }

    "rsi" io_uring_submit_and_get_events(ring: *mut Handle) -> c_int |real, site| {
        goes(ring, true, site, || real(ring))
    }

    "rsi" io_uring_get_events(ring: *mut Handle) -> c_int |real, site| {
        goes(ring, false, site, || real(ring))
    }

    // Submits on kernels without a timeout argument.
    "r9" io_uring_wait_cqes(ring: *mut Handle, out: *mut *mut c_void, count: c_uint, time: *mut c_void, mask: *mut c_void) -> c_int |real, site| {
        goes(ring, !time.is_null(), site, || real(ring, out, count, time, mask))
    }

    "rcx" io_uring_wait_cqe_timeout(ring: *mut Handle, out: *mut *mut c_void, time: *mut c_void) -> c_int |real, site| {
        goes(ring, !time.is_null(), site, || real(ring, out, time))
    }

    // The waiting functions in the header end up here.
    "r9" __io_uring_get_cqe(ring: *mut Handle, out: *mut *mut c_void, submit: c_uint, count: c_uint, mask: *mut c_void) -> c_int |real, site| {
        goes(ring, false, site, || real(ring, out, submit, count, mask))
    }

    "rcx" io_uring_peek_batch_cqe(ring: *mut Handle, out: *mut *mut c_void, count: c_uint) -> c_int |real, site| {
        goes(ring, false, site, || real(ring, out, count))
    }

    // The real function returns nothing; the register is passed on unchanged.
    "rsi" io_uring_queue_exit(ring: *mut Handle) -> c_int |real, _site| {
        if let Some(known) = ring.as_ref().filter(|_| may_note()).and_then(Handle::ring) {
            known.finish();
        }
        real(ring)
    }

    "rcx" io_uring_register_files(ring: *mut Handle, files: *const c_int, count: c_uint) -> c_int |real, _site| {
        registers(ring, real(ring, files, count), |ring| ring.register(0, files, count))
    }

    "r8" io_uring_register_files_tags(ring: *mut Handle, files: *const c_int, tags: *const u64, count: c_uint) -> c_int |real, _site| {
        registers(ring, real(ring, files, tags, count), |ring| ring.register(0, files, count))
    }

    "r8" io_uring_register_files_update(ring: *mut Handle, first: c_uint, files: *const c_int, count: c_uint) -> c_int |real, _site| {
        registers(ring, real(ring, first, files, count), |ring| ring.register(first, files, count))
    }

    "r9" io_uring_register_files_update_tag(ring: *mut Handle, first: c_uint, files: *const c_int, tags: *const u64, count: c_uint) -> c_int |real, _site| {
        registers(ring, real(ring, first, files, tags, count), |ring| ring.register(first, files, count))
    }

    "rsi" io_uring_unregister_files(ring: *mut Handle) -> c_int |real, _site| {
        registers(ring, real(ring), Ring::forget_files)
    }

    "rdx" io_uring_setup(entries: c_uint, params: *mut Params) -> c_int |real, site| {
        let fd = real(entries, params);
        made(fd, entries, params, site);
        fd
    }

    "r9" io_uring_enter(fd: c_uint, submit: c_uint, least: c_uint, flags: c_uint, mask: *mut c_void) -> c_int |real, site| {
        enters(fd as c_int, flags, site, || real(fd, submit, least, flags, mask) as isize) as c_int
    }

    "stack" io_uring_enter2(fd: c_uint, submit: c_uint, least: c_uint, flags: c_uint, mask: *mut c_void, size: usize) -> c_int |real, site| {
        enters(fd as c_int, flags, site, || real(fd, submit, least, flags, mask, size) as isize) as c_int
    }

    "r8" io_uring_register(fd: c_uint, operation: c_uint, argument: *mut c_void, count: c_uint) -> c_int |real, _site| {
        let ret = real(fd, operation, argument, count);
        if ret >= 0 {
            registered(fd as c_int, operation, argument as usize, count);
        }
        ret
    }
}
