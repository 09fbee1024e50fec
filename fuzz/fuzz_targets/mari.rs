//! Any bytes as a trace: loads every stream, and expands as many calls as time allows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::native::mari::{Mari, sniff, text, without_times};

fuzz_target!(|data: &[u8]| {
    let _ = (sniff(data), without_times(data));
    let Ok(trace) = Mari::read(data) else { return };
    let _ = trace.totals();
    for stream in trace.streams().take(16) {
        let Ok(loaded) = stream.load() else { continue };
        let _ = loaded.totals();
        let mut calls = loaded.calls();
        let _ = calls.by_ref().take(2000).count();
    }
    if trace.stream_count() < 100 {
        let _ = text(&trace);
    }
});
