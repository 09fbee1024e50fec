//! `marigraph predict` on input through a pipe, and on wrong usage.

#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::io::Write;
use std::process::{Output, Stdio};

use common::{Folder, marigraph, run};

/// A flush in TMIO's format: a phase in which two ranks wrote for two seconds.
fn flush(start: f64) -> String {
    let end = start + 2.0;
    format!(
        "{{\"write_sync\":{{\"bandwidth\":{{\"b_rank_avr\":[5e8,5e8],\"t_rank_s\":[{start},{start}],\
         \"t_rank_e\":[{end},{end}]}}}}}}\n{{\"io_time\":{{}}}}\n"
    )
}

fn told(text: &str, arguments: &[&str]) -> Output {
    let mut child = marigraph()
        .args(["predict", "--follow", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("writes");
    child.wait_with_output().expect("ends")
}

fn flushes(starts: impl Iterator<Item = f64>) -> String {
    starts.map(flush).collect()
}

#[test]
fn one_line_per_flush() {
    let text = flushes((0..6).map(|n| 30.0 * f64::from(n)));
    let Output { status, stdout, stderr } = told(&text, &[]);
    assert!(status.success() && stderr.is_empty(), "{}", String::from_utf8_lossy(&stderr));
    let stdout = String::from_utf8(stdout).expect("text");
    let lines: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 6);
    let first = &lines[0];
    assert_eq!((&first["t_s"], &first["period_s"]), (&2.0.into(), &serde_json::Value::Null));
    let last = &lines[5];
    assert_eq!((&last["period_s"], &last["next_start_s"]), (&30.0.into(), &180.0.into()));
    assert_eq!((&last["bytes_per_period"], &last["change"]), (&2e9.into(), &false.into()));
    assert_eq!(last["window_s"], serde_json::json!([60.0, 152.0]));
    assert!(last["confidence"].as_f64().is_some_and(|confidence| confidence > 0.5));
    assert!(last["intervals"][0]["probability"].as_f64().is_some_and(|share| share > 0.6));
}

#[test]
fn the_published_method_knows_the_period_and_no_next_start() {
    let text = flushes((0..8).map(|n| 30.0 * f64::from(n)));
    let arguments = ["--method", "dft", "--sampling", "2"];
    let Output { status, stdout, .. } = told(&text, &arguments);
    assert!(status.success());
    let stdout = String::from_utf8(stdout).expect("text");
    let lines: Vec<serde_json::Value> =
        stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let last = &lines[7];
    assert!(last["period_s"].as_f64().is_some_and(|period| (period - 30.0).abs() < 3.0), "{last}");
    assert_eq!(last["next_start_s"], serde_json::Value::Null);
    assert!(last["window_s"][0].as_f64().is_some_and(|from| from > 0.0), "{last}");
}

#[test]
fn only_what_is_asked_for_counts() {
    let text = flushes((0..6).map(|n| 30.0 * f64::from(n)));
    let reads = told(&text, &["--op", "read"]);
    let stdout = String::from_utf8(reads.stdout).expect("text");
    assert_eq!(stdout.lines().count(), 6);
    assert!(stdout.lines().all(|line| line.contains("\"period_s\":null")));
    let window = |rule: &str| {
        let stdout = told(&text, &["--adapt", rule]).stdout;
        let last: serde_json::Value =
            serde_json::from_slice(stdout.split(|&byte| byte == b'\n').nth(5).expect("a line"))
                .expect("JSON");
        last["window_s"][0].as_f64().expect("a number")
    };
    assert_eq!((window("off"), window("periods:2"), window("seconds:50")), (0.0, 90.0, 102.0));
}

#[test]
fn damage_is_told_and_passed_over() {
    let mut text = flushes((0..3).map(|n| 30.0 * f64::from(n)));
    text.push_str("{\"write_sync\": [}\n");
    text.push_str(&flushes((3..6).map(|n| 30.0 * f64::from(n))));
    // The last line has no line end.
    let Output { status, stdout, stderr } = told(text.trim_end(), &[]);
    assert!(status.success());
    assert_eq!(stdout.iter().filter(|&&byte| byte == b'\n').count(), 6);
    let stderr = String::from_utf8(stderr).expect("text");
    assert!(stderr.starts_with("warning: ") && stderr.lines().count() == 1, "{stderr}");
}

#[test]
fn a_file_is_followed_until_nothing_comes() {
    let folder = Folder::new("predict");
    let file = folder.file("live.jsonl");
    std::fs::write(&file, flushes((0..4).map(|n| 30.0 * f64::from(n)))).expect("writes");
    let (status, stdout, stderr) = run(&["predict", "--follow", &file, "--idle-exit", "0.2"]);
    assert_eq!((status, stdout.lines().count(), stderr.as_str()), (0, 4, ""));
}

#[test]
fn wrong_usage_is_told() {
    for wrong in [
        &["predict"][..],
        &["predict", "--follow", "x", "--listen", "5555"],
        &["predict", "--listen", "udp://x:1"],
        &["predict", "--follow", "x", "--adapt", "hits:0"],
        &["predict", "--follow", "x", "--metrics", "nowhere"],
        &["predict", "--follow", "x", "--idle-exit", "-1"],
    ] {
        let (status, stdout, stderr) = run(wrong);
        assert_eq!((status, stdout.as_str()), (2, ""), "{wrong:?}: {stderr}");
        assert!(stderr.starts_with("error: "), "{wrong:?}: {stderr}");
    }
    let (status, _, stderr) = run(&["predict", "--follow", "testdata"]);
    assert_eq!((status, stderr.as_str()), (1, "error: testdata: is a directory\n"));
    let (status, _, stderr) = run(&["predict", "--listen", "192.0.2.1:5555"]);
    assert_eq!(status, 1);
    let hint = "hint: this machine does not have that address\n";
    assert!(
        stderr.starts_with("error: 192.0.2.1:5555: cannot listen: ") && stderr.ends_with(hint),
        "{stderr}"
    );
}

#[test]
fn help_has_two_examples() {
    let (status, stdout, _) = run(&["predict", "--help"]);
    assert_eq!(status, 0);
    let examples = stdout.split("Examples:").nth(1).expect("examples");
    assert_eq!(examples.matches("marigraph predict ").count(), 2);
}
