//! Any bytes, through outer compression and every format, into every analysis, and written back.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_analysis::files::Files;
use marigraph_analysis::timeline::Timeline;
use marigraph_analysis::usage::JobUsage;
use marigraph_formats::{Limits, darshan};
use marigraph_model::All;

fuzz_target!(|data: &[u8]| {
    let limits = Limits { max_inflate: 4 << 20, ..Limits::default() };
    let Ok((content, _)) = marigraph_formats::unpack(data, limits) else { return };
    let Ok(reader) = marigraph_formats::open(&content, limits) else { return };
    // A trace of a few bytes may stand for hours of calls; the target `mari` covers some of them.
    if reader.trace_facts().is_some_and(|facts| facts.events > 100_000) {
        return;
    }
    let job = reader.job();
    let (mut usage, mut files) = (JobUsage::default(), Files::default());
    let mut timeline = Timeline::new(job.runtime_s(), job.nprocs.min(1000));
    reader.stream(&|_| true, &mut All(&mut [&mut timeline, &mut usage, &mut files]));
    let _ = (usage.totals(), usage.performance(), files.by_use(), timeline.best(&|_| false));
    let trace = reader.to_trace();
    let (written, _) = darshan::write(&trace);
    assert!(darshan::Log::open(&written, limits).is_ok());
});
