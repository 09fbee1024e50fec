//! Logs that cannot be trusted.

use marigraph_model::{ModuleInfo, Problem, ProblemKind};

use super::*;
use crate::valid::Invalid;

const FINE: fn() -> File = || {
    written(1, 10.0, 20.0, 1_000_000)
        .float(posix::F_OPEN_START_TIMESTAMP, 9.0)
        .float(posix::F_OPEN_END_TIMESTAMP, 9.1)
        .float(posix::F_CLOSE_START_TIMESTAMP, 20.5)
        .float(posix::F_CLOSE_END_TIMESTAMP, 21.0)
};

fn reason(file: File) -> Option<Invalid> {
    log(100.0, vec![file]).categorize().err()
}

#[test]
fn every_reason_is_found_and_has_a_code() {
    assert_eq!(reason(FINE()), None);
    let cases = [
        (FINE().float(posix::F_WRITE_START_TIMESTAMP, -3.0), "negative_timestamp"),
        (FINE().float(posix::F_WRITE_START_TIMESTAMP, f64::NAN), "negative_timestamp"),
        (FINE().float(posix::F_WRITE_END_TIMESTAMP, 101.1), "late_timestamp"),
        (FINE().float(posix::F_CLOSE_END_TIMESTAMP, 8.0), "close_before_open"),
        (FINE().float(posix::F_WRITE_END_TIMESTAMP, 9.0), "last_before_first"),
        (written(1, 0.0, 0.0, 5), "bytes_without_timestamps"),
        (written(1, 10.0, 20.0, 0).int(posix::WRITES, 0), "timestamps_without_bytes"),
        (written(1, 10.0, 20.0, 0).int(posix::SIZE_WRITE_1M_4M, 7), "timestamps_without_bytes"),
        (written(1, 10.0, 20.0, 10_000_000_000_001), "implausible_bytes"),
        (written(1, 10.0, 20.0, -7), "implausible_bytes"),
    ];
    for (file, code) in cases {
        assert_eq!(reason(file.clone()).map(Invalid::code), Some(code), "{file:?}");
    }
}

#[test]
fn what_real_logs_do_is_no_fault() {
    assert_eq!(reason(FINE().float(posix::F_WRITE_END_TIMESTAMP, 101.0)), None, "a second late");
    assert_eq!(reason(written(1, 10.0, 20.0, 0).int(posix::SIZE_WRITE_0_100, 1)), None, "nothing to move");
    assert_eq!(reason(written(1, 10.0, 20.0, 10_000_000_000_000)), None, "100 GB/s for 100 s");
    let fallback = written(1, 0.0, 0.0, 200_000_000)
        .float(posix::F_OPEN_START_TIMESTAMP, 1.0)
        .float(posix::F_CLOSE_END_TIMESTAMP, 20.0);
    let found = log(100.0, vec![fallback]).found();
    assert_eq!(labels(&found, "write_"), ["on_start"], "the time while it was open");
    let mut stream = written(FileId::STDOUT.0, 0.0, 0.0, 3600);
    stream.module = Module::Stdio;
    assert_eq!(reason(stream), None, "standard streams are always open");
}

#[test]
fn the_job_itself_can_be_wrong() {
    assert_eq!(log(0.0, Vec::new()).categorize().err(), Some(Invalid::ZeroRuntime));
    assert_eq!(log(-50.0, Vec::new()).categorize().err(), Some(Invalid::EndBeforeStart));
    let none = Log { nprocs: 0, ..log(10.0, Vec::new()) };
    assert_eq!(none.categorize().err(), Some(Invalid::NoProcesses));
}

#[test]
fn damage_is_fatal_and_gaps_are_told() {
    let log = log(100.0, vec![FINE()]);
    let with = |kind: ProblemKind, partial: bool| {
        let problems = [Problem::new(kind, "")];
        let modules = [ModuleInfo { module: Module::Posix, version: 4, partial }];
        let job = log.job();
        let facts = Facts { job: &job, modules: &modules, problems: &problems, traced: Evidence::Dxt };
        categorize(log.collect(), &facts, &Thresholds::default()).map(|categories| categories.incomplete)
    };
    assert_eq!(with(ProblemKind::Truncated, false), Err(Invalid::Truncated));
    assert_eq!(with(ProblemKind::Corrupt, false), Err(Invalid::Truncated));
    assert_eq!(with(ProblemKind::Partial, false), Ok(true));
    assert_eq!(with(ProblemKind::NotRecorded, false), Ok(false));
    assert_eq!(with(ProblemKind::NotRecorded, true), Ok(true));
}

#[test]
fn the_first_reason_does_not_depend_on_the_order() {
    let late = FINE().float(posix::F_WRITE_END_TIMESTAMP, 200.0);
    let negative = FINE().float(posix::F_WRITE_START_TIMESTAMP, -1.0);
    for files in [vec![late.clone(), negative.clone()], vec![negative, late]] {
        assert_eq!(log(100.0, files).categorize().err(), Some(Invalid::NegativeTimestamp));
    }
}
