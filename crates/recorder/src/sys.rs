//! System calls without the C library: the recorder's own calls must not pass through its hooks,
//! touch `errno`, or allocate.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the recorder is written for Linux on x86-64");

use core::arch::asm;
use core::sync::atomic::{AtomicI32, Ordering};

use libc::{
    AT_FDCWD, MAP_PRIVATE, MAP_SHARED, O_APPEND, O_CLOEXEC, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_WRONLY,
    PROT_READ, PROT_WRITE,
};

/// Makes a system call; errors are negative.
///
/// # Safety
/// The arguments must be what the call `number` expects.
#[inline]
pub unsafe fn call(number: libc::c_long, args: [usize; 6]) -> isize {
    let ret: isize;
    // SAFETY: the kernel's convention on x86-64; the caller answers for the arguments.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => ret,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack)
        );
    }
    ret
}

/// A path for the kernel: bytes with a NUL at the end.
pub type CPath<'a> = &'a core::ffi::CStr;

fn open(path: CPath<'_>, flags: i32, mode: u32) -> Option<i32> {
    let args = [AT_FDCWD as usize, path.as_ptr() as usize, flags as usize, mode as usize, 0, 0];
    // SAFETY: the path ends with NUL and outlives the call.
    let fd = unsafe { call(libc::SYS_openat, args) };
    (fd >= 0).then_some(fd as i32)
}

/// Lowest numbers for our descriptors. High numbers leave the host's own unchanged, and protect us
/// from hosts that close descriptors they did not open.
const HIGH: [usize; 3] = [4000, 900, 200];

/// Our open descriptors, plus one: a child of `fork` closes its copies.
static OPEN: [AtomicI32; 16] = [const { AtomicI32::new(0) }; 16];

/// Opens one of our files for writing at a high number, and checks that it is the file meant.
fn open_own(path: CPath<'_>, flags: i32, mode: u32) -> Option<i32> {
    let low = open(path, flags, mode)?;
    note(low);
    let duplicate = |from: &usize| {
        let args = [low as usize, libc::F_DUPFD_CLOEXEC as usize, *from, 0, 0, 0];
        // SAFETY: numbers alone.
        let fd = unsafe { call(libc::SYS_fcntl, args) };
        (fd >= 0).then_some(fd as i32)
    };
    let fd = HIGH.iter().find_map(duplicate).unwrap_or(low);
    if fd != low {
        note(fd);
    }
    let own = is_named(fd, path);
    if own && fd == low {
        return Some(fd);
    }
    // If it is another file, the low number is not ours to close.
    forget(low);
    if own {
        close(low);
        return Some(fd);
    }
    if fd != low {
        close_own(fd);
    }
    None
}

