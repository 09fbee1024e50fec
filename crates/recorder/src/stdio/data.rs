//! Reading, writing and seeking in streams.

use core::ffi::{CStr, c_char, c_int, c_long, c_void};

use libc::FILE;
use marigraph_wire::op::Op;

use super::{followed, slot};
use crate::call::timed;
use crate::real::errno;

/// Records a call that moved `bytes`, or failed if that is negative.
#[inline]
fn moved<R>(
    op: Op,
    slot: u32,
    args: [i64; 3],
    site: usize,
    call: impl FnOnce() -> R,
    bytes: impl FnOnce(&R) -> i64,
) -> R {
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    let bytes = bytes(&timed.ret);
    timed.note(op, slot, args, if bytes < 0 { -i64::from(errno()) } else { bytes }, site);
    timed.ret
}

/// Bytes of a character; 0 at the end.
fn character(ret: &c_int) -> i64 {
    i64::from(*ret >= 0)
}

/// Any result but zero is an error.
fn zero(ret: &c_int) -> i64 {
    if *ret == 0 { 0 } else { -1 }
}

unsafe fn text(ret: *const c_char) -> i64 {
    if ret.is_null() {
        return 0;
    }
    // SAFETY: what was read ends with NUL.
    unsafe { CStr::from_ptr(ret) }.to_bytes().len() as i64
}

unsafe fn line(
    stream: *mut FILE,
    len: c_int,
    site: usize,
    call: impl FnOnce() -> *mut c_char,
) -> *mut c_char {
    let slot = slot(stream);
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    let found = !timed.ret.is_null();
    // SAFETY: what was read ends with NUL.
    let bytes = unsafe { text(timed.ret) };
    timed.note(Op::Fgets, slot, [i64::from(found), i64::from(len), 0], bytes, site);
    timed.ret
}

unsafe extern "C" {
    static stdout: *mut FILE;
    fn ftello64(stream: *mut FILE) -> i64;
}

/// Position of a stream, without disturbing `errno`.
pub(super) fn position(stream: *mut FILE) -> i64 {
    let error = errno();
    // SAFETY: a stream of the caller.
    let at = unsafe { ftello64(stream) };
    crate::real::set_errno(error);
    at
}

/// Records a seek; asks for the position afterwards only where the arguments do not imply it.
fn sought(stream: *mut FILE, offset: i64, whence: c_int, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = slot(stream);
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    let position = match (timed.ret, whence) {
        (0, libc::SEEK_SET) => offset,
        (0, _) => position(stream),
        _ => -1,
    };
    let ret = if timed.ret == 0 { 0 } else { -i64::from(errno()) };
    timed.note(Op::Fseek, slot, [offset, i64::from(whence), position], ret, site);
    timed.ret
}

