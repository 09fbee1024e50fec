//! Nonblocking reads and writes; their requests are followed until they complete.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use marigraph_wire::op::Op;

use super::file::{asked, slot};
use super::{family, inside, mpi, result};
use crate::files::Handles;

/// Pending requests by handle: the slot in the upper half, the number in the lower.
static REQUESTS: Handles<16384> = Handles::EMPTY;
static LAST: AtomicU32 = AtomicU32::new(0);
static UNDER_WAY: AtomicI64 = AtomicI64::new(0);

/// A pending request on a file.
#[derive(Clone, Copy)]
pub struct Request {
    pub slot: u32,
    /// 1-based ordinal in the process.
    pub number: u32,
}

/// Whether no request is pending; hooks of waits for messages check nothing else.
#[inline]
pub fn none() -> bool {
    UNDER_WAY.load(Ordering::Relaxed) <= 0
}

pub fn is_known(request: usize) -> bool {
    REQUESTS.get(request as u64) != 0
}

pub fn take(request: usize) -> Option<Request> {
    let found = REQUESTS.take(request as u64);
    if found == 0 {
        return None;
    }
    UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
    Some(Request { slot: (found >> 32) as u32, number: found as u32 })
}

fn follow(request: usize, slot: u32) -> u32 {
    let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    let value = u64::from(slot) << 32 | u64::from(number);
    if take(request).is_some() {
        // The library reused the handle; we did not see the earlier request complete.
        crate::process::count(crate::process::Count::Lost);
    }
    REQUESTS.set(request as u64, value);
    if is_known(request) {
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
    }
    number
}

/// # Safety
/// `request` is where the call puts its request.
unsafe fn start(
    op: Op,
    file: usize,
    (at, count, datatype): (i64, i64, usize),
    request: *mut c_void,
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
    if timed.ret == 0 {
        // SAFETY: as the caller promises; the call succeeded.
        let request = follow(unsafe { family::handle_at(request, 0) }, slot);
        timed.more([i64::from(request), 0, 0], site);
    }
    timed.ret
}

macro_rules! at_position {
    ($($name:ident $symbol:literal $op:ident;)+) => {$(
        #[doc = concat!("`MPI_", $symbol, "` and its form for large counts.")]
        pub mod $name {
            use super::*;

            mpi! {
                5 [$symbol] fn small(file: usize, buffer: *mut c_void, count: c_int, datatype: usize, request: *mut c_void) |real, site| {
                    let data = (0, i64::from(count), datatype);
                    start(Op::$op, file, data, request, site, || real(file, buffer, count, datatype, request))
                }

                5 [$symbol "_c"] fn large(file: usize, buffer: *mut c_void, count: i64, datatype: usize, request: *mut c_void) |real, site| {
                    let data = (0, count, datatype);
                    start(Op::$op, file, data, request, site, || real(file, buffer, count, datatype, request))
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
                6 [$symbol] fn small(file: usize, at: i64, buffer: *mut c_void, count: c_int, datatype: usize, request: *mut c_void) |real, site| {
                    let data = (at, i64::from(count), datatype);
                    start(Op::$op, file, data, request, site, || real(file, at, buffer, count, datatype, request))
                }

                6 [$symbol "_c"] fn large(file: usize, at: i64, buffer: *mut c_void, count: i64, datatype: usize, request: *mut c_void) |real, site| {
                    let data = (at, count, datatype);
                    start(Op::$op, file, data, request, site, || real(file, at, buffer, count, datatype, request))
                }
            }
        }
    )+};
}

at_position! {
    iread "File_iread" FileIread;
    iwrite "File_iwrite" FileIwrite;
    iread_all "File_iread_all" FileIreadAll;
    iwrite_all "File_iwrite_all" FileIwriteAll;
    iread_shared "File_iread_shared" FileIreadShared;
    iwrite_shared "File_iwrite_shared" FileIwriteShared;
}

at_offset! {
    iread_at "File_iread_at" FileIreadAt;
    iwrite_at "File_iwrite_at" FileIwriteAt;
    iread_at_all "File_iread_at_all" FileIreadAtAll;
    iwrite_at_all "File_iwrite_at_all" FileIwriteAtAll;
}
