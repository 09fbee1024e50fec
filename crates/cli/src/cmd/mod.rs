//! One file per command: arguments, then library calls, then rendering.

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
mod rhythm;
pub mod scan;
pub mod show;
pub mod signature;
pub mod sql;
mod stream;
pub mod study;
pub mod synth;

use marigraph_analysis::profile::Profile;
use marigraph_formats::Reader;
use marigraph_formats::darshan::Streamed;
use marigraph_model::{Both, Sink};

/// Streams a log into analyses. One that holds operations only gets the counters that follow from them.
fn stream_all<S: Sink>(reader: &dyn Reader, sink: &mut S) -> Streamed {
    if reader.modules().iter().any(|info| info.module.has_counters()) {
        return reader.stream(&|_| true, sink);
    }
    let mut profile = Profile::default();
    let streamed = reader.stream(&|_| true, &mut Both(&mut profile, sink));
    profile.records().values().for_each(|records| sink.records(records));
    streamed
}
