//! What kind of I/O a job does: when it reads and writes, whether it does so periodically, and how it
//! loads the servers of metadata.
//!
//! The method is MOSAIC (Jolivel, Tessier, Monniot, Pallez, PDSW 2024). Operations that overlap or nearly
//! touch become one ([`merge`]); distances and volumes that recur make a period ([`periodic`]); the bytes of
//! four quarters of the run say when ([`temporality`]); requests per second load metadata servers
//! ([`metadata`]). Three limits of it are lifted: real operations or bytes per time bin are used where a
//! log holds them, families of files are separated, and each label has a confidence.

mod categorize;
mod choose;
mod cluster;
mod collect;
pub mod corpus;
mod family;
mod heat;
mod label;
pub mod merge;
pub mod metadata;
pub mod periodic;
mod pile;
mod requests;
mod spread;
pub mod temporality;
mod thresholds;
mod valid;

pub use categorize::{Categories, Direction, Facts, categorize};
pub use collect::Collector;
pub use family::Families;
pub use label::{Evidence, Label, Labelled};
pub use merge::Operation;
pub use metadata::Metadata;
pub use periodic::{Periodic, Segment};
pub use thresholds::{Thresholds, UnknownThreshold};
pub use valid::Invalid;

#[cfg(test)]
mod tests;
