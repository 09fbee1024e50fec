//! One directory: opened below a root without following links, read entry by entry.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::path::Path;

use marigraph_model::contents::EntryKind;

/// Bytes of entries read at once.
const ROOM: usize = 1 << 16;
/// Longest path passed to the kernel at once.
const LONGEST: usize = 4000;

const FLAGS: i32 = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC | libc::O_NONBLOCK;

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    fd: OwnedFd,
}

const MASK: u32 = libc::STATX_TYPE
    | libc::STATX_NLINK
    | libc::STATX_UID
    | libc::STATX_GID
    | libc::STATX_ATIME
    | libc::STATX_MTIME
    | libc::STATX_CTIME
    | libc::STATX_SIZE
    | libc::STATX_BLOCKS;

/// Metadata of one entry.
#[derive(Debug, Clone, Copy)]
pub struct Told {
    /// Kind, size, owners and times, without its location.
    pub entry: marigraph_model::contents::Entry,
    pub device: (u32, u32),
}

impl Directory {
    /// Opens the root of a scan. A link is followed here: the user named it.
    pub fn root(path: &Path) -> io::Result<Directory> {
        use std::os::unix::ffi::OsStrExt;
        let path = CString::new(path.as_os_str().as_bytes())?;
        open(libc::AT_FDCWD, &path, FLAGS & !libc::O_NOFOLLOW).map(|fd| Directory { fd })
    }

    /// Opens a directory below this one; no link on the way is followed.
    pub fn below(&self, path: &[u8]) -> io::Result<Directory> {
        if path.is_empty() {
            return self.step(c".");
        }
        if path.len() <= LONGEST {
            match self.at_once(&CString::new(path)?) {
                Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {}
                opened => return opened,
            }
        }
        let mut names = path.split(|&byte| byte == b'/');
        let first = names.next().unwrap_or(b".");
        names.try_fold(self.step(&CString::new(first)?)?, |folder, name| folder.step(&CString::new(name)?))
    }

    fn step(&self, name: &CStr) -> io::Result<Directory> {
        open(self.fd.as_raw_fd(), name, FLAGS).map(|fd| Directory { fd })
    }

    fn at_once(&self, path: &CStr) -> io::Result<Directory> {
        // SAFETY: the structure is plain, and zero means nothing asked for.
        let mut how: libc::open_how = unsafe { std::mem::zeroed() };
        how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS;
        let size = std::mem::size_of::<libc::open_how>();
        let mut tried = Err(io::Error::from_raw_os_error(libc::EPERM));
        for flags in [FLAGS | libc::O_NOATIME, FLAGS] {
            how.flags = flags as u64;
            // SAFETY: path and structure outlive the call, and the size is the structure's.
            let fd = unsafe {
                libc::syscall(libc::SYS_openat2, self.fd.as_raw_fd(), path.as_ptr(), &raw const how, size)
            };
            tried = owned(fd as RawFd).map(|fd| Directory { fd });
            if !is_refused(&tried) {
                break;
            }
        }
        tried
    }

    /// Visits every entry with its name and metadata. An entry that vanished meanwhile is an error.
    pub fn read(
        &self,
        lazy: bool,
        mut each: impl FnMut(&CStr, io::Result<Told>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut room = vec![0u8; ROOM];
        loop {
            // SAFETY: there is room for this many bytes.
            let len = unsafe {
                libc::syscall(libc::SYS_getdents64, self.fd.as_raw_fd(), room.as_mut_ptr(), room.len())
            };
            let len = usize::try_from(len).map_err(|_| io::Error::last_os_error())?;
            if len == 0 {
                return Ok(());
            }
            for name in names(room.get(..len).unwrap_or(&[])) {
                each(name, self.ask(name, lazy))?;
            }
        }
    }

    /// The metadata of a name, or of the directory itself if `name` is empty.
    pub fn ask(&self, name: &CStr, lazy: bool) -> io::Result<Told> {
        // SAFETY: the structure is plain, and filled in by the call.
        let mut told: libc::statx = unsafe { std::mem::zeroed() };
        let mut flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_NO_AUTOMOUNT;
        if lazy {
            flags |= libc::AT_STATX_DONT_SYNC;
        }
        if name.is_empty() {
            flags |= libc::AT_EMPTY_PATH;
        }
        // SAFETY: a name that ends with NUL, and a structure that outlives the call.
        let code = unsafe { libc::statx(self.fd.as_raw_fd(), name.as_ptr(), flags, MASK, &raw mut told) };
        if code != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(understood(&told, name))
    }
}

fn understood(told: &libc::statx, name: &CStr) -> Told {
    let kind = match u32::from(told.stx_mode) & libc::S_IFMT {
        libc::S_IFREG => EntryKind::File,
        libc::S_IFDIR => EntryKind::Directory,
        libc::S_IFLNK => EntryKind::Link,
        _ => EntryKind::Other,
    };
    let entry = marigraph_model::contents::Entry {
        kind,
        size: told.stx_size,
        blocks: told.stx_blocks,
        times: [told.stx_atime.tv_sec, told.stx_mtime.tv_sec, told.stx_ctime.tv_sec],
        uid: told.stx_uid,
        gid: told.stx_gid,
        links: u64::from(told.stx_nlink),
        depth: 0,
        name_len: name.count_bytes() as u64,
    };
    Told { entry, device: (told.stx_dev_major, told.stx_dev_minor) }
}

/// Names in the kernel's records: inode, offset, length of the record, kind, name.
fn names(mut records: &[u8]) -> impl Iterator<Item = &CStr> {
    const HEAD: usize = 19;
    std::iter::from_fn(move || {
        loop {
            let len = usize::from(u16::from_le_bytes([*records.get(16)?, *records.get(17)?]));
            let (record, rest) = records.split_at_checked(len.max(HEAD))?;
            records = rest;
            let name = CStr::from_bytes_until_nul(record.get(HEAD..)?).ok()?;
            if !matches!(name.to_bytes(), b"." | b"..") {
                return Some(name);
            }
        }
    })
}

/// Opens without updating the access time, where permitted.
fn open(from: RawFd, path: &CStr, flags: i32) -> io::Result<OwnedFd> {
    let open = |flags: i32| {
        // SAFETY: a path that ends with NUL.
        owned(unsafe { libc::openat(from, path.as_ptr(), flags) })
    };
    let quiet = open(flags | libc::O_NOATIME);
    if is_refused(&quiet) { open(flags) } else { quiet }
}

fn is_refused<T>(opened: &io::Result<T>) -> bool {
    opened.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::EPERM))
}

fn owned(fd: RawFd) -> io::Result<OwnedFd> {
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
