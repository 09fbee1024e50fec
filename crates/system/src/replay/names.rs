//! Calls that name files. Every name is first looked up below the root, see [`Root`].

use std::ffi::c_int;
use std::io;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use marigraph_analysis::replay::{Action, below};
use marigraph_model::Call;
use marigraph_wire::op::Op;

use super::files::{Files, Folder, Handle, held};
use super::guard::{self, Done};
use super::outcome;
use super::root::{Place, PlaceKind, Root};

/// Maximum time that a call waits for a file that another rank is to create.
const PATIENCE: Duration = Duration::from_secs(5);
const RIGHTS: i64 = 0o777;
const NO_LINK: c_int = libc::AT_SYMLINK_NOFOLLOW;

pub(super) fn perform(action: &Action<'_>, root: &Root, files: &Files, stopped: &dyn Fn() -> bool) -> Done {
    let call = &action.call;
    // No file can have such a name.
    let Some(path) = action.names[0].and_then(below) else { return Done::LeftOut };
    let patient = || files.is_patient() && !stopped();
    let since = Instant::now();
    let place = match ready(root, &path, finds(call), &patient) {
        Ok(place) => place,
        Err(error) => return Done::Returned(Err(error)),
    };
    if since.elapsed() >= PATIENCE {
        files.waited_in_vain();
    }
    if matches!(call.op, Op::Rename | Op::Link) {
        let Some(to) = action.names[1].and_then(below) else { return Done::LeftOut };
        return match ready(root, &to, false, &patient) {
            Ok(to) => guard::spared(call, &place, Some(&to))
                .unwrap_or_else(|| Done::Returned(pair(call, &place, &to))),
            Err(error) => Done::Returned(Err(error)),
        };
    }
    guard::spared(call, &place, None).unwrap_or_else(|| {
        Done::Returned(match call.op {
            Op::Open => open(call, &place, files, &path),
            Op::Fopen => super::streams::open(call, &place, files, &path),
            Op::Opendir => open_folder(call, &place, files, &path),
            _ => single(call, &place),
        })
    })
}

/// The place of a file for libraries that take its full path. Waits for a file that must exist.
pub(super) fn whole(
    root: &Root,
    path: &[u8],
    must_be_there: bool,
    files: &Files,
    stopped: &dyn Fn() -> bool,
) -> io::Result<Place> {
    let since = Instant::now();
    let place = ready(root, path, must_be_there, &|| files.is_patient() && !stopped())?;
    if since.elapsed() >= PATIENCE {
        files.waited_in_vain();
    }
    Ok(place)
}

/// Whether the call found the file in the trace, so that it must exist.
fn finds(call: &Call) -> bool {
    let creates = match call.op {
        Op::Open | Op::Fopen => call.args[1] & i64::from(libc::O_CREAT) != 0,
        Op::Mkdir => true,
        _ => false,
    };
    if creates { call.ret == -i64::from(libc::EEXIST) } else { call.ret >= 0 }
}

/// The place of a path, once a file that must exist does, or after [`PATIENCE`]. Refuses everything
/// but files and folders.
fn ready(root: &Root, path: &[u8], must_be_there: bool, patient: &dyn Fn() -> bool) -> io::Result<Place> {
    let since = Instant::now();
    loop {
        let patient = since.elapsed() < PATIENCE && patient();
        match root.place(path) {
            Ok(place) => match place.kind() {
                PlaceKind::Other => return Err(io::Error::from_raw_os_error(libc::ELOOP)),
                PlaceKind::Nothing if must_be_there && patient => {}
                _ => return Ok(place),
            },
            Err(error) if missing(&error).is_some() && must_be_there && patient => {}
            // The call itself shall report that the folder is missing.
            Err(error) => return missing(&error).map_or(Err(error), |error| root.absent(path, error)),
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn missing(error: &io::Error) -> Option<i32> {
    error.raw_os_error().filter(|error| matches!(*error, libc::ENOENT | libc::ENOTDIR))
}

fn open(call: &Call, place: &Place, files: &Files, path: &[u8]) -> io::Result<i64> {
    let flags = call.args[1] as c_int | libc::O_NOFOLLOW;
    let mode = (call.args[1] >> 32 & RIGHTS) as libc::mode_t;
    // SAFETY: a name that ends with NUL.
    let fd = unsafe { libc::openat(place.folder.as_raw_fd(), place.name.as_ptr(), flags, mode) };
    if fd >= 0 {
        files.set(call.slot, Handle::Descriptor(held(fd)), path);
    }
    outcome(fd as isize).map(|_| 0)
}

fn open_folder(call: &Call, place: &Place, files: &Files, path: &[u8]) -> io::Result<i64> {
    // SAFETY: a path that ends with NUL.
    let folder = unsafe { libc::opendir(place.full.as_ptr()) };
    if folder.is_null() {
        return Err(io::Error::last_os_error());
    }
    files.set(call.slot, Handle::Folder(held(Folder(folder))), path);
    Ok(0)
}

fn pair(call: &Call, from: &Place, to: &Place) -> io::Result<i64> {
    let (folder, name) = (from.folder.as_raw_fd(), from.name.as_ptr());
    let (other, new) = (to.folder.as_raw_fd(), to.name.as_ptr());
    // SAFETY: names that end with NUL.
    outcome(unsafe {
        match call.op {
            Op::Link => libc::linkat(folder, name, other, new, 0),
            _ if call.args[2] == 0 => libc::renameat(folder, name, other, new),
            _ => libc::renameat2(folder, name, other, new, call.args[2] as u32),
        }
    } as isize)
}

fn single(call: &Call, place: &Place) -> io::Result<i64> {
    let (folder, name, full) = (place.folder.as_raw_fd(), place.name.as_ptr(), place.full.as_ptr());
    let b = call.args[1];
    // SAFETY: names that end with NUL; structures that are filled in outlive the calls.
    outcome(unsafe {
        match call.op {
            Op::Stat => libc::fstatat(folder, name, &mut std::mem::zeroed(), 0),
            Op::Lstat => libc::fstatat(folder, name, &mut std::mem::zeroed(), libc::AT_SYMLINK_NOFOLLOW),
            Op::Statx => libc::statx(folder, name, 0, b as u32, &mut std::mem::zeroed()),
            Op::Access => libc::faccessat(folder, name, b as c_int, 0),
            Op::Unlink if b == 1 => libc::remove(full),
            Op::Unlink => libc::unlinkat(folder, name, 0),
            Op::Rmdir => libc::unlinkat(folder, name, libc::AT_REMOVEDIR),
            Op::Mkdir => libc::mkdirat(folder, name, (b & RIGHTS) as libc::mode_t),
            // A link that somebody else puts there must not lead out.
            Op::Chmod => libc::fchmodat(folder, name, (b & RIGHTS) as libc::mode_t, NO_LINK),
            Op::Utime => libc::utimensat(folder, name, std::ptr::null(), NO_LINK),
            Op::Chdir => libc::chdir(full),
            Op::Truncate => libc::truncate(full, b),
            Op::Statfs => libc::statfs(full, &mut std::mem::zeroed()),
            _ => return Err(io::Error::from_raw_os_error(libc::ENOSYS)),
        }
    } as isize)
}
