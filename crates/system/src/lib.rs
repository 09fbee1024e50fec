//! The live machine: what touches processes, signals and the folders that recorded processes
//! write into.
//!
//! [`launch`] starts a program under the recorder and passes signals on to it; [`parts`] lists and
//! removes what recorded processes left; [`watch`] looks at parts that are still growing, reading
//! only what is new; [`mounts`] says which file systems there are. What parts mean is the matter of
//! `marigraph-formats`; nothing here interprets a call.
//!
//! `unsafe` stands in `signals` alone: the C library's calls for signals have no safe twin.

pub mod launch;
pub mod mounts;
pub mod parts;
mod signals;
pub mod watch;
