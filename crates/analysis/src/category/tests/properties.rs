//! Properties of any operations.

use super::super::merge::{Operation, merge};
use super::*;
use crate::synth::Random;

fn some_files(random: &mut Random, count: u64) -> Vec<File> {
    let file = |n: u64, random: &mut Random| {
        let from = random.between(0.01, 950.0);
        let to = from + random.between(0.0, 40.0);
        let bytes = random.between(1.0, 1e9) as i64;
        let file = if random.chance(0.5) { written(n, from, to, bytes) } else { read(n, from, to, bytes) };
        file.int(posix::OPENS, 3)
            .float(posix::F_OPEN_START_TIMESTAMP, from)
            .float(posix::F_OPEN_END_TIMESTAMP, to)
            .float(posix::F_CLOSE_START_TIMESTAMP, to)
            .float(posix::F_CLOSE_END_TIMESTAMP, to)
    };
    (0..count).map(|n| file(n, random)).collect()
}

#[test]
fn the_order_of_records_does_not_matter() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let count = 1 + random.index(60) as u64;
        let mut files = some_files(&mut random, count);
        let one = log(1000.0, files.clone()).found();
        for at in (1..files.len()).rev() {
            files.swap(at, random.index(at + 1));
        }
        let other = log(1000.0, files).found();
        assert_eq!(format!("{one:?}"), format!("{other:?}"), "seed {seed}");
    }
}

#[test]
fn merging_keeps_bytes_and_time() {
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let operation = |random: &mut Random| {
            let from = random.between(0.0, 900.0);
            Operation::new(from, from + random.between(0.0, 30.0), random.between(0.0, 1e9) as u64)
        };
        let all: Vec<Operation> = (0..1 + random.index(80)).map(|_| operation(&mut random)).collect();
        let merged = merge(all.clone(), 1000.0, &Thresholds::default());
        let bytes = |some: &[Operation]| some.iter().map(|operation| operation.bytes).sum::<u64>();
        assert_eq!(bytes(&all), bytes(&merged), "seed {seed}");
        assert!(
            merged.windows(2).all(|pair| pair[1].start_s - pair[0].end_s >= 1.0),
            "seed {seed}: gaps of 0.1 % stay"
        );
        assert!(merged.iter().all(|operation| operation.active_s <= operation.duration_s() + 1e-9));
        let first = all.iter().map(|operation| operation.start_s).fold(f64::INFINITY, f64::min);
        assert_eq!(merged[0].start_s, first);
        let quarters: f64 = log(
            1000.0,
            all.iter()
                .enumerate()
                .map(|(n, o)| written(n as u64, o.start_s + 0.001, o.end_s + 0.002, o.bytes as i64))
                .filter(|file| file.bytes > 0)
                .collect(),
        )
        .found()
        .write
        .chunks
        .iter()
        .sum();
        assert!((quarters - bytes(&all) as f64).abs() < 1.0, "seed {seed}: quarters hold all bytes");
    }
}

#[test]
fn confidence_is_a_share_and_labels_come_once() {
    for seed in 0..30 {
        let mut random = Random::new(seed + 100);
        let files = some_files(&mut random, 40);
        let found = log(1000.0, files).found();
        assert!(found.labels.iter().all(|labelled| (0.0..=1.0).contains(&labelled.confidence)));
        assert!(found.labels.windows(2).all(|pair| pair[0].label < pair[1].label));
    }
}
