//! Paths in recorded form: absolute, without double slashes and `/./`.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::sync::atomic::{AtomicBool, Ordering};

use crate::sys;
use crate::text::Text;

/// Buffer for a path.
pub type Path = Text<4096>;

/// Makes absolute a path that a call gave relative to a directory.
///
/// # Safety
/// `path` is null or ends with NUL.
pub unsafe fn absolute(directory: i32, path: *const c_char, out: &mut Path) -> Option<()> {
    if path.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let path = unsafe { CStr::from_ptr(path) }.to_bytes();
    match path.first()? {
        b'/' => {}
        _ if directory == libc::AT_FDCWD => out.fill(sys::working_directory)?,
        _ => of_descriptor(directory, out)?,
    }
    if !out.bytes().is_empty() && out.bytes().last() != Some(&b'/') {
        out.push(b"/");
    }
    push_clean(out, path).then_some(())
}

/// Appends without double slashes and `/./`; returns whether it fit.
fn push_clean(out: &mut Path, path: &[u8]) -> bool {
    let ends_with_slash = path.last() == Some(&b'/');
    let mut first = out.bytes().is_empty();
    let mut last: &[u8] = &[];
    let parts = || path.split(|&byte| byte == b'/');
    // A dot at the very end stays, because it is not a `/./`.
    let count = parts().count();
    let kept = |(at, part): &(usize, &[u8])| !part.is_empty() && (*part != b"." || at + 1 == count);
    for (_, part) in parts().enumerate().filter(kept) {
        if (first || out.bytes().last() != Some(&b'/')) && !out.push(b"/") || !out.push(part) {
            return false;
        }
        (first, last) = (false, part);
    }
    if last.is_empty() && first {
        return out.push(b"/");
    }
    !ends_with_slash || last.is_empty() || out.push(b"/")
}

/// Appends the path of an open descriptor, from `/proc/self/fd`.
pub fn of_descriptor(fd: i32, out: &mut Path) -> Option<()> {
    let mut link = Text::<40>::EMPTY;
    link.push(b"/proc/self/fd/");
    link.push_number(u64::try_from(fd).ok()?, 10);
    out.fill(|room| sys::read_link(link.c_str(), room))
}

/// Buffers off the host's stack, which may be a few kilobytes in a signal handler.
struct Pool([(AtomicBool, UnsafeCell<Path>); 16]);

// SAFETY: a buffer is used only by the thread that set its flag.
unsafe impl Sync for Pool {}

static POOL: Pool = Pool([const { (AtomicBool::new(false), UnsafeCell::new(Path::EMPTY)) }; 16]);

pub fn with_buffer<R>(f: impl FnOnce(&mut Path) -> R) -> R {
    for (taken, buffer) in &POOL.0 {
        if taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            // SAFETY: the flag makes this thread the only user.
            let path = unsafe { &mut *buffer.get() };
            path.truncate(0);
            let done = f(path);
            taken.store(false, Ordering::Release);
            return done;
        }
    }
    on_stack(f)
}

/// For when all buffers of the pool are taken.
#[cold]
#[inline(never)]
fn on_stack<R>(f: impl FnOnce(&mut Path) -> R) -> R {
    f(&mut { Path::EMPTY })
}
