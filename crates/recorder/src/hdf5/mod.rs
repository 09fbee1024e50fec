//! HDF5: files and datasets. Its MPI-IO or system calls are nested inside.
//!
//! HDF5 is queried about an object only after a call on it succeeded, because it prints errors of
//! failed queries.

pub mod dataset;
pub mod file;
pub mod queries;
pub mod transfer;

/// Identifiers of HDF5 1.10 and later.
pub type Id = i64;

/// The key of an identifier; errors are negative and never kept.
fn key(id: Id) -> u64 {
    id as u64
}

/// -1 on failure: HDF5 has no error codes.
fn outcome(ret: core::ffi::c_int) -> i64 {
    if ret < 0 { -1 } else { 0 }
}
