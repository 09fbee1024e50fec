//! Metadata requests.

use super::*;

fn opened(id: u64, opens: i64, from_s: f64, to_s: f64) -> File {
    written(id, 0.0, 0.0, 0)
        .int(posix::WRITES, 0)
        .int(posix::OPENS, opens)
        .float(posix::F_OPEN_START_TIMESTAMP, from_s)
        .float(posix::F_OPEN_END_TIMESTAMP, to_s)
        .float(posix::F_CLOSE_START_TIMESTAMP, from_s)
        .float(posix::F_CLOSE_END_TIMESTAMP, to_s)
}

fn found(files: Vec<File>, nprocs: u64) -> Categories {
    Log { nprocs, ..log(100.0, files) }.found()
}

#[test]
fn a_high_spike_is_more_than_250_requests_in_a_second() {
    assert_eq!(labels(&found(vec![opened(1, 126, 10.2, 10.8)], 1), "metadata_"), ["high_spike"]);
    let at_the_cut = found(vec![opened(1, 125, 10.2, 10.8)], 1);
    assert_eq!(at_the_cut.metadata.peak_per_s, 250.0);
    assert!(labels(&at_the_cut, "metadata_").is_empty());
    assert_eq!((at_the_cut.metadata.requests, at_the_cut.metadata.spikes), (250, 1));
}

#[test]
fn five_spikes_are_several() {
    let spikes = |count: u64| {
        (0..count).map(|n| opened(n, 25, 10.0 * n as f64 + 0.2, 10.0 * n as f64 + 0.9)).collect()
    };
    let (four, five) = (found(spikes(4), 1), found(spikes(5), 1));
    assert!(labels(&four, "metadata_").is_empty() && four.metadata.spikes == 4);
    assert_eq!(labels(&five, "metadata_"), ["multiple_spikes"]);
    assert_eq!((five.metadata.spikes, five.metadata.plateaus), (5, 5));
}

#[test]
fn requests_all_the_time_are_dense() {
    // 2,500 opens and as many closes in 100 s are 50 per second.
    let dense = found(vec![opened(1, 2500, 0.0001, 100.0)], 1);
    assert_eq!(labels(&dense, "metadata_"), ["high_density", "multiple_spikes"]);
    assert!((dense.metadata.mean_per_s - 50.0).abs() < 1e-9 && dense.metadata.plateaus == 1);
    let thin = found(vec![opened(1, 2400, 0.0001, 100.0)], 1);
    assert!(labels(&thin, "metadata_").is_empty());
}

#[test]
fn fewer_requests_than_processes_are_insignificant() {
    assert_eq!(labels(&found(vec![opened(1, 4, 1.0, 2.0)], 9), "metadata_"), ["insignificant_load"]);
    assert!(labels(&found(vec![opened(1, 4, 1.0, 2.0)], 8), "metadata_").is_empty());
}

#[test]
fn seeks_and_stats_count_only_if_asked_for() {
    let file = opened(1, 10, 10.1, 10.2).int(posix::SEEKS, 300).int(posix::STATS, 1000);
    let mut log = log(100.0, vec![file]);
    assert_eq!((log.found().metadata.requests, log.found().metadata.peak_per_s), (20, 20.0));
    assert!(!log.found().has(Label::MetadataHighSpike), "a seek does not reach a metadata server");
    log.thresholds.set("count_seeks", 1.0).expect("known");
    assert_eq!((log.found().metadata.requests, log.found().metadata.peak_per_s), (320, 320.0));
    log.thresholds.set("count_stats", 1.0).expect("known");
    assert_eq!(log.found().metadata.requests, 1320);
}

#[test]
fn standard_streams_are_not_opened() {
    let mut stream = opened(FileId::STDOUT.0, 500, 10.1, 10.2);
    stream.module = Module::Stdio;
    stream.ints = vec![(stdio::OPENS, 500), (stdio::WRITES, 0)];
    stream.floats = vec![(stdio::F_OPEN_START_TIMESTAMP, 10.1), (stdio::F_OPEN_END_TIMESTAMP, 10.2)];
    assert_eq!(found(vec![stream], 1).metadata.requests, 0);
}

#[test]
fn operations_alone_say_nothing_of_metadata() {
    let mut traced = log(100.0, Vec::new());
    traced.events = vec![(Direction::Read, 1, 1.0, 2.0, 5)];
    assert!(labels(&traced.found(), "metadata_").is_empty());
}
