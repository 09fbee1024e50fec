//! Calls on streams of the C library.
//!
//! The length of a line or a formatted read depends on the file's content, which a trace does not
//! hold: such calls become reads of as many bytes.

use std::ffi::{CStr, CString, c_int, c_void};
use std::io;

use libc::FILE;
use marigraph_model::{Call, Slot};
use marigraph_wire::op::Op;

use super::buffer::{Buffer, LARGEST};
use super::files::{Files, Handle, Held, Stream, held, taken, using};
use super::root::Place;

const TEXT: u8 = b'm';
/// Maximum bytes of a text, which needs memory of its length: a trace may claim any.
const MAX_TEXT: usize = 64 << 20;

fn mode(flags: i64) -> &'static CStr {
    let flags = flags as c_int;
    let both = flags & libc::O_ACCMODE == libc::O_RDWR;
    let exclusive = flags & libc::O_EXCL != 0;
    match (flags & libc::O_CREAT != 0, flags & libc::O_APPEND != 0, both, exclusive) {
        (false, _, false, _) => c"r",
        (false, _, true, _) => c"r+",
        (true, true, false, _) => c"a",
        (true, true, true, _) => c"a+",
        (true, false, false, false) => c"w",
        (true, false, true, false) => c"w+",
        (true, false, false, true) => c"wx",
        (true, false, true, true) => c"w+x",
    }
}

pub(super) fn open(call: &Call, place: &Place, files: &Files, path: &[u8]) -> io::Result<i64> {
    // SAFETY: texts that end with NUL.
    let stream = unsafe { libc::fopen(place.full.as_ptr(), mode(call.args[1]).as_ptr()) };
    if stream.is_null() {
        return Err(io::Error::last_os_error());
    }
    files.set(call.slot, Handle::Stream(held(Stream(stream))), path);
    Ok(0)
}

/// `None` if the stream is not open.
pub(super) fn perform(call: &Call, files: &Files, buffer: &mut Buffer) -> Option<io::Result<i64>> {
    if call.op == Op::Fdopen {
        return from_descriptor(call, files);
    }
    let slot = if call.op == Op::Fileno { call.other_slot()? } else { call.slot };
    let Handle::Stream(stream) = files.get(slot)? else { return None };
    if call.op == Op::Fclose {
        files.remove(call.slot);
        // SAFETY: a stream that the replay opened; whoever takes it closes it.
        return taken(&stream).map(|stream| zero(unsafe { libc::fclose(stream.0) }));
    }
    if call.op == Op::Fileno {
        return below(call, slot, stream, files);
    }
    using(&stream, |&Stream(stream)| match call.op {
        Op::Fgetc | Op::Fputc => other(call, stream),
        op if op.reads() => read(call, stream, buffer),
        op if op.writes() => write(call, stream, buffer),
        _ => other(call, stream),
    })
}

fn from_descriptor(call: &Call, files: &Files) -> Option<io::Result<i64>> {
    let below = call.other_slot()?;
    let Handle::Descriptor(descriptor) = files.get(below)? else { return None };
    let fd = taken(&descriptor)?;
    let path = files.path(below);
    // SAFETY: a descriptor that the replay opened and nobody else has now; the stream closes it.
    let stream = unsafe { libc::fdopen(fd, mode(call.args[1]).as_ptr()) };
    if stream.is_null() {
        let error = io::Error::last_os_error();
        files.set(below, Handle::Descriptor(held(fd)), &path);
        return Some(Err(error));
    }
    let stream = held(Stream(stream));
    files.set(below, Handle::Below(stream.clone(), fd), &path);
    files.set(call.slot, Handle::Stream(stream), &path);
    Some(Ok(0))
}

fn below(call: &Call, above: Slot, stream: Held<Stream>, files: &Files) -> Option<io::Result<i64>> {
    // SAFETY: an open stream.
    let fd = using(&stream, |stream| unsafe { libc::fileno(stream.0) })?;
    files.set(call.slot, Handle::Below(stream, fd), &files.path(above));
    Some(Ok(0))
}

/// Memory for a call, whose bytes must fit: the C library continues until it has them all.
fn room(len: i64, buffer: &mut Buffer) -> io::Result<(*mut c_void, usize)> {
    let len = usize::try_from(len).ok().filter(|&len| len < LARGEST);
    let len = len.ok_or(io::Error::from_raw_os_error(libc::EINVAL))?;
    Ok((buffer.room(len + 1)?, len))
}

fn read(call: &Call, stream: *mut FILE, buffer: &mut Buffer) -> io::Result<i64> {
    let [_, len, item] = call.args;
    let (len, item) = if call.op == Op::Fread { (len, item) } else { (call.ret.max(0), 1) };
    let (to, len) = room(len, buffer)?;
    let size = usize::try_from(item).unwrap_or(0);
    let count = len.checked_div(size).unwrap_or(0);
    // SAFETY: there is room for `size * count` bytes, at most `len`.
    let items = unsafe { libc::fread(to, size, count, stream) };
    Ok(items.wrapping_mul(size) as i64)
}

fn write(call: &Call, stream: *mut FILE, buffer: &mut Buffer) -> io::Result<i64> {
    let [_, len, item] = call.args;
    if call.op == Op::Fwrite {
        let (from, len) = room(len, buffer)?;
        let size = usize::try_from(item).unwrap_or(0);
        let count = len.checked_div(size).unwrap_or(0);
        // SAFETY: there are `size * count` bytes, at most `len`.
        let items = unsafe { libc::fwrite(from, size, count, stream) };
        return Ok(items.wrapping_mul(size) as i64);
    }
    let len = usize::try_from(len).ok().filter(|&len| len <= MAX_TEXT);
    let len = len.ok_or(io::Error::from_raw_os_error(libc::EINVAL))?;
    let text = CString::new(vec![TEXT; len])?;
    // SAFETY: a text that ends with NUL.
    let ret = unsafe {
        match call.op {
            Op::Fputs => libc::fputs(text.as_ptr(), stream),
            _ => libc::fprintf(stream, c"%s".as_ptr(), text.as_ptr()),
        }
    };
    if ret < 0 { Err(io::Error::last_os_error()) } else { Ok(len as i64) }
}

fn other(call: &Call, stream: *mut FILE) -> io::Result<i64> {
    let [a, b, c] = call.args;
    // SAFETY: an open stream; the position outlives the calls.
    unsafe {
        match call.op {
            Op::Fgetc => Ok(i64::from(libc::fgetc(stream) >= 0)),
            Op::Fputc if libc::fputc(TEXT.into(), stream) >= 0 => Ok(1),
            Op::Ungetc if libc::ungetc(TEXT.into(), stream) >= 0 => Ok(0),
            Op::Fputc | Op::Ungetc => Err(io::Error::last_os_error()),
            Op::Fflush => zero(libc::fflush(stream)),
            Op::Fseek => zero(libc::fseeko(stream, a, b as c_int)),
            // A saved position cannot be recreated, but its offset can.
            Op::Fsetpos => zero(libc::fseeko(stream, c, libc::SEEK_SET)),
            Op::Rewind => {
                libc::rewind(stream);
                Ok(0)
            }
            _ => Err(io::Error::from_raw_os_error(libc::ENOSYS)),
        }
    }
}

fn zero(ret: c_int) -> io::Result<i64> {
    if ret == 0 { Ok(0) } else { Err(io::Error::last_os_error()) }
}
