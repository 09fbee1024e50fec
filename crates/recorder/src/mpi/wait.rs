//! Waits and tests, examined only while requests on files are pending: a request is complete when
//! its handle in the program's list has changed.

use core::ffi::{c_int, c_void};

use marigraph_wire::op::Op;

use super::family::{self, MpiFamily};
use super::status::{is_ignored, moved};
use super::{inside, mpi, nonblocking};
use crate::library::with_room;

/// Words per status, and spare words after the last.
const STATUS: usize = 3;
const SPARE: usize = 16;

#[derive(Clone, Copy)]
enum Statuses {
    /// One, of the completed request.
    One,
    Each,
    /// By a list: its length, and its indices.
    Listed(*const c_int, *const c_int),
}

#[derive(Clone, Copy)]
struct Lists {
    count: c_int,
    requests: *mut c_void,
    statuses: *mut c_void,
    which: Statuses,
}

/// # Safety
/// The lists are the program's, of that length.
unsafe fn watch(lists: Lists, site: usize, call: impl FnOnce(*mut c_void) -> c_int) -> c_int {
    let known = matches!(family::kind(), MpiFamily::OpenMpi | MpiFamily::Mpich) && !lists.requests.is_null();
    let count = if known { usize::try_from(lists.count).unwrap_or(0) } else { 0 };
    // SAFETY: as the caller promises.
    let of_file = |index| nonblocking::is_known(unsafe { family::handle_at(lists.requests, index) });
    if nonblocking::none() || !(0..count).any(of_file) {
        return call(lists.statuses);
    }
    let statuses = if matches!(lists.which, Statuses::One) { 1 } else { count };
    let words = count.saturating_add(statuses.saturating_mul(STATUS)).saturating_add(SPARE);
    with_room(words, |room| {
        let Some((handles, own)) = room.and_then(|room| room.split_at_mut_checked(count)) else {
            return call(lists.statuses);
        };
        for (index, to) in handles.iter_mut().enumerate() {
            // SAFETY: as the caller promises.
            *to = unsafe { family::handle_at(lists.requests, index) } as u64;
        }
        let own = own.as_mut_ptr().cast();
        let lists =
            Lists { statuses: if is_ignored(lists.statuses) { own } else { lists.statuses }, ..lists };
        let timed = inside(|| call(lists.statuses));
        for (index, &handle) in handles.iter().enumerate() {
            // SAFETY: as the caller promises.
            let changed = unsafe { family::handle_at(lists.requests, index) } as u64 != handle;
            if let Some(request) = changed.then(|| nonblocking::take(handle as usize)).flatten() {
                // SAFETY: as the caller promises; the request was completed by the call.
                let bytes = unsafe { bytes(&lists, index) };
                timed.note(Op::Wait, request.slot, [i64::from(request.number), 0, 0], bytes, site);
            }
        }
        timed.ret
    })
}

///
/// # Safety
/// The lists are the program's, and the call filled the statuses.
unsafe fn bytes(lists: &Lists, index: usize) -> i64 {
    let place = match lists.which {
        Statuses::One => Some(0),
        Statuses::Each => Some(index),
        Statuses::Listed(count, which) if !count.is_null() && !which.is_null() => {
            // SAFETY: the call put that many indices there.
            let many = usize::try_from(unsafe { *count }).unwrap_or(0);
            // SAFETY: as above.
            (0..many).find(|&place| usize::try_from(unsafe { *which.add(place) }) == Ok(index))
        }
        Statuses::Listed(..) => None,
    };
    let size = if family::kind() == MpiFamily::Mpich { 20 } else { 24 };
    let Some(place) = place else { return 0 };
    let status = lists.statuses.cast::<u8>().wrapping_add(place.saturating_mul(size));
    // SAFETY: a status that the call filled.
    unsafe { moved(status.cast(), 0, 0, 0) }
}

fn single(requests: *mut c_void, statuses: *mut c_void) -> Lists {
    Lists { count: 1, requests, statuses, which: Statuses::One }
}

mpi! {
    2 ["Wait"] fn wait(request: *mut c_void, status: *mut c_void) |real, site| {
        watch(single(request, status), site, |status| real(request, status))
    }

    3 ["Test"] fn test(request: *mut c_void, flag: *mut c_int, status: *mut c_void) |real, site| {
        watch(single(request, status), site, |status| real(request, flag, status))
    }

    3 ["Waitall"] fn wait_all(count: c_int, requests: *mut c_void, statuses: *mut c_void) |real, site| {
        let lists = Lists { count, requests, statuses, which: Statuses::Each };
        watch(lists, site, |statuses| real(count, requests, statuses))
    }

    4 ["Testall"] fn test_all(count: c_int, requests: *mut c_void, flag: *mut c_int, statuses: *mut c_void) |real, site| {
        let lists = Lists { count, requests, statuses, which: Statuses::Each };
        watch(lists, site, |statuses| real(count, requests, flag, statuses))
    }

    4 ["Waitany"] fn wait_any(count: c_int, requests: *mut c_void, index: *mut c_int, status: *mut c_void) |real, site| {
        let lists = Lists { count, requests, statuses: status, which: Statuses::One };
        watch(lists, site, |status| real(count, requests, index, status))
    }

    5 ["Testany"] fn test_any(count: c_int, requests: *mut c_void, index: *mut c_int, flag: *mut c_int, status: *mut c_void) |real, site| {
        let lists = Lists { count, requests, statuses: status, which: Statuses::One };
        watch(lists, site, |status| real(count, requests, index, flag, status))
    }

    5 ["Waitsome"] fn wait_some(count: c_int, requests: *mut c_void, done: *mut c_int, indices: *mut c_int, statuses: *mut c_void) |real, site| {
        let lists = Lists { count, requests, statuses, which: Statuses::Listed(done, indices) };
        watch(lists, site, |statuses| real(count, requests, done, indices, statuses))
    }

    5 ["Testsome"] fn test_some(count: c_int, requests: *mut c_void, done: *mut c_int, indices: *mut c_int, statuses: *mut c_void) |real, site| {
        let lists = Lists { count, requests, statuses, which: Statuses::Listed(done, indices) };
        watch(lists, site, |statuses| real(count, requests, done, indices, statuses))
    }

    // No call will wait for it any more.
    1 ["Request_free"] fn request_free(request: *mut c_void) |real, _site| {
        if !nonblocking::none() {
            nonblocking::take(family::handle_at(request, 0));
        }
        real(request)
    }
}
