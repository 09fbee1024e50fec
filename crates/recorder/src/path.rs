//! Paths as they are kept: absolute, without double slashes and `/./`.

use core::ffi::{CStr, c_char};

use crate::sys;
use crate::text::Text;

/// Room for a path.
pub type Path = Text<4096>;

/// The absolute form of a path that a call was given relative to a directory.
///
/// # Safety
/// `path` is null or ends with NUL.
pub unsafe fn absolute(directory: i32, path: *const c_char) -> Option<Path> {
    if path.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    let mut out = Path::EMPTY;
    match path.first()? {
        b'/' => {}
        _ if directory == libc::AT_FDCWD => {
            out.fill(sys::working_directory)?;
        }
        _ => out = of_descriptor(directory)?,
    }
    if !out.bytes().is_empty() && out.bytes().last() != Some(&b'/') {
        out.push(b"/");
    }
    push_clean(&mut out, path).then_some(out)
}

/// Appends without double slashes and `/./`; says whether it fit.
fn push_clean(out: &mut Path, path: &[u8]) -> bool {
    let mut rest = path;
    let mut after_slash = out.bytes().last() == Some(&b'/');
    while let Some((&byte, next)) = rest.split_first() {
        if after_slash && byte == b'/' {
            rest = next;
            continue;
        }
        if after_slash && byte == b'.' && next.first() == Some(&b'/') {
            rest = next.get(1..).unwrap_or(&[]);
            continue;
        }
        if !out.push(&[byte]) {
            return false;
        }
        after_slash = byte == b'/';
        rest = next;
    }
    true
}

/// The path of an open descriptor, as the kernel tells it.
pub fn of_descriptor(fd: i32) -> Option<Path> {
    let mut link = Text::<40>::EMPTY;
    link.push(b"/proc/self/fd/");
    link.push_number(u64::try_from(fd).ok()?, 10);
    let mut out = Path::EMPTY;
    out.fill(|room| sys::read_link(link.c_str(), room))?;
    Some(out)
}
