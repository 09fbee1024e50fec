//! Times a call and records it: the common part of most hooks.

use core::ffi::c_char;

use marigraph_wire::op::Op;

use crate::process::{self, Entry};
use crate::real::errno;
use crate::thread::here;
use crate::{clock, files};

/// The return value, or the negated `errno` of a failed call.
#[inline(always)]
pub fn outcome(ret: isize) -> i64 {
    if ret < 0 { -i64::from(errno()) } else { ret as i64 }
}

/// Whether a call failed with `EFAULT`. Its arguments must then not be dereferenced: programs use
/// such calls to probe memory.
#[inline(always)]
pub fn is_bad_address(ret: isize) -> bool {
    ret < 0 && errno() == libc::EFAULT
}

/// The result of a call and its time.
pub struct Timed<R> {
    pub ret: R,
    /// In ticks, before the call.
    pub start: u64,
    /// In ticks, after the call.
    pub end: u64,
}

#[inline(always)]
pub fn timed<R>(call: impl FnOnce() -> R) -> Timed<R> {
    let start = clock::now();
    let ret = call();
    Timed { ret, start, end: clock::now() }
}

/// As [`timed`], and raises the depth of calls made inside.
#[inline]
pub fn timed_outer<R>(call: impl FnOnce() -> R) -> Timed<R> {
    here(|thread| thread.depth.set(thread.depth.get().saturating_add(1)));
    let timed = timed(call);
    here(|thread| thread.depth.set(thread.depth.get().saturating_sub(1)));
    timed
}

/// Makes a call whose nested calls are not recorded.
pub fn unseen<R>(call: impl FnOnce() -> R) -> R {
    let before = here(|thread| thread.muted.replace(true));
    let ret = call();
    here(|thread| thread.muted.set(before));
    ret
}

impl<R> Timed<R> {
    #[inline(always)]
    pub fn note(&self, op: Op, slot: u32, args: [i64; 3], ret: i64, site: usize) {
        self.note_with(op, slot, args, ret, site, 0);
    }

    #[inline(always)]
    pub fn note_with(&self, op: Op, slot: u32, args: [i64; 3], ret: i64, site: usize, flags: u8) {
        process::push(&Entry { op, slot, args, ret, start: self.start, end: self.end, site, flags });
    }

    /// Records further arguments of the call recorded last.
    pub fn more(&self, args: [i64; 3], site: usize) {
        let (start, end) = (self.end, self.end);
        process::push(&Entry { op: Op::More, slot: 0, args, ret: 0, start, end, site, flags: 0 });
    }
}

/// Slot 0 is not followed.
#[inline(always)]
pub fn on_slot(
    op: Op,
    slot: u32,
    args: [i64; 3],
    site: usize,
    flags: u8,
    call: impl FnOnce() -> isize,
) -> isize {
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    timed.note_with(op, slot, args, outcome(timed.ret), site, flags);
    timed.ret
}

/// Records a call that names a file; `args` follow the name.
///
/// # Safety
/// `path` is null or ends with NUL.
#[inline]
pub unsafe fn on_name(
    op: Op,
    (directory, path): (i32, *const c_char),
    args: [i64; 2],
    site: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    if !process::is_on() {
        return call();
    }
    let timed = timed(call);
    if is_bad_address(timed.ret) {
        return timed.ret;
    }
    // SAFETY: as the caller promises.
    if let Some(name) = unsafe { files::name(directory, path) } {
        timed.note(op, 0, [name, args[0], args[1]], outcome(timed.ret), site);
    }
    timed.ret
}

/// Records a call that names two files.
///
/// # Safety
/// Both paths are null or end with NUL.
pub unsafe fn on_names(
    op: Op,
    from: (i32, *const c_char),
    to: (i32, *const c_char),
    last: i64,
    site: usize,
    call: impl FnOnce() -> isize,
) -> isize {
    if !process::is_on() {
        return call();
    }
    let timed = timed(call);
    if is_bad_address(timed.ret) {
        return timed.ret;
    }
    // SAFETY: as the caller promises.
    let names = unsafe { (files::name(from.0, from.1), files::name(to.0, to.1)) };
    if let (Some(from), Some(to)) = names {
        timed.note(op, 0, [from, to, last], outcome(timed.ret), site);
    }
    timed.ret
}
