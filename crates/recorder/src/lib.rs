//! The library that is preloaded into a program (`LD_PRELOAD`) and records its I/O calls.
//!
//! # How a call is recorded
//!
//! A *hook* has the name of a function of libc, MPI, HDF5 or PnetCDF, so the loader binds the program's
//! calls to it. The macro `hooks!` in [`real`] declares all of them. A hook makes the real call, takes the
//! time before and after ([`clock`], [`call`]), and writes one record of 64 bytes.
//!
//! | step | module |
//! |---|---|
//! | hooks of each layer | [`posix`], [`stdio`], [`mpi`], [`hdf5`], [`pnetcdf`] |
//! | which definition a hook stands for | [`real`]; [`library`] for libraries that are loaded later |
//! | which open files are followed | [`files`], [`filter`], with paths from [`path`] |
//! | depth of nested calls, and the segment that a thread writes to | [`thread`] |
//! | the files of the process | [`process`] |
//! | when the library is switched on, and its variables | [`environment`] |
//! | what it needs without libc: system calls, text in fixed memory | [`sys`], [`text`] |
//!
//! # What it leaves
//!
//! Each process has two files in the folder that `MARIGRAPH_DIR` names: `HOST.PID.RANDOM.live`, mapped
//! while it runs, with a segment of records per thread, and `HOST.PID.RANDOM.log`, to which a thread
//! appends a segment, folded, when it is full. `marigraph-wire` defines their bytes, and
//! `docs/reference/parts.md` describes them. A killed process leaves both, and all
//! its records are in one or the other.
//!
//! # Constraints
//!
//! The library lives in other people's processes. Therefore:
//!
//! * The program's call comes first and gets the same result and the same `errno`, whatever happens to
//!   the recording.
//! * Nothing allocates, locks, formats or prints. Nothing can panic.
//! * No descriptor stays open between two calls.
//! * A signal, `fork`, `exec`, `longjmp` or the end of a thread may come at any instruction.
//! * What cannot be recorded is counted in the live file.
//!
//! # What it does not know
//!
//! Ranks of other processes, the format of traces, counters and analyses: `marigraph merge` reads the
//! files afterwards. Nothing may link this crate: a binary that does gets its libc calls interposed. So
//! there are no unit tests here; code that can be safe is in `marigraph-wire` and is tested there, and
//! `tests/` preloads the library into real programs.
//!
//! `unsafe` is everywhere here by nature (foreign functions, memory shared with readers); each use says
//! why it holds.

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
