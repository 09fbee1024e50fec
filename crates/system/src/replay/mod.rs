//! Performing a trace again, below one folder.
//!
//! | step | where |
//! |---|---|
//! | nothing outside the folder is touched | [`Root`] |
//! | what must be there is made, and what was made is removed | [`Stage`] |
//! | one process for each rank | [`Crew`] |
//! | a thread performs its calls, each when it is due | [`Player`] |
//! | started by a launcher of MPI: calls of MPI-IO, too | [`Mpi`] |
//!
//! Calls go through the C library by the function that was recorded, so that the recorder sees of a replay what it
//! saw of the program. `unsafe` is for these calls, for memory that processes share, and for memory to read into.

mod buffer;
mod crew;
mod descriptor;
mod direct;
mod files;
mod mpi;
mod names;
mod player;
mod root;
mod shared;
mod stage;
mod streams;
mod wait;

pub use crew::{Crew, Ended, Member, WORKER};
pub use files::Files;
pub use mpi::{Launch, Library, Mpi};
pub use player::{Mismatch, Player, Session};
pub use root::Root;
pub use shared::{Counters, Shared};
pub use stage::{Guard, Stage, StageError};

use std::io;

/// What a call returned, or its error.
fn outcome(ret: isize) -> io::Result<i64> {
    if ret < 0 { Err(io::Error::last_os_error()) } else { Ok(ret as i64) }
}
