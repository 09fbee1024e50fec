//! Datasets of HDF5.

use core::ffi::{CStr, c_char, c_int};

use libc::AT_FDCWD;
use marigraph_wire::op::Op;
use marigraph_wire::record::Record;

use super::{Id, key, outcome, queries};
use crate::call::{Timed, timed, timed_outer};
use crate::files::{Handles, new_slot};
use crate::library::late;
use crate::{filter, path, process};

/// Open datasets by identifier: the slot in the upper half, bytes of an element in the lower.
static DATASETS: Handles<8192> = Handles::EMPTY;

/// Dimensions recorded.
pub const MOST: usize = 8;
/// HDF5's limit on the rank of a dataset.
pub const RANK: usize = 32;

const IS_FILE: c_int = 1;
const IS_DATASET: c_int = 5;
const CHUNKED: c_int = 2;

/// 0 if the dataset is not followed.
pub fn slot(id: Id) -> u32 {
    (DATASETS.get(key(id)) >> 32) as u32
}

pub fn forget(id: Id) {
    DATASETS.take(key(id));
}

fn told(out: &mut path::Path, ask: impl FnOnce(*mut c_char, usize) -> isize) -> Option<()> {
    out.fill(|room| match ask(room.as_mut_ptr().cast(), room.len()) {
        len if len > 0 => Some((len as usize).min(room.len().saturating_sub(1))),
        _ => None,
    })
}

/// The name of a dataset, `file:/group/dataset`, if its file is followed.
///
/// # Safety
/// `from` is in HDF5's library, `id` and `place` are identifiers in use, and `name` is null or ends
/// with NUL.
unsafe fn full_name(from: usize, id: Id, place: Id, name: *const c_char) -> Option<i64> {
    let mut file = path::Path::EMPTY;
    // SAFETY: as the caller promises.
    told(&mut file, |text, room| unsafe { queries::file_name(from, id, text, room) })?;
    let mut full = path::Path::EMPTY;
    // SAFETY: the text was just ended with NUL.
    unsafe { path::absolute(AT_FDCWD, file.c_str().as_ptr(), &mut full) }?;
    if !filter::follows(full.bytes()) {
        return None;
    }
    full.push(b":");
    if !name.is_null() {
        // SAFETY: as the caller promises.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes();
        if !name.starts_with(b"/") {
            // SAFETY: as the caller promises.
            if unsafe { queries::kind(from, place) } != IS_FILE {
                // SAFETY: as the caller promises.
                told(&mut full, |text, room| unsafe { queries::name(from, place, text, room) });
            }
            if full.bytes().last() != Some(&b'/') {
                full.push(b"/");
            }
        }
        full.push(name);
    }
    process::intern(full.bytes())
}

/// Gives a dataset that was opened or created a slot, and records it.
///
/// # Safety
/// As [`full_name`]; `id` is a dataset.
unsafe fn opened<R>(
    op: Op,
    timed: &Timed<R>,
    from: usize,
    (id, place, name): (Id, Id, *const c_char),
    site: usize,
    flags: u8,
) -> u64 {
    // SAFETY: as the caller promises.
    let Some(name) = (unsafe { full_name(from, id, place, name) }) else { return 0 };
    // SAFETY: as the caller promises; what is opened here is closed here.
    let size = unsafe {
        let datatype = queries::dataset_type(from, id);
        let size = if datatype < 0 { 0 } else { queries::type_size(from, datatype) };
        if datatype >= 0 {
            queries::type_close(from, datatype);
        }
        size
    };
    let slot = new_slot();
    let entry = u64::from(slot) << 32 | (size as u64).min(u64::from(u32::MAX));
    DATASETS.set(key(id), entry);
    let mut sizes = [0u64; RANK];
    let mut chunks = [0u64; RANK];
    // SAFETY: as the caller promises.
    let rank = unsafe { shape(from, id, &mut sizes, &mut chunks) };
    timed.note_with(op, slot, [name, size as i64, rank as i64], 0, site, flags);
    for (&size, &chunk) in sizes.iter().zip(&chunks).take(rank.min(MOST)) {
        timed.more([size as i64, chunk as i64, 0], site);
    }
    entry
}

