//! Start and end of MPI.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};

use marigraph_wire::op::Op;

use super::{family, inside, mpi, note_rank, types};
use crate::call::{timed_outer, unseen};

static ENDING: AtomicBool = AtomicBool::new(false);

mpi! {
    // Recorded for every process, so that each rank leaves a part even if it does no I/O. Files
    // that MPI opens for itself are not recorded.
    2 ["Init"] fn init(count: usize, arguments: usize) |real, site| {
        let timed = inside(|| unseen(|| real(count, arguments)));
        timed.note(Op::Init, 0, [0; 3], outcome(timed.ret), site);
        note_rank();
        timed.ret
    }

    4 ["Init_thread"] fn init_thread(count: usize, arguments: usize, wanted: c_int, given: usize) |real, site| {
        let timed = inside(|| unseen(|| real(count, arguments, wanted, given)));
        timed.note(Op::Init, 0, [1, 0, 0], outcome(timed.ret), site);
        note_rank();
        timed.ret
    }

    // Libraries close their files in here, in callbacks attached to MPI's end, so nested calls are
    // still recorded.
    0 ["Finalize"] fn finalize() |real, site| {
        if ENDING.swap(true, Ordering::Relaxed) {
            return real();
        }
        note_rank();
        let timed = timed_outer(|| real());
        timed.note(Op::Finalize, 0, [0; 3], outcome(timed.ret), site);
        timed.ret
    }

    1 ["Type_free"] fn type_free(datatype: *mut core::ffi::c_void) |real, _site| {
        types::forget(family::handle_at(datatype, 0));
        real(datatype)
    }
}

/// MPI may not be running, so the class of an error cannot be queried.
fn outcome(code: c_int) -> i64 {
    if code == 0 { 0 } else { -1 }
}
