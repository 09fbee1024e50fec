//! Names, attributes, and operations on directories by name.

use core::ffi::{c_char, c_int, c_uint, c_void};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;

use crate::call::{is_bad_address, on_name, on_names, on_slot, outcome, timed};
use crate::files::{self, POSIX};
use crate::process;

#[derive(Clone, Copy)]
enum Answer {
    Stat(*const c_void),
    Statx(*const c_void),
}

impl Answer {
    /// File type and permissions; 0 if the call failed.
    ///
    /// # Safety
    /// The pointer is what the call was given, and it succeeded.
    unsafe fn mode(self, ret: c_int) -> i64 {
        // SAFETY: as the caller promises; the places are those of the kernel's interface.
        match self {
            _ if ret != 0 => 0,
            Answer::Stat(out) => unsafe { (*out.cast::<libc::stat>()).st_mode }.into(),
            Answer::Statx(out) => unsafe { (*out.cast::<libc::statx>()).stx_mode }.into(),
        }
    }
}

struct Question {
    op: Op,
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: i64,
    site: usize,
}

/// Records a call for the attributes of a name, or of the descriptor itself if the path is empty.
unsafe fn asked(question: &Question, answer: Answer, call: impl FnOnce() -> c_int) -> c_int {
    let &Question { op, directory, path, flags, mask, site } = question;
    if !process::is_on() {
        return call();
    }
    let timed = timed(call);
    if is_bad_address(timed.ret as isize) {
        return timed.ret;
    }
    // SAFETY: the caller's path, which the kernel could read.
    if flags & libc::AT_EMPTY_PATH != 0 && (path.is_null() || unsafe { *path } == 0) {
        let slot = POSIX.slot(directory);
        if slot != 0 {
            // SAFETY: the caller's answer.
            let mode = unsafe { answer.mode(timed.ret) };
            timed.note(Op::Fstat, slot, [0, 0, mode], outcome(timed.ret as isize), site);
        }
        return timed.ret;
    }
    let op = if flags & libc::AT_SYMLINK_NOFOLLOW != 0 && op == Op::Stat { Op::Lstat } else { op };
    // SAFETY: the caller's path and answer.
    unsafe {
        if let Some(name) = files::name(directory, path) {
            timed.note(op, 0, [name, mask, answer.mode(timed.ret)], outcome(timed.ret as isize), site);
        }
    }
    timed.ret
}

unsafe fn asked_of(fd: c_int, answer: Answer, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = POSIX.slot(fd);
    if slot == 0 {
        return call();
    }
    let timed = timed(call);
    // SAFETY: the caller's answer.
    let mode = unsafe { answer.mode(timed.ret) };
    timed.note(Op::Fstat, slot, [0, 0, mode], outcome(timed.ret as isize), site);
    timed.ret
}

fn readable(path: *const c_char) -> bool {
    let args = [AT_FDCWD as usize, path as usize, 0, 0, 0, 0];
    // SAFETY: the kernel looks whether the address is good.
    unsafe { crate::sys::call(libc::SYS_faccessat, args) != -(libc::EFAULT as isize) }
}

fn question(op: Op, directory: c_int, path: *const c_char, flags: c_int, site: usize) -> Question {
    Question { op, directory, path, flags, mask: 0, site }
}

