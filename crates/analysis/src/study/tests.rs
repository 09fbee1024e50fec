//! Small systems with results computed by hand.

use super::*;
use crate::asked::{Asked, Interface};

fn asked(opens: u64, files: u64, read: u64, written: u64) -> Asked {
    Asked { opens, files, read, written }
}

fn run(job_id: u64, processes: u64, start_s: f64) -> RecordedRun {
    RecordedRun {
        job_id,
        exe: "/apps/a".into(),
        processes,
        nodes: None,
        start_s,
        runtime_s: 100.0,
        files: 2,
        files_written: 1,
        files_new: None,
        bytes_read: 1 << 30,
        bytes_written: 1 << 29,
        times_s: [1.0, 2.0, 1.0],
        mib_per_s: Some(64.0),
        io_time_s: Some(25.0),
        period_s: None,
        interfaces: vec![(Interface::Posix, asked(3, 2, 1 << 30, 1 << 29))],
        sharing: [asked(0, 1, 10, 0), asked(0, 0, 0, 0), asked(0, 1, 0, 20)],
        access: Access { calls: 10.0, sequential: 5.0, misaligned: 2.0, ..Access::default() },
        labels: vec!["write_steady".into()],
    }
}

fn job(number: u64, project: &str, start_s: f64, end_s: f64) -> BatchRun {
    BatchRun {
        number: Some(number),
        project: project.into(),
        nodes: Some(16),
        core_hours: 10.0,
        start_s,
        end_s,
    }
}

fn minute(at: u64, read: f64, written: f64) -> MinuteSum {
    MinuteSum { start_s: at as f64 * 60.0, observed_s: 60.0, read: read * 60.0, written: written * 60.0 }
}

#[test]
fn an_empty_system_has_no_answers() {
    let study = study(&System::default(), &Choice::ALL);
    assert!(study.interfaces.is_empty() && study.strategies.is_empty() && study.projects.is_empty());
    assert!(study.coverage.is_none() && study.timeline.is_none() && study.idle.is_none());
    assert!(study.file_systems.is_empty() && study.comparison.is_none());
    assert_eq!((study.performance.runs, study.looked.span_s), (0, None));
}

#[test]
fn a_run_belongs_to_the_job_of_its_number_that_ran_then() {
    let system = System {
        runs: vec![run(7, 4, 1000.0), run(7, 4, 90_000.0), run(7, 4, 50_000.0), run(8, 4, 900.0)],
        // The number was reused; the clock of job 8's node was slightly behind.
        batch: vec![
            job(7, "one", 900.0, 2000.0),
            job(7, "two", 89_000.0, 91_000.0),
            job(8, "three", 1000.0, 1100.0),
        ],
        ..System::default()
    };
    let joined = Joined::new(&system, &Choice::ALL);
    let projects: Vec<&str> = joined.runs.iter().map(|(_, _, job)| joined.project(*job)).collect();
    assert_eq!(projects, ["one", "two", UNKNOWN_PROJECT, "three"]);
    assert_eq!(joined.nodes(&system.runs[0], joined.runs[0].2), Some(16));
    let only = Choice { project: Some("two".into()), ..Choice::ALL };
    assert_eq!(Joined::new(&system, &only).runs.len(), 1);
    let later = Choice { from_s: Some(40_000.0), ..Choice::ALL };
    assert_eq!(Joined::new(&system, &later).runs.len(), 2);
}

#[test]
fn interfaces_and_sharing_are_counted_by_job_size() {
    let mut other = run(2, 2, 0.0);
    other.interfaces = vec![(Interface::Stdio, asked(0, 1, 5, 5)), (Interface::MpiIo, asked(1, 1, 0, 100))];
    other.sharing = [asked(0, 0, 0, 0); 3];
    let system = System { runs: vec![run(1, 3, 0.0), other, run(3, 5000, 0.0)], ..System::default() };
    let study = study(&system, &Choice::ALL);
    let small = &study.interfaces[0];
    assert_eq!((small.bin.low, small.bin.high, small.runs), (2, 4, 2));
    // Bytes count with or without an open; use is an open.
    assert_eq!(small.used, [1, 0, 1, 0, 0, 0]);
    assert_eq!((small.read[1], small.written[2], small.written[0]), (5, 100, 1 << 29));
    assert_eq!(study.interfaces[1].bin.low, 4097);
    assert_eq!(study.strategies[0].strategy, [0, 0, 1, 1]);
    assert_eq!((study.strategies[0].read, study.strategies[0].written), ([10, 0, 0], [0, 0, 20]));
}

#[test]
fn runs_that_an_older_program_added_are_told() {
    let mut old = run(1, 4, 0.0);
    old.interfaces.clear();
    let mut silent = run(2, 4, 0.0);
    silent.interfaces.clear();
    (silent.bytes_read, silent.bytes_written) = (0, 0);
    let system = System { runs: vec![old, silent, run(3, 4, 0.0)], ..System::default() };
    assert_eq!(study(&system, &Choice::ALL).looked.without_interfaces, 1);
}

