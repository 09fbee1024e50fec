//! What a storage server counts by itself, look by look, and the file that is appended to for months.
//!
//! [`Sampler`] reads the counters of block devices (`/proc/diskstats`) and of Lustre (`obdfilter.*.stats`,
//! `mdt.*.md_stats`, `job_stats`) below any folder, so that a recorded tree serves as well as the live one. [`clock`] says
//! when to look and what two looks have between them; [`Log`] is the file. What its bytes mean is the matter of
//! `marigraph-formats`.

pub mod clock;
mod devices;
mod diskstats;
mod log;
mod lustre;
pub mod pattern;
mod sampler;
mod table;

pub use devices::{Choice, LeftOut};
pub use log::Log;
pub use sampler::Sampler;
