//! One file per command: arguments, then library calls, then rendering.

pub mod completions;
pub mod convert;
pub mod man;
pub mod report;
pub mod show;
pub mod synth;
