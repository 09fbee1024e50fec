//! Performs a trace again, below one folder.
//!
//! | step | where |
//! |---|---|
//! | stays inside the folder | [`Root`] |
//! | leaves alone what is not its own | `guard` |
//! | creates required files before, removes created ones after | [`Stage`] |
//! | starts one process for each rank | [`Crew`] |
//! | performs the calls of a thread, each when it is due | [`Player`] |
//! | performs MPI-IO calls under an MPI launcher | [`Mpi`] |
//!
//! Calls go through the C library by the recorded function, so that a recorder sees the same calls
//! as in the program. `unsafe` is needed for these calls, for shared memory, and for memory to read
//! into.

mod buffer;
mod crew;
mod descriptor;
mod direct;
mod files;
mod guard;
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

fn outcome(ret: isize) -> io::Result<i64> {
    if ret < 0 { Err(io::Error::last_os_error()) } else { Ok(ret as i64) }
}
