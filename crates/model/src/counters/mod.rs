//! The counters of every module, declared once.
//!
//! A module's file lists its counters with their reduction over ranks; index constants, names and
//! tables follow from that list. [`crate::Module`] refers to them.

pub mod apmpi;
pub mod apxc;
pub mod bgq;
pub mod daos;
mod def;
pub mod dfs;
pub mod h5d;
pub mod h5f;
pub mod mdhim;
pub mod mpiio;
pub mod pnetcdf_file;
pub mod pnetcdf_var;
pub mod posix;
pub mod stdio;

pub use def::{FloatDef, FloatIdx, FloatKind, IntDef, IntIdx, IntKind};
