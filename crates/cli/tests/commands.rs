//! Every command as a user runs it: text, JSON, help, failures.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use common::{Folder, fields, golden, names_in, run, testdata};
use serde_json::Value;

const SMALL: &str = "testdata/darshan/small.darshan";

#[test]
fn show_as_text_and_json() {
    let (code, text, complaints) = run(&["show", SMALL]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    golden("show.txt", &text);
    let (code, json, _) = run(&["show", "--json", SMALL]);
    assert_eq!(code, 0);
    let document: Value = serde_json::from_str(&json).expect("one JSON document");
    golden("show.json", &format!("{}\n", serde_json::to_string_pretty(&document).expect("pretty")));
}

#[test]
fn the_fields_emitted_are_those_of_the_contract() {
    // Trace fields need the recorder. The verdict is reserved and not written yet; `show` and
    // `report` name the commands that will have it. The rest of the section must be there.
    const TRACE: [&str; 6] = ["trace", "ranks", "events", "structure_bytes", "time_bytes", "loops"];
    const VERDICT: [&str; 6] = ["verdict", "text", "io_share", "cause", "show", "report"];
    let page = common::contract();
    let mut emitted = std::collections::BTreeSet::new();
    for golden in ["show.json", "report.json"] {
        let text = std::fs::read_to_string(testdata("golden").join(golden)).expect("golden");
        fields(&serde_json::from_str(&text).expect("JSON"), &mut emitted);
    }
    let names = names_in(&page, "## JSON of `show`");
    assert!(names.len() > 25, "{names:?}");
    for name in names.iter().filter(|name| ![TRACE, VERDICT].concat().contains(&name.as_str())) {
        assert!(emitted.contains(name), "{name} is in the contract but not emitted");
    }
}

#[test]
fn a_folder_of_recorder_s_text_is_one_input() {
    let folder = Folder::new("recorder-text");
    std::fs::create_dir(folder.file("_text")).expect("folder");
    for rank in 0..12 {
        let line = format!("{rank}.5 {rank}.75 write 0 0 ( /out/{rank} 0x1 1000 )");
        std::fs::write(folder.file(&format!("_text/{rank:02}.txt")), line).expect("file");
    }
    let (code, json, complaints) = run(&["show", "--json", &folder.file("_text")]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    let document: Value = serde_json::from_str(&json).expect("one JSON document");
    assert_eq!(
        (&document["job"]["nprocs"], &document["totals"]["write_bytes"]),
        (&12.into(), &12_000.into())
    );
    assert_eq!(document["problems"], serde_json::json!([]));
}

#[test]
fn nodes_can_be_told() {
    let (_, json, _) = run(&["show", "--json", "--nodes", "4", SMALL]);
    let document: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(document["job"]["nnodes"], 4);
    let performance = &document["performance"];
    let (all, each) = (performance["mib_per_s"].as_f64(), performance["mib_per_s_per_node"].as_f64());
    assert!((all.expect("speed") / 4.0 - each.expect("per node")).abs() < 1e-3);
}

#[test]
fn the_twins_of_darshan_s_tools() {
    for (name, flags) in [
        ("twin.base.txt", &["--darshan-parser"][..]),
        ("twin.figures.txt", &["--darshan-parser", "--total", "--perf", "--file"]),
        ("twin.dxt.txt", &["--dxt"]),
    ] {
        let (code, text, complaints) = run(&[&["show"], flags, &[SMALL]].concat());
        assert_eq!((code, complaints.as_str()), (0, ""));
        golden(name, &text);
    }
}

#[test]
fn findings_as_json() {
    let folder = Folder::new("findings");
    let log = folder.file("busy.darshan");
    assert_eq!(run(&["synth", "job", "--seed", "2", "--ranks", "16", "--checkpoints", "4", "-o", &log]).0, 0);
    let (code, json, _) = run(&["report", "--json", &log]);
    assert_eq!(code, 0);
    let mut document: Value = serde_json::from_str(&json).expect("JSON");
    document["input"] = "busy.darshan".into();
    golden("report.json", &format!("{}\n", serde_json::to_string_pretty(&document).expect("pretty")));
}

#[test]
fn a_page_is_one_file_without_outside_references() {
    let folder = Folder::new("page");
    let page = folder.file("page.html");
    let (code, _, complaints) = run(&["report", SMALL, "-o", &page]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    let html = std::fs::read_to_string(&page).expect("page");
    for section in [
        "overview", "findings", "timeline", "ranks", "cost", "sizes", "sharing", "mounts", "files", "missing",
    ] {
        assert!(html.contains(&format!("<section id=\"{section}\">")), "no section {section}");
    }
    for outside in ["src=\"http", "href=\"http", "@import", "url(http", "<link "] {
        assert!(!html.contains(outside), "{outside} in the page");
    }
    assert_eq!(std::fs::read_dir(&folder.0).expect("folder").count(), 1, "only the page is left");
}

#[test]
fn help_of_every_command_has_two_examples() {
    let (_, help, _) = run(&["--help"]);
    golden("help.txt", &help);
    for command in [
        &["show"][..],
        &["report"],
        &["convert"],
        &["period"],
        &["synth"],
        &["synth", "job"],
        &["synth", "trace"],
        &["synth", "system"],
        &["completions"],
        &["man"],
    ] {
        let (code, help, _) = run(&[command, &["--help"]].concat());
        assert_eq!(code, 0);
        let examples = help.split("Examples:").nth(1).expect("examples");
        assert!(examples.lines().filter(|line| line.contains("marigraph ")).count() >= 2, "{command:?}");
    }
}

#[test]
fn completions_and_manual_are_generated() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, script, _) = run(&["completions", shell]);
        assert!(code == 0 && script.contains("max-inflate"), "{shell}");
    }
    let (code, page, _) = run(&["man"]);
    assert!(code == 0 && page.contains(".TH marigraph") && page.contains("darshan\\-parser"));
}