/// Fills in the sizes of a dataset and of its chunks; returns its rank.
///
/// # Safety
/// `from` is in HDF5's library and `id` is a dataset in use.
unsafe fn shape(from: usize, id: Id, sizes: &mut [u64; RANK], chunks: &mut [u64; RANK]) -> usize {
    // SAFETY: as the caller promises; HDF5 allows no more dimensions than there is room for, and
    // what is opened here is closed here.
    unsafe {
        let space = queries::dataset_space(from, id);
        if space < 0 {
            return 0;
        }
        let rank = usize::try_from(queries::dimensions(from, space)).unwrap_or(0);
        if (1..=RANK).contains(&rank) {
            queries::sizes(from, space, sizes.as_mut_ptr(), core::ptr::null_mut());
        }
        queries::space_close(from, space);
        let list = queries::creation(from, id);
        if list >= 0 {
            if queries::layout(from, list) == CHUNKED {
                queries::chunk(from, list, RANK as c_int, chunks.as_mut_ptr());
            }
            queries::list_close(from, list);
        }
        rank
    }
}

/// The slot and element size of a dataset in use. A dataset opened in a way that is not hooked is
/// followed from its first use, under the name of its file alone: a query for its own name could
/// make HDF5 search the file.
///
/// # Safety
/// `from` is in HDF5's library, and a call on the dataset just succeeded.
pub unsafe fn in_use(from: usize, id: Id, site: usize) -> u64 {
    match DATASETS.get(key(id)) {
        0 => {
            let now = timed(|| ());
            // SAFETY: as the caller promises.
            unsafe { opened(Op::DatasetOpen, &now, from, (id, id, core::ptr::null()), site, Record::IMPLIED) }
        }
        known => known,
    }
}

/// Records a dataset that was created or opened by name, if the call succeeded.
///
/// # Safety
/// The arguments are those of the call, `from` is in HDF5's library.
unsafe fn by_name(op: Op, timed: &Timed<Id>, from: usize, place: Id, name: *const c_char, site: usize) -> Id {
    if timed.ret >= 0 {
        // SAFETY: HDF5 just took the place and the name, and gave the identifier.
        unsafe { opened(op, timed, from, (timed.ret, place, name), site, 0) };
    }
    timed.ret
}

late! {
    5 "H5Dcreate1" fn create1(place: Id, name: *const c_char, datatype: Id, space: Id, creation: Id) -> Id |real, at, site| {
        let timed = timed_outer(|| real(place, name, datatype, space, creation));
        by_name(Op::DatasetCreate, &timed, at, place, name, site)
    }

    7 "H5Dcreate2" fn create2(place: Id, name: *const c_char, datatype: Id, space: Id, links: Id, creation: Id, access: Id) -> Id |real, at, site| {
        let timed = timed_outer(|| real(place, name, datatype, space, links, creation, access));
        by_name(Op::DatasetCreate, &timed, at, place, name, site)
    }

    2 "H5Dopen1" fn open1(place: Id, name: *const c_char) -> Id |real, at, site| {
        let timed = timed_outer(|| real(place, name));
        by_name(Op::DatasetOpen, &timed, at, place, name, site)
    }

    3 "H5Dopen2" fn open2(place: Id, name: *const c_char, access: Id) -> Id |real, at, site| {
        let timed = timed_outer(|| real(place, name, access));
        by_name(Op::DatasetOpen, &timed, at, place, name, site)
    }

    3 "H5Oopen" fn open_object(place: Id, name: *const c_char, access: Id) -> Id |real, at, site| {
        let timed = timed_outer(|| real(place, name, access));
        if timed.ret >= 0 && queries::kind(at, timed.ret) == IS_DATASET {
            by_name(Op::DatasetOpen, &timed, at, place, name, site);
        }
        timed.ret
    }

    1 "H5Dflush" fn flush(id: Id) -> c_int |real, _at, site| {
        let slot = slot(id);
        let timed = timed_outer(|| real(id));
        if slot != 0 {
            timed.note(Op::DatasetFlush, slot, [0; 3], outcome(timed.ret), site);
        }
        timed.ret
    }
}