#[test]
fn coverage_counts_jobs_once() {
    let system = System {
        // Two runs within one job.
        runs: vec![run(1, 4, 10.0), run(1, 4, 20.0)],
        batch: vec![
            job(1, "a", 0.0, 100.0),
            job(2, "a", 0.0, 100.0),
            job(3, "b", 0.0, 100.0),
            job(4, "", 0.0, 9.0),
        ],
        ..System::default()
    };
    let study = study(&system, &Choice::ALL);
    let coverage = study.coverage.expect("a job log");
    assert_eq!((coverage.totals.jobs_recorded, coverage.totals.jobs), (1, 4));
    assert_eq!((coverage.totals.core_hours_recorded, coverage.totals.core_hours), (10.0, 40.0));
    assert_eq!((coverage.projects_recorded, coverage.projects), (1, 2));
    assert_eq!((coverage.rows[0].project.as_str(), coverage.rows[0].interfaces.len()), ("a", 1));
    assert_eq!(study.projects[0].runs, 2);
    assert_eq!(study.files_per_run.points.len(), 1);
    assert_eq!(study.files_per_run.points[0].runs, 2);
}

#[test]
fn idle_periods_end_at_gaps() {
    // Peak 200 bytes per second, so below 10 is idle. Minutes 1 to 3, 5, then a gap, then 20 and 21.
    let rates =
        [(0, 200.0), (1, 0.0), (2, 9.0), (3, 0.0), (4, 50.0), (5, 1.0), (20, 1.0), (21, 1.0), (22, 100.0)];
    let minutes: Vec<MinuteSum> =
        rates.iter().map(|&(at, rate)| minute(at, rate / 2.0, rate / 2.0)).collect();
    let study = study(&System { minutes, ..System::default() }, &Choice::ALL);
    let idle = study.idle.expect("minutes");
    assert_eq!((idle.peak, idle.threshold, idle.observed, idle.strict, idle.longest), (200.0, 10.0, 9, 2, 3));
    let rows: Vec<(u64, u64)> = idle.rows.iter().map(|row| (row.count, row.minutes)).collect();
    assert_eq!(rows[..3], [(1, 1), (2, 5), (0, 0)]);
    let timeline = study.timeline.expect("minutes");
    assert_eq!(timeline.gaps, [(360.0, 1200.0)]);
    assert_eq!((timeline.peak_read, timeline.observed_s, timeline.days.len()), (100.0, 540.0, 1));
    let burstiness = study.burstiness.expect("minutes");
    assert_eq!((burstiness.intervals, burstiness.peak), (9, 200.0));
    assert!((burstiness.below_third - 7.0 / 9.0).abs() < 1e-12);
    assert_eq!(burstiness.cdf.last(), Some(&(200.0, 1.0)));
}

#[test]
fn growth_is_that_of_the_same_trees() {
    let bins = |small: u64, large: u64| {
        vec![
            Bin { low: 1 << 10, high: 1 << 11, count: small, bytes: small << 10 },
            Bin { low: 1 << 21, high: 1 << 22, count: large, bytes: large << 21 },
        ]
    };
    let snapshot = |taken_s: f64, files: u64, own: u64| ContentsFacts {
        roots: "/scratch".into(),
        taken_s,
        files,
        bytes: files * 1000,
        largest: 1 << 21,
        room: Some((0, 100_000)),
        sizes: bins(files - 2, 2),
        access_days: vec![
            Bin { low: 32, high: 64, count: files / 2, bytes: 5 },
            Bin { low: 64, high: 128, count: files / 2, bytes: 15 },
        ],
        modification_days: bins(1, 1),
        projects: [("p".to_string(), (own, own * 1000))].into(),
        project_sizes: [("p".to_string(), bins(own, 0))].into(),
    };
    let home = ContentsFacts {
        roots: "/home".into(),
        taken_s: 999.0,
        files: 1,
        bytes: 1,
        ..ContentsFacts::default()
    };
    let system = System {
        snapshots: vec![snapshot(2000.0, 30, 18), home, snapshot(1000.0, 20, 10)],
        ..System::default()
    };
    let study = study(&system, &Choice::ALL);
    let [system, home] = &study.file_systems[..] else { panic!("two file systems") };
    assert_eq!((home.roots.as_str(), home.sizes.files, home.growth.is_none()), ("/home", 1, true));
    let growth = system.growth.as_ref().expect("two snapshots");
    assert_eq!((growth.rows[0].files, growth.rows[0].bytes), ((20, 30), (20_000, 30_000)));
    assert_eq!(growth.rows[1].of_new, Within { files: 0.8, bytes: 0.8 });
    // 70,000 bytes are left, and 1,000 seconds add 10,000. The file limit falls back to 10^9.
    assert_eq!(growth.bytes_limit, Some((9000.0, 100_000.0)));
    assert_eq!(growth.files_limit.map(|(_, limit)| limit), Some(1e9));
    let sizes = &system.sizes;
    let without = sizes.without.as_ref().expect("a project");
    assert_eq!((without.project.as_str(), without.bins[0].count, without.bins[1].count), ("p", 10, 2));
    assert!((sizes.below[0].files - 28.0 / 30.0).abs() < 1e-12);
    assert_eq!(system.ages.accessed_64, Within { files: 0.5, bytes: 0.25 });
}

