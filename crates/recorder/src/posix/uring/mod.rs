//! `io_uring`: rings that a program shares with the kernel.
//!
//! A program fills entries into memory without any call. Where a call submits them, through
//! `liburing` or `syscall()`, they are read just before it. A program that enters the kernel with
//! its own instruction is seen only when it creates, maps and releases the ring: the tail of the
//! ring then gives the number of entries, and those still in it are read.
//!
//! The table of rings is in pages that the kernel zeroes in children, because a child of `fork`
//! need not have the memory of the rings.

mod completions;
pub mod entry;
pub mod foreign;
pub mod liburing;
mod registered;
mod submissions;
pub mod syscall;

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use marigraph_wire::op::Op;

use crate::call::Timed;
use crate::files::POSIX;
use crate::thread::here;
use crate::{clock, process, sys};

const RINGS: usize = 64;
/// The kernel's limit on the entries of a ring.
const ENTRIES: usize = 1 << 15;

const OFF_SQ_RING: i64 = 0;
const OFF_CQ_RING: i64 = 0x800_0000;
const OFF_SQES: i64 = 0x1000_0000;

const SETUP_NO_SQARRAY: u32 = 1 << 16;
const FEATURE_SINGLE_MMAP: u32 = 1;

/// The kernel's `struct io_uring_params`.
#[repr(C)]
pub struct Params {
    sq_entries: u32,
    cq_entries: u32,
    flags: u32,
    sq_cpu: u32,
    sq_idle: u32,
    features: u32,
    wq_fd: u32,
    reserved: [u32; 3],
    /// head, tail, ring_mask, ring_entries, flags, dropped, array, reserved
    sq: [u32; 8],
    user_sq: u64,
    /// head, tail, ring_mask, ring_entries, overflow, cqes, flags, reserved
    cq: [u32; 8],
    user_cq: u64,
}

/// One ring; all zero is a free place in the table.
#[repr(C)]
pub struct Ring {
    /// 0 free, 1 being created or released, 2 in use.
    state: AtomicU32,
    /// Held while the ring is read; a thread that finds it held skips the reading.
    busy: AtomicBool,
    /// Whether hooks of the library, rather than system calls, report on it.
    told: AtomicBool,
    fd: AtomicI32,
    flags: AtomicU32,
    features: AtomicU32,
    /// Ordinal in the process.
    number: AtomicU32,
    /// The thread that used it last.
    owner: AtomicUsize,
    /// Offsets in the mappings: tail, mask and array of the submission ring; tail, mask and entries
    /// of the completion ring.
    offsets: [AtomicU32; 6],
    sq_tail: AtomicUsize,
    sq_mask: AtomicU32,
    /// Tail of the submission ring at the last look.
    seen: AtomicU32,
    /// 0 if entries are in order.
    array: AtomicUsize,
    entries: AtomicUsize,
    cq_tail: AtomicUsize,
    cq_mask: AtomicU32,
    /// Tail of the completion ring at the last look.
    collected: AtomicU32,
    completions: AtomicUsize,
    maps: [(AtomicUsize, AtomicUsize); 3],
    /// One more than the largest registered index that was followed.
    files: AtomicU32,
    /// What all its reads and writes have in common; see [`Ring::remember`].
    alike: AtomicU64,
}

static TABLE: AtomicPtr<Ring> = AtomicPtr::new(core::ptr::null_mut());
static NUMBER: AtomicU32 = AtomicU32::new(0);

fn rings() -> &'static [Ring] {
    let at = TABLE.load(Ordering::Acquire);
    if at.is_null() {
        return &[];
    }
    // SAFETY: mapped for as many when it was stored, and never given back; zero is a valid value.
    unsafe { core::slice::from_raw_parts(at, RINGS) }
}

fn each() -> impl Iterator<Item = &'static Ring> {
    rings().iter().filter(|ring| ring.state.load(Ordering::Acquire) == 2)
}

fn by_fd(fd: c_int) -> Option<&'static Ring> {
    each().find(|ring| ring.fd.load(Ordering::Relaxed) == fd)
}

/// Identifies this thread by the address of its state.
fn me() -> usize {
    here(|thread| core::ptr::from_ref(thread) as usize)
}

fn may_note() -> bool {
    process::is_on() && !here(|thread| thread.muted.get())
}

