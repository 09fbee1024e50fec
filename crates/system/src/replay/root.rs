//! The folder that a replay is confined to.
//!
//! The kernel enforces it: folders are opened with `openat2` and flags that refuse links and ways
//! out, and names are then relative to the folder. Without `openat2`, folders are opened one by one
//! without following links.

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::direct;

/// The open root.
#[derive(Debug)]
pub struct Root {
    fd: OwnedFd,
    /// Canonical path, without links.
    path: Vec<u8>,
}

/// A name in an open folder: a path that is known to be below the root.
#[derive(Debug)]
pub struct Place {
    pub folder: OwnedFd,
    /// A single name, or `.` for the root itself.
    pub name: CString,
    /// The full path, for calls that take no folder.
    pub full: CString,
    /// The error of a look-up whose folder is missing.
    pub missing: Option<i32>,
}

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    Nothing,
    File,
    Folder,
    /// A link, a pipe, a device: never touched.
    Other,
}

const FOLDER: i32 = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;

impl Root {
    /// Opens the folder, which must exist.
    pub fn open(path: &Path) -> io::Result<Root> {
        let path = path.canonicalize()?;
        let text = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: a path that ends with NUL.
        let fd = unsafe { opened(libc::SYS_openat, libc::AT_FDCWD, &text, [FOLDER as usize, 0]) }?;
        Ok(Root { fd, path: text.into_bytes() })
    }

    pub fn inherited(fd: OwnedFd, path: Vec<u8>) -> Root {
        Root { fd, path }
    }

    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    pub(super) fn is_full(&self) -> bool {
        // SAFETY: plain structures that the call fills in; zero is a valid value of them.
        unsafe {
            let mut found: libc::statvfs = std::mem::zeroed();
            libc::fstatvfs(self.fd(), &raw mut found) == 0 && found.f_bavail == 0
        }
    }

    pub fn path(&self) -> &[u8] {
        &self.path
    }

    /// Resolves a path of plain names. Fails if its folder is missing or behind a link.
    pub fn place(&self, path: &[u8]) -> io::Result<Place> {
        if path.split(|&byte| byte == b'/').any(|part| part == b"..") {
            return Err(io::Error::from_raw_os_error(libc::EXDEV));
        }
        let at = path.iter().rposition(|&byte| byte == b'/');
        let (folder, name) = at.map_or((&[][..], path), |at| (&path[..at], &path[at + 1..]));
        let name = if name.is_empty() { &b"."[..] } else { name };
        let full = if path.is_empty() { self.path.clone() } else { [&self.path, path].join(&b'/') };
        let (name, full) = (CString::new(name)?, CString::new(full)?);
        Ok(Place { folder: self.folder(folder)?, name, full, missing: None })
    }

    /// The place of a path whose folder is missing: calls there fail with this error.
    pub fn absent(&self, path: &[u8], error: i32) -> io::Result<Place> {
        let full = CString::new([&self.path, path].join(&b'/'))?;
        Ok(Place { folder: self.fd.try_clone()?, name: full.clone(), full, missing: Some(error) })
    }

    /// The kernel reports a link as the last folder as it reports a file, so steps tell them apart.
    fn folder(&self, path: &[u8]) -> io::Result<OwnedFd> {
        let path = if path.is_empty() { &b"."[..] } else { path };
        match self.folder_at_once(&CString::new(path)?) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::ENOTDIR)) => {
                self.folder_by_steps(path)
            }
            other => other,
        }
    }

    fn folder_at_once(&self, path: &CStr) -> io::Result<OwnedFd> {
        // SAFETY: the structure is plain, and zero means nothing asked for.
        let mut how: libc::open_how = unsafe { std::mem::zeroed() };
        how.flags = FOLDER as u64;
        how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
        let size = std::mem::size_of::<libc::open_how>();
        // SAFETY: path and structure outlive the call, and the size is the structure's.
        unsafe { opened(libc::SYS_openat2, self.fd(), path, [&raw const how as usize, size]) }
    }

    fn folder_by_steps(&self, path: &[u8]) -> io::Result<OwnedFd> {
        let mut folder = self.fd.try_clone()?;
        for part in path.split(|&byte| byte == b'/').filter(|part| *part != b".") {
            let part = CString::new(part)?;
            // SAFETY: a name that ends with NUL.
            let next = unsafe { opened(libc::SYS_openat, folder.as_raw_fd(), &part, [FOLDER as usize, 0]) };
            if next.is_err() && is_link(&folder, &part) {
                return Err(io::Error::from_raw_os_error(libc::ELOOP));
            }
            folder = next?;
        }
        Ok(folder)
    }
}

/// The type of what has this name in a folder; 0 if nothing has. Links are not followed.
fn kind_of(folder: &OwnedFd, name: &CStr) -> libc::mode_t {
    // SAFETY: the structure is plain; the name ends with NUL. The system call is made directly: it is a look of
    // ours, not a call of the trace.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        let more = [&raw mut stat as usize, libc::AT_SYMLINK_NOFOLLOW as usize];
        let found = named(libc::SYS_newfstatat, folder.as_raw_fd(), name, more);
        if found.is_ok() { stat.st_mode & libc::S_IFMT } else { 0 }
    }
}

