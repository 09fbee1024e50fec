//! Copies inside the kernel, and memory-mapped files.

use core::ffi::{c_int, c_uint, c_ulong, c_void};
use core::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use marigraph_wire::op::Op;

use crate::call::{on_slot, outcome, timed};
use crate::files::POSIX;
use crate::process;

/// The offset behind a pointer; -1 if null, for the file position.
unsafe fn offset(at: *const i64) -> i64 {
    // SAFETY: null or valid, as the call it is for demands.
    unsafe { at.as_ref() }.copied().unwrap_or(-1)
}

struct Side {
    fd: c_int,
    offset: *mut i64,
}

unsafe fn copy(
    op: Op,
    from: Side,
    to: Side,
    (len, flags, site): (usize, i64, usize),
    call: impl FnOnce() -> isize,
) -> isize {
    let slots = (POSIX.slot(from.fd), POSIX.slot(to.fd));
    if slots == (0, 0) {
        return call();
    }
    // SAFETY: the caller's pointers; read before the call moves them.
    let (from_at, to_at) = unsafe { (offset(from.offset), offset(to.offset)) };
    let timed = timed(call);
    timed.note(op, slots.0, [from_at, len as i64, i64::from(slots.1)], outcome(timed.ret), site);
    timed.more([to_at, flags, 0], site);
    timed.ret
}

/// Mapped files, to find the file of an `msync` by its address.
struct Map {
    start: AtomicUsize,
    len: AtomicUsize,
    slot: AtomicU32,
    offset: AtomicU64,
}

static MAPS: [Map; 512] = [const {
    Map {
        start: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        slot: AtomicU32::new(0),
        offset: AtomicU64::new(0),
    }
}; 512];
static MAPPED: AtomicU32 = AtomicU32::new(0);

fn keep(start: usize, len: usize, slot: u32, offset: i64) {
    for map in &MAPS {
        if map.start.compare_exchange(0, start, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            map.offset.store(offset as u64, Ordering::Relaxed);
            map.slot.store(slot, Ordering::Relaxed);
            map.len.store(len, Ordering::Release);
            MAPPED.fetch_add(1, Ordering::Relaxed);
            return;
        }
    }
    process::count(process::Count::Unfollowed);
}

/// The mapping that contains an address: its entry, slot, and the file offset of the address.
fn find(address: usize) -> Option<(&'static Map, u32, i64)> {
    if MAPPED.load(Ordering::Relaxed) == 0 {
        return None;
    }
    MAPS.iter().find_map(|map| {
        let start = map.start.load(Ordering::Acquire);
        let within = start != 0 && address.wrapping_sub(start) < map.len.load(Ordering::Acquire);
        let offset = map.offset.load(Ordering::Relaxed) as i64;
        within.then(|| (map, map.slot.load(Ordering::Relaxed), offset.wrapping_add((address - start) as i64)))
    })
}

fn drop_map(map: &Map) {
    map.len.store(0, Ordering::Release);
    map.start.store(0, Ordering::Release);
    MAPPED.fetch_sub(1, Ordering::Relaxed);
}

crate::hooks! {
    "r8" [sendfile sendfile64] fn sendfile(to: c_int, from: c_int, at: *mut i64, len: usize) -> isize |real, site| {
        let slots = (POSIX.slot(from), POSIX.slot(to));
        if slots == (0, 0) {
            return real(to, from, at, len);
        }
        let from_at = offset(at);
        let call = timed(|| real(to, from, at, len));
        call.note(Op::Sendfile, slots.0, [from_at, len as i64, i64::from(slots.1)], outcome(call.ret), site);
        call.ret
    }

    "stack" [copy_file_range] fn copy_file_range(from: c_int, from_at: *mut i64, to: c_int, to_at: *mut i64, len: usize, flags: c_uint) -> isize |real, site| {
        let sides = (Side { fd: from, offset: from_at }, Side { fd: to, offset: to_at });
        let call = || real(from, from_at, to, to_at, len, flags);
        copy(Op::CopyFileRange, sides.0, sides.1, (len, i64::from(flags), site), call)
    }

    "stack" [splice] fn splice(from: c_int, from_at: *mut i64, to: c_int, to_at: *mut i64, len: usize, flags: c_uint) -> isize |real, site| {
        let sides = (Side { fd: from, offset: from_at }, Side { fd: to, offset: to_at });
        let call = || real(from, from_at, to, to_at, len, flags);
        copy(Op::Splice, sides.0, sides.1, (len, i64::from(flags), site), call)
    }

    "stack" [mmap mmap64] fn mmap(at: *mut c_void, len: usize, protection: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void |real, site| {
        let slot = if fd >= 0 && flags & libc::MAP_ANONYMOUS == 0 { POSIX.slot(fd) } else { 0 };
        if slot == 0 {
            return crate::posix::uring::mapped(fd, offset, real(at, len, protection, flags, fd, offset), len);
        }
        let call = timed(|| real(at, len, protection, flags, fd, offset));
        let failed = call.ret == libc::MAP_FAILED;
        let how = i64::from(protection) | i64::from(flags) << 32;
        call.note(Op::Mmap, slot, [offset, len as i64, how], if failed { outcome(-1) } else { 0 }, site);
        if !failed {
            keep(call.ret as usize, len, slot, offset);
        }
        call.ret
    }

    "rdx" [munmap] fn munmap(at: *mut c_void, len: usize) -> c_int |real, site| {
        crate::posix::uring::unmapping(at, len);
        let Some((map, slot, offset)) = find(at as usize) else { return real(at, len) };
        if map.start.load(Ordering::Relaxed) == at as usize && len >= map.len.load(Ordering::Relaxed) {
            drop_map(map);
        }
        on_slot(Op::Munmap, slot, [offset, len as i64, 0], site, 0, || real(at, len) as isize) as c_int
    }

    "rcx" [msync] fn msync(at: *mut c_void, len: usize, flags: c_int) -> c_int |real, site| {
        let Some((_, slot, offset)) = find(at as usize) else { return real(at, len, flags) };
        on_slot(Op::Msync, slot, [offset, len as i64, i64::from(flags)], site, 0, || real(at, len, flags) as isize) as c_int
    }

    // Only clones are recorded; the argument is passed on unchanged.
    "rcx" [ioctl] fn ioctl(fd: c_int, request: c_ulong, argument: usize) -> c_int |real, site| {
        let slot = POSIX.slot(fd);
        if slot == 0 || (request != libc::FICLONE && request != libc::FICLONERANGE) {
            return real(fd, request, argument);
        }
        let source = if request == libc::FICLONE { argument as c_int } else { -1 };
        let args = [0, request as i64, i64::from(POSIX.slot(source))];
        on_slot(Op::Clone, slot, args, site, 0, || real(fd, request, argument) as isize) as c_int
    }
}
