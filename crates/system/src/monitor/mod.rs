//! Samples the counters of a storage server into a file that grows for months.
//!
//! [`Sampler`] reads the counters of block devices (`/proc/diskstats`) and of Lustre
//! (`obdfilter.*.stats`, `mdt.*.md_stats`, `job_stats`) below any folder, so that it can read a
//! recorded tree, too. [`clock`] schedules looks and finds gaps; [`Log`] is the file.
//! `marigraph-formats` defines its content.

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
