//! The file of `marigraph monitor`: what a server's disks and Lustre targets counted, look by look.
//!
//! A file is a row of records, each in a frame with length and check sum, and is only ever appended to. A record
//! tells how much each counter grew since the look before, when that was by two clocks, and what was not observed in
//! between; so it can be read without those before it, but for the names of targets, which are written when they
//! appear, at the beginning of every file and once an hour. `docs/reference/monitor.md` has the layout.
//!
//! [`Writer`] makes the bytes, [`walk`] shows what was observed, [`tail`] finds where a file may be continued.

mod change;
mod frame;
mod names;
mod readings;
mod record;
mod tail;
mod walk;
mod write;

pub use change::MAX_COLUMNS;
pub(super) use readings::read;
pub use tail::{Tail, day, sniff, tail};
pub use walk::{Counted, Look, Meaning, Walked, walk};
pub use write::{Header, Writer};
