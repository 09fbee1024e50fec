//! Reading and writing datasets of HDF5.

use core::ffi::{c_int, c_void};

use marigraph_wire::op::Op;

use super::dataset::{MOST, RANK, in_use, slot};
use super::{Id, queries};
use crate::call::{Timed, timed_outer};
use crate::library::late;

/// Identifiers up to this are constants (`H5S_ALL`, `H5S_BLOCK`, `H5S_PLIST`), not dataspaces.
const LAST_MARK: Id = 2;

/// A selection in a dataspace; `kind` is that of the record.
struct Selection {
    kind: i64,
    points: i64,
}

/// # Safety
/// `from` is in HDF5's library, `space` a space in use.
unsafe fn selected(from: usize, space: Id) -> Selection {
    // SAFETY: as the caller promises; only hyperslabs may be asked whether they are regular.
    unsafe {
        let kind = match queries::selection(from, space) {
            0 => 4,
            1 => 1,
            2 if queries::is_regular(from, space) > 0 => 2,
            2 => 3,
            _ => 0,
        };
        Selection { kind, points: queries::points(from, space).max(0) }
    }
}

/// Records a read or write.
///
/// # Safety
/// The identifiers are those of a call that HDF5 just made.
unsafe fn moved(
    op: Op,
    timed: &Timed<c_int>,
    from: usize,
    (id, memory, file, list): (Id, Id, Id, Id),
    site: usize,
) -> c_int {
    if timed.ret < 0 {
        let slot = slot(id);
        if slot != 0 {
            timed.note(op, slot, [0; 3], -1, site);
        }
        return timed.ret;
    }
    // SAFETY: as the caller promises.
    let entry = unsafe { in_use(from, id, site) };
    if entry == 0 {
        return timed.ret;
    }
    let own = file <= LAST_MARK;
    // SAFETY: as the caller promises; what is opened here is closed here.
    unsafe {
        let space = if own { queries::dataset_space(from, id) } else { file };
        let mut what = if space < 0 { Selection { kind: 0, points: 0 } } else { selected(from, space) };
        if memory > LAST_MARK {
            what.points = queries::points(from, memory).max(0);
        }
        let mut mode = 0;
        if list > 0 {
            queries::collective(from, list, &mut mode);
        }
        let bytes = what.points.saturating_mul((entry & 0xffff_ffff) as i64);
        timed.note(op, (entry >> 32) as u32, [what.kind, bytes, i64::from(mode == 1)], 0, site);
        if what.kind == 2 {
            hyperslab(timed, from, space, site);
        }
        if own && space >= 0 {
            queries::space_close(from, space);
        }
    }
    timed.ret
}

/// Records a call on several datasets: one record for each.
///
/// # Safety
/// As [`moved`], with lists of `count` identifiers.
unsafe fn moved_many(
    op: Op,
    timed: &Timed<c_int>,
    from: usize,
    (count, ids, memory, file, list): (usize, *const Id, *const Id, *const Id, Id),
    site: usize,
) -> c_int {
    if ![ids, memory, file].iter().any(|ids| ids.is_null()) {
        for index in 0..count {
            // SAFETY: as the caller promises.
            unsafe {
                let each = (*ids.add(index), *memory.add(index), *file.add(index), list);
                moved(op, timed, from, each, site);
            }
        }
    }
    timed.ret
}

/// # Safety
/// `space` has a regular selection.
unsafe fn hyperslab(timed: &Timed<c_int>, from: usize, space: Id, site: usize) {
    let (mut start, mut stride, mut count, mut block) =
        ([0u64; RANK], [0u64; RANK], [0u64; RANK], [0u64; RANK]);
    // SAFETY: as the caller promises; HDF5 allows no more dimensions than there is room for.
    let rank = unsafe {
        queries::hyperslab(
            from,
            space,
            start.as_mut_ptr(),
            stride.as_mut_ptr(),
            count.as_mut_ptr(),
            block.as_mut_ptr(),
        );
        usize::try_from(queries::dimensions(from, space)).unwrap_or(0)
    };
    let lengths = count.iter().zip(&block).map(|(&count, &block)| count.saturating_mul(block));
    for ((&start, length), &stride) in start.iter().zip(lengths).zip(&stride).take(rank.min(MOST)) {
        timed.more([start as i64, length as i64, stride as i64], site);
    }
}

late! {
    6 "H5Dread" fn read(id: Id, datatype: Id, memory: Id, file: Id, list: Id, buffer: *mut c_void) -> c_int |real, at, site| {
        let timed = timed_outer(|| real(id, datatype, memory, file, list, buffer));
        moved(Op::DatasetRead, &timed, at, (id, memory, file, list), site)
    }

    6 "H5Dwrite" fn write(id: Id, datatype: Id, memory: Id, file: Id, list: Id, buffer: *const c_void) -> c_int |real, at, site| {
        let timed = timed_outer(|| real(id, datatype, memory, file, list, buffer));
        moved(Op::DatasetWrite, &timed, at, (id, memory, file, list), site)
    }

    7 "H5Dread_multi" fn read_many(count: usize, ids: *const Id, datatypes: *const Id, memory: *const Id, file: *const Id, list: Id, buffers: *const *mut c_void) -> c_int |real, at, site| {
        let timed = timed_outer(|| real(count, ids, datatypes, memory, file, list, buffers));
        moved_many(Op::DatasetRead, &timed, at, (count, ids, memory, file, list), site)
    }

    7 "H5Dwrite_multi" fn write_many(count: usize, ids: *const Id, datatypes: *const Id, memory: *const Id, file: *const Id, list: Id, buffers: *const *const c_void) -> c_int |real, at, site| {
        let timed = timed_outer(|| real(count, ids, datatypes, memory, file, list, buffers));
        moved_many(Op::DatasetWrite, &timed, at, (count, ids, memory, file, list), site)
    }
}