crate::hooks! {
    "r8" [fread] fn fread(to: *mut c_void, size: usize, count: usize, stream: *mut FILE) -> usize |real, site| {
        let args = [0, size.wrapping_mul(count) as i64, size as i64];
        moved(Op::Fread, slot(stream), args, site, || real(to, size, count, stream), |items| items.wrapping_mul(size) as i64)
    }

    "r8" [fread_unlocked] fn fread_unlocked(to: *mut c_void, size: usize, count: usize, stream: *mut FILE) -> usize |real, site| {
        let args = [0, size.wrapping_mul(count) as i64, size as i64];
        moved(Op::Fread, slot(stream), args, site, || real(to, size, count, stream), |items| items.wrapping_mul(size) as i64)
    }

    "r9" [__fread_chk] fn fread_chk(to: *mut c_void, room: usize, size: usize, count: usize, stream: *mut FILE) -> usize |real, site| {
        let args = [0, size.wrapping_mul(count) as i64, size as i64];
        moved(Op::Fread, slot(stream), args, site, || real(to, room, size, count, stream), |items| items.wrapping_mul(size) as i64)
    }

    "r9" [__fread_unlocked_chk] fn fread_unlocked_chk(to: *mut c_void, room: usize, size: usize, count: usize, stream: *mut FILE) -> usize |real, site| {
        let args = [0, size.wrapping_mul(count) as i64, size as i64];
        moved(Op::Fread, slot(stream), args, site, || real(to, room, size, count, stream), |items| items.wrapping_mul(size) as i64)
    }

    "r8" [fwrite] fn fwrite(from: *const c_void, size: usize, count: usize, stream: *mut FILE) -> usize |real, site| {
        let args = [0, size.wrapping_mul(count) as i64, size as i64];
        moved(Op::Fwrite, slot(stream), args, site, || real(from, size, count, stream), |items| items.wrapping_mul(size) as i64)
    }

    "r8" [fwrite_unlocked] fn fwrite_unlocked(from: *const c_void, size: usize, count: usize, stream: *mut FILE) -> usize |real, site| {
        let args = [0, size.wrapping_mul(count) as i64, size as i64];
        moved(Op::Fwrite, slot(stream), args, site, || real(from, size, count, stream), |items| items.wrapping_mul(size) as i64)
    }

    "rsi" [fgetc getc _IO_getc] fn fgetc(stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fgetc, slot(stream), [0, 1, 0], site, || real(stream), character)
    }

    "rsi" [getc_unlocked fgetc_unlocked] fn getc_unlocked(stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fgetc, slot(stream), [0, 1, 0], site, || real(stream), character)
    }

    "rdx" [fputc putc _IO_putc] fn fputc(byte: c_int, stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fputc, slot(stream), [0, 1, 0], site, || real(byte, stream), |ret| if *ret >= 0 { 1 } else { -1 })
    }

    "rdx" [putc_unlocked fputc_unlocked] fn putc_unlocked(byte: c_int, stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fputc, slot(stream), [0, 1, 0], site, || real(byte, stream), |ret| if *ret >= 0 { 1 } else { -1 })
    }

    "rsi" [putchar] fn putchar(byte: c_int) -> c_int |real, site| {
        moved(Op::Fputc, slot(stdout), [0, 1, 0], site, || real(byte), |ret| if *ret >= 0 { 1 } else { -1 })
    }

    "rcx" [fgets] fn fgets(to: *mut c_char, len: c_int, stream: *mut FILE) -> *mut c_char |real, site| {
        line(stream, len, site, || real(to, len, stream))
    }

    "rcx" [fgets_unlocked] fn fgets_unlocked(to: *mut c_char, len: c_int, stream: *mut FILE) -> *mut c_char |real, site| {
        line(stream, len, site, || real(to, len, stream))
    }

    "r8" [__fgets_chk] fn fgets_chk(to: *mut c_char, room: usize, len: c_int, stream: *mut FILE) -> *mut c_char |real, site| {
        line(stream, len, site, || real(to, room, len, stream))
    }

    "rdx" [fputs] fn fputs(from: *const c_char, stream: *mut FILE) -> c_int |real, site| {
        let len = text(from);
        moved(Op::Fputs, slot(stream), [0, len, 0], site, || real(from, stream), |ret| if *ret >= 0 { len } else { -1 })
    }

    "rdx" [fputs_unlocked] fn fputs_unlocked(from: *const c_char, stream: *mut FILE) -> c_int |real, site| {
        let len = text(from);
        moved(Op::Fputs, slot(stream), [0, len, 0], site, || real(from, stream), |ret| if *ret >= 0 { len } else { -1 })
    }

    "rsi" [puts] fn puts(from: *const c_char) -> c_int |real, site| {
        let len = text(from).wrapping_add(1);
        moved(Op::Fputs, slot(stdout), [0, len, 0], site, || real(from), |ret| if *ret >= 0 { len } else { -1 })
    }

    "rcx" [getline] fn getline(line: *mut *mut c_char, room: *mut usize, stream: *mut FILE) -> isize |real, site| {
        moved(Op::Getline, slot(stream), [0, 0, 0], site, || real(line, room, stream), |ret| (*ret).max(0) as i64)
    }

    "r8" [getdelim __getdelim] fn getdelim(line: *mut *mut c_char, room: *mut usize, end: c_int, stream: *mut FILE) -> isize |real, site| {
        moved(Op::Getline, slot(stream), [0, 0, i64::from(end)], site, || real(line, room, end, stream), |ret| (*ret).max(0) as i64)
    }

    "rsi" [getw] fn getw(stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fread, slot(stream), [0, 4, 4], site, || real(stream), |_| 4)
    }

    "rdx" [putw] fn putw(word: c_int, stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fwrite, slot(stream), [0, 4, 4], site, || real(word, stream), |ret| if *ret == 0 { 4 } else { -1 })
    }

    "rdx" [ungetc] fn ungetc(byte: c_int, stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Ungetc, slot(stream), [0; 3], site, || real(byte, stream), |ret| if *ret >= 0 { 0 } else { -1 })
    }

    "rsi" [fflush] fn fflush(stream: *mut FILE) -> c_int |real, site| {
        moved(Op::Fflush, followed(stream), [0; 3], site, || real(stream), zero)
    }

    "rcx" [fseek] fn fseek(stream: *mut FILE, offset: c_long, whence: c_int) -> c_int |real, site| {
        sought(stream, offset, whence, site, || real(stream, offset, whence))
    }

    "rcx" [fseeko fseeko64] fn fseeko(stream: *mut FILE, offset: i64, whence: c_int) -> c_int |real, site| {
        sought(stream, offset, whence, site, || real(stream, offset, whence))
    }

    "rdx" [fsetpos fsetpos64] fn fsetpos(stream: *mut FILE, to: *const c_void) -> c_int |real, site| {
        let slot = slot(stream);
        if slot == 0 {
            return real(stream, to);
        }
        let call = timed(|| real(stream, to));
        let ret = if call.ret == 0 { 0 } else { -i64::from(errno()) };
        call.note(Op::Fsetpos, slot, [0, 0, position(stream)], ret, site);
        call.ret
    }

    "rsi" [rewind] fn rewind(stream: *mut FILE) -> () |real, site| {
        moved(Op::Rewind, slot(stream), [0; 3], site, || real(stream), |()| 0)
    }
}