crate::hooks! {
    "rdx" [stat stat64] fn stat(path: *const c_char, out: *mut c_void) -> c_int |real, site| {
        asked(&question(Op::Stat, AT_FDCWD, path, 0, site), Answer::Stat(out), || real(path, out))
    }

    "rdx" [lstat lstat64] fn lstat(path: *const c_char, out: *mut c_void) -> c_int |real, site| {
        asked(&question(Op::Lstat, AT_FDCWD, path, 0, site), Answer::Stat(out), || real(path, out))
    }

    "rdx" [fstat fstat64] fn fstat(fd: c_int, out: *mut c_void) -> c_int |real, site| {
        asked_of(fd, Answer::Stat(out), site, || real(fd, out))
    }

    "r8" [fstatat fstatat64] fn fstatat(directory: c_int, path: *const c_char, out: *mut c_void, flags: c_int) -> c_int |real, site| {
        asked(&question(Op::Stat, directory, path, flags, site), Answer::Stat(out), || real(directory, path, out, flags))
    }

    "r9" [statx] fn statx(directory: c_int, path: *const c_char, flags: c_int, mask: c_uint, out: *mut c_void) -> c_int |real, site| {
        let question = Question { op: Op::Statx, directory, path, flags, mask: i64::from(mask), site };
        asked(&question, Answer::Statx(out), || real(directory, path, flags, mask, out))
    }

    "rcx" [__xstat __xstat64] fn xstat(version: c_int, path: *const c_char, out: *mut c_void) -> c_int |real, site| {
        asked(&question(Op::Stat, AT_FDCWD, path, 0, site), Answer::Stat(out), || real(version, path, out))
    }

    "rcx" [__lxstat __lxstat64] fn lxstat(version: c_int, path: *const c_char, out: *mut c_void) -> c_int |real, site| {
        asked(&question(Op::Lstat, AT_FDCWD, path, 0, site), Answer::Stat(out), || real(version, path, out))
    }

    "rcx" [__fxstat __fxstat64] fn fxstat(version: c_int, fd: c_int, out: *mut c_void) -> c_int |real, site| {
        asked_of(fd, Answer::Stat(out), site, || real(version, fd, out))
    }

    "r9" [__fxstatat __fxstatat64] fn fxstatat(version: c_int, directory: c_int, path: *const c_char, out: *mut c_void, flags: c_int) -> c_int |real, site| {
        asked(&question(Op::Stat, directory, path, flags, site), Answer::Stat(out), || real(version, directory, path, out, flags))
    }

    "rdx" [euidaccess eaccess] fn euidaccess(path: *const c_char, mode: c_int) -> c_int |real, site| {
        on_name(Op::Access, (AT_FDCWD, path), [i64::from(mode), 0], site, || real(path, mode) as isize) as c_int
    }

    "rdx" [access] fn access(path: *const c_char, mode: c_int) -> c_int |real, site| {
        on_name(Op::Access, (AT_FDCWD, path), [i64::from(mode), 0], site, || real(path, mode) as isize) as c_int
    }

    "r8" [faccessat] fn faccessat(directory: c_int, path: *const c_char, mode: c_int, flags: c_int) -> c_int |real, site| {
        on_name(Op::Access, (directory, path), [i64::from(mode), 0], site, || real(directory, path, mode, flags) as isize) as c_int
    }

    "rsi" [unlink] fn unlink(path: *const c_char) -> c_int |real, site| {
        on_name(Op::Unlink, (AT_FDCWD, path), [0; 2], site, || real(path) as isize) as c_int
    }

    "rcx" [unlinkat] fn unlinkat(directory: c_int, path: *const c_char, flags: c_int) -> c_int |real, site| {
        let op = if flags & libc::AT_REMOVEDIR != 0 { Op::Rmdir } else { Op::Unlink };
        on_name(op, (directory, path), [0; 2], site, || real(directory, path, flags) as isize) as c_int
    }

    // Removes files and empty directories.
    "rsi" [remove] fn remove(path: *const c_char) -> c_int |real, site| {
        on_name(Op::Unlink, (AT_FDCWD, path), [1, 0], site, || real(path) as isize) as c_int
    }

    "rsi" [rmdir] fn rmdir(path: *const c_char) -> c_int |real, site| {
        on_name(Op::Rmdir, (AT_FDCWD, path), [0; 2], site, || real(path) as isize) as c_int
    }

    "rdx" [rename] fn rename(from: *const c_char, to: *const c_char) -> c_int |real, site| {
        on_names(Op::Rename, (AT_FDCWD, from), (AT_FDCWD, to), 0, site, || real(from, to) as isize) as c_int
    }

    "r8" [renameat] fn renameat(from_at: c_int, from: *const c_char, to_at: c_int, to: *const c_char) -> c_int |real, site| {
        on_names(Op::Rename, (from_at, from), (to_at, to), 0, site, || real(from_at, from, to_at, to) as isize) as c_int
    }

    "r9" [renameat2] fn renameat2(from_at: c_int, from: *const c_char, to_at: c_int, to: *const c_char, flags: c_uint) -> c_int |real, site| {
        let call = || real(from_at, from, to_at, to, flags) as isize;
        on_names(Op::Rename, (from_at, from), (to_at, to), i64::from(flags), site, call) as c_int
    }

    "rdx" [link] fn link(from: *const c_char, to: *const c_char) -> c_int |real, site| {
        on_names(Op::Link, (AT_FDCWD, from), (AT_FDCWD, to), 0, site, || real(from, to) as isize) as c_int
    }

    "r9" [linkat] fn linkat(from_at: c_int, from: *const c_char, to_at: c_int, to: *const c_char, flags: c_int) -> c_int |real, site| {
        let call = || real(from_at, from, to_at, to, flags) as isize;
        on_names(Op::Link, (from_at, from), (to_at, to), i64::from(flags), site, call) as c_int
    }

    "rdx" [symlink] fn symlink(content: *const c_char, path: *const c_char) -> c_int |real, site| {
        on_names(Op::Symlink, (AT_FDCWD, content), (AT_FDCWD, path), 0, site, || real(content, path) as isize) as c_int
    }

    "rcx" [symlinkat] fn symlinkat(content: *const c_char, directory: c_int, path: *const c_char) -> c_int |real, site| {
        let call = || real(content, directory, path) as isize;
        on_names(Op::Symlink, (AT_FDCWD, content), (directory, path), 0, site, call) as c_int
    }

    "rcx" [readlink] fn readlink(path: *const c_char, out: *mut c_char, len: usize) -> isize |real, site| {
        on_name(Op::Readlink, (AT_FDCWD, path), [len as i64, 0], site, || real(path, out, len))
    }

    "r8" [__readlink_chk] fn readlink_chk(path: *const c_char, out: *mut c_char, len: usize, size: usize) -> isize |real, site| {
        on_name(Op::Readlink, (AT_FDCWD, path), [len as i64, 0], site, || real(path, out, len, size))
    }

    "r8" [readlinkat] fn readlinkat(directory: c_int, path: *const c_char, out: *mut c_char, len: usize) -> isize |real, site| {
        on_name(Op::Readlink, (directory, path), [len as i64, 0], site, || real(directory, path, out, len))
    }

    "rdx" [mkdir] fn mkdir(path: *const c_char, mode: c_uint) -> c_int |real, site| {
        on_name(Op::Mkdir, (AT_FDCWD, path), [i64::from(mode), 0], site, || real(path, mode) as isize) as c_int
    }

    "rcx" [mkdirat] fn mkdirat(directory: c_int, path: *const c_char, mode: c_uint) -> c_int |real, site| {
        on_name(Op::Mkdir, (directory, path), [i64::from(mode), 0], site, || real(directory, path, mode) as isize) as c_int
    }

    "rcx" [mknod] fn mknod(path: *const c_char, mode: c_uint, device: u64) -> c_int |real, site| {
        on_name(Op::Mknod, (AT_FDCWD, path), [i64::from(mode), 0], site, || real(path, mode, device) as isize) as c_int
    }

    "r8" [mknodat] fn mknodat(directory: c_int, path: *const c_char, mode: c_uint, device: u64) -> c_int |real, site| {
        let call = || real(directory, path, mode, device) as isize;
        on_name(Op::Mknod, (directory, path), [i64::from(mode), 0], site, call) as c_int
    }

    "rdx" [chmod] fn chmod(path: *const c_char, mode: c_uint) -> c_int |real, site| {
        on_name(Op::Chmod, (AT_FDCWD, path), [i64::from(mode), 0], site, || real(path, mode) as isize) as c_int
    }

    "rdx" [fchmod] fn fchmod(fd: c_int, mode: c_uint) -> c_int |real, site| {
        on_slot(Op::Fchmod, POSIX.slot(fd), [0, i64::from(mode), 0], site, 0, || real(fd, mode) as isize) as c_int
    }

    "r8" [fchmodat] fn fchmodat(directory: c_int, path: *const c_char, mode: c_uint, flags: c_int) -> c_int |real, site| {
        let call = || real(directory, path, mode, flags) as isize;
        on_name(Op::Chmod, (directory, path), [i64::from(mode), 0], site, call) as c_int
    }

    "rcx" [lchown] fn lchown(path: *const c_char, owner: c_uint, group: c_uint) -> c_int |real, site| {
        let who = i64::from(owner) | i64::from(group) << 32;
        on_name(Op::Chown, (AT_FDCWD, path), [who, 0], site, || real(path, owner, group) as isize) as c_int
    }

    "rcx" [chown] fn chown(path: *const c_char, owner: c_uint, group: c_uint) -> c_int |real, site| {
        let who = i64::from(owner) | i64::from(group) << 32;
        on_name(Op::Chown, (AT_FDCWD, path), [who, 0], site, || real(path, owner, group) as isize) as c_int
    }

    "rcx" [fchown] fn fchown(fd: c_int, owner: c_uint, group: c_uint) -> c_int |real, site| {
        let who = i64::from(owner) | i64::from(group) << 32;
        on_slot(Op::Fchown, POSIX.slot(fd), [0, who, 0], site, 0, || real(fd, owner, group) as isize) as c_int
    }

    "r9" [fchownat] fn fchownat(directory: c_int, path: *const c_char, owner: c_uint, group: c_uint, flags: c_int) -> c_int |real, site| {
        let who = i64::from(owner) | i64::from(group) << 32;
        let call = || real(directory, path, owner, group, flags) as isize;
        on_name(Op::Chown, (directory, path), [who, 0], site, call) as c_int
    }

    "rdx" [utime] fn utime(path: *const c_char, times: *const c_void) -> c_int |real, site| {
        on_name(Op::Utime, (AT_FDCWD, path), [0; 2], site, || real(path, times) as isize) as c_int
    }

    "rdx" [lutimes] fn lutimes(path: *const c_char, times: *const c_void) -> c_int |real, site| {
        on_name(Op::Utime, (AT_FDCWD, path), [0; 2], site, || real(path, times) as isize) as c_int
    }

    "rdx" [utimes] fn utimes(path: *const c_char, times: *const c_void) -> c_int |real, site| {
        on_name(Op::Utime, (AT_FDCWD, path), [0; 2], site, || real(path, times) as isize) as c_int
    }

    "r8" [utimensat] fn utimensat(directory: c_int, path: *const c_char, times: *const c_void, flags: c_int) -> c_int |real, site| {
        if path.is_null() {
            return on_slot(Op::Futime, POSIX.slot(directory), [0; 3], site, 0, || real(directory, path, times, flags) as isize) as c_int;
        }
        on_name(Op::Utime, (directory, path), [0; 2], site, || real(directory, path, times, flags) as isize) as c_int
    }

    "rcx" [futimesat] fn futimesat(directory: c_int, path: *const c_char, times: *const c_void) -> c_int |real, site| {
        on_name(Op::Utime, (directory, path), [0; 2], site, || real(directory, path, times) as isize) as c_int
    }

    "rdx" [futimes] fn futimes(fd: c_int, times: *const c_void) -> c_int |real, site| {
        on_slot(Op::Futime, POSIX.slot(fd), [0; 3], site, 0, || real(fd, times) as isize) as c_int
    }

    "rdx" [futimens] fn futimens(fd: c_int, times: *const c_void) -> c_int |real, site| {
        on_slot(Op::Futime, POSIX.slot(fd), [0; 3], site, 0, || real(fd, times) as isize) as c_int
    }

    "rsi" [chdir] fn chdir(path: *const c_char) -> c_int |real, site| {
        // A relative path must be resolved before the call, and only if the kernel can read it.
        let name = if process::is_on() && readable(path) { files::name(AT_FDCWD, path) } else { None };
        let call = timed(|| real(path));
        if let Some(name) = name {
            call.note(Op::Chdir, 0, [name, 0, 0], outcome(call.ret as isize), site);
        }
        call.ret
    }

    "rsi" [fchdir] fn fchdir(fd: c_int) -> c_int |real, site| {
        on_slot(Op::Fchdir, POSIX.slot(fd), [0; 3], site, 0, || real(fd) as isize) as c_int
    }

    "rdx" [truncate truncate64] fn truncate(path: *const c_char, len: i64) -> c_int |real, site| {
        on_name(Op::Truncate, (AT_FDCWD, path), [len, 0], site, || real(path, len) as isize) as c_int
    }

    "rdx" [statfs statfs64] fn statfs(path: *const c_char, out: *mut c_void) -> c_int |real, site| {
        on_name(Op::Statfs, (AT_FDCWD, path), [0; 2], site, || real(path, out) as isize) as c_int
    }

    "rdx" [statvfs statvfs64] fn statvfs(path: *const c_char, out: *mut c_void) -> c_int |real, site| {
        on_name(Op::Statfs, (AT_FDCWD, path), [0; 2], site, || real(path, out) as isize) as c_int
    }

    "rdx" [fstatfs fstatfs64] fn fstatfs(fd: c_int, out: *mut c_void) -> c_int |real, site| {
        on_slot(Op::Fstatfs, POSIX.slot(fd), [0; 3], site, 0, || real(fd, out) as isize) as c_int
    }

    "rdx" [fstatvfs fstatvfs64] fn fstatvfs(fd: c_int, out: *mut c_void) -> c_int |real, site| {
        on_slot(Op::Fstatfs, POSIX.slot(fd), [0; 3], site, 0, || real(fd, out) as isize) as c_int
    }

    "r8" [getxattr] fn getxattr(path: *const c_char, name: *const c_char, out: *mut c_void, len: usize) -> isize |real, site| {
        on_name(Op::Xattr, (AT_FDCWD, path), [len as i64, 0], site, || real(path, name, out, len))
    }

    "r8" [lgetxattr] fn lgetxattr(path: *const c_char, name: *const c_char, out: *mut c_void, len: usize) -> isize |real, site| {
        on_name(Op::Xattr, (AT_FDCWD, path), [len as i64, 0], site, || real(path, name, out, len))
    }

    "r8" [fgetxattr] fn fgetxattr(fd: c_int, name: *const c_char, out: *mut c_void, len: usize) -> isize |real, site| {
        on_slot(Op::Fxattr, POSIX.slot(fd), [0, len as i64, 0], site, 0, || real(fd, name, out, len))
    }

    "r9" [setxattr] fn setxattr(path: *const c_char, name: *const c_char, value: *const c_void, len: usize, flags: c_int) -> c_int |real, site| {
        on_name(Op::Xattr, (AT_FDCWD, path), [len as i64, 1], site, || real(path, name, value, len, flags) as isize) as c_int
    }

    "r9" [fsetxattr] fn fsetxattr(fd: c_int, name: *const c_char, value: *const c_void, len: usize, flags: c_int) -> c_int |real, site| {
        on_slot(Op::Fxattr, POSIX.slot(fd), [0, len as i64, 1], site, 0, || real(fd, name, value, len, flags) as isize) as c_int
    }

    // Recorded although it names no file.
    "rdi" [sync] fn sync() -> () |real, site| {
        let call = timed(|| real());
        if process::is_on() {
            call.note(Op::Sync, 0, [0; 3], 0, site);
        }
    }

    "rdx" [flock] fn flock(fd: c_int, operation: c_int) -> c_int |real, site| {
        on_slot(Op::Flock, POSIX.slot(fd), [0, i64::from(operation), 0], site, 0, || real(fd, operation) as isize) as c_int
    }

    "rcx" [lockf lockf64] fn lockf(fd: c_int, command: c_int, len: i64) -> c_int |real, site| {
        on_slot(Op::Lock, POSIX.slot(fd), [0, len, i64::from(command)], site, 0, || real(fd, command, len) as isize) as c_int
    }
}
