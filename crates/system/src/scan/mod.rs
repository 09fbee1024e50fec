//! Contents of a file system: walks a whole tree on several threads.
//!
//! | step | where |
//! |---|---|
//! | one directory, without following links | `directory` |
//! | directories to read, in bounded memory | [`Pending`] |
//! | threads that read them and merge their counts | [`Walk`] |
//!
//! A thread's counts are merged only when all directories it took are done. So at every moment each
//! directory is either counted or pending, and a walk can be resumed. `unsafe` is for system calls
//! that have no other form.

mod directory;
mod pending;
mod walk;

pub use pending::Pending;
pub use walk::{Options, Seen, Walk};

use std::io;
use std::path::Path;

use marigraph_model::contents::Room;

pub fn room(path: &Path) -> io::Result<Room> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: a path that ends with NUL, and a plain structure that the call fills in.
    let told = unsafe {
        let mut told: libc::statvfs = std::mem::zeroed();
        if libc::statvfs(path.as_ptr(), &raw mut told) != 0 {
            return Err(io::Error::last_os_error());
        }
        told
    };
    let bytes = |blocks: u64| blocks.saturating_mul(told.f_frsize);
    Ok(Room {
        bytes: bytes(told.f_blocks),
        free_bytes: bytes(told.f_bavail),
        files: told.f_files,
        free_files: told.f_favail,
    })
}

pub fn host() -> String {
    let mut name = [0u8; 256];
    // SAFETY: there is room for this many bytes; the last stays NUL.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&name[..len]).into_owned()
}
