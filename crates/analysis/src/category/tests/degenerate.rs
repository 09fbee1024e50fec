//! Empty and very large logs.

use super::*;

#[test]
fn an_empty_log_does_nothing() {
    let found = log(10.0, Vec::new()).found();
    let names: Vec<&str> = found.labels.iter().map(|labelled| labelled.label.name()).collect();
    assert_eq!(names, ["read_insignificant", "write_insignificant", "metadata_insignificant_load"]);
    assert!(found.write.mean_time.is_none() && found.write.merged.is_empty());
}

#[test]
fn more_files_than_are_kept_are_folded_without_losing_bytes() {
    let mut huge = log(100_000.0, Vec::new());
    let mut collector = huge.collect().with_pictures();
    let mut records = Records::new(Module::Posix);
    for n in 0..300_000u64 {
        let at = 0.3 * n as f64;
        written(n, at + 0.001, at + 0.1, 1000).push(&mut records);
    }
    collector.records(&records);
    let job = huge.job();
    let facts = Facts { job: &job, modules: &[], problems: &[], traced: Evidence::Dxt };
    let found = categorize(collector, &facts, &Thresholds::default()).expect("fine");
    assert!(found.write.folded);
    assert_eq!(found.write.bytes, 300_000_000);
    assert_eq!(found.write.merged.iter().map(|operation| operation.bytes).sum::<u64>(), 300_000_000);
    assert!((1..=2000).contains(&found.write.operations.len()), "{}", found.write.operations.len());
    huge.runtime_s = 1e-3;
    assert!(huge.found().labels.len() == 3);
}

#[test]
fn runs_of_any_length_keep_their_requests() {
    let mut requests = super::super::requests::Requests::default();
    for n in 0..3_000_000u64 {
        requests.add(2, n as f64 * 3.0, n as f64 * 3.0 + 0.5);
    }
    let total: f64 =
        requests.levels().iter().map(|level| level.per_s * level.bins as f64 * requests.bin_s()).sum();
    assert_eq!(requests.total(), 6_000_000);
    assert!((total - 6e6).abs() < 60.0, "{total}");
    assert!(requests.bin_s() > 1.0);
}

#[test]
fn a_second_that_every_file_is_opened_in_costs_one_step() {
    let mut requests = super::super::requests::Requests::default();
    (0..100_000).for_each(|_| requests.add(1, 5.1, 5.9));
    let levels = requests.levels();
    assert_eq!((levels.len(), levels[0].per_s), (1, 100_000.0));
}
