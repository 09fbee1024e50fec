//! Buffered streams of the C library. Their system calls happen inside the library and are not
//! seen.

pub mod data;
pub mod formatted;
pub mod open;

use core::ffi::c_int;

use libc::FILE;
use marigraph_wire::op::Op;

use crate::call::timed;
use crate::files::{self, STREAMS};
use crate::{environment, process};

unsafe extern "C" {
    static stdin: *mut FILE;
    static stdout: *mut FILE;
    static stderr: *mut FILE;
    fn fileno_unlocked(stream: *mut FILE) -> c_int;
}

pub fn find_all() {
    data::find_all();
    formatted::find_all();
    open::find_all();
}

pub fn close_all() {
    STREAMS.each(|fd, _| STREAMS.set(fd, 0));
}

/// The descriptor of a stream, or -1.
fn descriptor(stream: *mut FILE) -> c_int {
    if stream.is_null() {
        return -1;
    }
    let error = crate::real::errno();
    // SAFETY: a stream of the caller; the function only reads a field.
    let fd = unsafe { fileno_unlocked(stream) };
    if fd < 0 {
        crate::real::set_errno(error);
    }
    fd
}

/// 0 if the stream is not followed.
#[inline]
fn slot(stream: *mut FILE) -> u32 {
    if !process::is_on() {
        return 0;
    }
    let fd = descriptor(stream);
    match STREAMS.slot(fd) {
        0 if (0..=2).contains(&fd) => standard(stream, fd),
        slot => slot,
    }
}

/// The slot of a stream that is already followed: a flush alone is not a use of a standard stream.
fn followed(stream: *mut FILE) -> u32 {
    if process::is_on() { STREAMS.slot(descriptor(stream)) } else { 0 }
}

/// Follows a standard stream from its first use. Those of shells are not followed: shells print for
/// other programs.
#[cold]
fn standard(stream: *mut FILE, fd: c_int) -> u32 {
    // SAFETY: the C library's own variables, set before any program runs.
    let known = unsafe { [stdin, stdout, stderr] };
    if known.get(fd as usize) != Some(&stream) || environment::is_shell() {
        return 0;
    }
    let slot = files::new_slot();
    STREAMS.set(fd, slot);
    timed(|| ()).note(Op::Standard, slot, [i64::from(fd), 0, 0], 0, 0);
    slot
}
