//! Communicators, numbered in the order in which this process got them: 1 is the world, 2 the
//! process alone. A communicator from a call that is not hooked gets its number at its first use.

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU64, Ordering};

use marigraph_wire::op::Op;

use super::{family, inside, mpi, note_rank, queries, result};
use crate::call::{Timed, timed};
use crate::files::Handles;

static NUMBERS: Handles<4096> = Handles::EMPTY;
static LAST: AtomicU64 = AtomicU64::new(2);

/// 0 for none.
pub fn number(comm: usize) -> i64 {
    let (comm, fixed) = (family::handle(comm), family::handles());
    match comm {
        comm if comm == fixed.world => 1,
        comm if comm == fixed.own => 2,
        comm if comm == fixed.no_comm || fixed.world == 0 => 0,
        comm => match NUMBERS.get(comm as u64) {
            0 => define(comm, 0, &timed(|| ()), 0),
            known => known as i64,
        },
    }
}

fn define<R>(comm: usize, parent: i64, timed: &Timed<R>, site: usize) -> i64 {
    let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    NUMBERS.set(comm as u64, number);
    let from = family::anchor();
    let (mut rank, mut size) = (-1, 0);
    // SAFETY: a communicator that MPI just gave or took, and places for the answers.
    unsafe {
        queries::comm_rank(from, comm, &mut rank);
        queries::comm_size(from, comm, &mut size);
    }
    timed.note(Op::Comm, 0, [number as i64, i64::from(size), i64::from(rank)], 0, site);
    let (first, stride) = members(comm, size);
    timed.more([first, stride, parent], site);
    number as i64
}

/// World rank of the first member, and the stride between members if it is constant.
fn members(comm: usize, size: c_int) -> (i64, i64) {
    let (from, world) = (family::anchor(), family::handles().world);
    let (mut group, mut all) = (0usize, 0usize);
    // SAFETY: two communicators in use, and places for their groups, which are given back below.
    let got =
        unsafe { [queries::comm_group(from, comm, &mut group), queries::comm_group(from, world, &mut all)] };
    let found = if got == [0, 0] { steps(group, all, size) } else { None };
    for (got, mut group) in got.into_iter().zip([group, all]) {
        if got == 0 {
            // SAFETY: a group that was made above.
            unsafe { queries::group_free(from, &mut group) };
        }
    }
    found.unwrap_or((-1, -1))
}

fn steps(group: usize, all: usize, size: c_int) -> Option<(i64, i64)> {
    const MANY: c_int = 64;
    let (mut first, mut last, mut step) = (None, None, None);
    for start in (0..size).step_by(MANY as usize) {
        let many = MANY.min(size.saturating_sub(start));
        let mut ranks = [0; MANY as usize];
        ranks.iter_mut().zip(start..).for_each(|(to, rank)| *to = rank);
        let mut out = [0; MANY as usize];
        // SAFETY: `many` ranks of the group, and room for as many.
        let code = unsafe {
            queries::translate_ranks(family::anchor(), group, many, ranks.as_ptr(), all, out.as_mut_ptr())
        };
        if code != 0 {
            return None;
        }
        for rank in out.into_iter().take(many as usize).map(i64::from) {
            first = first.or(Some(rank));
            let here = last.map(|last: i64| rank.saturating_sub(last));
            match (step, here) {
                (Some(step), Some(here)) if step != here => return Some((first?, -1)),
                (None, here) => step = here,
                _ => {}
            }
            last = Some(rank);
        }
    }
    // Negative strides count as irregular.
    Some((first?, step.unwrap_or(0).max(-1)))
}

/// Records a call that makes a communicator from another.
///
/// # Safety
/// `new` is where the call puts the handle.
unsafe fn made(parent: usize, new: *const c_void, site: usize, call: impl FnOnce() -> c_int) -> c_int {
    let parent = number(parent);
    let timed = inside(call);
    // SAFETY: as the caller promises; the call succeeded.
    let comm = if timed.ret == 0 { unsafe { family::handle_at(new, 0) } } else { 0 };
    let fixed = family::handles();
    if comm == 0 || comm == fixed.no_comm || fixed.world == 0 {
        timed.note(Op::Comm, 0, [0, 0, -1], result(timed.ret), site);
        timed.more([-1, -1, parent], site);
    } else {
        define(comm, parent, &timed, site);
    }
    note_rank();
    timed.ret
}

mpi! {
    1 ["Barrier"] fn barrier(comm: usize) |real, site| {
        let which = number(comm);
        let timed = inside(|| real(comm));
        timed.note(Op::Barrier, 0, [0, 0, which], result(timed.ret), site);
        note_rank();
        timed.ret
    }

    2 ["Comm_dup"] fn dup(comm: usize, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, new))
    }

    3 ["Comm_dup_with_info"] fn dup_with_info(comm: usize, info: usize, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, info, new))
    }

    4 ["Comm_split"] fn split(comm: usize, color: c_int, key: c_int, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, color, key, new))
    }

    5 ["Comm_split_type"] fn split_type(comm: usize, kind: c_int, key: c_int, info: usize, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, kind, key, info, new))
    }

    3 ["Comm_create"] fn create(comm: usize, group: usize, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, group, new))
    }

    4 ["Comm_create_group"] fn create_group(comm: usize, group: usize, tag: c_int, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, group, tag, new))
    }

    6 ["Cart_create"] fn cart_create(comm: usize, dimensions: c_int, sizes: usize, periods: usize, reorder: c_int, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, dimensions, sizes, periods, reorder, new))
    }

    3 ["Cart_sub"] fn cart_sub(comm: usize, keep: usize, new: *mut c_void) |real, site| {
        made(comm, new, site, || real(comm, keep, new))
    }

    // Before the call: the handle may be reused as soon as it returns.
    1 ["Comm_free"] fn free(comm: *mut c_void) |real, _site| {
        NUMBERS.take(family::handle_at(comm, 0) as u64);
        real(comm)
    }

    1 ["Comm_disconnect"] fn disconnect(comm: *mut c_void) |real, _site| {
        NUMBERS.take(family::handle_at(comm, 0) as u64);
        real(comm)
    }
}
