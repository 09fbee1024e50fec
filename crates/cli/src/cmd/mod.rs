//! One module per command: arguments, then library calls, then rendering.

pub mod categorize;
pub mod completions;
pub mod convert;
pub mod diff;
mod endpoint;
pub mod extrapolate;
pub mod ingest;
mod join;
pub mod man;
pub mod merge;
pub mod monitor;
pub mod period;
pub mod predict;
pub mod record;
pub mod replay;
pub mod report;
pub mod scan;
pub mod show;
pub mod signature;
pub mod sql;
mod stream;
pub mod study;
pub mod synth;
