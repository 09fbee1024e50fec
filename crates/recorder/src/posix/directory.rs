//! Reading directories.

use core::ffi::{c_char, c_int, c_void};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;

use crate::call::{on_name, on_slot, timed};
use crate::files::{self, POSIX};
use crate::process;
use crate::real::{errno, set_errno};

fn slot(directory: *mut c_void) -> u32 {
    if directory.is_null() || !process::is_on() {
        return 0;
    }
    // SAFETY: a directory stream of the caller.
    POSIX.slot(unsafe { libc::dirfd(directory.cast()) })
}

/// Records a read of the next entry. Null is the end or an error; only `errno` distinguishes them.
fn next_entry(directory: *mut c_void, site: usize, call: impl FnOnce() -> *mut c_void) -> *mut c_void {
    let slot = slot(directory);
    if slot == 0 {
        return call();
    }
    let before = errno();
    set_errno(0);
    let call = timed(call);
    let ret = if call.ret.is_null() { -i64::from(errno()) } else { 1 };
    if ret >= 0 {
        set_errno(before);
    }
    call.note(Op::Readdir, slot, [0; 3], ret, site);
    call.ret
}

crate::hooks! {
    "rsi" [opendir] fn opendir(path: *const c_char) -> *mut c_void |real, site| {
        let call = timed(|| real(path));
        if !process::is_on() {
            return call.ret;
        }
        let error = errno();
        if call.ret.is_null() && error == libc::EFAULT {
            return call.ret;
        }
        if let Some(name) = files::name(AT_FDCWD, path) {
            if call.ret.is_null() {
                call.note(Op::Opendir, 0, [name, 0, 0], -i64::from(error), site);
            } else {
                let slot = files::new_slot();
                POSIX.set(libc::dirfd(call.ret.cast()), slot);
                call.note(Op::Opendir, slot, [name, 0, 0], 0, site);
            }
        }
        set_errno(error);
        call.ret
    }

    "rsi" [readdir] fn readdir(directory: *mut c_void) -> *mut c_void |real, site| {
        next_entry(directory, site, || real(directory))
    }

    "rsi" [readdir64] fn readdir64(directory: *mut c_void) -> *mut c_void |real, site| {
        next_entry(directory, site, || real(directory))
    }

    "rsi" [closedir] fn closedir(directory: *mut c_void) -> c_int |real, site| {
        let slot = slot(directory);
        if slot != 0 {
            POSIX.set(libc::dirfd(directory.cast()), 0);
        }
        on_slot(Op::Closedir, slot, [0; 3], site, 0, || real(directory) as isize) as c_int
    }

    "r8" [scandir scandir64] fn scandir(path: *const c_char, out: *mut c_void, filter: *mut c_void, order: *mut c_void) -> c_int |real, site| {
        on_name(Op::Scandir, (AT_FDCWD, path), [0; 2], site, || real(path, out, filter, order) as isize) as c_int
    }

    "rcx" [getdents64] fn getdents64(fd: c_int, out: *mut c_void, len: usize) -> isize |real, site| {
        on_slot(Op::Getdents, POSIX.slot(fd), [0, len as i64, 0], site, 0, || real(fd, out, len))
    }
}
