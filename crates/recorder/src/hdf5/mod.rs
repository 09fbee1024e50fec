//! HDF5: files and datasets. What it does below, through MPI-IO or system calls, is inside.
//!
//! HDF5 is asked about an object only after a call on it succeeded: it prints complaints about
//! questions that fail.

pub mod dataset;
pub mod file;
pub mod queries;
pub mod transfer;

/// Identifiers of HDF5 1.10 and later.
pub type Id = i64;

/// An identifier as a key; errors are negative and never kept.
fn key(id: Id) -> u64 {
    id as u64
}

/// 0, or -1 as HDF5 has one error only.
fn outcome(ret: core::ffi::c_int) -> i64 {
    if ret < 0 { -1 } else { 0 }
}
