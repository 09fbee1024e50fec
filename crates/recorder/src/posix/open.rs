//! Opening, closing and duplicating descriptors.

use core::ffi::{c_char, c_int, c_uint, c_void};

use libc::{AT_FDCWD, O_CREAT, O_EXCL, O_RDWR, O_TMPFILE, O_TRUNC, O_WRONLY};
use marigraph_wire::op::Op;
use marigraph_wire::record::Record;

use crate::call::{Timed, is_bad_address, on_slot, outcome, timed};
use crate::files::{self, POSIX, STREAMS};
use crate::process;
use crate::thread::here;

/// The mode is valid only if the call may create a file.
fn mode_of(flags: c_int, mode: c_uint) -> c_uint {
    if flags & O_CREAT != 0 || flags & O_TMPFILE == O_TMPFILE { mode } else { 0 }
}

/// Records an open, and follows the descriptor if the filter does.
unsafe fn opened(
    call: &Timed<c_int>,
    (directory, path): (c_int, *const c_char),
    (flags, mode): (c_int, c_uint),
    site: usize,
    how: u8,
) -> c_int {
    let fd = call.ret;
    if !process::is_on() || here(|thread| thread.muted.get()) || is_bad_address(fd as isize) {
        return fd;
    }
    // SAFETY: the caller's path.
    let name = unsafe { files::name(directory, path) };
    note_open(call, name, i64::from(flags) | i64::from(mode_of(flags, mode)) << 32, site, how)
}

fn note_open(call: &Timed<c_int>, name: Option<i64>, flags: i64, site: usize, how: u8) -> c_int {
    let fd = call.ret;
    if fd < 0 {
        if let Some(name) = name {
            call.note_with(Op::Open, 0, [name, flags, -1], outcome(-1), site, how);
        }
        return fd;
    }
    match name.and_then(|name| Some((name, files::size_at_open(fd, flags)?))) {
        Some((name, size)) => {
            let slot = files::new_slot();
            POSIX.set(fd, slot);
            call.note_with(Op::Open, slot, [name, flags, size], 0, site, how);
        }
        // The number may belong to a file that was closed without a call we saw.
        None => POSIX.set(fd, 0),
    }
    fd
}

/// Records a temporary file, whose name is known only once it is open.
unsafe fn made(call: &Timed<c_int>, path: *const c_char, flags: c_int, site: usize) -> c_int {
    let flags = flags | O_RDWR | O_CREAT | O_EXCL;
    // SAFETY: the template, filled in by the call.
    unsafe { opened(call, (AT_FDCWD, path), (flags, 0o600), site, Record::IMPLIED) }
}

fn copied(from: u32, fd: c_int, call: &Timed<c_int>, flags: i64, site: usize) -> c_int {
    if here(|thread| thread.muted.get()) || fd < 0 {
        return fd;
    }
    let gone = POSIX.slot(fd);
    if from == 0 {
        if gone != 0 {
            POSIX.set(fd, 0);
            call.note(Op::Close, gone, [0; 3], 0, site);
        }
        return fd;
    }
    let slot = files::new_slot();
    POSIX.set(fd, slot);
    call.note(Op::Dup, from, [i64::from(slot), flags, i64::from(gone)], 0, site);
    fd
}

