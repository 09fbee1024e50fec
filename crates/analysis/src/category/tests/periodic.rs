//! Periodic activity.

use super::*;

const MB: i64 = 1_000_000;

fn checkpoints(count: u64, every_s: f64, lasting_s: f64) -> Vec<File> {
    (0..count)
        .map(|n| written(n, 5.0 + every_s * n as f64, 5.0 + every_s * n as f64 + lasting_s, 100 * MB))
        .collect()
}

#[test]
fn checkpoints_have_a_period_a_magnitude_and_a_busy_time() {
    for (every_s, lasting_s, magnitude, busy) in [
        (10.0, 1.0, "periodic_second", "periodic_low_busy_time"),
        (59.9, 1.0, "periodic_second", "periodic_low_busy_time"),
        (60.0, 30.0, "periodic_minute", "periodic_high_busy_time"),
        (600.0, 150.0, "periodic_minute", "periodic_high_busy_time"),
        (3600.0, 899.0, "periodic_hour", "periodic_low_busy_time"),
        (86_400.0, 60.0 * 86.4, "periodic_day_or_more", "periodic_low_busy_time"),
    ] {
        let found = log(every_s * 8.0 + 10.0, checkpoints(8, every_s, lasting_s)).found();
        let all = labels(&found, "write_");
        for wanted in ["periodic", magnitude, busy] {
            assert!(all.contains(&wanted), "{every_s}: {all:?}");
        }
        assert_eq!(all.iter().filter(|label| label.starts_with("periodic")).count(), 3, "{all:?}");
        let periodic = found.write.periodic[0];
        assert!((periodic.period_s - every_s).abs() < 1e-6 && periodic.count == 8, "{periodic:?}");
        assert!((periodic.busy - lasting_s / every_s).abs() < 1e-6 && periodic.bytes == 1e8, "{periodic:?}");
    }
}

#[test]
fn three_distances_make_a_period_and_two_do_not() {
    let periodic = |count| !log(100.0, checkpoints(count, 20.0, 1.0)).found().write.periodic.is_empty();
    assert!(periodic(4) && !periodic(3));
}

#[test]
fn irregular_operations_are_not_periodic() {
    let starts = [1.0, 3.0, 11.0, 13.0, 40.0, 42.0, 75.0, 77.0];
    let files = starts.iter().enumerate().map(|(n, &at)| written(n as u64, at, at + 0.5, 100 * MB));
    let found = log(100.0, files.collect()).found();
    assert!(found.write.periodic.is_empty(), "{:?}", found.write.periodic);
    let different = (0..8u32)
        .map(|n| written(u64::from(n), 10.0 * f64::from(n), 10.0 * f64::from(n) + 1.0, MB * 3i64.pow(n)));
    assert!(log(100.0, different.collect()).found().write.periodic.is_empty(), "volumes differ too much");
}

#[test]
fn equal_distances_off_the_beat_are_repeated_and_not_periodic() {
    // Ten seconds to the next one at 1, 16, 42, 55 and 79 s: these starts fit no period of 10 s.
    let starts = [1.0, 11.0, 16.0, 26.0, 42.0, 52.0, 55.0, 65.0, 79.0, 89.0];
    let files = starts.iter().enumerate().map(|(n, &at)| written(n as u64, at, at + 0.5, 100 * MB));
    let found = log(100.0, files.collect()).found();
    assert!(found.write.periodic.is_empty(), "{:?}", found.write.periodic);
}

#[test]
fn jitter_and_lateness_of_ranks_do_not_hide_a_period() {
    let mut files = Vec::new();
    for n in 0..20u64 {
        for rank in 0..8u64 {
            let at = 10.0 + 50.0 * n as f64 + [0.0, 1.5, -2.0, 3.0][n as usize % 4] + 0.3 * rank as f64;
            files.push(written(n * 8 + rank, at, at + 2.0, 10 * MB));
        }
    }
    let found = log(1020.0, files).found();
    assert_eq!((found.write.periodic.len(), found.write.merged.len()), (1, 20));
    let periodic = found.write.periodic[0];
    assert!((periodic.period_s - 50.0).abs() < 1.0 && periodic.count == 20, "{periodic:?}");
}

/// Checkpoints of 1 GB every 250 s, and a log of 1 MB every 31 s.
fn two_activities() -> Vec<(u64, f64, i64, String)> {
    let checkpoint = |n: u64| (n, 20.0 + 250.0 * n as f64, 1000 * MB, format!("/run/ckpt.{n:04}"));
    let line = |n: u64| (100 + n, 3.0 + 31.0 * n as f64, MB, format!("/run/log.{n}"));
    (0..8).map(checkpoint).chain((0..64).map(line)).collect()
}

#[test]
fn two_interleaved_activities_are_both_found() {
    let files = two_activities().iter().map(|&(id, at, bytes, _)| written(id, at, at + 2.5, bytes)).collect();
    let mut two = log(2010.0, files);
    for named in [true, false] {
        if named {
            two.names = two_activities().into_iter().map(|(id, _, _, name)| (id, name)).collect();
        } else {
            two.names.clear();
        }
        let found = two.found();
        let periods: Vec<f64> =
            found.write.periodic.iter().map(|periodic| periodic.period_s.round()).collect();
        assert_eq!(periods, [250.0, 31.0], "names: {named}");
        let all = labels(&found, "write_");
        assert!(all.contains(&"periodic_minute") && all.contains(&"periodic_second"), "{all:?}");
    }
}

#[test]
fn operations_of_one_event_list_are_as_good() {
    let mut traced = log(2010.0, Vec::new());
    traced.events = two_activities()
        .iter()
        .map(|&(id, at, bytes, _)| (Direction::Write, id, at, at + 2.5, bytes as u64))
        .collect();
    traced.names = two_activities().into_iter().map(|(id, _, _, name)| (id, name)).collect();
    let found = traced.found();
    assert_eq!(found.write.periodic.len(), 2);
    let evidence =
        found.labels.iter().find(|labelled| labelled.label == Label::WritePeriodic).map(|l| l.evidence);
    assert_eq!(evidence, Some(Evidence::Dxt));
}

#[test]
fn a_missed_beat_does_not_end_a_period() {
    let files: Vec<File> =
        checkpoints(20, 50.0, 2.0).into_iter().filter(|file| ![3, 9, 15].contains(&file.id)).collect();
    let found = log(1010.0, files).found();
    assert_eq!(found.write.periodic.len(), 1, "{:?}", found.write.periodic);
    assert!((found.write.periodic[0].period_s - 50.0).abs() < 0.5);
}

#[test]
fn little_is_not_called_periodic() {
    let files = checkpoints(8, 10.0, 1.0).into_iter().map(|file| File { bytes: MB, ..file }).collect();
    let found = log(100.0, files).found();
    assert_eq!(labels(&found, "write_"), ["insignificant"]);
    assert_eq!(found.write.periodic.len(), 1, "the value is reported");
}