#[test]
fn one_bad_input_is_an_error_with_a_hint() {
    let folder = Folder::new("bad");
    let bad = folder.file("bad.darshan");
    std::fs::write(&bad, "this is no log").expect("write");
    let (code, out, complaints) = run(&["show", &bad]);
    assert_eq!((code, out.as_str()), (1, ""));
    let lines: Vec<&str> = complaints.lines().collect();
    assert_eq!(lines[0], format!("error: {bad}: not a log of any known format"));
    assert!(lines[1].starts_with("hint: known inputs:"), "{complaints}");
    let (code, _, complaints) = run(&["show", "/no/such/log"]);
    assert!(code == 1 && complaints.starts_with("error: /no/such/log: "), "{complaints}");
    assert_eq!(run(&["show"]).0, 2, "wrong usage");
    assert_eq!(run(&["convert", SMALL, "-o", "x.docx"]).0, 2, "unknown form");
}

#[test]
fn a_bad_input_among_many_is_skipped_and_counted() {
    let folder = Folder::new("many");
    for name in ["a.darshan", "b.darshan"] {
        std::fs::copy(testdata("darshan/small.darshan"), folder.file(name)).expect("copy");
    }
    std::fs::write(folder.file("c.darshan"), "no log").expect("write");
    std::os::unix::fs::symlink(&folder.0, folder.file("loop")).expect("link");
    let list = folder.file("skipped.txt");
    let place = folder.0.display().to_string();
    let (code, out, complaints) = run(&["show", "--json", "--skipped", &list, &place]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), 2, "JSON Lines, each log once");
    assert!(complaints.contains("skipped 1: not a log of any known format"), "{complaints}");
    assert!(std::fs::read_to_string(&list).expect("list").contains("c.darshan\t"));
    std::fs::remove_file(&list).expect("remove");
    assert_eq!(run(&["show", "--strict", &place]).0, 1);
    let page = folder.file("logs.html");
    assert_eq!(run(&["report", &place, "-o", &page]).0, 0);
    assert!(std::fs::read_to_string(&page).expect("page").contains("climate_model"));
}

#[test]
fn large_logs_and_many_do_not_depend_on_threads() {
    let folder = Folder::new("threads");
    for seed in ["1", "2", "3"] {
        let log = folder.file(&format!("{seed}.darshan"));
        let arguments = [
            "synth",
            "job",
            "--seed",
            seed,
            "--ranks",
            "8",
            "--checkpoints",
            "1",
            "--files",
            "6000",
            "-o",
            &log,
        ];
        assert_eq!(run(&arguments).0, 0);
    }
    let place = folder.0.display().to_string();
    let with = |threads: &str, flags: &[&str]| {
        run(&[&["show", "--quiet", "--threads", threads], flags, &[&place]].concat())
    };
    assert_eq!(with("1", &["--json"]), with("4", &["--json"]));
    let (one, four) = (with("1", &["--darshan-parser"]), with("4", &["--darshan-parser"]));
    assert!(one.1.len() > 50_000_000, "large enough to be formatted on several threads");
    assert!(one == four, "the text differs");
}

#[test]
fn findings_of_many_logs_are_json_lines() {
    let (code, out, _) = run(&["report", "--json", SMALL, "testdata/csv/checkpoints.csv"]);
    assert_eq!((code, out.lines().count()), (0, 2));
    for line in out.lines() {
        assert!(serde_json::from_str::<Value>(line).expect("JSON")["findings"].is_array());
    }
}

