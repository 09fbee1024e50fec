//! `categorize` as a user runs it: text, JSON, thresholds, failures, and the section of `report`.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::collections::BTreeSet;

use common::{Folder, fields, golden, json_of, names_in, run};
use marigraph_analysis::category::{Label, Thresholds};
use serde_json::Value;

/// Ten checkpoints of two ranks, 10 s apart, after reading an input.
const TABLE: &str = "testdata/csv/checkpoints.csv";
const SMALL: &str = "testdata/darshan/small.darshan";

fn json(arguments: &[&str]) -> Value {
    json_of("categorize", arguments)
}

fn categories(document: &Value) -> Vec<&str> {
    document["categories"].as_array().expect("labels").iter().filter_map(Value::as_str).collect()
}

#[test]
fn text_and_json_are_as_before() {
    let (code, text, complaints) = run(&["categorize", TABLE, SMALL]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    golden("categorize.txt", &text);
    let document = json(&[SMALL]);
    golden("categorize.json", &format!("{}\n", serde_json::to_string_pretty(&document).expect("pretty")));
}

#[test]
fn a_narrow_terminal_loses_meanings_and_no_labels() {
    let output = common::marigraph().env("COLUMNS", "60").args(["categorize", TABLE]).output().expect("run");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let labels: Vec<&str> = text.lines().filter(|line| line.starts_with("  write_")).collect();
    assert!(
        labels.len() == 4 && labels.iter().all(|line| line.chars().count() <= 60 && line.contains("trace")),
        "{text}"
    );
}

#[test]
fn the_fields_emitted_are_those_of_the_contract() {
    let page = common::contract();
    let section = page.split("## JSON of `categorize`").nth(1).expect("section");
    let per_trace = section.split("Labels:").next().expect("before the labels");
    let names = names_in(&format!("## x{per_trace}"), "## x");
    assert!(names.len() > 20, "{names:?}");
    let words = ["records", "heatmap", "dxt", "trace"];
    let wanted: BTreeSet<String> = names.into_iter().filter(|name| !words.contains(&name.as_str())).collect();
    let mut emitted = BTreeSet::new();
    fields(&json(&[TABLE]), &mut emitted);
    let missing: Vec<_> = wanted.difference(&emitted).collect();
    assert!(missing.is_empty(), "{missing:?} are in the contract but not emitted");
}

#[test]
fn every_label_of_the_contract_exists() {
    let shared = common::root().join("../shared/interface.md");
    let Ok(page) = std::fs::read_to_string(shared) else {
        eprintln!("SKIPPED: no contract beside the project");
        return;
    };
    let section = page.split("## JSON of `categorize`").nth(1).expect("section");
    let labels = section.split("Labels:").nth(1).expect("labels").split("With `--into").next().expect("end");
    let known: Vec<&str> = Label::ALL.iter().map(|label| label.name()).collect();
    let mut prefixes: Vec<&str> = Vec::new();
    for name in labels.split('`').skip(1).step_by(2) {
        match name {
            "read_" | "write_" | "metadata_" if prefixes.iter().any(|prefix| prefix.len() > 6) => {
                prefixes = vec![name]
            }
            "read_" => prefixes = vec![name],
            "write_" => prefixes.push(name),
            "metadata_" => prefixes = vec![name],
            name => prefixes.iter().for_each(|prefix| {
                assert!(known.contains(&format!("{prefix}{name}").as_str()), "{prefix}{name}");
            }),
        }
    }
    assert_eq!(known.len(), 32);
}

#[test]
fn checkpoints_are_periodic_and_say_what_told_so() {
    let document = json(&[TABLE]);
    assert_eq!(
        categories(&document),
        [
            "read_insignificant",
            "write_steady",
            "write_periodic",
            "write_periodic_second",
            "write_periodic_low_busy_time"
        ]
    );
    let period = document["write"]["periodic"][0]["period_s"].as_f64().expect("a period");
    assert!((period - 10.0).abs() < 0.2, "{period}");
    assert!(document["labels"].as_array().expect("labels").iter().all(|label| label["evidence"] == "trace"));
    assert_eq!(json(&[SMALL])["labels"][0]["evidence"], "dxt");
}

#[test]
fn thresholds_come_from_flags_and_from_a_profile() {
    let folder = Folder::new("categorize");
    let profile = folder.file("centre.toml");
    std::fs::write(
        &profile,
        "# ours\n[categories]\ninsignificant_bytes = 1_000  # little\nbusy_share = 0.05\n",
    )
    .expect("write");
    let document = json(&["--profile", &profile, TABLE]);
    assert!(categories(&document).contains(&"read_on_start"), "{document}");
    assert!(categories(&document).contains(&"write_periodic_high_busy_time"));
    assert_eq!(document["thresholds"]["insignificant_bytes"], 1000.0);
    let both = json(&["--profile", &profile, "--threshold", "insignificant_bytes=1e12", TABLE]);
    assert_eq!(
        categories(&both),
        ["read_insignificant", "write_insignificant"],
        "the flag goes before the profile"
    );
    let (_, help, _) = run(&["categorize", "--help"]);
    assert!(Thresholds::ALL.iter().all(|(name, _, _)| help.contains(name)), "{help}");
}

#[test]
fn wrong_thresholds_are_named() {
    let folder = Folder::new("categorize-wrong");
    let complaint = |arguments: &[&str]| {
        let (code, out, complaints) = run(&[&["categorize"], arguments].concat());
        assert!(code != 0 && out.is_empty(), "{arguments:?}");
        complaints
    };
    assert!(complaint(&["--threshold", "busy=1", TABLE]).contains("unknown threshold \"busy\""));
    assert!(complaint(&["--threshold", "busy_share=often", TABLE]).contains("expected NAME=NUMBER"));
    assert!(complaint(&["--threshold", "busy_share=-1", TABLE]).contains("cannot be -1"));
    let profile = folder.file("wrong.toml");
    std::fs::write(&profile, "busy_share = 0.5\n\nbusy_share is 1\n").expect("write");
    let told = complaint(&["--profile", &profile, TABLE]);
    assert!(told.contains("wrong.toml: line 3:"), "{told}");
    assert!(complaint(&["--profile", &folder.file("none.toml"), TABLE]).contains("none.toml"));
    std::fs::write(&profile, "bogus = 1\n").expect("write");
    for arguments in [["--profile", &profile, TABLE], ["--threshold", "bogus=1", TABLE]] {
        let told = complaint(&arguments);
        assert!(told.contains("\"bogus\"") && told.matches("hint:").count() == 1, "{told}");
    }
}

#[test]
fn logs_that_contradict_themselves_are_skipped_by_reason() {
    let folder = Folder::new("categorize-bad");
    let bytes = std::fs::read(common::root().join(SMALL)).expect("log");
    std::fs::write(folder.file("cut.darshan"), &bytes[..bytes.len() * 2 / 3]).expect("write");
    std::fs::write(folder.file("fine.darshan"), &bytes).expect("write");
    let (code, out, complaints) = run(&["categorize", "--json", &folder.0.display().to_string()]);
    assert_eq!((code, out.lines().count()), (0, 1));
    assert!(complaints.contains("skipped 1: inconsistent log: truncated"), "{complaints}");
    let (code, _, complaints) = run(&["categorize", &folder.file("cut.darshan")]);
    assert!(code == 1 && complaints.contains("truncated") && complaints.contains("hint: "), "{complaints}");
}

#[test]
fn threads_and_order_do_not_matter() {
    let one = run(&["categorize", "--json", "--threads", "1", TABLE, SMALL]).1;
    let two = run(&["categorize", "--json", "--threads", "2", TABLE, SMALL]).1;
    assert_eq!(one, two);
    let reversed = run(&["categorize", "--json", SMALL, TABLE]).1;
    assert_eq!(one.lines().collect::<Vec<_>>(), reversed.lines().rev().collect::<Vec<_>>());
}

#[test]
fn the_page_has_the_picture_behind_the_labels() {
    let folder = Folder::new("categorize-page");
    let page = folder.file("page.html");
    assert_eq!(run(&["report", SMALL, "-o", &page]).0, 0);
    let html = std::fs::read_to_string(&page).expect("page");
    let section =
        html.split("<section id=\"categories\">").nth(1).expect("section").split("</section>").next();
    let section = section.expect("end");
    for wanted in
        ["write_after_start_before_end", "merged", "segments", "quarters", "Metadata requests per second"]
    {
        assert!(section.contains(wanted), "{wanted}");
    }
}

#[test]
fn real_logs_are_categorised() {
    let Some(data) = common::data() else { return };
    for (name, wanted) in [
        ("e3sm_io_heatmap_only.darshan", "write_steady"),
        ("skew-autobench-ior.darshan", "read_steady"),
        ("empty_log.darshan", "metadata_insignificant_load"),
        ("partial_data_stdio.darshan", "write_on_start"),
    ] {
        let path = data.join("darshan").join(name).display().to_string();
        let document = json(&[&path]);
        assert!(categories(&document).contains(&wanted), "{name}: {document}");
    }
}
