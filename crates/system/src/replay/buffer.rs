//! Memory to read into and write from: a large address range over little memory.

use std::ffi::c_void;
use std::io;

/// The actual memory, which is mapped repeatedly over the whole range.
const PIECE: usize = 4 << 20;
/// Maximum number of bytes of one system call.
pub const LARGEST: usize = 0x7fff_f000;
/// Maximum number of bytes of one library call, which makes several system calls.
const LARGEST_OF_LIBRARY: usize = 1 << 36;

/// The address range of one thread.
#[derive(Debug)]
pub struct Buffer {
    start: *mut c_void,
    len: usize,
}

impl Buffer {
    pub fn new() -> Buffer {
        Buffer { start: std::ptr::null_mut(), len: 0 }
    }

    /// An address range of `len` bytes. The system refuses or truncates calls longer than
    /// [`LARGEST`].
    pub fn room(&mut self, len: usize) -> io::Result<*mut c_void> {
        self.addresses(len.min(LARGEST))
    }

    /// An address range for all bytes of a library call.
    pub fn whole_room(&mut self, len: usize) -> io::Result<*mut c_void> {
        if len > LARGEST_OF_LIBRARY {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        self.addresses(len)
    }

    fn addresses(&mut self, len: usize) -> io::Result<*mut c_void> {
        let len = len.max(1).next_multiple_of(PIECE);
        if len > self.len {
            self.free();
            self.start = mapped(len)?;
            self.len = len;
        }
        Ok(self.start)
    }

    fn free(&mut self) {
        if self.len > 0 {
            // SAFETY: a mapping of our own that nobody uses any more.
            unsafe { libc::munmap(self.start, self.len) };
            self.len = 0;
        }
    }
}

// SAFETY: a mapping belongs to no thread.
unsafe impl Send for Buffer {}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.free();
    }
}

/// Maps `len` bytes of addresses, a multiple of [`PIECE`], over the same memory.
fn mapped(len: usize) -> io::Result<*mut c_void> {
    const SHARED: i32 = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: the first mapping reserves addresses of our own choice of length; those after it replace parts of it.
    unsafe {
        let fd = libc::memfd_create(c"replay".as_ptr(), libc::MFD_CLOEXEC);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let sized = libc::ftruncate(fd, PIECE as i64) == 0;
        let start = libc::mmap(std::ptr::null_mut(), len, libc::PROT_NONE, flags, -1, 0);
        let mut good = sized && start != libc::MAP_FAILED;
        for at in (0..len).step_by(PIECE) {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            good = good && libc::mmap(start.byte_add(at), PIECE, access, SHARED, fd, 0) != libc::MAP_FAILED;
        }
        let error = io::Error::last_os_error();
        libc::close(fd);
        if good { Ok(start) } else { Err(error) }
    }
}
