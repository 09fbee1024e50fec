//! Files: open, close, sizes, views, positions.

use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicU64, Ordering};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;

use super::{comm, failure, family, inside, mpi, note_rank, queries, result, types};
use crate::files::{self, Handles, new_slot};

static FILES: Handles<8192> = Handles::EMPTY;
static OPENS: AtomicU64 = AtomicU64::new(0);

/// 0 if the file is not followed.
pub fn slot(file: usize) -> u32 {
    FILES.get(file as u64) as u32
}

/// Number of opens so far: a library that opens a file during its own call works through MPI-IO.
pub fn opens() -> u64 {
    OPENS.load(Ordering::Relaxed)
}

/// Prefixes of a name that select ROMIO's file system driver.
const PREFIXES: &[&[u8]] = &[
    b"ufs:",
    b"nfs:",
    b"xfs:",
    b"pfs:",
    b"pvfs2:",
    b"gpfs:",
    b"panfs:",
    b"lustre:",
    b"testfs:",
    b"daos:",
    b"ime:",
    b"quobyte:",
    b"bb:",
];

///
/// # Safety
/// `path` is null or ends with NUL.
unsafe fn without_prefix(path: *const c_char) -> *const c_char {
    if path.is_null() {
        return path;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(path) }.to_bytes();
    let prefix = PREFIXES.iter().find(|prefix| text.starts_with(prefix)).map_or(0, |prefix| prefix.len());
    path.wrapping_add(prefix)
}

/// Number of hints in an info object; -1 without one.
pub fn hints(info: usize) -> i64 {
    let (info, none) = (family::handle(info), family::handles().no_info);
    let mut keys = 0;
    if none == 0 || info == none || info == 0 {
        return -1;
    }
    // SAFETY: an object that a call just took.
    unsafe { queries::info_keys(family::anchor(), info, &mut keys) };
    i64::from(keys)
}

fn on_file(op: Op, file: usize, args: [i64; 3], site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = slot(file);
    if slot == 0 {
        return call();
    }
    let timed = inside(call);
    timed.note(op, slot, args, result(timed.ret), site);
    timed.ret
}

fn whence(mpi: c_int) -> i64 {
    match mpi {
        600 => 0,
        602 => 1,
        604 => 2,
        other => i64::from(other),
    }
}

/// 0 native, 1 internal, 2 external32, 3 user-defined.
///
/// # Safety
/// `name` is null or ends with NUL.
unsafe fn representation(name: *const c_char) -> i64 {
    if name.is_null() {
        return 0;
    }
    // SAFETY: as the caller promises.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"native" | b"NATIVE" => 0,
        b"internal" | b"INTERNAL" => 1,
        b"external32" | b"EXTERNAL32" => 2,
        _ => 3,
    }
}

mpi! {
    5 ["File_open"] fn open(of: usize, path: *const c_char, mode: c_int, info: usize, file: *mut usize) |real, site| {
        let timed = inside(|| real(of, path, mode, info, file));
        OPENS.fetch_add(1, Ordering::Relaxed);
        let Some(name) = files::name(AT_FDCWD, without_prefix(path)) else { return timed.ret };
        let mode = i64::from(mode);
        if timed.ret == 0 && !file.is_null() {
            let slot = new_slot();
            FILES.set(*file as u64, u64::from(slot));
            timed.note(Op::FileOpen, slot, [name, mode, comm::number(of)], 0, site);
            let hints = hints(info);
            if hints >= 0 {
                timed.more([hints, 0, 0], site);
            }
        } else {
            timed.note(Op::FileOpen, 0, [name, mode, 0], failure(timed.ret), site);
        }
        note_rank();
        timed.ret
    }

    // Before the call: the handle may be reused as soon as it returns.
    1 ["File_close"] fn close(file: *mut usize) |real, site| {
        let slot = if file.is_null() { 0 } else { FILES.take(*file as u64) as u32 };
        if slot == 0 {
            return real(file);
        }
        let timed = inside(|| real(file));
        timed.note(Op::FileClose, slot, [0; 3], result(timed.ret), site);
        timed.ret
    }

    2 ["File_delete"] fn delete(path: *const c_char, info: usize) |real, site| {
        let timed = inside(|| real(path, info));
        if let Some(name) = files::name(AT_FDCWD, without_prefix(path)) {
            timed.note(Op::FileDelete, 0, [name, 0, 0], result(timed.ret), site);
        }
        timed.ret
    }

    2 ["File_set_size"] fn set_size(file: usize, size: i64) |real, site| {
        on_file(Op::FileSetSize, file, [0, size, 0], site, || real(file, size))
    }

    2 ["File_preallocate"] fn preallocate(file: usize, size: i64) |real, site| {
        on_file(Op::FilePreallocate, file, [0, size, 0], site, || real(file, size))
    }

    2 ["File_get_size"] fn get_size(file: usize, size: *mut i64) |real, site| {
        let slot = slot(file);
        if slot == 0 {
            return real(file, size);
        }
        let timed = inside(|| real(file, size));
        let found = if timed.ret == 0 && !size.is_null() { *size } else { failure(timed.ret) };
        timed.note(Op::FileGetSize, slot, [0; 3], found, site);
        timed.ret
    }

    1 ["File_sync"] fn sync(file: usize) |real, site| {
        on_file(Op::FileSync, file, [0; 3], site, || real(file))
    }

    6 ["File_set_view"] fn set_view(file: usize, at: i64, element: usize, pattern: usize, name: *const c_char, info: usize) |real, site| {
        let slot = slot(file);
        if slot == 0 {
            return real(file, at, element, pattern, name, info);
        }
        let timed = inside(|| real(file, at, element, pattern, name, info));
        let numbers = if timed.ret == 0 {
            [types::number(element), types::number(pattern)]
        } else {
            [types::if_known(element).0, types::if_known(pattern).0]
        };
        timed.note(Op::FileSetView, slot, [at, numbers[0], numbers[1]], result(timed.ret), site);
        let hints = if timed.ret == 0 { hints(info) } else { -1 };
        timed.more([representation(name), hints, 0], site);
        timed.ret
    }

    2 ["File_set_atomicity"] fn set_atomicity(file: usize, on: c_int) |real, site| {
        on_file(Op::FileSetAtomicity, file, [i64::from(on), 0, 0], site, || real(file, on))
    }

    2 ["File_set_info"] fn set_info(file: usize, info: usize) |real, site| {
        let slot = slot(file);
        if slot == 0 {
            return real(file, info);
        }
        let timed = inside(|| real(file, info));
        let hints = if timed.ret == 0 { hints(info) } else { -1 };
        timed.note(Op::FileSetInfo, slot, [hints, 0, 0], result(timed.ret), site);
        timed.ret
    }

    3 ["File_seek"] fn seek(file: usize, by: i64, from: c_int) |real, site| {
        on_file(Op::FileSeek, file, [by, whence(from), 0], site, || real(file, by, from))
    }

    3 ["File_seek_shared"] fn seek_shared(file: usize, by: i64, from: c_int) |real, site| {
        on_file(Op::FileSeekShared, file, [by, whence(from), 0], site, || real(file, by, from))
    }
}

pub fn asked(count: i64, datatype: usize, succeeded: bool) -> (i64, i64) {
    let (number, size) =
        if succeeded { (types::number(datatype), types::size(datatype)) } else { types::if_known(datatype) };
    (count.saturating_mul(size), number)
}
