//! Files of HDF5.

use core::ffi::{c_char, c_int, c_uint};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;

use super::{Id, dataset, key, outcome};
use crate::call::{Timed, timed_outer};
use crate::files::{self, Handles, new_slot};
use crate::library::late;
use crate::mpi::file::opens;

static FILES: Handles<4096> = Handles::EMPTY;

/// Records an open; `before` is the number of MPI-IO opens before the call.
///
/// # Safety
/// `path` is null or ends with NUL.
unsafe fn opened(
    op: Op,
    timed: &Timed<Id>,
    path: *const c_char,
    flags: c_uint,
    before: u64,
    site: usize,
) -> Id {
    // SAFETY: as the caller promises.
    let Some(name) = (unsafe { files::name(AT_FDCWD, path) }) else { return timed.ret };
    let args = [name, i64::from(flags), i64::from(opens() != before)];
    if timed.ret < 0 {
        timed.note(op, 0, args, -1, site);
    } else {
        let slot = new_slot();
        FILES.set(key(timed.ret), u64::from(slot));
        timed.note(op, slot, args, 0, site);
    }
    timed.ret
}

fn closed(id: Id, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let (file, dataset) = (FILES.get(key(id)) as u32, dataset::slot(id));
    if file == 0 && dataset == 0 {
        return call();
    }
    let timed = timed_outer(call);
    if timed.ret >= 0 {
        FILES.take(key(id));
        dataset::forget(id);
    }
    let (op, slot) = if file == 0 { (Op::DatasetClose, dataset) } else { (Op::FileCloseH5, file) };
    timed.note(op, slot, [0; 3], outcome(timed.ret), site);
    timed.ret
}

late! {
    4 "H5Fcreate" fn create(path: *const c_char, flags: c_uint, creation: Id, access: Id) -> Id |real, _at, site| {
        let before = opens();
        let timed = timed_outer(|| real(path, flags, creation, access));
        opened(Op::FileCreate, &timed, path, flags, before, site)
    }

    3 "H5Fopen" fn open(path: *const c_char, flags: c_uint, access: Id) -> Id |real, _at, site| {
        let before = opens();
        let timed = timed_outer(|| real(path, flags, access));
        opened(Op::FileOpenH5, &timed, path, flags, before, site)
    }

    // Takes any object of the file; only the file itself is known here.
    2 "H5Fflush" fn flush(object: Id, scope: c_int) -> c_int |real, _at, site| {
        let slot = FILES.get(key(object)) as u32;
        if slot == 0 {
            return timed_outer(|| real(object, scope)).ret;
        }
        let timed = timed_outer(|| real(object, scope));
        timed.note(Op::FileFlush, slot, [0; 3], outcome(timed.ret), site);
        timed.ret
    }

    1 "H5Fclose" fn close(file: Id) -> c_int |real, _at, site| {
        closed(file, site, || real(file))
    }

    1 "H5Dclose" fn close_dataset(id: Id) -> c_int |real, _at, site| {
        closed(id, site, || real(id))
    }

    1 "H5Oclose" fn close_object(id: Id) -> c_int |real, _at, site| {
        closed(id, site, || real(id))
    }

    // Python closes this way; the object is closed when its last reference goes.
    1 "H5Idec_ref" fn release(id: Id) -> c_int |real, _at, site| {
        let (file, dataset) = (FILES.get(key(id)) as u32, dataset::slot(id));
        if file == 0 && dataset == 0 {
            return real(id);
        }
        let timed = timed_outer(|| real(id));
        if timed.ret == 0 {
            FILES.take(key(id));
            dataset::forget(id);
            let (op, slot) = if file == 0 { (Op::DatasetClose, dataset) } else { (Op::FileCloseH5, file) };
            timed.note(op, slot, [0; 3], 0, site);
        }
        timed.ret
    }
}
