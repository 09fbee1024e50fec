//! Split collective reads and writes.

use core::ffi::{c_int, c_void};

use marigraph_wire::op::Op;

use super::file::{asked, slot};
use super::status::{Own, moved};
use super::{failure, inside, mpi, result};

fn begin(
    op: Op,
    file: usize,
    at: i64,
    (count, datatype): (i64, usize),
    site: usize,
    call: impl FnOnce() -> c_int,
) -> c_int {
    let slot = slot(file);
    if slot == 0 {
        return call();
    }
    let timed = inside(call);
    let (bytes, number) = asked(count, datatype, timed.ret == 0);
    timed.note(op, slot, [at, bytes, number], result(timed.ret), site);
    timed.ret
}

/// # Safety
/// `status` is the program's.
unsafe fn end(
    which: i64,
    file: usize,
    status: *mut c_void,
    site: usize,
    call: impl FnOnce(*mut c_void) -> c_int,
) -> c_int {
    let slot = slot(file);
    if slot == 0 {
        return call(status);
    }
    let mut own = Own::EMPTY;
    let status = own.instead_of(status);
    let timed = inside(|| call(status));
    // SAFETY: the call that filled it succeeded.
    let ret = if timed.ret == 0 { unsafe { moved(status, 0, 0, 0) } } else { failure(timed.ret) };
    timed.note(Op::FileSplitEnd, slot, [which, 0, 0], ret, site);
    timed.ret
}

macro_rules! at_position {
    ($($name:ident $first:literal $last:literal $op:ident $which:literal;)+) => {$(
        #[doc = concat!("`MPI_", $first, "`, its form for large counts, and `MPI_", $last, "`.")]
        pub mod $name {
            use super::*;

            mpi! {
                4 [$first] fn small(file: usize, buffer: *mut c_void, count: c_int, datatype: usize) |real, site| {
                    begin(Op::$op, file, 0, (i64::from(count), datatype), site, || real(file, buffer, count, datatype))
                }

                4 [$first "_c"] fn large(file: usize, buffer: *mut c_void, count: i64, datatype: usize) |real, site| {
                    begin(Op::$op, file, 0, (count, datatype), site, || real(file, buffer, count, datatype))
                }

                3 [$last] fn last(file: usize, buffer: *mut c_void, status: *mut c_void) |real, site| {
                    end($which, file, status, site, |status| real(file, buffer, status))
                }
            }
        }
    )+};
}

macro_rules! at_offset {
    ($($name:ident $first:literal $last:literal $op:ident $which:literal;)+) => {$(
        #[doc = concat!("`MPI_", $first, "`, its form for large counts, and `MPI_", $last, "`.")]
        pub mod $name {
            use super::*;

            mpi! {
                5 [$first] fn small(file: usize, at: i64, buffer: *mut c_void, count: c_int, datatype: usize) |real, site| {
                    begin(Op::$op, file, at, (i64::from(count), datatype), site, || real(file, at, buffer, count, datatype))
                }

                5 [$first "_c"] fn large(file: usize, at: i64, buffer: *mut c_void, count: i64, datatype: usize) |real, site| {
                    begin(Op::$op, file, at, (count, datatype), site, || real(file, at, buffer, count, datatype))
                }

                3 [$last] fn last(file: usize, buffer: *mut c_void, status: *mut c_void) |real, site| {
                    end($which, file, status, site, |status| real(file, buffer, status))
                }
            }
        }
    )+};
}

at_position! {
    read_all "File_read_all_begin" "File_read_all_end" FileReadAllBegin 1;
    write_all "File_write_all_begin" "File_write_all_end" FileWriteAllBegin 2;
    read_ordered "File_read_ordered_begin" "File_read_ordered_end" FileReadOrderedBegin 1;
    write_ordered "File_write_ordered_begin" "File_write_ordered_end" FileWriteOrderedBegin 2;
}

at_offset! {
    read_at_all "File_read_at_all_begin" "File_read_at_all_end" FileReadAtAllBegin 1;
    write_at_all "File_write_at_all_begin" "File_write_at_all_end" FileWriteAtAllBegin 2;
}