crate::hooks! {
    "rcx" [open open64 __open __open64] fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int |real, site| {
        let call = timed(|| real(path, flags, mode));
        opened(&call, (AT_FDCWD, path), (flags, mode), site, 0)
    }

    "rdx" [__open_2 __open64_2] fn open_2(path: *const c_char, flags: c_int) -> c_int |real, site| {
        let call = timed(|| real(path, flags));
        opened(&call, (AT_FDCWD, path), (flags, 0), site, 0)
    }

    "r8" [openat openat64] fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> c_int |real, site| {
        let call = timed(|| real(directory, path, flags, mode));
        opened(&call, (directory, path), (flags, mode), site, 0)
    }

    "rcx" [__openat_2 __openat64_2] fn openat_2(directory: c_int, path: *const c_char, flags: c_int) -> c_int |real, site| {
        let call = timed(|| real(directory, path, flags));
        opened(&call, (directory, path), (flags, 0), site, 0)
    }

    "rdx" [creat creat64] fn creat(path: *const c_char, mode: c_uint) -> c_int |real, site| {
        let call = timed(|| real(path, mode));
        opened(&call, (AT_FDCWD, path), (O_CREAT | O_WRONLY | O_TRUNC, mode), site, Record::IMPLIED)
    }

    "rsi" [mkstemp mkstemp64] fn mkstemp(path: *mut c_char) -> c_int |real, site| {
        let call = timed(|| real(path));
        made(&call, path, 0, site)
    }

    "rdx" [mkostemp mkostemp64] fn mkostemp(path: *mut c_char, flags: c_int) -> c_int |real, site| {
        let call = timed(|| real(path, flags));
        made(&call, path, flags, site)
    }

    "rdx" [mkstemps mkstemps64] fn mkstemps(path: *mut c_char, suffix: c_int) -> c_int |real, site| {
        let call = timed(|| real(path, suffix));
        made(&call, path, 0, site)
    }

    "rcx" [mkostemps mkostemps64] fn mkostemps(path: *mut c_char, suffix: c_int, flags: c_int) -> c_int |real, site| {
        let call = timed(|| real(path, suffix, flags));
        made(&call, path, flags, site)
    }

    // The handle identifies the file; its name comes from `/proc/self/fd`.
    "rcx" [open_by_handle_at] fn open_by_handle_at(mount: c_int, handle: *mut c_void, flags: c_int) -> c_int |real, site| {
        let call = timed(|| real(mount, handle, flags));
        if !process::is_on() || call.ret < 0 {
            return call.ret;
        }
        let name = files::name_of_descriptor(call.ret);
        note_open(&call, name, i64::from(flags), site, 0)
    }

    "rsi" [close __close] fn close(fd: c_int) -> c_int |real, site| {
        crate::posix::uring::closing(fd);
        let slot = POSIX.slot(fd);
        if slot == 0 || here(|thread| thread.muted.get()) {
            return real(fd);
        }
        // Before the call: another thread may get the number as soon as it returns.
        POSIX.set(fd, 0);
        on_slot(Op::Close, slot, [0; 3], site, 0, || real(fd) as isize) as c_int
    }

    "rcx" [close_range] fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int |real, site| {
        let call = timed(|| real(first, last, flags));
        // Flag 4 sets close-on-exec only.
        if call.ret == 0 && flags & 4 == 0 {
            closed_from(first, last, &call, site);
        }
        call.ret
    }

    "rsi" [closefrom] fn closefrom(first: c_int) -> () |real, site| {
        let call = timed(|| { real(first); 0 });
        closed_from(first as c_uint, c_uint::MAX, &call, site);
    }

    "rsi" [dup] fn dup(fd: c_int) -> c_int |real, site| {
        let call = timed(|| real(fd));
        copied(POSIX.slot(fd), call.ret, &call, 0, site)
    }

    "rdx" [dup2 __dup2] fn dup2(fd: c_int, to: c_int) -> c_int |real, site| {
        let from = POSIX.slot(fd);
        let call = timed(|| real(fd, to));
        if fd == to { call.ret } else { copied(from, call.ret, &call, 0, site) }
    }

    "rcx" [dup3] fn dup3(fd: c_int, to: c_int, flags: c_int) -> c_int |real, site| {
        let from = POSIX.slot(fd);
        let call = timed(|| real(fd, to, flags));
        copied(from, call.ret, &call, i64::from(flags), site)
    }

    // Only duplicates, locks and flags are recorded; the argument is passed on unchanged.
    "rcx" [fcntl fcntl64 __fcntl] fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int |real, site| {
        let slot = POSIX.slot(fd);
        if slot == 0 {
            return real(fd, command, argument);
        }
        let call = timed(|| real(fd, command, argument));
        match command {
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC => return copied(slot, call.ret, &call, i64::from(command), site),
            libc::F_SETFL => call.note(Op::SetFlags, slot, [0, argument as i64, 0], outcome(call.ret as isize), site),
            libc::F_SETLK | libc::F_SETLKW | libc::F_OFD_SETLK | libc::F_OFD_SETLKW if argument != 0 && !is_bad_address(call.ret as isize) => {
                let lock = &*(argument as *const libc::flock);
                let args = [lock.l_start, lock.l_len, i64::from(command) | i64::from(lock.l_type) << 32];
                call.note(Op::Lock, slot, args, outcome(call.ret as isize), site);
            }
            _ => {}
        }
        call.ret
    }
}

pub fn closed_from(first: c_uint, last: c_uint, call: &Timed<c_int>, site: usize) {
    if here(|thread| thread.muted.get()) {
        return;
    }
    let within = |fd: c_int| (first..=last).contains(&(fd as c_uint));
    POSIX.each(|fd, slot| {
        if within(fd) {
            POSIX.set(fd, 0);
            call.note(Op::Close, slot, [0; 3], 0, site);
        }
    });
    STREAMS.each(|fd, _| {
        if within(fd) {
            STREAMS.set(fd, 0);
        }
    });
}
