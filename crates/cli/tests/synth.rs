//! Synthetic data as a user generates it.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::{Folder, run};
use marigraph_formats::server::{Zone, read_jobs, read_throughput};
use marigraph_formats::snapshot;
use serde_json::Value;

fn truth(output: &str) -> Value {
    let text = std::fs::read_to_string(format!("{output}.truth.json")).expect("truth");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_trace_is_a_table_with_its_truth() {
    let folder = Folder::new("trace");
    let table = folder.file("phases.csv");
    let sizes = ["--ranks", "4", "--iterations", "5", "--volume", "1000", "--request", "300"];
    let (code, out, complaints) = run(&[&["synth", "trace", "-o", &table][..], &sizes].concat());
    assert_eq!((code, out.as_str(), complaints.as_str()), (0, "", ""));
    let text = std::fs::read_to_string(&table).expect("table");
    assert_eq!(text.lines().count(), 1 + 4 * 5 * 4, "four requests per rank and phase, and a heading");
    let truth = truth(&table);
    assert_eq!((&truth["requests"], &truth["bytes"]), (&80.into(), &20_000.into()));
    let starts: Vec<f64> =
        truth["starts_s"].as_array().expect("starts").iter().filter_map(Value::as_f64).collect();
    let first: f64 =
        text.lines().nth(1).and_then(|line| line.split(',').nth(1)?.parse().ok()).expect("start");
    assert!((starts[0] - first).abs() < 1e-6);
    let period_s = truth["period_s"].as_f64().expect("a period");
    assert!((period_s - (starts[4] - starts[0]) / 4.0).abs() < 1e-9 && (21.2..24.4).contains(&period_s));
    let (code, json, _) = run(&["show", "--json", &table]);
    let shown: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (code, &shown["totals"]["write_bytes"], &shown["job"]["nprocs"]),
        (0, &20_000.into(), &4.into())
    );
}

#[test]
fn recorded_phases_become_a_longer_trace() {
    let folder = Folder::new("recorded");
    let phase = |name: &str, length_s: f64| {
        let path = folder.file(name);
        let row = |rank: u32| format!("{rank},{:.2},{:.2},5000,write\n", 70.0, 70.0 + length_s);
        std::fs::write(&path, format!("rank,start,end,bytes,op\n{}{}", row(0), row(1))).expect("phase");
        path
    };
    let (short, long, out) = (phase("short.csv", 2.0), phase("long.csv", 3.0), folder.file("study.csv"));
    let how = ["--iterations", "40", "--cpu", "7", "--seed", "5"];
    let given = ["synth", "trace", "-o", &out, "--phases", &short, &long];
    let (code, _, complaints) = run(&[&given[..], &how].concat());
    assert_eq!((code, complaints.as_str()), (0, ""));
    let truth = truth(&out);
    assert_eq!((&truth["kind"], &truth["bytes"]), (&"recorded".into(), &400_000.into()));
    assert_eq!(truth["phases"].as_array().map(Vec::len), Some(2));
    let period_s = truth["period_s"].as_f64().expect("a period");
    assert!((9.0..=10.0).contains(&period_s), "{period_s}");
    let found = common::json_of("period", &[&out])["period_s"].as_f64().expect("found");
    assert!((found / period_s - 1.0).abs() < 0.01, "{found} {period_s}");
    let empty = folder.file("empty.csv");
    std::fs::write(&empty, "rank,start,end,bytes,op\n").expect("write");
    let (code, _, complaints) = run(&["synth", "trace", "-o", &out, "--phases", &empty]);
    assert!(code != 0 && complaints.contains("single operations"), "{complaints}");
    let (code, ..) = run(&[&given[..], &["--ranks", "4"]].concat());
    assert_eq!(code, 2, "the ranks are those of the recordings");
}

#[test]
fn a_trace_is_flushed_after_each_iteration() {
    let folder = Folder::new("flushes");
    let lines = folder.file("run.jsonl");
    let sizes = ["--ranks", "4", "--iterations", "5", "--volume", "1000", "--request", "300"];
    assert_eq!(run(&[&["synth", "trace", "-o", &lines][..], &sizes].concat()).0, 0);
    let text = std::fs::read_to_string(&lines).expect("lines");
    let writes: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .filter_map(|mut line| line.get_mut("write_sync").map(Value::take))
        .collect();
    let truth = truth(&lines);
    let bounds = |key: &str| truth[key].as_array().expect("times").clone();
    let (starts, ends) = (bounds("starts_s"), bounds("ends_s"));
    assert_eq!((writes.len(), starts.len()), (5, 5));
    for (mode, (start, end)) in writes.iter().zip(starts.iter().zip(&ends)) {
        assert_eq!(mode["total_bytes"], 4000);
        let times = |key: &str| {
            let times = mode["bandwidth"][key].as_array().expect("times").iter();
            times.filter_map(Value::as_f64).collect::<Vec<f64>>()
        };
        let first = times("t_rank_s").into_iter().fold(f64::INFINITY, f64::min);
        let last = times("t_rank_e").into_iter().fold(0.0, f64::max);
        assert!((first - start.as_f64().expect("start")).abs() < 1e-5);
        assert!((last - end.as_f64().expect("end")).abs() < 1e-5);
    }
}

