//! Temporality: every row of the table, and both sides of every threshold.

use super::super::temporality::{variation, when};
use super::*;

const GB: i64 = 1_000_000_000;

fn quarters(bytes: [i64; 4]) -> Log {
    // At unequal distances, or they would be periodic as well.
    let file = |(at, bytes): (usize, i64)| {
        let from = 100.0 * at as f64 + [5.0, 60.0, 20.0, 75.0][at];
        written(at as u64, from, from + 10.0, bytes)
    };
    log(400.0, bytes.into_iter().enumerate().filter(|(_, bytes)| *bytes > 0).map(file).collect())
}

#[test]
fn every_row_of_the_table() {
    let rows: [(&str, &[&str]); 15] = [
        ("1000", &["on_start"]),
        ("0001", &["on_end"]),
        ("0100", &["after_start"]),
        ("0010", &["before_end"]),
        ("0110", &["after_start_before_end"]),
        ("1100", &["on_start", "after_start"]),
        ("0011", &["on_end", "before_end"]),
        ("1001", &["on_start", "on_end"]),
        ("0111", &["after_start"]),
        ("1110", &["before_end"]),
        ("1010", &["on_start", "before_end"]),
        ("0101", &["on_end", "after_start"]),
        ("1101", &["on_start", "on_end", "after_start"]),
        ("1011", &["on_start", "on_end", "before_end"]),
        ("1111", &["steady"]),
    ];
    for (high, wanted) in rows {
        let bytes: Vec<i64> = high.chars().map(|c| if c == '1' { GB } else { GB / 10 }).collect();
        let found = quarters([bytes[0], bytes[1], bytes[2], bytes[3]]).found();
        assert_eq!(labels(&found, "write_"), wanted, "{high}");
        assert_eq!(labels(&found, "read_"), ["insignificant"]);
    }
}

#[test]
fn all_four_high_but_uneven_is_steady() {
    // The coefficient of variation is 0.247, just below the threshold.
    let found = quarters([10 * GB, 10 * GB, 10 * GB, 5 * GB + 1]).found();
    assert!(found.write.variation < 0.25 && found.has(Label::WriteSteady));
    let uneven = quarters([10 * GB, 10 * GB, 5_100_000_000, 5_100_000_000]).found();
    assert!(uneven.write.variation >= 0.25);
    let confidence = |found: &Categories| {
        let steady = found.labels.iter().find(|labelled| labelled.label == Label::WriteSteady);
        steady.expect("steady").confidence
    };
    let even = quarters([10 * GB, 10 * GB, 10 * GB, 10 * GB]).found();
    assert!(confidence(&uneven) < confidence(&even), "it is close to two thresholds");
}

#[test]
fn the_cuts_belong_to_the_upper_side_as_specified() {
    let thresholds = Thresholds::default();
    let kinds = |bytes: f64, quarters: [f64; 4]| format!("{:?}", when(bytes, quarters, &thresholds).kinds);
    let all = [1e8 - 1.0, 0.0, 0.0, 0.0];
    assert_eq!(kinds(1e8 - 1.0, all), "[Insignificant]", "less than 10^8 bytes");
    assert_eq!(kinds(1e8, [1e8, 0.0, 0.0, 0.0]), "[OnStart]", "10^8 bytes are enough");
    assert_eq!(kinds(3e9, [2e9, 1e9, 0.0, 0.0]), "[OnStart]", "half of the largest is not more than half");
    assert_eq!(kinds(3e9, [2e9, 1e9 + 1.0, 0.0, 0.0]), "[OnStart, AfterStart]");
    let cut = [1.25e9, 1.25e9, 0.75e9, 0.75e9];
    assert!((variation(cut) - 0.25).abs() < 1e-12);
    let below = [1.249e9, 1.249e9, 0.751e9, 0.751e9];
    assert!(when(4e9, below, &thresholds).margin < when(4e9, [1e9; 4], &thresholds).margin);
}

#[test]
fn thresholds_move_the_cuts() {
    let mut log = quarters([GB, 0, 0, 0]);
    log.thresholds.set("insignificant_bytes", 2e9).expect("known");
    assert_eq!(labels(&log.found(), "write_"), ["insignificant"]);
    let mut log = quarters([GB, 400_000_000, 0, 0]);
    log.thresholds.set("chunk_share", 0.3).expect("known");
    assert_eq!(labels(&log.found(), "write_"), ["on_start", "after_start"]);
    assert_eq!(
        log.thresholds.set("chunks", 1.0),
        Err(UnknownThreshold::Name("chunks".to_string())),
        "no such threshold"
    );
    assert!(
        log.thresholds.set("chunk_share", f64::NAN).is_err()
            && log.thresholds.set("busy_share", -1.0).is_err()
    );
}

#[test]
fn bytes_are_shared_by_time() {
    let found = log(400.0, vec![written(1, 50.0, 150.0, 2 * GB)]).found();
    let [first, second, ..] = found.write.chunks;
    assert!((first - 1e9).abs() < 1.0 && (second - 1e9).abs() < 1.0, "{:?}", found.write.chunks);
    let middle = found.write.mean_time.expect("bytes moved");
    assert!((middle - 0.25).abs() < 0.01, "{middle}");
    let [low, _, high] = found.write.quartiles.expect("bytes moved");
    assert!((low - 0.1875).abs() < 0.01 && (high - 0.3125).abs() < 0.01);
}

#[test]
fn what_is_spread_over_quarters_is_trusted_less() {
    let confidence =
        |files: Vec<File>| log(400.0, files).found().labels.iter().map(|l| l.confidence).fold(1.0, f64::min);
    let sharp = confidence(vec![written(1, 10.0, 20.0, 4 * GB), read(2, 10.0, 20.0, 4 * GB)]);
    let blurred = confidence(vec![written(1, 10.0, 220.0, 4 * GB), read(2, 10.0, 20.0, 4 * GB)]);
    assert!(sharp > 0.99 && blurred < 0.85, "{sharp} {blurred}");
}
