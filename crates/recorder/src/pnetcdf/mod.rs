//! PnetCDF: files and variables. Its MPI-IO calls are nested inside.

use core::ffi::c_int;

pub mod access;
pub mod file;
pub mod queries;
pub mod variable;

/// The key of a file in a [`crate::files::Handles`], where 0 is reserved.
fn key(file: c_int) -> u64 {
    (file as u32 as u64).wrapping_add(1)
}
