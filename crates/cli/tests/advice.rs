//! Every rule finds the log made for it and stays silent on the counterpart, through the program itself.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

mod advice {
    pub mod made;
    pub mod pairs;
}

use std::collections::BTreeSet;

use advice::made::{Made, job, rank, reads, with, writes};
use advice::pairs::{Pair, pairs};
use common::{Folder, run};
use marigraph_analysis::advice::Code;
use marigraph_model::counters::posix;
use serde_json::Value;

fn findings(folder: &Folder, logs: &[Made]) -> Vec<Value> {
    let paths: Vec<String> = logs
        .iter()
        .enumerate()
        .map(|(n, made)| {
            let path = folder.file(&format!("{n}.darshan"));
            std::fs::write(&path, made.log()).expect("log");
            path
        })
        .collect();
    let arguments: Vec<&str> =
        ["report", "--json", "--nodes", "4"].into_iter().chain(paths.iter().map(String::as_str)).collect();
    let (code, out, complaints) = run(&arguments);
    assert_eq!((code, complaints.as_str()), (0, ""));
    out.lines()
        .flat_map(|line| {
            let document: Value = serde_json::from_str(line).expect("JSON");
            document["findings"].as_array().expect("findings").clone()
        })
        .collect()
}

fn of(findings: &[Value], code: Code) -> Option<&Value> {
    findings.iter().find(|finding| finding["code"] == code.name())
}

fn check(finding: &Value, code: Code) {
    assert_eq!(finding["drishti"].as_str(), code.drishti(), "{finding}");
    let text = |name: &str| finding[name].as_str().expect("text").to_string();
    for name in ["title", "evidence", "advice", "severity"] {
        assert!(!text(name).is_empty() && !text(name).contains('{'), "{name} in {finding}");
    }
    assert!(!text("estimate").contains('{'), "{finding}");
    let seconds = finding["seconds_at_stake"].as_f64().expect("seconds");
    assert!((0.0..=100.0).contains(&seconds), "no more than the run time in {finding}");
    let costs = !matches!(text("severity").as_str(), "info" | "ok");
    // A doubtful figure costs nothing.
    assert_eq!(!text("estimate").is_empty(), costs && code != Code::SparseIo, "{finding}");
    assert_eq!(seconds > 0.0, costs && code != Code::SparseIo, "{finding}");
    assert!(!finding["details"]["figures"].as_object().expect("figures").is_empty(), "{finding}");
}

#[test]
fn each_rule_fires_on_its_log_and_not_on_the_counterpart() {
    let folder = Folder::new("advice");
    for Pair { code, fires, silent } in pairs() {
        let found = findings(&folder, &fires);
        check(of(&found, code).unwrap_or_else(|| panic!("{} is silent: {found:?}", code.name())), code);
        let found = findings(&folder, &silent);
        assert!(of(&found, code).is_none(), "{} fires on the counterpart", code.name());
    }
}

#[test]
fn no_rule_is_without_a_pair() {
    let paired: BTreeSet<&str> = pairs().iter().map(|pair| pair.code.name()).collect();
    let known: BTreeSet<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert_eq!(paired, known);
}

#[test]
fn every_code_is_in_the_documents() {
    let page = std::fs::read_to_string(common::root().join("docs/reference/json.md"))
        .expect("docs/reference/json.md");
    for code in Code::ALL {
        assert!(
            page.contains(&format!("`{}`", code.name())),
            "{} is not in docs/reference/json.md",
            code.name()
        );
    }
}

#[test]
fn sparse_access_is_not_redundant_but_reading_the_same_is() {
    let folder = Folder::new("redundancy");
    let mib = 1u64 << 20;
    // A megabyte here and there in a file of a gigabyte: Drishti's test calls that redundant.
    let ints = with(reads(100, 1 << 20), &[(posix::MAX_BYTE_READ, (1 << 30) - 1)]);
    let log = || job(1).posix(1, rank(0), &ints, [10.0, 0.0, 0.0]);
    assert!(of(&findings(&folder, &[log()]), Code::RepeatedReads).is_none());
    let sparse = log().traced_reads(1, (0..100).map(|n| (n * 10 * mib, mib)));
    assert!(of(&findings(&folder, &[sparse]), Code::RepeatedReads).is_none());
    // The same counters, but single operations show that it is the same megabyte.
    let same = log().traced_reads(1, (0..100).map(|_| ((1 << 30) - mib, mib)));
    let found = findings(&folder, &[same]);
    let told = of(&found, Code::RepeatedReads).expect("found");
    assert_eq!(told["details"]["figures"]["again"], 99 * mib);
    assert_eq!(
        (&told["details"]["figures"]["exact"], &told["details"]["figures"]["times"]),
        (&true.into(), &100.0.into())
    );
    assert_eq!(told["details"]["files"][0]["path"], "/made/1");
}

#[test]
fn what_hardly_takes_time_is_of_low_severity() {
    let folder = Folder::new("weight");
    let severity = |seconds: f64| {
        let made = job(1).posix(1, rank(0), &writes(50_000, 100), [0.0, seconds, 0.0]);
        let found = findings(&folder, &[made]);
        of(&found, Code::SmallWrites).expect("found")["severity"].as_str().expect("severity").to_string()
    };
    assert_eq!([0.9, 5.0, 50.0].map(severity), ["low", "medium", "high"]);
}

#[test]
fn good_news_and_facts_stand_last() {
    let folder = Folder::new("news");
    let made = job(4).posix(1, rank(0), &writes(5000, 1000), [0.0, 50.0, 0.0]);
    let found = findings(&folder, &[made]);
    let severities: Vec<&str> = found.iter().filter_map(|finding| finding["severity"].as_str()).collect();
    let weight =
        |severity: &&str| ["high", "medium", "low", "info", "ok"].iter().position(|name| name == severity);
    assert!(severities.is_sorted_by_key(weight), "{severities:?}");
    assert!(severities.contains(&"high") && severities.contains(&"info") && severities.contains(&"ok"));
}

#[test]
fn findings_are_printed_where_no_page_is_wanted() {
    let folder = Folder::new("printed");
    let log = folder.file("small.darshan");
    let made = job(4).posix(1, rank(0), &writes(5000, 1000), [0.0, 50.0, 0.0]);
    std::fs::write(&log, made.log()).expect("log");
    let (code, out, complaints) = run(&["report", &log]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    for part in
        ["high    Many small writes: up to", "[small_writes]", "files: /made/1 (5,000)", "-> Write larger"]
    {
        assert!(out.contains(part), "{part} is not in\n{out}");
    }
}
