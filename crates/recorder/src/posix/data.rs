//! Reading, writing, positions, sizes, synchronization.

use core::ffi::{c_int, c_uint, c_void};

use libc::{iovec, off64_t};
use marigraph_wire::op::Op;
use marigraph_wire::record::Record;

use crate::call::{is_bad_address, on_slot, outcome, timed};
use crate::files::POSIX;

#[inline(always)]
fn flags(buffer: *const c_void) -> u8 {
    if (buffer as usize).is_multiple_of(8) { 0 } else { Record::UNALIGNED }
}

/// Bytes of all buffers, and the union of their flags.
///
/// # Safety
/// `vectors` has `count` entries, if the count is positive.
unsafe fn total(vectors: *const iovec, count: c_int) -> (i64, u8) {
    let Ok(len) = usize::try_from(count) else { return (0, 0) };
    if vectors.is_null() || len > 1024 {
        return (0, 0);
    }
    // SAFETY: as the caller promises.
    let vectors = unsafe { core::slice::from_raw_parts(vectors, len) };
    let bytes = vectors.iter().fold(0i64, |sum, one| sum.wrapping_add(one.iov_len as i64));
    (bytes, vectors.iter().fold(0, |all, one| all | flags(one.iov_base)))
}

/// Records a call with several buffers. Reads the list after the call, so that the kernel has
/// checked its address.
///
/// # Safety
/// As [`total`], if the call finds the list readable.
#[inline]
unsafe fn vectored(
    op: Op,
    slot: u32,
    offset: off64_t,
    (vectors, count): (*const iovec, c_int),
    site: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    // SAFETY: as the caller promises.
    let (bytes, flags) = if is_bad_address(timed.ret) { (0, 0) } else { unsafe { total(vectors, count) } };
    timed.note_with(op, slot, [offset, bytes, i64::from(count)], outcome(timed.ret), site, flags);
    timed.ret
}

