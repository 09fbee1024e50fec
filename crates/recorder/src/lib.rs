//! The preloaded library: it sees a program's I/O calls and writes them down.
//!
//! It lives in other people's processes. So: the host's call comes first, with the same result and
//! the same `errno`, whatever happens to the recording; nothing is allocated, locked, formatted or
//! printed; no descriptor stays open; nothing can panic. What cannot be recorded is counted.
//!
//! `unsafe` is everywhere here by nature (foreign functions, memory shared with readers); each use
//! says why it holds. What can be safe is in `marigraph-wire`, and tested there.

pub mod call;
pub mod clock;
pub mod environment;
pub mod files;
pub mod filter;
pub mod hdf5;
pub mod library;
pub mod mpi;
pub mod path;
pub mod pnetcdf;
pub mod posix;
pub mod process;
pub mod real;
pub mod stdio;
pub mod sys;
pub mod text;
pub mod thread;
