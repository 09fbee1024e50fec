//! `signature`: what an application does to storage, from fully known logs.
#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::collections::BTreeSet;
use std::io::Write;

use common::{Folder, fields, names_in, run};
use serde_json::Value;

/// Midnight of 2023-11-15, when the log begins.
const MIDNIGHT: u64 = 1_700_006_400;
/// Seconds covered by the log.
const COVERED: u64 = 9000;
/// Seconds of a run; the interval between starts, the first of which comes after half of it.
const LENGTH: u64 = 600;
const EVERY: u64 = 1000;
const RUNS: u64 = 6;
const BURSTS: [u64; 5] = [60, 180, 300, 420, 540];
const BURST: u64 = 20;
const RATE: f64 = 2e9;

/// Words of the contract that are values, not fields.
const VALUES: [&str; 6] = ["auto", "iosi", "dtw", "weak", "strong", "neither"];

/// Number, user, name, start and end in seconds after midnight.
type Job = (u64, &'static str, &'static str, u64, u64);

/// Jobs above 100 have twice the nodes.
fn nodes(id: u64) -> u64 {
    if id > 100 { 8 } else { 4 }
}

struct Logs {
    folder: Folder,
    jobs: Vec<Job>,
    rows: Vec<String>,
}

fn writes(jobs: &[Job], second: u64) -> bool {
    jobs.iter()
        .filter(|job| job.2 == "square" && (job.3..job.4).contains(&second))
        .any(|job| BURSTS.iter().any(|start| (job.3 + start..job.3 + start + BURST).contains(&second)))
}

impl Logs {
    /// Six runs of a square wave, a restart, and another user's job with a burst while the third
    /// run is quiet.
    fn new(name: &str) -> Logs {
        let begin = |at: u64| 500 + at * EVERY;
        let mut jobs: Vec<Job> =
            (0..RUNS).map(|at| (at + 1, "ann", "square", begin(at), begin(at) + LENGTH)).collect();
        jobs.push((7, "ann", "square", begin(6), begin(6) + 250));
        jobs.push((8, "bob", "other", begin(2) + 90, begin(2) + 160));
        let mut state = 7u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut row = |second: u64| {
            let own = if writes(&jobs, second) { RATE } else { 0.0 };
            let foreign = if (begin(2) + 100..begin(2) + 140).contains(&second) { 1e9 } else { 0.0 };
            format!("{},{:.0},{:.0}", MIDNIGHT + second, own + foreign + 4e7 * noise(), 1e6 * noise())
        };
        let rows = (0..COVERED).step_by(2).map(&mut row).collect();
        Logs { folder: Folder::new(&format!("signature-{name}")), jobs, rows }
    }

    /// The last three runs were on twice the nodes and wrote the same.
    fn on_two_node_counts(name: &str) -> Logs {
        let mut logs = Logs::new(name);
        logs.jobs.iter_mut().filter(|job| (4..=6).contains(&job.0)).for_each(|job| job.0 += 100);
        logs
    }

    fn throughput(&self) -> String {
        format!("timestamp,write_bytes_per_s,read_bytes_per_s\n{}\n", self.rows.join("\n"))
    }

    /// The job log, written in a zone `hours` east of UTC.
    fn sacct(&self, hours: u64) -> String {
        let time = |second: u64| {
            let second = second + 3600 * hours;
            format!("2023-11-15T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
        };
        let line = |&(id, user, name, start, end): &Job| {
            format!("{id}|{user}|{name}|{}|COMPLETED|{}|{}\n", nodes(id), time(start), time(end))
        };
        let lines: String = self.jobs.iter().map(line).collect();
        format!("JobID|User|JobName|NNodes|State|Start|End\n{lines}")
    }

    fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder.file(name);
        std::fs::write(&path, content).expect("write");
        path
    }

    fn run(&self, more: &[&str]) -> (i32, String, String) {
        let jobs = self.put("jobs", self.sacct(0));
        let throughput = self.put("log", self.throughput());
        run(&[&["signature", "--quiet", "--jobs", &jobs, "--throughput", &throughput], more].concat())
    }

    fn all(&self, more: &[&str]) -> Vec<Value> {
        documents(self.run(&[&["--json"], more].concat()))
    }

    fn square(&self, more: &[&str]) -> Value {
        let found = self.all(&[&["--app", "square"], more].concat());
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_iter().next().expect("one")
    }
}