crate::hooks! {
    "rcx" [read __read] fn read(fd: c_int, buffer: *mut c_void, len: usize) -> isize |real, site| {
        on_slot(Op::Read, POSIX.slot(fd), [0, len as i64, 0], site, flags(buffer), || real(fd, buffer, len))
    }

    "rcx" [write __write] fn write(fd: c_int, buffer: *const c_void, len: usize) -> isize |real, site| {
        on_slot(Op::Write, POSIX.slot(fd), [0, len as i64, 0], site, flags(buffer), || real(fd, buffer, len))
    }

    "r8" [__read_chk] fn read_chk(fd: c_int, buffer: *mut c_void, len: usize, size: usize) -> isize |real, site| {
        on_slot(Op::Read, POSIX.slot(fd), [0, len as i64, 0], site, flags(buffer), || real(fd, buffer, len, size))
    }

    "r8" [pread pread64 __pread64] fn pread(fd: c_int, buffer: *mut c_void, len: usize, offset: off64_t) -> isize |real, site| {
        let args = [offset, len as i64, 0];
        on_slot(Op::Pread, POSIX.slot(fd), args, site, flags(buffer), || real(fd, buffer, len, offset))
    }

    "r9" [__pread_chk __pread64_chk] fn pread_chk(fd: c_int, buffer: *mut c_void, len: usize, offset: off64_t, size: usize) -> isize |real, site| {
        let args = [offset, len as i64, 0];
        on_slot(Op::Pread, POSIX.slot(fd), args, site, flags(buffer), || real(fd, buffer, len, offset, size))
    }

    "r8" [pwrite pwrite64 __pwrite64] fn pwrite(fd: c_int, buffer: *const c_void, len: usize, offset: off64_t) -> isize |real, site| {
        let args = [offset, len as i64, 0];
        on_slot(Op::Pwrite, POSIX.slot(fd), args, site, flags(buffer), || real(fd, buffer, len, offset))
    }

    "rcx" [readv] fn readv(fd: c_int, vectors: *const iovec, count: c_int) -> isize |real, site| {
        vectored(Op::Readv, POSIX.slot(fd), 0, (vectors, count), site, || real(fd, vectors, count))
    }

    "rcx" [writev] fn writev(fd: c_int, vectors: *const iovec, count: c_int) -> isize |real, site| {
        vectored(Op::Writev, POSIX.slot(fd), 0, (vectors, count), site, || real(fd, vectors, count))
    }

    "r8" [preadv preadv64] fn preadv(fd: c_int, vectors: *const iovec, count: c_int, offset: off64_t) -> isize |real, site| {
        vectored(Op::Preadv, POSIX.slot(fd), offset, (vectors, count), site, || real(fd, vectors, count, offset))
    }

    "r8" [pwritev pwritev64] fn pwritev(fd: c_int, vectors: *const iovec, count: c_int, offset: off64_t) -> isize |real, site| {
        vectored(Op::Pwritev, POSIX.slot(fd), offset, (vectors, count), site, || real(fd, vectors, count, offset))
    }

    // An offset of -1 means the position.
    "r9" [preadv2 preadv64v2] fn preadv2(fd: c_int, vectors: *const iovec, count: c_int, offset: off64_t, how: c_int) -> isize |real, site| {
        let op = if offset == -1 { Op::Readv } else { Op::Preadv };
        vectored(op, POSIX.slot(fd), offset.max(0), (vectors, count), site, || real(fd, vectors, count, offset, how))
    }

    // An offset of -1 means the position.
    "r9" [pwritev2 pwritev64v2] fn pwritev2(fd: c_int, vectors: *const iovec, count: c_int, offset: off64_t, how: c_int) -> isize |real, site| {
        let op = if offset == -1 { Op::Writev } else { Op::Pwritev };
        vectored(op, POSIX.slot(fd), offset.max(0), (vectors, count), site, || real(fd, vectors, count, offset, how))
    }

    "rcx" [lseek lseek64 llseek __lseek] fn lseek(fd: c_int, offset: off64_t, whence: c_int) -> isize |real, site| {
        on_slot(Op::Lseek, POSIX.slot(fd), [offset, i64::from(whence), 0], site, 0, || real(fd, offset, whence))
    }

    "rdx" [ftruncate ftruncate64] fn ftruncate(fd: c_int, len: off64_t) -> c_int |real, site| {
        on_slot(Op::Ftruncate, POSIX.slot(fd), [0, len, 0], site, 0, || real(fd, len) as isize) as c_int
    }

    "r8" [fallocate fallocate64] fn fallocate(fd: c_int, mode: c_int, offset: off64_t, len: off64_t) -> c_int |real, site| {
        let args = [offset, len, i64::from(mode)];
        on_slot(Op::Fallocate, POSIX.slot(fd), args, site, 0, || real(fd, mode, offset, len) as isize) as c_int
    }

    // Returns the error instead of setting `errno`.
    "rcx" [posix_fallocate posix_fallocate64] fn posix_fallocate(fd: c_int, offset: off64_t, len: off64_t) -> c_int |real, site| {
        returns_error(Op::Fallocate, POSIX.slot(fd), [offset, len, -1], site, || real(fd, offset, len))
    }

    // Returns the error instead of setting `errno`.
    "r8" [posix_fadvise posix_fadvise64] fn posix_fadvise(fd: c_int, offset: off64_t, len: off64_t, advice: c_int) -> c_int |real, site| {
        let args = [offset, len, i64::from(advice)];
        returns_error(Op::Fadvise, POSIX.slot(fd), args, site, || real(fd, offset, len, advice))
    }

    "rcx" [readahead] fn readahead(fd: c_int, offset: off64_t, count: usize) -> isize |real, site| {
        on_slot(Op::Readahead, POSIX.slot(fd), [offset, count as i64, 0], site, 0, || real(fd, offset, count))
    }

    "rsi" [fsync] fn fsync(fd: c_int) -> c_int |real, site| {
        on_slot(Op::Fsync, POSIX.slot(fd), [0; 3], site, 0, || real(fd) as isize) as c_int
    }

    "rsi" [fdatasync] fn fdatasync(fd: c_int) -> c_int |real, site| {
        on_slot(Op::Fdatasync, POSIX.slot(fd), [0; 3], site, 0, || real(fd) as isize) as c_int
    }

    "rsi" [syncfs] fn syncfs(fd: c_int) -> c_int |real, site| {
        on_slot(Op::Syncfs, POSIX.slot(fd), [0; 3], site, 0, || real(fd) as isize) as c_int
    }

    "r8" [sync_file_range] fn sync_file_range(fd: c_int, offset: off64_t, len: off64_t, how: c_uint) -> c_int |real, site| {
        let args = [offset, len, i64::from(how)];
        on_slot(Op::SyncFileRange, POSIX.slot(fd), args, site, 0, || real(fd, offset, len, how) as isize) as c_int
    }
}

fn returns_error(op: Op, slot: u32, args: [i64; 3], site: usize, call: impl FnOnce() -> c_int) -> c_int {
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    timed.note(op, slot, args, -i64::from(timed.ret), site);
    timed.ret
}
