//! Files of PnetCDF, their definition, and waits for nonblocking calls.

use core::ffi::{c_char, c_int, c_void};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;

use super::{key, variable};
use crate::call::{Timed, timed_outer};
use crate::files::{self, Handles, new_slot};
use crate::library::late;
use crate::mpi::comm;

static FILES: Handles<4096> = Handles::EMPTY;

/// 0 if the file is not followed.
pub fn slot(file: c_int) -> u32 {
    FILES.get(key(file)) as u32
}

/// Records an open. Errors are negative: files may be opened with a warning, which is positive.
///
/// # Safety
/// `path` is null or ends with NUL; `file` is where the call puts the identifier.
unsafe fn opened(
    op: Op,
    timed: &Timed<c_int>,
    path: *const c_char,
    (mode, of): (c_int, usize),
    file: *const c_int,
    site: usize,
) -> c_int {
    // SAFETY: as the caller promises.
    let Some(name) = (unsafe { files::name(AT_FDCWD, path) }) else { return timed.ret };
    if timed.ret == 0 && !file.is_null() {
        let slot = new_slot();
        // SAFETY: as the caller promises; the call succeeded.
        FILES.set(key(unsafe { *file }), u64::from(slot));
        timed.note(op, slot, [name, i64::from(mode), comm::number(of)], 0, site);
    } else {
        timed.note(op, 0, [name, i64::from(mode), 0], i64::from(timed.ret), site);
    }
    timed.ret
}

fn on_file(op: Op, file: c_int, args: [i64; 3], site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = slot(file);
    if slot == 0 {
        return call();
    }
    let timed = timed_outer(call);
    timed.note(op, slot, args, i64::from(timed.ret), site);
    timed.ret
}

/// Records a close. Forgets the file before the call: its number may be reused as soon as that
/// returns.
///
/// # Safety
/// `from` is in PnetCDF's library.
unsafe fn closed(from: usize, file: c_int, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let slot = slot(file);
    if slot == 0 {
        return call();
    }
    // SAFETY: a file that is followed is open.
    unsafe { variable::forget(from, file, slot) };
    FILES.take(key(file));
    let timed = timed_outer(call);
    timed.note(Op::NcClose, slot, [0; 3], i64::from(timed.ret), site);
    timed.ret
}

late! {
    5 "ncmpi_create" fn create(of: usize, path: *const c_char, mode: c_int, info: usize, file: *mut c_int) -> c_int |real, _at, site| {
        let timed = timed_outer(|| real(of, path, mode, info, file));
        opened(Op::NcCreate, &timed, path, (mode, of), file, site)
    }

    5 "ncmpi_open" fn open(of: usize, path: *const c_char, mode: c_int, info: usize, file: *mut c_int) -> c_int |real, _at, site| {
        let timed = timed_outer(|| real(of, path, mode, info, file));
        opened(Op::NcOpen, &timed, path, (mode, of), file, site)
    }

    1 "ncmpi_enddef" fn enddef(file: c_int) -> c_int |real, _at, site| {
        on_file(Op::NcEnddef, file, [0; 3], site, || real(file))
    }

    5 "ncmpi__enddef" fn enddef_with(file: c_int, a: i64, b: i64, c: i64, d: i64) -> c_int |real, _at, site| {
        on_file(Op::NcEnddef, file, [0; 3], site, || real(file, a, b, c, d))
    }

    1 "ncmpi_redef" fn redef(file: c_int) -> c_int |real, _at, site| {
        on_file(Op::NcRedef, file, [0; 3], site, || real(file))
    }

    1 "ncmpi_sync" fn sync(file: c_int) -> c_int |real, _at, site| {
        on_file(Op::NcSync, file, [0; 3], site, || real(file))
    }

    1 "ncmpi_begin_indep_data" fn begin_independent(file: c_int) -> c_int |real, _at, site| {
        on_file(Op::NcIndependent, file, [1, 0, 0], site, || real(file))
    }

    1 "ncmpi_end_indep_data" fn end_independent(file: c_int) -> c_int |real, _at, site| {
        on_file(Op::NcIndependent, file, [0; 3], site, || real(file))
    }

    1 "ncmpi_close" fn close(file: c_int) -> c_int |real, at, site| {
        closed(at, file, site, || real(file))
    }

    1 "ncmpi_abort" fn abort(file: c_int) -> c_int |real, at, site| {
        closed(at, file, site, || real(file))
    }

    6 "ncmpi_def_var" fn def_var(file: c_int, name: *const c_char, kind: c_int, rank: c_int, dimensions: *const c_int, out: *mut c_int) -> c_int |real, at, site| {
        let timed = timed_outer(|| real(file, name, kind, rank, dimensions, out));
        if timed.ret == 0 && !out.is_null() {
            variable::define(&timed, at, (file, *out), site);
        }
        timed.ret
    }

    3 "ncmpi_inq_varid" fn inq_varid(file: c_int, name: *const c_char, out: *mut c_int) -> c_int |real, at, site| {
        let ret = real(file, name, out);
        if ret == 0 && !out.is_null() {
            variable::find(at, file, *out, site);
        }
        ret
    }

    4 "ncmpi_wait" fn wait(file: c_int, count: c_int, requests: *mut c_int, statuses: *mut c_void) -> c_int |real, _at, site| {
        on_file(Op::NcWait, file, [0, i64::from(count), 0], site, || real(file, count, requests, statuses))
    }

    4 "ncmpi_wait_all" fn wait_all(file: c_int, count: c_int, requests: *mut c_int, statuses: *mut c_void) -> c_int |real, _at, site| {
        on_file(Op::NcWait, file, [0, i64::from(count), 1], site, || real(file, count, requests, statuses))
    }
}