fn is_link(folder: &OwnedFd, name: &CStr) -> bool {
    kind_of(folder, name) == libc::S_IFLNK
}

impl Place {
    pub fn is_root(&self) -> bool {
        self.name.as_bytes() == b"."
    }

    pub fn kind(&self) -> PlaceKind {
        match kind_of(&self.folder, &self.name) {
            0 => PlaceKind::Nothing,
            libc::S_IFREG => PlaceKind::File,
            libc::S_IFDIR => PlaceKind::Folder,
            _ => PlaceKind::Other,
        }
    }

    pub fn remove(&self, folder: bool) -> io::Result<()> {
        let flags = if folder { libc::AT_REMOVEDIR } else { 0 };
        // SAFETY: a name that ends with NUL, in a folder that is open.
        let removed =
            unsafe { named(libc::SYS_unlinkat, self.folder.as_raw_fd(), &self.name, [flags as usize, 0]) };
        removed.map(|_| ())
    }

    pub fn make_folder(&self) -> io::Result<()> {
        // SAFETY: as above.
        unsafe { named(libc::SYS_mkdirat, self.folder.as_raw_fd(), &self.name, [0o777, 0]) }.map(|_| ())
    }

    /// Creates a file, which must not exist.
    pub fn make_file(&self) -> io::Result<std::fs::File> {
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: as above.
        let more = [flags as usize, 0o666];
        let fd = unsafe { opened(libc::SYS_openat, self.folder.as_raw_fd(), &self.name, more) }?;
        Ok(std::fs::File::from(fd))
    }
}

/// A system call on a name in a folder.
///
/// # Safety
/// Addresses among the further arguments are good for what the call does with them.
unsafe fn named(number: libc::c_long, folder: RawFd, name: &CStr, more: [usize; 2]) -> io::Result<isize> {
    // SAFETY: the name ends with NUL; the rest is as the caller promises.
    let ret = unsafe { direct::call(number, [folder as usize, name.as_ptr() as usize, more[0], more[1], 0]) };
    if ret < 0 {
        Err(io::Error::from_raw_os_error(i32::try_from(-ret).unwrap_or(libc::EIO)))
    } else {
        Ok(ret)
    }
}

/// The same for a call that opens a descriptor.
///
/// # Safety
/// As [`named`].
unsafe fn opened(number: libc::c_long, folder: RawFd, name: &CStr, more: [usize; 2]) -> io::Result<OwnedFd> {
    // SAFETY: as the caller promises; nobody else owns a descriptor that is new.
    unsafe { named(number, folder, name, more).map(|fd| OwnedFd::from_raw_fd(fd as RawFd)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with links out of it, and a file beside it.
    fn made(name: &str) -> (std::path::PathBuf, Root) {
        let folder = std::env::temp_dir().join(format!("marigraph-root-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("outside/deep")).expect("folder");
        std::fs::create_dir_all(folder.join("root/in")).expect("folder");
        std::os::unix::fs::symlink("../outside", folder.join("root/way")).expect("link");
        std::os::unix::fs::symlink(folder.join("outside"), folder.join("root/in/far")).expect("link");
        let root = Root::open(&folder.join("root")).expect("opens");
        (folder, root)
    }

    #[test]
    fn no_way_leads_out_with_openat2_or_without() {
        let (folder, root) = made("ways");
        for path in ["way", "way/deep", "in/far", "in/far/deep"] {
            let text = CString::new(path).expect("text");
            assert!(root.folder_at_once(&text).is_err(), "{path}");
            assert!(root.folder_by_steps(path.as_bytes()).is_err(), "{path}");
            let place = root.place(format!("{path}/file").as_bytes());
            // `ENOTDIR` would stand for a missing folder, see `Root::absent`.
            assert_eq!(place.err().and_then(|error| error.raw_os_error()), Some(libc::ELOOP), "{path}");
        }
        for path in ["..", "in/..", "in/../..", "../outside/file"] {
            assert!(root.place(path.as_bytes()).is_err(), "{path}");
        }
        assert!(root.folder_at_once(c"in").is_ok() && root.folder_by_steps(b"in").is_ok());
        let _ = std::fs::remove_dir_all(folder);
    }

    #[test]
    fn what_stands_at_a_place_is_told_without_following() {
        let (folder, root) = made("kinds");
        std::fs::write(folder.join("root/in/file"), "").expect("file");
        let kind = |path: &str| root.place(path.as_bytes()).map(|place| place.kind()).expect("a place");
        assert_eq!([kind("way"), kind("in/far")], [PlaceKind::Other, PlaceKind::Other]);
        assert_eq!(
            [kind("in"), kind("in/file"), kind("in/none"), kind("")],
            [PlaceKind::Folder, PlaceKind::File, PlaceKind::Nothing, PlaceKind::Folder]
        );
        let _ = std::fs::remove_dir_all(folder);
    }
}
