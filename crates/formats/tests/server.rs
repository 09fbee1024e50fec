//! Throughput logs and job logs in all formats.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

#[path = "server/files.rs"]
mod files;
#[path = "server/jobs.rs"]
mod jobs;
#[path = "server/prometheus.rs"]
mod prometheus;
#[path = "server/rates.rs"]
mod rates;
#[path = "server/sysstat.rs"]
mod sysstat;

use marigraph_formats::server::{ThroughputFacts, Zone, read_throughput};
use marigraph_model::Reading;

/// All readings of a log that must be readable, in UTC.
fn readings(content: &str) -> (Vec<Reading>, ThroughputFacts) {
    readings_in(content, "UTC")
}

fn readings_in(content: &str, zone: &str) -> (Vec<Reading>, ThroughputFacts) {
    let zone = Zone::named(zone).expect("a zone");
    let mut readings = Vec::new();
    let facts = read_throughput(content.as_bytes(), &zone, &mut |reading| readings.push(reading));
    let facts = facts.unwrap_or_else(|error| panic!("{error}: {content}"));
    for reading in &readings {
        assert!(reading.seconds > 0.0 && reading.start.is_finite(), "{reading:?}");
        assert!(reading.read >= 0.0 && reading.write >= 0.0, "{reading:?}");
        assert!((reading.source as usize) < facts.sources.len(), "{reading:?}");
    }
    (readings, facts)
}

/// (start, seconds, write, read) of each.
fn brief(readings: &[Reading]) -> Vec<(f64, f64, f64, f64)> {
    readings.iter().map(|reading| (reading.start, reading.seconds, reading.write, reading.read)).collect()
}

fn problem(facts: &ThroughputFacts) -> (&str, &str) {
    assert_eq!(facts.problems.len(), 1, "{:?}", facts.problems);
    (&facts.problems[0].place, &facts.problems[0].message)
}
