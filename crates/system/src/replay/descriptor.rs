//! Calls on open descriptors, by the recorded function.

use std::ffi::{c_int, c_void};
use std::io;

use marigraph_model::Call;
use marigraph_wire::op::{Op, Role};

use super::buffer::{Buffer, LARGEST};
use super::files::{Files, Handle, held, taken, using};
use super::outcome;

/// Maximum number of buffers that the system takes per call.
const VECTORS: i64 = 1024;

/// `None` if the slot is not open.
pub(super) fn perform(call: &Call, files: &Files, buffer: &mut Buffer) -> Option<io::Result<i64>> {
    match call.op {
        Op::Readdir | Op::Closedir => return folder(call, files),
        Op::Close => return close(call, files),
        Op::Dup => return copy(call, files),
        Op::Sendfile | Op::CopyFileRange => return between(call, files),
        _ => {}
    }
    files.with_descriptor(call.slot, |fd| match call.op {
        _ if call.arg(Role::Count).is_some() => vectored(call, fd, buffer),
        op if op.reads() || op.writes() || op == Op::Getdents => transfer(call, fd, buffer),
        _ => other(call, fd),
    })
}

fn close(call: &Call, files: &Files) -> Option<io::Result<i64>> {
    let handle = files.get(call.slot)?;
    files.remove(call.slot);
    let Handle::Descriptor(fd) = handle else { return None };
    // SAFETY: a descriptor that the replay opened; whoever takes it closes it.
    taken(&fd).map(|fd| outcome(unsafe { libc::close(fd) } as isize))
}

fn copy(call: &Call, files: &Files) -> Option<io::Result<i64>> {
    // SAFETY: a plain system call.
    let copy = files.with_descriptor(call.slot, |fd| unsafe { libc::dup(fd) })?;
    if copy >= 0 {
        files.set(call.other_slot()?, Handle::Descriptor(held(copy)), &files.path(call.slot));
    }
    Some(outcome(copy as isize).map(|_| 0))
}

fn folder(call: &Call, files: &Files) -> Option<io::Result<i64>> {
    let Handle::Folder(folder) = files.get(call.slot)? else { return None };
    if call.op == Op::Closedir {
        files.remove(call.slot);
        // SAFETY: opened by the replay; whoever takes it closes it.
        return taken(&folder).map(|folder| outcome(unsafe { libc::closedir(folder.0) } as isize));
    }
    // SAFETY: open, and the C library locks it against other threads that read it.
    let entry = using(&folder, |folder| unsafe { libc::readdir(folder.0) })?;
    Some(Ok(i64::from(!entry.is_null())))
}

fn between(call: &Call, files: &Files) -> Option<io::Result<i64>> {
    let other = call.other_slot()?;
    files.with_descriptors((call.slot, other), |from, to| joined(call, from, to))
}

fn joined(call: &Call, from: c_int, to: c_int) -> io::Result<i64> {
    let mut at = call.args[0];
    let place = if at < 0 { std::ptr::null_mut() } else { &raw mut at };
    let len = call.args[1] as usize;
    // SAFETY: the offset outlives the call.
    outcome(unsafe {
        match call.op {
            Op::Sendfile => libc::sendfile(to, from, place, len),
            _ => libc::copy_file_range(from, place, to, std::ptr::null_mut(), len, 0),
        }
    })
}

fn transfer(call: &Call, fd: c_int, buffer: &mut Buffer) -> io::Result<i64> {
    let [at, len, _] = call.args;
    // A recorded `dprintf` has its length in the return value.
    let len = if len == 0 && call.op == Op::Write { call.ret.max(0) } else { len };
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let room = buffer.room(len)?;
    // SAFETY: there is room for `len` bytes, or for as many as one call moves at most.
    outcome(unsafe {
        match call.op {
            Op::Read => libc::read(fd, room, len),
            Op::Write => libc::write(fd, room, len),
            Op::Pread => libc::pread(fd, room, len, at),
            Op::Pwrite => libc::pwrite(fd, room, len, at),
            _ => getdents64(fd, room, len.min(LARGEST)),
        }
    })
}

unsafe extern "C" {
    fn getdents64(fd: c_int, room: *mut c_void, len: usize) -> isize;
}

fn vectored(call: &Call, fd: c_int, buffer: &mut Buffer) -> io::Result<i64> {
    let [at, len, count] = call.args;
    // No list of buffers can be that long.
    let len = usize::try_from(len).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?;
    let room = buffer.room(len)?;
    let count = usize::try_from(count.clamp(0, VECTORS)).unwrap_or(0);
    // All but the last have the same length.
    let each = len.min(LARGEST).checked_div(count).unwrap_or(0);
    let vector = |which: usize| {
        let last = which + 1 == count;
        let iov_len = if last { len.min(LARGEST) - each * which } else { each };
        libc::iovec { iov_base: room.wrapping_byte_add(each * which), iov_len }
    };
    let vectors: Vec<libc::iovec> = (0..count).map(vector).collect();
    let (list, count) = (vectors.as_ptr(), vectors.len() as c_int);
    // SAFETY: the vectors lie in the buffer, which has room for all of them.
    outcome(unsafe {
        match call.op {
            Op::Readv => libc::readv(fd, list, count),
            Op::Writev => libc::writev(fd, list, count),
            Op::Preadv => libc::preadv(fd, list, count, at),
            _ => libc::pwritev(fd, list, count, at),
        }
    })
}

fn other(call: &Call, fd: c_int) -> io::Result<i64> {
    let [a, b, c] = call.args;
    // SAFETY: plain system calls; structures that are filled in outlive them.
    let ret = unsafe {
        match call.op {
            Op::Lseek => libc::lseek(fd, a, b as c_int) as isize,
            Op::Ftruncate => libc::ftruncate(fd, b) as isize,
            Op::Fallocate if c == -1 => return error(libc::posix_fallocate(fd, a, b)),
            Op::Fallocate => libc::fallocate(fd, c as c_int, a, b) as isize,
            Op::Fadvise => return error(libc::posix_fadvise(fd, a, b, c as c_int)),
            Op::Readahead => libc::readahead(fd, a, b as usize),
            Op::Fchdir => libc::fchdir(fd) as isize,
            Op::Fsync => libc::fsync(fd) as isize,
            Op::Fdatasync => libc::fdatasync(fd) as isize,
            Op::Syncfs => libc::syncfs(fd) as isize,
            Op::SyncFileRange => libc::sync_file_range(fd, a, b, c as u32) as isize,
            Op::Fchmod => libc::fchmod(fd, (b & 0o777) as u32) as isize,
            Op::Futime => libc::futimens(fd, std::ptr::null()) as isize,
            Op::SetFlags => libc::fcntl(fd, libc::F_SETFL, b as c_int) as isize,
            Op::Fstat => libc::fstat(fd, &mut std::mem::zeroed()) as isize,
            Op::Fstatfs => libc::fstatfs(fd, &mut std::mem::zeroed()) as isize,
            _ => return Err(io::Error::from_raw_os_error(libc::ENOSYS)),
        }
    };
    outcome(ret)
}

/// The outcome of calls that return their error.
fn error(ret: c_int) -> io::Result<i64> {
    if ret == 0 { Ok(0) } else { Err(io::Error::from_raw_os_error(ret)) }
}
