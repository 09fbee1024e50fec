//! Buffered streams of the C library. What they do below is inside the library and cannot be seen.

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

/// Finds what all hooks stand for.
pub fn find_all() {
    data::find_all();
    formatted::find_all();
    open::find_all();
}

/// Forgets all streams.
pub fn close_all() {
    STREAMS.each(|fd, _| STREAMS.set(fd, 0));
}

/// The descriptor below a stream, or -1.
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

/// The slot of a stream; 0 if it is not followed.
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

/// The slot of a stream that is followed already: flushing alone is no use of a standard stream.
fn followed(stream: *mut FILE) -> u32 {
    if process::is_on() { STREAMS.slot(descriptor(stream)) } else { 0 }
}

/// Follows a standard stream from its first use on. Shells print for others, so theirs are not.
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