#[test]
fn ranks_can_be_hidden() {
    let folder = Folder::new("hidden");
    let table = folder.file("phases.csv");
    assert_eq!(run(&["synth", "trace", "--kind", "reads", "--seed", "4", "--no-ranks", "-o", &table]).0, 0);
    let text = std::fs::read_to_string(&table).expect("table");
    assert!(text.lines().skip(1).all(|line| line.starts_with("0,")));
    assert!(text.contains(",read,") && text.contains(",write,"));
}

#[test]
fn a_trace_without_a_period_says_so() {
    let folder = Folder::new("aperiodic");
    let table = folder.file("random.csv");
    assert_eq!(run(&["synth", "trace", "--kind", "poisson", "--seed", "3", "-o", &table]).0, 0);
    let truth = truth(&table);
    assert_eq!((&truth["period_s"], &truth["kind"]), (&Value::Null, &"poisson".into()));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new("refused");
    let table = folder.file("x.csv");
    let refused = |arguments: &[&str]| {
        let (code, _, complaints) = run(&[&["synth", "trace"], arguments].concat());
        assert_eq!(code, 2, "{arguments:?}");
        assert!(complaints.starts_with("error: "), "{complaints}");
    };
    refused(&["-o", &folder.file("x.docx")]);
    for options in [
        ["--kind", "tidy"],
        ["--ranks", "0"],
        ["--request", "0"],
        ["--request", "1"],
        ["--io", "0"],
        ["--cpu", "-1"],
        ["--cpu", "nan"],
        ["--sigma", "inf"],
    ] {
        refused(&[&options[..], &["-o", &table]].concat());
    }
    assert_eq!(std::fs::read_dir(&folder.0).expect("folder").count(), 0, "nothing is left");
}

fn corpus(folder: &Folder, name: &str, options: &[&str]) -> (Vec<Value>, Vec<Vec<u8>>) {
    let output = folder.file(name);
    let (code, _, complaints) =
        run(&[&["synth", "corpus", "--logs", "40", "-o", &output][..], options].concat());
    assert_eq!((code, complaints.as_str()), (0, ""));
    let text = std::fs::read_to_string(format!("{output}/truth.jsonl")).expect("truth");
    let truth: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let logs = truth.iter().map(|line| {
        let log = line["log"].as_str().expect("the name of a log");
        std::fs::read(format!("{output}/{log}")).expect("log")
    });
    (truth.clone(), logs.collect())
}

#[test]
fn a_corpus_does_not_depend_on_threads() {
    let folder = Folder::new("corpus-threads");
    let one = corpus(&folder, "one", &["--seed", "5", "--threads", "1"]);
    assert!(one == corpus(&folder, "two", &["--seed", "5", "--threads", "3"]));
    assert!(one != corpus(&folder, "other", &["--seed", "6"]));
}

#[test]
fn logs_of_a_corpus_are_what_their_truth_says() {
    let folder = Folder::new("corpus-truth");
    let (truth, _) = corpus(&folder, "all", &["--seed", "2", "--corrupt", "0"]);
    for line in &truth {
        let log = format!("{}/{}", folder.file("all"), line["log"].as_str().expect("log"));
        let (code, json, complaints) = run(&["show", "--json", &log]);
        assert_eq!((code, complaints.as_str()), (0, ""));
        let shown: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(shown["problems"].as_array().map(Vec::len), Some(0), "{log}");
        for direction in ["read", "write"] {
            let expected = line["values"]["happened"][direction]["bytes"].as_f64();
            assert_eq!(shown["totals"][format!("{direction}_bytes")].as_f64(), expected, "{log} {direction}");
        }
    }
}

#[test]
fn damaged_logs_are_named() {
    let folder = Folder::new("corpus-damaged");
    let (truth, _) = corpus(&folder, "all", &["--seed", "3", "--corrupt", "1"]);
    assert!(truth.iter().all(|line| line["corruption"].is_string()));
    let valid = |line: &Value| line["valid"] == Value::Bool(true);
    assert!(truth.iter().all(|line| valid(line) == (line["corruption"] == "partial")));
    assert!(truth.iter().any(valid), "partial logs count");
}

