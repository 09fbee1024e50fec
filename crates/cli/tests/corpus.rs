//! `categorize --into`: results on a corpus, also after damage and kills.
#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use common::{Folder, json_of, marigraph, run};
use serde_json::Value;

struct Corpus {
    folder: Folder,
}

impl Corpus {
    fn new(name: &str, logs: u64) -> Corpus {
        let corpus = Corpus { folder: Folder::new(&format!("corpus-{name}")) };
        let (code, _, complaints) = run(&[
            "synth",
            "corpus",
            "--logs",
            &logs.to_string(),
            "--seed",
            "5",
            "--quiet",
            "-o",
            &corpus.name("logs"),
        ]);
        assert_eq!(code, 0, "{complaints}");
        let logs = corpus.path("logs");
        fs::write(logs.join("empty.darshan"), b"").expect("write");
        fs::write(logs.join("notes.txt"), b"not a log").expect("write");
        std::os::unix::fs::symlink(&logs, logs.join("loop")).expect("link");
        std::os::unix::fs::symlink("/nowhere", logs.join("dangling")).expect("link");
        corpus
    }

    fn path(&self, name: &str) -> PathBuf {
        PathBuf::from(self.folder.file(name))
    }

    fn name(&self, name: &str) -> String {
        self.folder.file(name)
    }

    fn categorize(&self, into: &str, more: &[&str]) -> Value {
        let (logs, into) = (self.name("logs"), self.name(into));
        json_of("categorize", &[&[logs.as_str(), "--into", &into, "--quiet"], more].concat())
    }

    fn output(&self, into: &str) -> BTreeMap<&'static str, Vec<u8>> {
        let files = ["summary.json", "report.html", "traces.parquet"];
        files.into_iter().map(|name| (name, fs::read(self.path(into).join(name)).expect(name))).collect()
    }

    fn truth(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("logs/truth.jsonl")).expect("truth");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

/// Number of complete pieces; a killed run leaves partial ones, which a later run removes.
fn pieces(folder: &Path) -> usize {
    let files = fs::read_dir(folder.join("pieces")).into_iter().flatten().flatten();
    files.filter(|file| !file.file_name().to_string_lossy().starts_with('.')).count()
}

#[test]
fn a_corpus_is_counted_as_it_is() {
    let corpus = Corpus::new("counted", 400);
    let summary = corpus.categorize("out", &[]);
    let truth = corpus.truth();
    let valid = truth.iter().filter(|line| line["valid"] == true).count() as u64;
    assert_eq!(summary["valid"], valid);
    // The truth itself, the empty file and the notes are not logs; links lead nowhere new.
    assert_eq!(summary["read"], 403);
    let skipped = summary["skipped"].as_object().expect("reasons");
    assert_eq!(skipped.values().filter_map(Value::as_u64).sum::<u64>(), 403 - valid);
    assert_eq!((&skipped["empty"], skipped["not_a_log"].as_u64() >= Some(2)), (&1.into(), true));
    let users = truth.iter().filter(|line| line["valid"] == true);
    let groups: std::collections::BTreeSet<String> = users.map(|line| line["group"].to_string()).collect();
    assert_eq!(summary["unique"], groups.len());
    let left: Vec<&Value> = (0..3).map(|at| &summary["funnel"][at]["logs"]).collect();
    assert_eq!(left, [&summary["read"], &summary["valid"], &summary["unique"]]);
    let share = summary["funnel"][2]["share_of_before"].as_f64().expect("a share");
    assert!((share - groups.len() as f64 / valid as f64).abs() < 1e-4, "{share}");
    let labels = summary["labels"].as_object().expect("labels");
    assert_eq!(labels.len(), 32);
    for (name, counts) in labels {
        // The generator's truth comes from code of its own.
        let true_count = truth
            .iter()
            .filter(|line| line["valid"] == true)
            .filter(|line| {
                line["shown"].as_array().is_some_and(|shown| shown.iter().any(|label| label == name))
            })
            .count() as i64;
        let count = counts["all_runs"]["count"].as_i64().expect("a count");
        // Heat maps hide some of two periodic activities at once.
        let hidden = if name.contains("_periodic") { valid as i64 / 100 } else { 2 };
        assert!((count - true_count).abs() <= hidden, "{name}: {count}, but {true_count} are true");
        assert!(counts["single_run"]["count"].as_i64() <= Some(count));
    }
    let written: Value =
        serde_json::from_slice(&corpus.output("out")["summary.json"]).expect("summary.json is JSON");
    assert_eq!(written, summary);
}

