//! Opening and closing streams.

use core::ffi::{CStr, c_char, c_int};

use libc::{AT_FDCWD, FILE, O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY};
use marigraph_wire::op::Op;

use super::{descriptor, followed, slot};
use crate::call::{Timed, timed};
use crate::files::{self, POSIX, STREAMS};
use crate::process;
use crate::real::{errno, set_errno};

/// The flags of `open` that correspond to a mode.
///
/// # Safety
/// `mode` is null or ends with NUL.
unsafe fn flags(mode: *const c_char) -> i64 {
    if mode.is_null() {
        return 0;
    }
    // SAFETY: as the caller promises.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    let both = mode.iter().take_while(|&&byte| byte != b',').any(|&byte| byte == b'+');
    let way = |one| if both { O_RDWR } else { one };
    let exclusive = if mode.contains(&b'x') { O_EXCL } else { 0 };
    i64::from(match mode.first() {
        Some(b'w') => way(O_WRONLY) | O_CREAT | O_TRUNC | exclusive,
        Some(b'a') => way(O_WRONLY) | O_CREAT | O_APPEND,
        _ => way(O_RDONLY),
    })
}

fn note(op: Op, call: &Timed<*mut FILE>, name: Option<i64>, flags: i64, last: i64, site: usize) {
    let error = errno();
    if call.ret.is_null() {
        if let Some(name) = name {
            call.note(op, 0, [name, flags, -1], -i64::from(error), site);
        }
    } else {
        let fd = descriptor(call.ret);
        // The number may belong to a file that was closed without a call we saw.
        POSIX.set(fd, 0);
        match name.and_then(|name| Some((name, files::size_at_open(fd, flags)?))) {
            Some((name, size)) => {
                let slot = files::new_slot();
                STREAMS.set(fd, slot);
                let last = if op == Op::Freopen { last } else { size };
                call.note(op, slot, [name, flags, last], 0, site);
            }
            None => STREAMS.set(fd, 0),
        }
    }
    set_errno(error);
}

crate::hooks! {
    "rdx" [fopen fopen64] fn fopen(path: *const c_char, mode: *const c_char) -> *mut FILE |real, site| {
        let call = timed(|| real(path, mode));
        if process::is_on() && !(call.ret.is_null() && errno() == libc::EFAULT) {
            note(Op::Fopen, &call, files::name(AT_FDCWD, path), flags(mode) | 0o666 << 32, 0, site);
        }
        call.ret
    }

    // A file without a name; the name from `/proc/self/fd` is recorded.
    "rdi" [tmpfile tmpfile64] fn tmpfile() -> *mut FILE |real, site| {
        let call = timed(|| real());
        if process::is_on() && !call.ret.is_null() {
            let name = files::name_of_descriptor(descriptor(call.ret));
            note(Op::Fopen, &call, name, i64::from(O_RDWR | O_CREAT | O_EXCL) | 0o600 << 32, 0, site);
        }
        call.ret
    }

    "rdx" [fdopen] fn fdopen(fd: c_int, mode: *const c_char) -> *mut FILE |real, site| {
        let call = timed(|| real(fd, mode));
        if process::is_on() && !call.ret.is_null() {
            let below = POSIX.slot(fd);
            let slot = if below == 0 { 0 } else { files::new_slot() };
            STREAMS.set(fd, slot);
            if slot != 0 {
                call.note(Op::Fdopen, slot, [i64::from(below), flags(mode), 0], 0, site);
            }
        }
        call.ret
    }

    "rcx" [freopen freopen64] fn freopen(path: *const c_char, mode: *const c_char, stream: *mut FILE) -> *mut FILE |real, site| {
        let before = descriptor(stream);
        let gone = STREAMS.slot(before);
        let call = timed(|| real(path, mode, stream));
        if process::is_on() && !path.is_null() {
            STREAMS.set(before, 0);
            note(Op::Freopen, &call, files::name(AT_FDCWD, path), flags(mode) | 0o666 << 32, i64::from(gone), site);
        }
        call.ret
    }

    "rsi" [fclose _IO_fclose] fn fclose(stream: *mut FILE) -> c_int |real, site| {
        let fd = descriptor(stream);
        let slot = STREAMS.slot(fd);
        if slot == 0 && POSIX.slot(fd) == 0 {
            return real(stream);
        }
        // Before the call: another thread may get the number as soon as it returns.
        STREAMS.set(fd, 0);
        POSIX.set(fd, 0);
        let call = timed(|| real(stream));
        if slot != 0 {
            call.note(Op::Fclose, slot, [0; 3], if call.ret == 0 { 0 } else { -i64::from(errno()) }, site);
        }
        call.ret
    }

    // The caller may use the descriptor directly, so it is followed from now on.
    "rsi" [fileno] fn fileno(stream: *mut FILE) -> c_int |real, site| {
        let call = timed(|| real(stream));
        // The call alone is not a use of a standard stream: many programs make it as they end.
        let below = if process::has_part() { slot(stream) } else { followed(stream) };
        if call.ret >= 0 && below != 0 {
            let known = POSIX.slot(call.ret);
            let slot = if known == 0 { files::new_slot() } else { known };
            POSIX.set(call.ret, slot);
            call.note(Op::Fileno, slot, [i64::from(below), 0, 0], 0, site);
        }
        call.ret
    }
}