#[test]
fn a_corpus_wants_a_new_folder_and_a_share() {
    let folder = Folder::new("corpus-refused");
    std::fs::write(folder.file("there"), "x").expect("file");
    let root = folder.0.display().to_string();
    for (options, why) in [
        (&["-o", &root][..], "is not empty"),
        (&["--corrupt", "1.5", "-o", &folder.file("new")][..], "a number from 0 to 1"),
        (&["--logs", "0", "-o", &folder.file("new")][..], "0 is not in"),
        (&["--evidence", "some", "-o", &folder.file("new")][..], "some"),
    ] {
        let (code, _, complaints) = run(&[&["synth", "corpus"][..], options].concat());
        assert_eq!(code, 2, "{complaints}");
        assert!(complaints.contains(why), "{complaints}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).expect("folder").count(), 1, "nothing is made");
}

fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        let name = path.file_name().expect("name").to_string_lossy().into_owned();
        if path.is_dir() {
            files
                .extend(files_of(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            files.insert(name, std::fs::read(&path).expect("file"));
        }
    }
    files
}

fn system(folder: &Folder, name: &str, options: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let output = folder.file(name);
    let size = ["synth", "system", "--jobs", "1000", "--days", "3", "--servers", "2", "-o", &output];
    let (code, out, complaints) = run(&[&size[..], options].concat());
    assert_eq!((code, out.as_str(), complaints.as_str()), (0, "", ""));
    files_of(Path::new(&output))
}

#[test]
fn a_system_depends_on_its_seed_and_not_on_threads() {
    let folder = Folder::new("system-threads");
    let one = system(&folder, "one", &["--seed", "5", "--threads", "1"]);
    assert!(one == system(&folder, "two", &["--seed", "5", "--threads", "3"]));
    let other = system(&folder, "other", &["--seed", "6", "--logs-share", "0.3"]);
    assert!(one["jobs.txt"] != other["jobs.txt"] && one["devices/fs001.csv"] != other["devices/fs001.csv"]);
    assert!(other.len() > one.len(), "more logs");
    let root = folder.0.display().to_string();
    for (options, why) in [
        (&["-o", &root][..], "is not empty"),
        (&["--jobs", "7", "-o", &folder.file("new")], "7 is not in"),
        (&["--logs-share", "0.9", "-o", &folder.file("new")], "must lie between"),
    ] {
        let (code, _, complaints) = run(&[&["synth", "system"][..], options].concat());
        assert!(code == 2 && complaints.contains(why), "{complaints}");
    }
}

#[test]
fn readers_find_in_a_system_what_its_truth_says() {
    let folder = Folder::new("system-truth");
    let files = system(&folder, "all", &["--seed", "7"]);
    let truth: Value = serde_json::from_slice(&files["truth.json"]).expect("JSON");
    let logs = files.keys().filter(|name| name.ends_with(".darshan")).count();
    assert_eq!(truth["study"]["runs"], logs);
    let zone = Zone::utc();
    let jobs = read_jobs(&files["jobs.txt"], &zone).expect("jobs");
    assert_eq!((jobs.format, jobs.problems.len()), ("sacct", 0));
    let ended: Vec<_> = jobs.jobs.iter().filter(|job| job.start.is_some() && job.end.is_some()).collect();
    assert_eq!((truth["study"]["batch_jobs"].as_u64(), ended.len()), (Some(1000), 1000));
    let hours = ended.iter().filter_map(|job| Some(job.processes? as f64 * (job.end? - job.start?) / 3600.0));
    let wanted = truth["Table II"]["total"]["core_hours"].as_f64().expect("hours");
    assert!((hours.sum::<f64>() - wanted).abs() < 1e-6 * wanted);
    assert!(ended.iter().any(|job| job.user.is_empty()) && ended.iter().any(|job| job.id.contains('_')));
    let mut sum = 0.0;
    for server in ["devices/fs001.csv", "devices/fs002.csv"] {
        let mut each =
            |reading: marigraph_model::Reading| sum += (reading.read + reading.write) * reading.seconds;
        let facts = read_throughput(&files[server], &zone, &mut each).expect("rates");
        assert!(facts.problems.is_empty());
    }
    let moved = |name: &str| truth["Fig 6"][name].as_f64().expect("bytes");
    let wanted = moved("bytes_read") + moved("bytes_written");
    assert!((sum - wanted).abs() < 1e-6 * wanted);
    let after = snapshot::read(&files["march.snap"]).expect("a snapshot").snapshot.contents;
    assert_eq!(truth["Fig 8"]["files"], after.kinds[0]);
    let lines = String::from_utf8(files["annotations.csv"].clone()).expect("text");
    assert_eq!(lines.lines().count(), 9, "seven times of maintenance, what was lost, and a heading");
}