#[test]
fn threads_and_the_order_of_inputs_change_nothing() {
    let corpus = Corpus::new("order", 300);
    corpus.categorize("one", &["--threads", "1"]);
    corpus.categorize("three", &["--threads", "3"]);
    let mut files: Vec<String> = walk(&corpus.path("logs"));
    files.reverse();
    files.extend(files.first().cloned());
    let into = corpus.name("reversed");
    let named: Vec<&str> = files.iter().map(String::as_str).chain(["--into", &into, "--quiet"]).collect();
    json_of("categorize", &named);
    let one = corpus.output("one");
    assert_eq!(corpus.output("three"), one);
    assert_eq!(corpus.output("reversed"), one);
}

fn walk(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.file_type().expect("a type") {
            kind if kind.is_dir() => files.extend(walk(&entry.path())),
            kind if kind.is_file() => files.push(entry.path().display().to_string()),
            _ => {}
        }
    }
    files
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let corpus = Corpus::new("killed", 300);
    corpus.categorize("whole", &[]);
    let mut kept = 0;
    for wait_ms in [0, 3, 8, 15, 25, 40, 60, 90] {
        let mut child = marigraph()
            .args(["categorize", "--quiet", "--into", &corpus.name("cut"), &corpus.name("logs")])
            .stdout(Stdio::null())
            .spawn()
            .expect("run");
        std::thread::sleep(Duration::from_millis(wait_ms));
        child.kill().expect("kill");
        child.wait().expect("wait");
        let now = pieces(&corpus.path("cut"));
        assert!(now >= kept, "{now} pieces after {kept}");
        kept = now;
    }
    corpus.categorize("cut", &[]);
    assert_eq!(corpus.output("cut"), corpus.output("whole"));
    assert_eq!(pieces(&corpus.path("cut")), pieces(&corpus.path("whole")));
}

#[test]
fn what_is_done_is_not_done_again_unless_it_changed() {
    let corpus = Corpus::new("again", 200);
    corpus.categorize("out", &[]);
    let again = |more: &[&str]| {
        let (logs, into) = (corpus.name("logs"), corpus.name("out"));
        let (code, _, said) = run(&[&["categorize", &logs, "--into", &into], more].concat());
        assert_eq!(code, 0, "{said}");
        let line = said.lines().find(|line| line.contains("are unchanged")).map(String::from);
        line.and_then(|line| line.split(' ').next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    assert_eq!(again(&[]), 203);
    // A new log and a changed log: only their pieces are made again.
    fs::copy(corpus.path("logs/00000/00000003.darshan"), corpus.path("logs/00000/new.darshan"))
        .expect("copy");
    fs::write(corpus.path("logs/00000/00000150.darshan"), b"spoiled").expect("write");
    let kept = again(&[]);
    assert!((50..203).contains(&kept), "{kept}");
    // Other thresholds give other labels.
    assert_eq!(again(&["--threshold", "busy_share=0.5"]), 0);
    // A torn piece is made again.
    let whole = corpus.output("out");
    let piece = fs::read_dir(corpus.path("out/pieces")).expect("pieces").flatten().next().expect("one");
    let bytes = fs::read(piece.path()).expect("read");
    fs::write(piece.path(), &bytes[..bytes.len() / 2]).expect("write");
    assert!(again(&["--threshold", "busy_share=0.5"]) < 204);
    assert_eq!(corpus.output("out"), whole);
}

#[test]
fn output_among_the_inputs_is_no_input() {
    let corpus = Corpus::new("among", 40);
    let first = corpus.categorize("logs/out", &[]);
    assert_eq!(corpus.categorize("logs/out", &[]), first);
    assert_eq!(first["read"], 43);
}

#[test]
fn trouble_is_told() {
    let corpus = Corpus::new("trouble", 20);
    let empty = corpus.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let (code, _, said) = run(&["categorize", &corpus.name("empty"), "--into", &corpus.name("a")]);
    assert!(code == 1 && said.contains("the folder has no files"), "{code} {said}");
    let (code, _, said) = run(&["categorize", &corpus.name("log"), "--into", &corpus.name("a")]);
    assert!(code == 1 && said.contains("check the name"), "{code} {said}");
    let (code, _, said) = run(&["categorize", &corpus.name("logs"), "--into", "/dev/null/x"]);
    assert!(code == 1 && said.contains("cannot write"), "{code} {said}");
    let into = corpus.name("b");
    let (code, _, said) = run(&["categorize", "--strict", &corpus.name("logs"), "--into", &into]);
    assert!(code == 1 && said.contains("skipped and --strict"), "{code} {said}");
    assert!(Path::new(&into).join("summary.json").exists());
    let list = corpus.name("skipped.txt");
    run(&["categorize", &corpus.name("logs"), "--into", &into, "--quiet", "--skipped", &list]);
    let listed = fs::read_to_string(&list).expect("a list");
    assert!(listed.contains("empty.darshan\tthe file is empty\n"), "{listed}");
    let (code, _, said) =
        run(&["categorize", &corpus.name("logs"), "--into", &into, "--threshold", "nope=1"]);
    assert!(code == 2 && said.contains("unknown threshold"), "{code} {said}");
}
