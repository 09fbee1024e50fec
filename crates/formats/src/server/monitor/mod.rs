//! The file of `marigraph monitor`: counters of a server's disks and Lustre targets, observation by
//! observation.
//!
//! A file is a sequence of records, each framed with length and checksum, and is only ever appended
//! to. A record holds the growth of each counter since the previous observation, the time of that
//! observation by two clocks, and what was not observed in between. It can therefore be read
//! without earlier records, except for the names of targets, which are written when they appear, at
//! the beginning of every file and once an hour. `docs/reference/monitor.md` has the layout.
//!
//! [`Writer`] encodes, [`walk`] shows the observations, [`tail`] finds where a file may be
//! continued.

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