#[test]
fn only_large_runs_of_projects_are_measured() {
    let mut slow = run(2, 2048, 5.0);
    slow.mib_per_s = Some(16.0);
    slow.files_new = Some(1);
    let system = System {
        runs: vec![run(1, 2048, 5.0), slow, run(3, 64, 5.0), run(4, 4096, 5.0)],
        batch: vec![job(1, "p", 0.0, 9.0), job(2, "p", 0.0, 9.0), job(3, "p", 0.0, 9.0)],
        ..System::default()
    };
    let choice = Choice { node_limit: Some(3.0), ..Choice::ALL };
    let performance = study(&system, &choice).performance;
    // Job 3 is too small, and the project of job 4 is unknown.
    assert_eq!((performance.runs, performance.boxes[0].runs), (2, 2));
    assert_eq!(performance.boxes[0].five.median, 2.5);
    assert_eq!(performance.beyond, [(1, "p".to_string(), 4.0)]);
    let row = &performance.characteristics[0];
    assert_eq!((row.metadata_share, row.sequential, row.aligned), (Some(0.25), Some(0.5), Some(0.8)));
    assert_eq!((row.io_share, row.mib_per_process), (Some(0.25), Some(0.75)));
    assert_eq!(row.made_per_process, Some(1.0 / 2048.0), "of the runs that tell");
    let (_, nodes) = performance.by_nodes.expect("nodes");
    assert_eq!((nodes[0].nodes, nodes[0].runs), (16, 2));
}

#[test]
fn what_logs_do_not_tell_is_not_counted_as_new() {
    let mut told = run(1, 4, 0.0);
    (told.files_written, told.files_new) = (10, Some(9));
    let mut idle = run(2, 4, 0.0);
    idle.files_written = 0;
    let system = System { runs: vec![told, run(3, 4, 0.0), idle], ..System::default() };
    let overwrites = study(&system, &Choice::ALL).overwrites;
    assert_eq!((overwrites.written, overwrites.new, overwrites.told, overwrites.untold), (10, 9, 1, 1));
}

#[test]
fn findings_are_ordered_by_what_is_at_stake() {
    let finding = |run, code: &str, seconds| RunFinding {
        run,
        code: code.into(),
        severity: "high".into(),
        title: format!("{code} of {run}"),
        seconds_at_stake: seconds,
    };
    let system = System {
        runs: vec![run(1, 4, 0.0), run(2, 4, 0.0)],
        findings: vec![
            finding(0, "small", Some(5.0)),
            finding(1, "small", Some(7.0)),
            finding(0, "seeks", Some(50.0)),
            finding(1, "odd", None),
        ],
        ..System::default()
    };
    let sums = study(&system, &Choice::ALL).findings;
    let told: Vec<(&str, u64, f64, u64)> =
        sums.iter().map(|sum| (sum.code.as_str(), sum.runs, sum.seconds_at_stake, sum.worst_job)).collect();
    assert_eq!(told, [("seeks", 1, 50.0, 1), ("small", 2, 12.0, 2), ("odd", 1, 0.0, 2)]);
    assert_eq!(sums[1].title, "small of 1");
}

#[test]
fn the_second_half_stands_beside_the_first() {
    let system =
        System { runs: vec![run(1, 4, 0.0), run(2, 4, 600.0), run(3, 4, 900.0)], ..System::default() };
    let comparison = study(&system, &Choice::ALL).comparison.expect("1,000 seconds");
    assert_eq!((comparison.before_s, comparison.after_s), ((0.0, 500.0), (500.0, 1000.0)));
    let runs = comparison.measured.iter().find(|one| one.name == "runs").expect("runs");
    assert_eq!((runs.before, runs.after), (Some(1.0), Some(2.0)));
    // No period precedes one that begins with the data.
    let all = Choice { from_s: Some(0.0), ..Choice::ALL };
    assert!(study(&system, &all).comparison.is_none());
}

#[test]
fn weeks_and_periods_are_counted() {
    let mut periodic = run(1, 4, 10.0);
    periodic.period_s = Some(30.0);
    let system = System { runs: vec![periodic, run(2, 4, 700_000.0)], ..System::default() };
    let study = study(&system, &Choice::ALL);
    assert_eq!((study.weeks.len(), study.weeks[0].labels["write_steady"]), (2, 1));
    assert_eq!((study.periods.periodic, study.periods.runs, study.periods.bins[2]), (1, 2, (60.0, 1)));
    assert_eq!(study.periods.apps[0].period_s, 30.0);
}
