//! The naive rules on hand-made cases.

use super::super::events::{Calls, FileUse, Session, Story, Touch};
use super::*;
use marigraph_model::{Rank, Scope};

/// Writes of one file family: (start, end, bytes).
fn writing(runtime_s: f64, touches: &[(f64, f64, f64)]) -> Story {
    let touch = |&(start_s, end_s, bytes): &(f64, f64, f64)| Touch {
        write: true,
        rank: 0,
        start_s,
        end_s,
        bytes: bytes as u64,
        calls: 1,
    };
    let file = FileUse {
        name: "/data/output.dat".to_string(),
        activity: 0,
        scope: Scope::Rank(Rank(0)),
        stream: false,
        collective: false,
        touches: touches.iter().map(touch).collect(),
        sessions: Vec::new(),
        seeks: 0,
    };
    Story { runtime_s, nprocs: 1, files: vec![file] }
}

fn labels_of(story: &Story, prefix: &str) -> Vec<String> {
    let labels = judge(&happened(story)).labels;
    labels.into_iter().filter_map(|label| label.strip_prefix(prefix).map(str::to_string)).collect()
}

/// Volumes in GB in the four quarters of 400 seconds.
#[track_caller]
fn check_quarters(volumes: [f64; 4], expected: &[&str]) {
    let touches: Vec<(f64, f64, f64)> = (0..4)
        .map(|n| (n as f64 * 100.0 + 40.0, n as f64 * 100.0 + 60.0, volumes[n] * 1e9))
        .filter(|touch| touch.2 > 0.0)
        .collect();
    let mut found = labels_of(&writing(400.0, &touches), "write_");
    found.retain(|label| !label.starts_with("periodic"));
    assert_eq!(found, expected, "{volumes:?}");
}

#[test]
fn each_row_of_the_temporality_table() {
    check_quarters([1.0, 0.0, 0.0, 0.0], &["on_start"]);
    check_quarters([0.0, 0.0, 0.0, 1.0], &["on_end"]);
    check_quarters([0.0, 1.0, 0.4, 0.0], &["after_start"]);
    check_quarters([0.0, 0.4, 1.0, 0.0], &["before_end"]);
    check_quarters([0.0, 1.0, 0.9, 0.1], &["after_start_before_end"]);
    check_quarters([1.0, 0.9, 0.1, 0.0], &["after_start", "on_start"]);
    check_quarters([0.0, 0.2, 0.9, 1.0], &["before_end", "on_end"]);
    check_quarters([1.0, 0.0, 0.0, 0.9], &["on_end", "on_start"]);
    check_quarters([0.0, 1.0, 0.9, 0.8], &["after_start"]);
    check_quarters([1.0, 0.9, 0.8, 0.0], &["before_end"]);
    check_quarters([1.0, 0.0, 0.9, 0.0], &["before_end", "on_start"]);
    check_quarters([0.0, 1.0, 0.0, 0.9], &["after_start", "on_end"]);
    check_quarters([1.0, 0.9, 0.0, 0.8], &["after_start", "on_end", "on_start"]);
    check_quarters([1.0, 0.0, 0.9, 0.8], &["before_end", "on_end", "on_start"]);
    check_quarters([1.0, 0.55, 0.55, 0.55], &["steady"]);
    check_quarters([1.0, 1.0, 0.9, 0.95], &["steady"]);
    check_quarters([0.09, 0.0, 0.0, 0.0], &["insignificant"]);
    check_quarters([0.11, 0.0, 0.0, 0.0], &["on_start"]);
}

#[test]
fn an_operation_is_shared_by_time() {
    let verdict = judge(&happened(&writing(400.0, &[(50.0, 150.0, 1e9)])));
    assert_eq!(verdict.write.chunks, [5e8, 5e8, 0.0, 0.0]);
}

/// Twenty operations of `length_s`.
#[track_caller]
fn check_period(period_s: f64, length_s: f64, expected: &[&str]) {
    let touches: Vec<_> =
        (0..20).map(|n| (1.0 + n as f64 * period_s, 1.0 + n as f64 * period_s + length_s, 1e9)).collect();
    let mut found = labels_of(&writing(20.0 * period_s + 2.0, &touches), "write_");
    found.retain(|label| label.starts_with("periodic"));
    assert_eq!(found, expected, "every {period_s} s for {length_s} s");
}

#[test]
fn periods_have_magnitude_and_busy_time() {
    check_period(10.0, 1.0, &["periodic", "periodic_low_busy_time", "periodic_second"]);
    check_period(59.0, 20.0, &["periodic", "periodic_high_busy_time", "periodic_second"]);
    check_period(61.0, 1.0, &["periodic", "periodic_low_busy_time", "periodic_minute"]);
    check_period(3700.0, 1.0, &["periodic", "periodic_hour", "periodic_low_busy_time"]);
    check_period(90_000.0, 30_000.0, &["periodic", "periodic_day_or_more", "periodic_high_busy_time"]);
    // Gaps below a thousandth of the run do not separate operations.
    check_period(100.0, 99.0, &[]);
    check_period(100.0, 97.0, &["periodic", "periodic_high_busy_time", "periodic_minute"]);
}

