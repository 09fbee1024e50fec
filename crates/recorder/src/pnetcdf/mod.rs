//! PnetCDF: files and variables. The MPI-IO below is inside.

use core::ffi::c_int;

pub mod access;
pub mod file;
pub mod queries;
pub mod variable;

/// A file's identifier as a key.
fn key(file: c_int) -> u64 {
    (file as u32 as u64).wrapping_add(1)
}
