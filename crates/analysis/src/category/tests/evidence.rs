//! The best evidence in a log decides.

use super::*;

const MB: u64 = 1_000_000;

fn evidence(found: &Categories, label: Label) -> Option<Evidence> {
    found.labels.iter().find(|labelled| labelled.label == label).map(|labelled| labelled.evidence)
}

/// A file that stays open, with a burst of 2 s every 50 s.
fn held_open() -> Log {
    log(1000.0, vec![written(1, 10.0, 962.0, 2000 * MB as i64)])
}

fn bins(width: usize) -> Vec<u64> {
    let mut bins = vec![0; 1000 / width];
    (0..20).for_each(|n| bins[(10 + 50 * n) / width] += 100 * MB);
    bins
}

#[test]
fn a_file_that_is_held_open_looks_steady() {
    let found = held_open().found();
    assert_eq!(labels(&found, "write_"), ["steady"]);
    assert_eq!(evidence(&found, Label::WriteSteady), Some(Evidence::Records));
    let confidence = found.labels.iter().find(|l| l.label == Label::WriteSteady).map(|l| l.confidence);
    assert!(confidence.is_some_and(|confidence| confidence < 0.85), "{confidence:?}");
}

#[test]
fn heat_maps_show_what_a_file_hides() {
    let found = Log { heat: Some((5.0, bins(5))), ..held_open() }.found();
    assert!(found.has(Label::WritePeriodicSecond) && found.has(Label::WriteSteady));
    assert_eq!(evidence(&found, Label::WritePeriodic), Some(Evidence::Heatmap));
    assert!((found.write.periodic[0].period_s - 50.0).abs() < 0.5);
}

#[test]
fn bins_that_are_too_wide_leave_the_period_to_records() {
    let files: Vec<File> = (0..20)
        .map(|n| written(n, 10.0 + 50.0 * n as f64, 12.0 + 50.0 * n as f64, 100 * MB as i64))
        .collect();
    let found = Log { heat: Some((50.0, bins(50))), ..log(1000.0, files) }.found();
    assert_eq!(evidence(&found, Label::WritePeriodic), Some(Evidence::Records));
    assert!((found.write.periodic[0].period_s - 50.0).abs() < 0.5);
    assert!(found.has(Label::WritePeriodicLowBusyTime));
}

#[test]
fn files_that_hold_several_bursts_leave_the_period_to_bins() {
    // Each of eight files takes five bursts that are 50 s apart.
    let files =
        (0..8).map(|n| written(n, 10.0 + 250.0 * n as f64, 212.0 + 250.0 * n as f64, 500 * MB as i64));
    let mut bins = vec![0; 400];
    (0..40).for_each(|n| bins[2 + 10 * n] = 100 * MB);
    let found = Log { heat: Some((5.0, bins)), ..log(2000.0, files.collect()) }.found();
    assert_eq!(evidence(&found, Label::WritePeriodic), Some(Evidence::Heatmap));
    assert!((found.write.periodic[0].period_s - 50.0).abs() < 0.5);
}

#[test]
fn operations_go_before_heat_maps() {
    let mut traced = Log { heat: Some((5.0, bins(5))), ..held_open() };
    traced.events = (0..20)
        .map(|n| (Direction::Write, 1, 10.0 + 50.0 * n as f64, 12.0 + 50.0 * n as f64, 100 * MB))
        .collect();
    let found = traced.found();
    assert_eq!(evidence(&found, Label::WritePeriodic), Some(Evidence::Dxt));
    assert!((found.write.periodic[0].busy - 0.04).abs() < 1e-9);
    traced.events.truncate(10);
    assert_eq!(
        evidence(&traced.found(), Label::WritePeriodic),
        Some(Evidence::Heatmap),
        "half of the operations are missing"
    );
}

#[test]
fn a_heat_map_of_one_bin_tells_no_quarters() {
    let files = vec![written(1, 1.0, 2.0, 500 * MB as i64)];
    let found = Log { heat: Some((100.0, vec![500 * MB])), ..log(40.0, files) }.found();
    assert_eq!(labels(&found, "write_"), ["on_start"]);
    assert_eq!(evidence(&found, Label::WriteOnStart), Some(Evidence::Records));
}