fn now() -> Timed<()> {
    let now = clock::now();
    Timed { ret: (), start: now, end: now }
}

fn place() -> Option<&'static Ring> {
    if TABLE.load(Ordering::Acquire).is_null() {
        let len = RINGS * size_of::<Ring>();
        let at = sys::memory(len)?;
        let first = sys::wipe_on_fork(at, len)
            && TABLE
                .compare_exchange(core::ptr::null_mut(), at.cast(), Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        if !first {
            // SAFETY: nobody else has seen it.
            unsafe { sys::unmap(at, len) };
        }
    }
    let ring = rings()
        .iter()
        .find(|ring| ring.state.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok());
    if ring.is_none() {
        process::count(process::Count::Unfollowed);
    }
    ring
}

/// Records a ring created by a system call.
///
/// # Safety
/// `params` are as the kernel filled them.
unsafe fn made(fd: c_int, asked: u32, params: *const Params, site: usize) {
    // SAFETY: as the caller promises.
    let Some(params) = (unsafe { params.as_ref() }) else { return };
    if fd < 0 || !may_note() {
        return;
    }
    now().note(Op::UringSetup, 0, [i64::from(asked), i64::from(params.flags), 0], 0, site);
    let Some(ring) = place() else { return };
    let [_, tail, mask, _, _, _, array, _] = params.sq;
    let [_, cq_tail, cq_mask, _, _, cqes, _, _] = params.cq;
    for (to, from) in ring.offsets.iter().zip([tail, mask, array, cq_tail, cq_mask, cqes]) {
        to.store(from, Ordering::Relaxed);
    }
    ring.begin(fd, params.flags, params.features);
}

/// Checks whether memory just mapped belongs to a ring; returns its address.
#[inline]
pub fn mapped(fd: c_int, offset: i64, at: *mut core::ffi::c_void, len: usize) -> *mut core::ffi::c_void {
    let may = !TABLE.load(Ordering::Relaxed).is_null() && fd >= 0 && at != libc::MAP_FAILED && may_note();
    if let (true, Some(ring)) = (may, by_fd(fd)) {
        ring.mapped(offset, at as usize, len);
    }
    at
}

#[inline]
pub fn unmapping(at: *mut core::ffi::c_void, len: usize) {
    if !TABLE.load(Ordering::Relaxed).is_null() && may_note() {
        for ring in each().filter(|ring| ring.is_in(at as usize, len)) {
            ring.finish();
        }
    }
}

/// Runs before a descriptor is closed: reads the entries that a program submitted on its own while
/// their descriptors can still be resolved.
#[inline]
pub fn closing(fd: c_int) {
    if !TABLE.load(Ordering::Relaxed).is_null() && may_note() {
        match by_fd(fd) {
            Some(ring) if ring.told.load(Ordering::Relaxed) => ring.fd.store(-1, Ordering::Relaxed),
            Some(ring) => ring.finish(),
            None if POSIX.slot(fd) != 0 => poll(),
            None => {}
        }
    }
}

/// Records what was submitted to this thread's rings without a call we saw.
pub fn poll() {
    let me = me();
    each().filter(|ring| ring.owner.load(Ordering::Relaxed) == me).for_each(Ring::catch_up);
}

/// Finishes this thread's rings at the end of the process, and counts the entries of others.
pub fn at_end() {
    if TABLE.load(Ordering::Relaxed).is_null() || !may_note() {
        return;
    }
    let me = me();
    for ring in each() {
        if !ring.is_there() {
            continue;
        }
        if ring.owner.load(Ordering::Relaxed) == me {
            ring.catch_up();
        } else {
            // Its thread may release it at any moment, so only its tail is read.
            ring.with(|| {
                if let Some(tail) = load(ring.sq_tail.load(Ordering::Acquire)) {
                    ring.pass_over(tail.wrapping_sub(ring.seen.swap(tail, Ordering::Relaxed)));
                }
            });
        }
    }
}

/// Loads a number that the kernel or another thread may change; `None` at address 0.
fn load(at: usize) -> Option<u32> {
    let at = at as *const AtomicU32;
    // SAFETY: null, or in a ring's map: the maps of a ring are forgotten before they are unmapped.
    (at as usize != 0).then(|| unsafe { (*at).load(Ordering::Acquire) })
}

