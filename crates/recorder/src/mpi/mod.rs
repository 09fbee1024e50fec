//! MPI-IO, and the MPI calls that order it, for all MPI libraries from one build.
//!
//! Handles are passed as machine words; [`family`] holds what differs between libraries. Both the
//! `MPI_` and the `PMPI_` name of each function are hooked, because Fortran layers call either.
//! Calls that MPI makes inside one of its functions pass through unrecorded. Each name calls the
//! next definition of itself, so other tools that wrap MPI keep working.
//!
//! Hooks query MPI only for what it answers without communication, and only about handles of a call
//! that succeeded: a query about a bad handle could end the program.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::call::{Timed, timed_outer};
use crate::process;
use crate::thread::here;

pub mod comm;
pub mod data;
pub mod family;
pub mod file;
pub mod life;
pub mod nonblocking;
pub mod queries;
pub mod split;
pub mod status;
pub mod types;
pub mod wait;

/// Returned when no library has the function: MPICH's "other error", an error in every library.
const MISSING: c_int = 15;

/// Declares MPI hooks: the number of arguments, the name without `MPI_` in pieces, and the body
/// that runs while calls are recorded.
macro_rules! mpi {
    ($($count:tt [$($piece:literal)+] fn $name:ident($($arg:ident: $ty:ty),* $(,)?) |$real:ident, $site:ident| $body:block)+) => {$(
        #[doc = concat!("`MPI_", $($piece,)+ "`")]
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use core::ffi::c_int;

            static NAMED: $crate::library::Foreign = $crate::library::Foreign::new(concat!("MPI_", $($piece,)+ "\0"));
            static PROFILED: $crate::library::Foreign = $crate::library::Foreign::new(concat!("PMPI_", $($piece,)+ "\0"));

            unsafe extern "C-unwind" fn named($($arg: $ty,)* site: usize) -> c_int {
                // SAFETY: the caller's arguments are passed on as they are.
                unsafe { either(NAMED.get(site), $($arg,)* site) }
            }

            unsafe extern "C-unwind" fn profiled($($arg: $ty,)* site: usize) -> c_int {
                // SAFETY: the caller's arguments are passed on as they are.
                unsafe { either(PROFILED.get(site), $($arg,)* site) }
            }

            #[allow(clippy::too_many_arguments)]
            unsafe fn either(at: *mut libc::c_void, $($arg: $ty,)* $site: usize) -> c_int {
                if at.is_null() {
                    return $crate::mpi::MISSING;
                }
                // SAFETY: a function of that name has that type.
                let $real = unsafe {
                    core::mem::transmute::<*mut libc::c_void, unsafe extern "C-unwind" fn($($ty),*) -> c_int>(at)
                };
                #[allow(unused_unsafe)]
                // SAFETY: the caller's arguments are passed on as they are.
                unsafe {
                    if !$crate::mpi::records(at) {
                        return $real($($arg),*);
                    }
                    $body
                }
            }

            $crate::library::entry!($count concat!("MPI_", $($piece),+), named);
            $crate::library::entry!($count concat!("PMPI_", $($piece),+), profiled);
        }
    )+};
}
pub(crate) use mpi;

/// Whether a call is the program's own and is recorded; also determines the library's family.
#[inline]
fn records(at: *mut libc::c_void) -> bool {
    let mine = crate::library::records() && here(|thread| thread.in_mpi.get() == 0);
    if mine {
        family::learn(at as usize);
    }
    mine
}

/// Makes an MPI call; MPI calls nested in it are not recorded.
pub fn inside<R>(call: impl FnOnce() -> R) -> Timed<R> {
    here(|thread| thread.in_mpi.set(thread.in_mpi.get().saturating_add(1)));
    let timed = timed_outer(call);
    here(|thread| thread.in_mpi.set(thread.in_mpi.get().saturating_sub(1)));
    timed
}

/// The negated class of an error; the class is the same in all processes, the code is not.
pub fn failure(code: c_int) -> i64 {
    let mut class = code;
    // SAFETY: a code that MPI returned, and a place for its class.
    unsafe { queries::error_class(family::anchor(), code, &mut class) };
    -i64::from(class).abs().max(1)
}

/// 0, or as [`failure`].
pub fn result(code: c_int) -> i64 {
    if code == 0 { 0 } else { failure(code) }
}

static RANK_KNOWN: AtomicBool = AtomicBool::new(false);

/// Stores rank and size once MPI is running. Something must have been recorded before.
pub fn note_rank() {
    if RANK_KNOWN.load(Ordering::Relaxed) {
        return;
    }
    let (from, world) = (family::anchor(), family::handles().world);
    let (mut begun, mut ended, mut rank, mut size) = (0, 1, 0, 0);
    // SAFETY: these two may be called at any time; the places outlive the calls.
    let ready = unsafe {
        queries::initialized(from, &mut begun) == 0
            && queries::finalized(from, &mut ended) == 0
            && begun != 0
            && ended == 0
    };
    // SAFETY: MPI is up, and the handle is its library's.
    let known = ready
        && world != 0
        && unsafe {
            queries::comm_rank(from, world, &mut rank) == 0 && queries::comm_size(from, world, &mut size) == 0
        };
    if let (true, Ok(rank), Ok(size)) = (known, u64::try_from(rank), u64::try_from(size)) {
        process::set_mpi(rank, size, u64::from(family::kind() as u8));
        RANK_KNOWN.store(true, Ordering::Relaxed);
    }
}