#[test]
fn odd_times_are_no_period() {
    let touches =
        [(1.0, 2.0, 1e9), (11.0, 12.0, 1e9), (31.0, 32.0, 1e9), (71.0, 72.0, 1e9), (151.0, 152.0, 1e9)];
    let verdict = judge(&happened(&writing(200.0, &touches)));
    assert!(verdict.write.periodic.is_empty() && verdict.is_clear());
    // Three equal gaps make a period, two do not.
    let beats = |count: usize| -> Vec<(f64, f64, f64)> {
        (0..count).map(|n| (1.0 + 50.0 * n as f64, 2.0 + 50.0 * n as f64, 1e9)).collect()
    };
    assert!(judge(&happened(&writing(200.0, &beats(3)))).write.periodic.is_empty());
    let verdict = judge(&happened(&writing(200.0, &beats(4))));
    assert_eq!(verdict.write.periodic.len(), 1);
    let doubts: Vec<&str> = verdict.doubts.iter().map(|doubt| doubt.threshold).collect();
    assert!(doubts.contains(&"periodic_members"), "{doubts:?}");
}

#[test]
fn families_have_periods_of_their_own() {
    let mut story = writing(
        1000.0,
        &(0..9).map(|n| (n as f64 * 100.0 + 5.0, n as f64 * 100.0 + 9.0, 1e9)).collect::<Vec<_>>(),
    );
    let log = (0..90).map(|n| (n as f64 * 11.0 + 1.0, n as f64 * 11.0 + 4.5, 1e6)).collect::<Vec<_>>();
    let second = FileUse { activity: 1, ..writing(1000.0, &log).files.remove(0) };
    story.files.push(second);
    let verdict = judge(&happened(&story));
    let periods: Vec<f64> = verdict.write.periodic.iter().map(|rhythm| rhythm.period_s.round()).collect();
    assert_eq!(periods, [100.0, 11.0]);
    let busy: Vec<bool> = verdict.write.periodic.iter().map(|rhythm| rhythm.busy < 0.25).collect();
    assert_eq!(busy, [true, false]);
}

/// Opens of one file: (from, to, opens), with as many closes at the same time.
fn opening(runtime_s: f64, nprocs: u64, opens: &[(f64, f64, u64)]) -> Story {
    let session = |&(from_s, to_s, count): &(f64, f64, u64)| {
        let calls = Calls { from_s, to_s, count };
        Session { open: calls, close: calls }
    };
    let mut story = writing(runtime_s, &[]);
    story.nprocs = nprocs;
    story.files[0].sessions = opens.iter().map(session).collect();
    story
}

#[track_caller]
fn check_load(runtime_s: f64, nprocs: u64, opens: &[(f64, f64, u64)], expected: &[&str]) {
    assert_eq!(labels_of(&opening(runtime_s, nprocs, opens), "metadata_"), expected);
}

#[test]
fn each_label_of_metadata() {
    check_load(1000.0, 4, &[(10.2, 10.4, 126)], &["high_spike"]);
    check_load(1000.0, 4, &[(10.2, 10.4, 120)], &[]);
    check_load(1000.0, 1000, &[(10.2, 10.4, 120)], &["insignificant_load"]);
    let spikes = |count: usize, opens: u64| -> Vec<(f64, f64, u64)> {
        (0..count).map(|n| (n as f64 * 20.0 + 1.2, n as f64 * 20.0 + 1.4, opens)).collect()
    };
    check_load(1000.0, 4, &spikes(5, 25), &["multiple_spikes"]);
    check_load(1000.0, 4, &spikes(5, 24), &[]);
    check_load(1000.0, 4, &spikes(4, 25), &[]);
    check_load(200.0, 4, &[(0.0, 200.0, 5_200)], &["high_density", "multiple_spikes"]);
    check_load(200.0, 4, &[(0.0, 200.0, 4_800)], &[]);
    // Dense on average, but in too few seconds.
    check_load(100.0, 4, &spikes(4, 2000), &["high_spike"]);
}

#[test]
fn calls_are_shared_by_seconds() {
    let verdict = judge(&happened(&opening(100.0, 1, &[(10.5, 13.5, 300)])));
    let requests = verdict.metadata;
    assert_eq!((requests.total, requests.peak_per_s, requests.spikes), (600.0, 200.0, 4));
}

#[test]
fn a_label_near_its_threshold_is_in_doubt() {
    let at = |bytes: f64| judge(&happened(&writing(400.0, &[(50.0, 60.0, bytes)])));
    let doubts = at(1.04e8).doubts;
    assert_eq!(doubts.len(), 2, "{doubts:?}");
    let on_start = doubts.iter().find(|doubt| doubt.label == "write_on_start").expect("a doubt");
    assert_eq!((on_start.threshold, on_start.moved), ("insignificant_bytes", 0.05));
    assert!(!at(1.04e8).is_clear() && at(1.15e8).is_clear() && at(0.87e8).is_clear());
    assert_eq!(at(1.15e8).doubts[0].moved, 0.2);
    assert!(at(1.3e8).doubts.is_empty());
}

#[test]
fn little_io_has_no_period() {
    let touches: Vec<_> = (0..20).map(|n| (1.0 + 10.0 * n as f64, 2.0 + 10.0 * n as f64, 1e6)).collect();
    let verdict = judge(&happened(&writing(202.0, &touches)));
    assert_eq!(labels_of(&writing(202.0, &touches), "write_"), ["insignificant"]);
    assert!(verdict.write.periodic.is_empty());
}
