//! The kind of I/O of a job: when it reads and writes, whether it does so periodically, and how it
//! loads metadata servers.
//!
//! The method is MOSAIC (Jolivel, Tessier, Monniot, Pallez, PDSW 2024). Operations that overlap or
//! nearly touch are merged ([`merge`]). Recurring distances and volumes make a period
//! ([`periodic`]). The bytes of the four quarters of the run tell when ([`temporality`]). Requests
//! per second tell the metadata load ([`metadata`]). This implementation goes beyond MOSAIC in
//! three ways: it uses single operations or bytes per time bin where a log holds them, it separates
//! families of files, and it gives each label a confidence.

mod categorize;
mod choose;
mod cluster;
mod collect;
pub mod confidence;
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

pub use categorize::{Categories, Direction, Facts, categorize};
pub use collect::Collector;
pub use family::Families;
pub use label::{Evidence, Label, Labelled};
pub use merge::Operation;
pub use metadata::Metadata;
pub use periodic::{Periodic, Segment};
pub use thresholds::{Thresholds, UnknownThreshold};

#[cfg(test)]
mod tests;