impl Ring {
    fn begin(&self, fd: c_int, flags: u32, features: u32) {
        self.fd.store(fd, Ordering::Relaxed);
        self.flags.store(flags, Ordering::Relaxed);
        self.features.store(features, Ordering::Relaxed);
        self.number.store(NUMBER.fetch_add(1, Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        self.owner.store(me(), Ordering::Relaxed);
        self.state.store(2, Ordering::Release);
    }

    fn has(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Relaxed) & flag != 0
    }

    /// Runs `f` unless another thread is reading this ring.
    fn with(&self, f: impl FnOnce()) {
        if self.busy.compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            f();
            self.busy.store(false, Ordering::Release);
        }
    }

    fn mapped(&self, offset: i64, at: usize, len: usize) {
        let [tail, mask, array, cq_tail, cq_mask, cqes] =
            self.offsets.each_ref().map(|offset| offset.load(Ordering::Relaxed) as usize);
        if self.told.load(Ordering::Relaxed) {
            return;
        }
        let fits = |offset: usize| offset.saturating_add(4) <= len;
        let index = match offset {
            OFF_SQ_RING if fits(tail) && fits(mask) && fits(array) => {
                self.sq_mask.store(load(at.wrapping_add(mask)).unwrap_or(0), Ordering::Relaxed);
                let array = if self.has(SETUP_NO_SQARRAY) { 0 } else { at.wrapping_add(array) };
                self.array.store(array, Ordering::Relaxed);
                self.seen.store(load(at.wrapping_add(tail)).unwrap_or(0), Ordering::Relaxed);
                self.sq_tail.store(at.wrapping_add(tail), Ordering::Release);
                0
            }
            OFF_CQ_RING => 1,
            OFF_SQES => {
                self.entries.store(at, Ordering::Release);
                2
            }
            _ => return,
        };
        let both = self.features.load(Ordering::Relaxed) & FEATURE_SINGLE_MMAP != 0 && index == 0;
        if (both || index == 1) && fits(cq_tail) && fits(cq_mask) && fits(cqes) {
            self.cq_mask.store(load(at.wrapping_add(cq_mask)).unwrap_or(0), Ordering::Relaxed);
            self.collected.store(load(at.wrapping_add(cq_tail)).unwrap_or(0), Ordering::Relaxed);
            self.completions.store(at.wrapping_add(cqes), Ordering::Relaxed);
            self.cq_tail.store(at.wrapping_add(cq_tail), Ordering::Release);
        }
        if let Some((start, length)) = self.maps.get(index) {
            length.store(len, Ordering::Relaxed);
            start.store(at, Ordering::Release);
        }
    }

    fn is_in(&self, at: usize, len: usize) -> bool {
        self.maps.iter().any(|(start, _)| {
            let start = start.load(Ordering::Acquire);
            start != 0 && start.wrapping_sub(at) < len
        })
    }

    /// Whether its mappings still exist: they may have been unmapped without a call we saw.
    fn is_there(&self) -> bool {
        self.maps.iter().all(|(start, len)| {
            let (start, len) = (start.load(Ordering::Acquire), len.load(Ordering::Relaxed));
            let args = [start, len, libc::MS_ASYNC as usize, 0, 0, 0];
            // SAFETY: the call does nothing but say whether there is memory.
            start == 0 || unsafe { sys::call(libc::SYS_msync, args) } == 0
        })
    }

    /// Reads what is left and frees the ring's place.
    fn finish(&self) {
        if self.is_there() {
            self.catch_up();
        }
        if self.state.compare_exchange(2, 1, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            return;
        }
        for _ in 0..10_000 {
            // Another thread that reads its tail needs less than this.
            if !self.busy.load(Ordering::Acquire) {
                break;
            }
            core::hint::spin_loop();
        }
        self.forget_files();
        for at in [&self.sq_tail, &self.entries, &self.array, &self.cq_tail, &self.completions] {
            at.store(0, Ordering::Release);
        }
        for (start, _) in &self.maps {
            start.store(0, Ordering::Release);
        }
        self.told.store(false, Ordering::Relaxed);
        self.alike.store(0, Ordering::Relaxed);
        self.state.store(0, Ordering::Release);
    }
}