fn documents((code, out, complaints): (i32, String, String)) -> Vec<Value> {
    assert_eq!((code, complaints.as_str()), (0, ""));
    out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn result(mut document: Value) -> Value {
    document["problems"] = Value::Null;
    document
}

fn reason(document: &Value, job: &str) -> String {
    let dropped = document["dropped"].as_array().expect("dropped");
    let found = dropped.iter().find(|dropped| dropped["job"] == job);
    found.map_or_else(String::new, |dropped| dropped["reason"].as_str().expect("words").to_string())
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn assert_bursts(document: &Value) {
    let bursts = document["bursts"].as_array().expect("bursts");
    assert_eq!(bursts.len(), BURSTS.len(), "{bursts:?}");
    for (burst, start) in bursts.iter().zip(BURSTS) {
        let (from, to) = (number(&burst["start_s"]), number(&burst["end_s"]));
        assert!((from - start as f64).abs() <= 2.0 && (to - (start + BURST) as f64).abs() <= 2.0, "{burst}");
        assert!((number(&burst["bytes"]) / (RATE * BURST as f64) - 1.0).abs() < 0.05, "{burst}");
        assert!(number(&burst["support"]) >= 5.0, "{burst}");
    }
}

#[test]
fn bursts_are_where_they_were_put_and_a_restart_is_left_out() {
    let found = Logs::new("bursts").square(&[]);
    assert_bursts(&found);
    assert_eq!((&found["user"], &found["nodes"], &found["samples"]), (&"ann".into(), &4.into(), &6.into()));
    assert!(reason(&found, "7").contains("unlike the other runs"), "{}", found["dropped"]);
    assert!((number(&found["period_s"]) - 120.0).abs() <= 2.0);
    assert!((number(&found["duration_s"]) - LENGTH as f64).abs() <= 2.0);
    assert_eq!(found["write"].as_array().map(Vec::len), found["duration_s"].as_u64().map(|len| len as usize));
    assert_eq!(found["problems"], Value::Array(Vec::new()));
}

#[test]
fn the_fields_emitted_are_those_of_the_contract() {
    let page = common::contract();
    let section = page.split("## JSON of `signature`").nth(1).expect("section");
    let fields_only = section.split("Flags:").next().expect("before the flags");
    let names = names_in(&format!("## x{fields_only}"), "## x").into_iter();
    let wanted: BTreeSet<String> = names.filter(|name| !VALUES.contains(&name.as_str())).collect();
    assert!(wanted.len() > 15, "{wanted:?}");
    let mut emitted = BTreeSet::new();
    fields(&Logs::new("fields").square(&[]), &mut emitted);
    // Only an application on several node counts has a scaling.
    fields(&Logs::on_two_node_counts("fields-scaling").all(&["--app", "square"])[0], &mut emitted);
    let missing: Vec<_> = wanted.difference(&emitted).collect();
    assert!(missing.is_empty(), "{missing:?} are in the contract but not emitted");
}

#[test]
fn of_one_application_on_two_node_counts_the_scaling_is_told() {
    let logs = Logs::on_two_node_counts("scaling");
    let found = logs.all(&["--app", "square"]);
    assert_eq!(found.len(), 2, "{found:?}");
    for one in &found {
        let scaling = &one["scaling"];
        assert_eq!(scaling["scales"], "strong", "{scaling}");
        let nodes: Vec<&Value> =
            scaling["points"].as_array().expect("points").iter().map(|point| &point["nodes"]).collect();
        assert_eq!(nodes, [4, 8]);
        assert!(number(&scaling["exponents"]["bytes"]).abs() < 0.05, "{scaling}");
    }
    let (_, text, _) = logs.run(&["--app", "square"]);
    assert!(text.contains("strong scaling"), "{text}");
}

#[test]
fn in_part_runs_are_used_as_far_as_the_log_goes() {
    let mut logs = Logs::new("partial");
    logs.jobs.retain(|job| job.0 <= RUNS);
    // The log ends 400 seconds after the start of the last run.
    let last = logs.jobs.last().expect("jobs").3;
    logs.rows.truncate(((last + 400) / 2) as usize);
    assert!(reason(&logs.square(&[]), "6").contains("not within"));
    let found = logs.square(&["--partial"]);
    assert_eq!((&found["samples"], &found["dropped"]), (&6.into(), &Value::Array(Vec::new())));
    assert!((number(&found["duration_s"]) - 400.0).abs() <= 2.0, "{}", found["duration_s"]);
    assert_eq!(found["bursts"].as_array().map(Vec::len), Some(3), "those of the first 400 seconds");
}

#[test]
fn other_methods_give_a_result() {
    let logs = Logs::new("methods");
    for method in ["iosi", "dtw"] {
        let found = logs.square(&["--method", method]);
        assert_eq!(found["method"], method);
        let bytes: f64 = found["write"].as_array().expect("rates").iter().map(number).sum();
        let true_bytes = RATE * (BURST * BURSTS.len() as u64) as f64;
        assert!((0.5..1.5).contains(&(bytes / true_bytes)), "{method}: {bytes}");
    }
}

#[test]
fn filters_choose_and_what_is_unknown_is_told() {
    let logs = Logs::new("filters");
    assert_eq!(logs.all(&["--user", "ann"]).len(), 1);
    for (filter, name) in [("--app", "nothing"), ("--user", "eve")] {
        let (code, out, complaints) = logs.run(&[filter, name]);
        assert_eq!((code, out.as_str()), (1, ""));
        assert!(complaints.contains(name) && complaints.contains("hint: "), "{complaints}");
    }
    let (code, _, complaints) = logs.run(&["--app", "other"]);
    assert_eq!(code, 1, "one run only");
    assert!(complaints.contains("more than 1 run;") && complaints.contains("3 are needed"), "{complaints}");
}

#[test]
fn order_and_repetition_of_rows_do_not_matter() {
    let mut logs = Logs::new("order");
    let sorted = result(logs.square(&[]));
    let again: Vec<String> = logs.rows[100..300].to_vec();
    logs.rows.extend(again);
    assert_eq!(result(logs.square(&[])), sorted, "repeated");
    logs = Logs::new("backwards");
    logs.rows.reverse();
    assert_eq!(result(logs.square(&[])), sorted, "backwards");
}

#[test]
fn rates_that_are_none_are_problems() {
    let mut logs = Logs::new("rates");
    for (at, rate) in [(300, "NaN"), (800, "-5")] {
        logs.rows[at] = format!("{},{rate},0", MIDNIGHT + 2 * at as u64);
    }
    let found = logs.square(&[]);
    assert_bursts(&found);
    assert_eq!(found["problems"][0]["kind"], "bad_line", "{}", found["problems"]);
}

#[test]
fn runs_that_were_not_observed_are_left_out() {
    let mut logs = Logs::new("gap");
    logs.jobs.push((9, "ann", "square", COVERED + 1000, COVERED + 1000 + LENGTH));
    // A tenth of the second run is missing.
    logs.rows.drain(850..880);
    let found = logs.square(&[]);
    assert_bursts(&found);
    assert_eq!(reason(&found, "2"), "the throughput log has a gap in it");
    assert_eq!(reason(&found, "9"), "not within the throughput log");
    assert_eq!(found["samples"], 5);
}

#[test]
fn zones_shift_the_job_log() {
    let logs = Logs::new("zones");
    let expected = logs.square(&[]);
    let (jobs, throughput) = (logs.put("east", logs.sacct(2)), logs.put("log", logs.throughput()));
    let with = |zone: &str| {
        run(&[
            "signature",
            "--json",
            "--quiet",
            "--app",
            "square",
            "--jobs",
            &jobs,
            "--throughput",
            &throughput,
            "--tz",
            zone,
        ])
    };
    assert_eq!(documents(with("+02:00")), [expected]);
    assert_eq!(with("UTC").0, 1, "two hours later most runs are not in the log");
    let (code, _, complaints) = with("Middle/Earth");
    assert_eq!(code, 2, "{complaints}");
    assert!(complaints.contains("Middle/Earth"), "{complaints}");
}

#[test]
fn threads_do_not_matter() {
    let logs = Logs::new("threads");
    let one = logs.run(&["--json", "--threads", "1"]);
    assert_eq!(one.0, 0, "{}", one.2);
    assert_eq!(logs.run(&["--json", "--threads", "2"]), one);
}

#[test]
fn partitions_are_told_apart_and_packed_logs_are_read() {
    let logs = Logs::new("partitions");
    let jobs = logs.put("jobs", logs.sacct(0));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(logs.throughput().as_bytes()).expect("pack");
    let busy = format!("a={}", logs.put("busy.gz", packed.finish().expect("pack")));
    let quiet: String = (0..COVERED).step_by(2).map(|at| format!("{},1000,0\n", MIDNIGHT + at)).collect();
    let quiet = format!("b={}", logs.put("quiet", quiet));
    let words = ["signature", "--json", "--app", "square", "--jobs", &jobs, "--throughput", &busy, &quiet];
    let found = documents(run(&words));
    let named: Vec<&str> = found.iter().filter_map(|one| one["partition"].as_str()).collect();
    assert_eq!(named, ["a", "b"], "heaviest first");
    assert_bursts(&found[0]);
    let mut alone = logs.square(&[]);
    alone["partition"] = "a".into();
    assert_eq!(found[0], alone);
    assert_eq!(found[1]["bursts"], Value::Array(Vec::new()));
    // A log of another day does not cover these runs, and does not hide the next log.
    let other_day: String = (0..90).map(|at| format!("{},1000,0\n", MIDNIGHT - 86_400 + 2 * at)).collect();
    let other_day = format!("0={}", logs.put("other-day", other_day));
    let words =
        ["signature", "--json", "--app", "square", "--jobs", &jobs, "--throughput", &other_day, &busy];
    assert_eq!(documents(run(&words)), [alone]);
}
