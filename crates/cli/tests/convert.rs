//! Conversions: nothing is lost, and many logs become one.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use common::{Folder, run};
use serde_json::Value;

const SMALL: &str = "testdata/darshan/small.darshan";

fn document(path: &str) -> Value {
    let (code, json, complaints) = run(&["show", "--json", path]);
    assert_eq!(code, 0, "{complaints}");
    serde_json::from_str(&json).expect("JSON")
}

#[test]
fn a_log_rewritten_says_the_same() {
    let folder = Folder::new("rewrite");
    let copy = folder.file("copy.darshan");
    assert_eq!(run(&["convert", SMALL, "-o", &copy]).0, 0);
    let (mut old, mut new) = (document(SMALL), document(&copy));
    old["input"].take();
    new["input"].take();
    assert_eq!(old, new);
    assert_eq!(
        run(&["show", "--dxt", SMALL]).1.lines().count(),
        run(&["show", "--dxt", &copy]).1.lines().count()
    );
}

#[test]
fn operations_go_to_a_table_and_back() {
    let folder = Folder::new("table");
    let (table, log) = (folder.file("ops.csv"), folder.file("ops.darshan"));
    let (code, _, complaints) = run(&["convert", SMALL, "-o", &table]);
    assert!(code == 0 && complaints.contains("left out"), "{complaints}");
    let text = std::fs::read_to_string(&table).expect("table");
    assert!(text.starts_with("rank,start,end,bytes,op,file,offset\n0,"));
    assert_eq!(run(&["convert", &table, "-o", &log]).0, 0);
    let (original, derived) = (document(SMALL), document(&log));
    // The result files of the sample are records without traced operations.
    let traced: u64 =
        text.lines().skip(1).filter(|line| line.contains(",write,")).map(|line| field(line, 3)).sum();
    assert_eq!(derived["totals"]["write_bytes"], traced);
    assert_eq!(derived["totals"]["read_bytes"], original["totals"]["read_bytes"]);
    assert_eq!(derived["job"]["nprocs"], original["job"]["nprocs"]);
    let modules: Vec<&str> =
        derived["modules"].as_array().expect("list").iter().filter_map(|m| m["name"].as_str()).collect();
    assert!(
        modules.contains(&"POSIX") && modules.contains(&"HEATMAP") && modules.contains(&"DXT_POSIX"),
        "{modules:?}"
    );
}

fn field(line: &str, at: usize) -> u64 {
    line.split(',').nth(at).expect("field").parse().expect("number")
}

#[test]
fn a_table_on_standard_input_becomes_a_log() {
    use std::io::Write;
    let folder = Folder::new("stdin");
    let log = folder.file("ops.darshan");
    let mut child = common::marigraph()
        .args(["convert", "-", "-o", &log])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("run");
    child.stdin.take().expect("stdin").write_all(b"rank,start,end,bytes,op\n0,0,1,5,read\n").expect("pipe");
    assert!(child.wait().expect("wait").success());
    assert_eq!(document(&log)["totals"]["read_bytes"], 5);
}

#[test]
fn heat_maps_keep_their_bytes_when_logs_are_combined() {
    // Short jobs: one bin each.
    let folder = Folder::new("bins");
    let (table, log, whole) =
        (folder.file("ops.csv"), folder.file("ops.darshan"), folder.file("whole.darshan"));
    std::fs::write(&table, "rank,start,end,bytes,op\n0,0,0.05,1000,write\n").expect("write");
    assert_eq!(run(&["convert", &table, "-o", &log]).0, 0);
    assert_eq!(run(&["convert", &log, &log, "-o", &whole]).0, 0);
    let (_, text, _) = run(&["show", "--darshan-parser", &whole]);
    let bins = text.lines().filter(|line| line.contains("HEATMAP_WRITE_BIN_"));
    let sum: u64 =
        bins.map(|line| line.split('\t').nth(4).expect("value").parse::<u64>().expect("number")).sum();
    assert_eq!(sum, 2000);
}

#[test]
fn logs_of_a_workflow_become_one() {
    let folder = Folder::new("merge");
    let logs: Vec<String> = (1..=3)
        .map(|seed| {
            let path = folder.file(&format!("part{seed}.darshan"));
            let seed = seed.to_string();
            let arguments = [
                "synth",
                "job",
                "--seed",
                &seed,
                "--ranks",
                "2",
                "--checkpoints",
                "1",
                "--files",
                "3",
                "-o",
                &path,
            ];
            assert_eq!(run(&arguments).0, 0);
            path
        })
        .collect();
    let merged = folder.file("merged.darshan");
    let arguments: Vec<&str> =
        std::iter::once("convert").chain(logs.iter().map(String::as_str)).chain(["-o", &merged]).collect();
    assert_eq!(run(&arguments).0, 0);
    let whole = document(&merged);
    let parts: Vec<Value> = logs.iter().map(|path| document(path)).collect();
    for field in ["read_bytes", "write_bytes", "reads", "writes", "metadata_ops"] {
        let sum: u64 = parts.iter().map(|part| part["totals"][field].as_u64().expect("number")).sum();
        assert_eq!(whole["totals"][field], sum, "{field}");
    }
    assert_eq!(whole["job"]["nprocs"], 6);
    assert_eq!(whole["job"]["metadata"]["combined_logs"], "3");
    assert_eq!(whole["problems"], Value::Array(vec![]));
}

#[test]
fn without_operations_there_is_no_table() {
    let folder = Folder::new("none");
    let (log, table) = (folder.file("log.darshan"), folder.file("ops.csv"));
    std::fs::write(&log, header_only()).expect("write");
    let (code, _, complaints) = run(&["convert", &log, "-o", &table]);
    assert_eq!(code, 1);
    assert!(complaints.contains("has no traced operations") && complaints.contains("hint:"), "{complaints}");
    assert!(!std::path::Path::new(&table).exists(), "no half-written file");
}

fn header_only() -> Vec<u8> {
    let small = std::fs::read(common::testdata("darshan/small.darshan")).expect("log");
    let mut header = small[..1328].to_vec();
    header[32..1328].fill(0);
    header.extend_from_slice(&small[1328..]);
    header
}
