//! Blocking reads and writes.

use core::ffi::{c_int, c_void};

use marigraph_wire::op::Op;

use super::file::{asked, slot};
use super::status::{Own, moved};
use super::{failure, inside, mpi, types};

/// A transfer: the offset (0 at the file pointer), and the count and type.
struct Data {
    op: Op,
    at: i64,
    count: i64,
    datatype: usize,
}

/// # Safety
/// `status` is the program's.
unsafe fn transfer(
    data: &Data,
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
    let (bytes, number) = asked(data.count, data.datatype, timed.ret == 0);
    let ret = if timed.ret == 0 {
        // SAFETY: the call that filled it succeeded with this type.
        unsafe { moved(status, data.datatype, types::size(data.datatype), bytes) }
    } else {
        failure(timed.ret)
    };
    timed.note(data.op, slot, [data.at, bytes, number], ret, site);
    timed.ret
}

macro_rules! at_position {
    ($($name:ident $symbol:literal $op:ident;)+) => {$(
        #[doc = concat!("`MPI_", $symbol, "` and its form for large counts.")]
        pub mod $name {
            use super::*;

            mpi! {
                5 [$symbol] fn small(file: usize, buffer: *mut c_void, count: c_int, datatype: usize, status: *mut c_void) |real, site| {
                    let data = Data { op: Op::$op, at: 0, count: i64::from(count), datatype };
                    transfer(&data, file, status, site, |status| real(file, buffer, count, datatype, status))
                }

                5 [$symbol "_c"] fn large(file: usize, buffer: *mut c_void, count: i64, datatype: usize, status: *mut c_void) |real, site| {
                    let data = Data { op: Op::$op, at: 0, count, datatype };
                    transfer(&data, file, status, site, |status| real(file, buffer, count, datatype, status))
                }
            }
        }
    )+};
}

macro_rules! at_offset {
    ($($name:ident $symbol:literal $op:ident;)+) => {$(
        #[doc = concat!("`MPI_", $symbol, "` and its form for large counts.")]
        pub mod $name {
            use super::*;

            mpi! {
                6 [$symbol] fn small(file: usize, at: i64, buffer: *mut c_void, count: c_int, datatype: usize, status: *mut c_void) |real, site| {
                    let data = Data { op: Op::$op, at, count: i64::from(count), datatype };
                    transfer(&data, file, status, site, |status| real(file, at, buffer, count, datatype, status))
                }

                6 [$symbol "_c"] fn large(file: usize, at: i64, buffer: *mut c_void, count: i64, datatype: usize, status: *mut c_void) |real, site| {
                    let data = Data { op: Op::$op, at, count, datatype };
                    transfer(&data, file, status, site, |status| real(file, at, buffer, count, datatype, status))
                }
            }
        }
    )+};
}

at_position! {
    read "File_read" FileRead;
    write "File_write" FileWrite;
    read_all "File_read_all" FileReadAll;
    write_all "File_write_all" FileWriteAll;
    read_shared "File_read_shared" FileReadShared;
    write_shared "File_write_shared" FileWriteShared;
    read_ordered "File_read_ordered" FileReadOrdered;
    write_ordered "File_write_ordered" FileWriteOrdered;
}

at_offset! {
    read_at "File_read_at" FileReadAt;
    write_at "File_write_at" FileWriteAt;
    read_at_all "File_read_at_all" FileReadAtAll;
    write_at_all "File_write_at_all" FileWriteAtAll;
}
