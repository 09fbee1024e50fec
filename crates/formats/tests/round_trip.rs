//! Read, write, read: nothing may change.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use marigraph_formats::Limits;
use marigraph_formats::darshan::{Log, rewrite, text, write};
use marigraph_model::{ModuleInfo, Reader, Trace};

fn read(bytes: &[u8]) -> Trace {
    Log::open(bytes, Limits::default()).expect("open").to_trace()
}

/// What a rewritten log keeps: all but the record versions and the problems of the original bytes.
fn comparable(mut trace: Trace) -> Trace {
    trace.problems.clear();
    trace.modules.retain(|info| info.partial);
    trace.modules = trace.modules.into_iter().map(|info| ModuleInfo { version: 0, ..info }).collect();
    trace
}

#[test]
fn a_log_written_from_the_model_reads_as_the_same_model() {
    for (name, bytes) in common::logs() {
        let trace = read(&bytes);
        let again = read(&write(&trace).0);
        assert!(again.problems.iter().all(|p| p.kind.code() == "partial"), "{name}: {:?}", again.problems);
        assert_eq!(comparable(trace), comparable(again), "{name}");
    }
}

#[test]
fn a_log_rewritten_field_by_field_reads_as_the_same_model() {
    for (name, bytes) in common::logs() {
        let log = Log::open(&bytes, Limits::default()).expect("open");
        let (rewritten, _) = rewrite(&log);
        assert_eq!(comparable(log.to_trace()), comparable(read(&rewritten)), "{name}");
    }
}

/// Every counter and every operation prints the same; only what the text says about the bytes
/// themselves (log version, compressed sizes, warnings about old versions) may differ.
#[test]
fn a_rewritten_log_prints_the_same_records() {
    for (name, bytes) in common::logs() {
        let log = Log::open(&bytes, Limits::default()).expect("open");
        let (rewritten, _) = rewrite(&log);
        let new = Log::open(&rewritten, Limits::default()).expect("open");
        let data = |log: &Log<'_>| {
            let mut out = Vec::new();
            text::base(log, common::utc(1), &mut out).expect("print");
            text::dxt(log, common::utc(1), &mut out).expect("print");
            let lines = String::from_utf8_lossy(&out).into_owned();
            let about_bytes = ["# darshan log version", "# job data", "# record table", "# -", "# \t-"];
            let kept = |line: &&str| {
                let sizes = line.contains("bytes (compressed)")
                    || line.contains("WARNING: ")
                    || line.contains("#   ");
                !sizes && !line.is_empty() && !about_bytes.iter().any(|start| line.starts_with(start))
            };
            lines.lines().filter(kept).map(String::from).collect::<Vec<_>>()
        };
        let (old, new) = (data(&log), data(&new));
        assert_eq!(old.len(), new.len(), "{name}");
        for (old, new) in old.iter().zip(&new) {
            assert_eq!(old, new, "{name}");
        }
    }
}