fn note(fd: i32) {
    let free =
        |place: &&AtomicI32| place.compare_exchange(0, fd + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
    let _ = OPEN.iter().find(free);
}

fn forget(fd: i32) {
    for place in &OPEN {
        let _ = place.compare_exchange(fd + 1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Whether the kernel's name for a descriptor ends with the last component of `path`.
fn is_named(fd: i32, path: CPath<'_>) -> bool {
    let mut link = crate::text::Text::<40>::EMPTY;
    link.push(b"/proc/self/fd/");
    link.push_number(fd as u64, 10);
    let name = path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or(&[]);
    let mut told = [0u8; 512];
    match read_link(link.c_str(), &mut told) {
        // A longer one is cut; without /proc nothing can be checked.
        Some(len) if len < told.len() => told.get(..len).is_some_and(|told| told.ends_with(name)),
        _ => true,
    }
}

fn close(fd: i32) {
    // SAFETY: the descriptor is ours.
    unsafe { call(libc::SYS_close, [fd as usize, 0, 0, 0, 0, 0]) };
}

fn close_own(fd: i32) {
    close(fd);
    forget(fd);
}

/// Closes, in a child of `fork`, the descriptors that the parent's other threads had open.
pub fn close_inherited() {
    for place in &OPEN {
        match place.swap(0, Ordering::Relaxed) {
            0 => {}
            fd => close(fd - 1),
        }
    }
}

/// A descriptor of ours, closed on drop.
pub struct File(i32);

impl File {
    /// Fails if the file exists.
    pub fn create(path: CPath<'_>) -> Option<File> {
        open_own(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600).map(File)
    }

    /// For reading and writing.
    pub fn open(path: CPath<'_>) -> Option<File> {
        open_own(path, O_RDWR | O_CLOEXEC, 0).map(File)
    }

    pub fn read_only(path: CPath<'_>) -> Option<File> {
        open(path, O_RDONLY | O_CLOEXEC, 0).map(File)
    }

    /// Creates the file if it does not exist.
    pub fn append(path: CPath<'_>) -> Option<File> {
        open_own(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600).map(File)
    }

    /// Reserves space on the device, so that writing to a mapping of it cannot fail later.
    pub fn reserve(&self, offset: usize, len: usize) -> Option<()> {
        if file_limit().is_some_and(|limit| (offset as u64).saturating_add(len as u64) > limit) {
            return None;
        }
        // SAFETY: numbers alone.
        let ret = unsafe { call(libc::SYS_fallocate, [self.0 as usize, 0, offset, len, 0, 0]) };
        if ret == 0 {
            return Some(());
        }
        if ret == -(libc::ENOSPC as isize) || ret == -(libc::EDQUOT as isize) {
            return None;
        }
        // The file system cannot reserve: write zeros.
        static ZEROS: [u8; 4096] = [0; 4096];
        for at in (offset..offset + len).step_by(ZEROS.len()) {
            let rest = ZEROS.len().min(offset + len - at);
            // SAFETY: the buffer outlives the call.
            let put = unsafe {
                call(libc::SYS_pwrite64, [self.0 as usize, ZEROS.as_ptr() as usize, rest, at, 0, 0])
            };
            if put != rest as isize {
                return None;
            }
        }
        Some(())
    }

    /// Maps a range, shared with readers of the file.
    pub fn map(&self, offset: usize, len: usize) -> Option<*mut u8> {
        map(len, MAP_SHARED, self.0, offset)
    }

    /// Appends two pieces with one call; a short write is an error.
    pub fn write_both(&self, head: &[u8], content: &[u8]) -> Option<()> {
        let more = (head.len() + content.len()) as u64;
        if let Some(limit) = file_limit() {
            let size = fstat(self.0)?.st_size as u64;
            if size.saturating_add(more) > limit {
                return None;
            }
        }
        let pieces = [(head.as_ptr(), head.len()), (content.as_ptr(), content.len())];
        // SAFETY: an iovec is a pointer and a length; both pieces outlive the call.
        let put = unsafe { call(libc::SYS_writev, [self.0 as usize, pieces.as_ptr() as usize, 2, 0, 0, 0]) };
        (put == (head.len() + content.len()) as isize).then_some(())
    }

    /// Reads until the end of the file or until `out` is full.
    pub fn read(&self, out: &mut [u8]) -> usize {
        let mut used = 0;
        while used < out.len() {
            let to = out.as_mut_ptr().wrapping_add(used);
            // SAFETY: `to` has room for the rest of `out`.
            let got =
                unsafe { call(libc::SYS_read, [self.0 as usize, to as usize, out.len() - used, 0, 0, 0]) };
            if got <= 0 {
                break;
            }
            used += got as usize;
        }
        used
    }
}

impl Drop for File {
    fn drop(&mut self) {
        close_own(self.0);
    }
}

fn map(len: usize, flags: i32, fd: i32, offset: usize) -> Option<*mut u8> {
    let protection = (PROT_READ | PROT_WRITE) as usize;
    // SAFETY: a new mapping at an address of the kernel's choice.
    let at = unsafe { call(libc::SYS_mmap, [0, len, protection, flags as usize, fd as usize, offset]) };
    (at > 0).then_some(at as *mut u8)
}

/// Maps private memory, all zero.
pub fn memory(len: usize) -> Option<*mut u8> {
    map(len, MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
}

/// # Safety
/// Nothing may use it afterwards.
pub unsafe fn unmap(at: *mut u8, len: usize) {
    // SAFETY: as the caller promises.
    unsafe { call(libc::SYS_munmap, [at as usize, len, 0, 0, 0, 0]) };
}

/// Has the kernel zero these pages in children; returns whether it supports that.
pub fn wipe_on_fork(at: *mut u8, len: usize) -> bool {
    // SAFETY: advice about a mapping of ours.
    unsafe { call(libc::SYS_madvise, [at as usize, len, libc::MADV_WIPEONFORK as usize, 0, 0, 0]) == 0 }
}

/// Sleeps for a tenth of a millisecond.
pub fn nap() {
    let time = libc::timespec { tv_sec: 0, tv_nsec: 100_000 };
    // SAFETY: `time` outlives the call.
    unsafe { call(libc::SYS_nanosleep, [&raw const time as usize, 0, 0, 0, 0, 0]) };
}

pub fn unlink(path: CPath<'_>) {
    // SAFETY: the path ends with NUL and outlives the call.
    unsafe { call(libc::SYS_unlink, [path.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// Process id, parent's process id, user id.
pub fn ids() -> (u32, u32, u32) {
    let number = |which| {
        // SAFETY: no arguments.
        unsafe { call(which, [0; 6]) as u32 }
    };
    (number(libc::SYS_getpid), number(libc::SYS_getppid), number(libc::SYS_getuid))
}

/// `RLIMIT_FSIZE`, if there is a limit: a signal kills a process that exceeds it, which must not
/// happen to the host for a file of ours.
fn file_limit() -> Option<u64> {
    let mut limit = [u64::MAX; 2];
    let which = libc::RLIMIT_FSIZE as usize;
    // SAFETY: `limit` has the two numbers that the call fills.
    let ret = unsafe { call(libc::SYS_prlimit64, [0, which, 0, &raw mut limit as usize, 0, 0]) };
    (ret == 0 && limit[0] != u64::MAX).then_some(limit[0])
}

pub fn fstat(fd: i32) -> Option<libc::stat> {
    let mut out = core::mem::MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: `out` has the size the call fills; zero is a valid value of its plain fields.
    unsafe {
        (call(libc::SYS_fstat, [fd as usize, out.as_mut_ptr() as usize, 0, 0, 0, 0]) == 0)
            .then(|| out.assume_init())
    }
}

/// Creation time in nanoseconds since the Unix epoch, where the file system stores it.
pub fn birth(fd: i32) -> Option<u64> {
    let mut out = core::mem::MaybeUninit::<libc::statx>::zeroed();
    let how = (libc::AT_EMPTY_PATH | libc::AT_STATX_DONT_SYNC) as usize;
    let args =
        [fd as usize, c"".as_ptr() as usize, how, libc::STATX_BTIME as usize, out.as_mut_ptr() as usize, 0];
    // SAFETY: the path ends with NUL and `out` has the size the call fills; zero is a valid value of its
    // plain fields.
    let stat = unsafe { (call(libc::SYS_statx, args) == 0).then(|| out.assume_init()) }?;
    let time = stat.stx_btime;
    let known = stat.stx_mask & libc::STATX_BTIME != 0;
    known.then(|| (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(u64::from(time.tv_nsec)))
}

/// Flags and position of a descriptor; 0 where unknown.
pub fn how_open(fd: i32) -> (i64, i64) {
    // SAFETY: numbers alone.
    unsafe {
        let flags = call(libc::SYS_fcntl, [fd as usize, libc::F_GETFL as usize, 0, 0, 0, 0]);
        let position = call(libc::SYS_lseek, [fd as usize, 0, libc::SEEK_CUR as usize, 0, 0, 0]);
        (flags.max(0) as i64, position.max(0) as i64)
    }
}

pub fn working_directory(out: &mut [u8]) -> Option<usize> {
    // SAFETY: `out` outlives the call.
    let len = unsafe { call(libc::SYS_getcwd, [out.as_mut_ptr() as usize, out.len(), 0, 0, 0, 0]) };
    // The length includes the NUL; the path of an unreachable directory does not begin with a
    // slash.
    (len > 1 && out.first() == Some(&b'/')).then_some(len as usize - 1)
}

/// Returns the length of the link's target.
pub fn read_link(path: CPath<'_>, out: &mut [u8]) -> Option<usize> {
    let args = [AT_FDCWD as usize, path.as_ptr() as usize, out.as_mut_ptr() as usize, out.len(), 0, 0];
    // SAFETY: the path ends with NUL, `out` outlives the call.
    let len = unsafe { call(libc::SYS_readlinkat, args) };
    (len > 0).then_some(len as usize)
}

pub fn random() -> u64 {
    let mut out = 0u64;
    // SAFETY: `out` has eight bytes.
    unsafe { call(libc::SYS_getrandom, [&raw mut out as usize, 8, 1, 0, 0, 0]) };
    out
}

pub fn host(out: &mut [u8]) -> usize {
    let mut name = core::mem::MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: `name` has the size the call fills; zero is a valid value of its plain fields.
    let name = unsafe {
        call(libc::SYS_uname, [name.as_mut_ptr() as usize, 0, 0, 0, 0, 0]);
        name.assume_init()
    };
    let text = name.nodename.iter().map(|&byte| byte as u8).take_while(|&byte| byte != 0);
    out.iter_mut().zip(text).map(|(to, byte)| *to = byte).count()
}