#[test]
fn a_cut_archive_is_a_problem() {
    use std::io::Write;
    let folder = Folder::new("cut");
    let table = folder.file("ops.csv.gz");
    let rows: String =
        (0..5000).map(|n| format!("0,{n},{n}.5,{},write,/f{n}\n", n * 7919 % 10_007)).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(format!("rank,start,end,bytes,op,file\n{rows}").as_bytes()).expect("gzip");
    let packed = gzip.finish().expect("gzip");
    std::fs::write(&table, &packed[..packed.len() / 2]).expect("write");
    let (code, json, _) = run(&["show", "--json", &table]);
    let document: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((code, &document["problems"][0]["kind"]), (0, &"truncated".into()));
}

#[test]
fn results_do_not_depend_on_threads() {
    for command in [&["show", "--json"][..], &["show", "--darshan-parser"], &["show", "--dxt"]] {
        let with = |threads: &str| run(&[command, &["--threads", threads, "testdata/darshan"]].concat());
        assert_eq!(with("1"), with("2"), "{command:?}");
    }
}

#[test]
fn inputs_are_recognised_by_content() {
    use std::io::Write;
    let folder = Folder::new("content");
    let log = std::fs::read(testdata("darshan/small.darshan")).expect("log");
    let packed = folder.file("log.txt");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&log).expect("gzip");
    std::fs::write(&packed, gzip.finish().expect("gzip")).expect("write");
    let totals = |path: &str| {
        let (_, json, _) = run(&["show", "--json", path]);
        serde_json::from_str::<Value>(&json).expect("JSON")["totals"].clone()
    };
    assert_eq!(totals(&packed), totals(SMALL));
    let mut child = common::marigraph()
        .args(["show", "--json", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("run");
    child.stdin.take().expect("stdin").write_all(&log).expect("pipe");
    let output = child.wait_with_output().expect("output");
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["totals"], totals(SMALL));
}

#[test]
fn a_table_of_operations_is_added_up() {
    let folder = Folder::new("ops");
    let table = folder.file("ops.csv");
    std::fs::write(
        &table,
        "rank,start,end,bytes,op,file\n0,0,1,100,write,/a\n1,0,2,50,write,/a\n1,2,3,7,read,/b\n",
    )
    .expect("write");
    let (_, json, _) = run(&["show", "--json", &table]);
    let document: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&document["totals"]["write_bytes"], &document["totals"]["read_bytes"]),
        (&150.into(), &7.into())
    );
    assert_eq!((&document["files"], &document["job"]["nprocs"]), (&2.into(), &2.into()));
    assert_eq!(run(&["report", &table, "-o", &folder.file("ops.html")]).0, 0);
}

#[test]
fn devices_stay_devices_and_links_stay_links() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new("special");
    let pipe = folder.file("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).expect("read").len()
    });
    assert_eq!(run(&["report", SMALL, "-o", &pipe]).0, 0);
    assert!(reader.join().expect("reader") > 10_000);
    assert!(std::fs::metadata(&pipe).expect("pipe").file_type().is_fifo(), "the pipe is still one");
    let (target, link) = (folder.file("target.html"), folder.file("link.html"));
    std::fs::write(&target, "old").expect("write");
    std::os::unix::fs::symlink(&target, &link).expect("link");
    assert_eq!(run(&["report", SMALL, "-o", &link]).0, 0);
    assert!(std::fs::symlink_metadata(&link).expect("link").file_type().is_symlink());
    assert!(std::fs::read_to_string(&target).expect("target").contains("<!doctype html>"));
    let (code, _, complaints) = run(&["show", "/dev/zero"]);
    assert!(code == 1 && complaints.starts_with("error: /dev/zero: "), "{complaints}");
}

#[test]
fn memory_does_not_follow_claims() {
    // A header that promises 2^60 bytes, under a memory limit that such a buffer would exceed.
    let folder = Folder::new("claims");
    let path = folder.file("hostile.darshan");
    let mut log = std::fs::read(testdata("darshan/small.darshan")).expect("log");
    log[56 + 16..64 + 16].copy_from_slice(&(1u64 << 60).to_le_bytes());
    std::fs::write(&path, log).expect("write");
    let script = format!("ulimit -v 400000; exec '{}' show '{path}'", env!("CARGO_BIN_EXE_marigraph"));
    let output = std::process::Command::new("sh").args(["-c", &script]).output().expect("sh");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("truncated"), "{text}");
}
