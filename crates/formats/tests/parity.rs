//! The text formats against the output of the reference tools, on real logs.
//!
//! Identical byte for byte, except for the errata below. The logs are beside the project
//! (`../shared/data`, or in `MARIGRAPH_DATA`); without them these tests say so and check nothing.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use marigraph_formats::darshan::{Log, text};
use marigraph_formats::{Limits, Order};
use marigraph_model::Module;

/// A difference that is an error of the reference: which logs, which counters, why.
struct Erratum {
    applies: fn(&Log<'_>) -> bool,
    counters: &'static [&'static str],
    reason: &'static str,
}

fn posix_version(log: &Log<'_>) -> u32 {
    log.header.slot(Module::Posix).map_or(0, |slot| slot.version)
}

const ERRATA: &[Erratum] = &[
    Erratum {
        applies: |log| matches!(posix_version(log), 2 | 3),
        counters: &["POSIX_F_VARIANCE_RANK_TIME", "POSIX_F_VARIANCE_RANK_BYTES"],
        reason: "its up-conversion of POSIX records before version 4 loses the last two floats and prints 0",
    },
    Erratum {
        applies: |log| log.header.order == Order::Big && (1..4).contains(&posix_version(log)),
        counters: &["POSIX_F_META_TIME", "POSIX_F_MAX_READ_TIME", "POSIX_F_MAX_WRITE_TIME"],
        reason: "it leaves these three unswapped in big-endian logs with POSIX before version 4",
    },
];

#[test]
fn base_text_is_that_of_darshan_parser() {
    let mut excused = 0;
    for (name, bytes) in common::logs() {
        let log = Log::open(&bytes, Limits::default()).expect("open");
        let mut ours = Vec::new();
        text::base(&log, common::utc(2), &mut ours).expect("print");
        excused += compare(&name, &log, &ours, &common::golden(&name, "base"));
    }
    eprintln!("{excused} lines differ by a known erratum of the reference");
}

#[test]
fn dxt_text_is_that_of_darshan_dxt_parser() {
    for (name, bytes) in common::logs() {
        let log = Log::open(&bytes, Limits::default()).expect("open");
        let mut ours = Vec::new();
        text::dxt(&log, common::utc(1), &mut ours).expect("print");
        assert_eq!(compare(&name, &log, &ours, &common::golden(&name, "dxt")), 0);
    }
}

#[test]
fn text_does_not_depend_on_the_number_of_threads() {
    for (name, bytes) in common::logs() {
        let log = Log::open(&bytes, Limits::default()).expect("open");
        let print = |threads| {
            let mut text = Vec::new();
            text::base(&log, common::utc(threads), &mut text).expect("print");
            text
        };
        assert!(print(1) == print(3), "{name}");
    }
}

/// Panics at the first difference that no erratum explains; returns the number of explained ones.
fn compare(name: &str, log: &Log<'_>, ours: &[u8], golden: &[u8]) -> usize {
    if ours == golden {
        return 0;
    }
    let lines = |text| <[u8]>::split(text, |&byte| byte == b'\n').map(String::from_utf8_lossy);
    let (mine, theirs) = (lines(ours), lines(golden));
    let mut excused = 0;
    for (number, (mine, theirs)) in mine.zip(theirs).enumerate() {
        if mine == theirs {
            continue;
        }
        let counter = mine.split('\t').nth(3).unwrap_or("");
        let erratum = ERRATA.iter().find(|e| (e.applies)(log) && e.counters.contains(&counter));
        assert!(
            erratum.is_some_and(|e| !e.reason.is_empty()),
            "{name}:{}\n ours: {mine}\n reference: {theirs}",
            number + 1
        );
        excused += 1;
    }
    assert_eq!(lines(ours).count(), lines(golden).count(), "{name}: number of lines");
    excused
}
