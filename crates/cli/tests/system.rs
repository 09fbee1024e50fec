//! A whole system, as a storage team sees it: synthesized, ingested into a study, reported,
//! queried.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::fs;

use common::{Folder, run};
use serde_json::Value;

fn study(folder: &Folder) -> (String, String) {
    let (system, study) = (folder.file("system"), folder.file("study"));
    let made =
        run(&["synth", "system", "--seed", "5", "--jobs", "1000", "--days", "10", "--quiet", "-o", &system]);
    assert_eq!(made.0, 0, "{}", made.2);
    let counts = ingest(&study, &[&system]);
    assert_eq!(counts["skipped"], serde_json::json!({ "not a log of any known format": 2 }), "{counts}");
    (system, study)
}

fn ingest(study: &str, inputs: &[&str]) -> Value {
    let (code, out, complaints) = run(&[&["ingest", "--quiet", "--json", "--into", study], inputs].concat());
    assert_eq!(code, 0, "{complaints}");
    serde_json::from_str(&out).expect("JSON")
}

fn told(study: &str, more: &[&str]) -> Value {
    let (code, out, complaints) = run(&[&["study", study, "--json"], more].concat());
    assert_eq!((code, complaints.as_str()), (0, ""));
    serde_json::from_str(&out).expect("JSON")
}

fn ask(study: &str, query: &str) -> Vec<Value> {
    let (code, out, complaints) = run(&["sql", study, query, "--format", "json"]);
    assert_eq!((code, complaints.as_str()), (0, ""), "{query}");
    serde_json::from_str(&out).expect("JSON")
}

fn name(row: &Value) -> Option<&str> {
    row["project"].as_str().or(row["name"].as_str())
}

/// Compares everything in `truth` with `found`, numbers within 1 %; returns the first difference.
fn differs(truth: &Value, found: &Value, at: &str) -> Option<String> {
    match (truth, found) {
        (Value::Object(truth), _) => {
            truth.iter().find_map(|(name, value)| differs(value, &found[name], &format!("{at}/{name}")))
        }
        // Only the projects that the truth names, in any order.
        (Value::Array(truth), Value::Array(all)) if truth.iter().any(|row| name(row).is_some()) => {
            truth.iter().find_map(|row| {
                let own = all.iter().find(|found| name(found) == name(row)).unwrap_or(&Value::Null);
                differs(row, own, &format!("{at}/{}", name(row).unwrap_or_default()))
            })
        }
        (Value::Array(truth), Value::Array(all)) if truth.len() == all.len() => {
            let pairs = truth.iter().zip(all).enumerate();
            pairs.into_iter().find_map(|(n, (value, found))| differs(value, found, &format!("{at}/{n}")))
        }
        (Value::Number(truth), Value::Number(found)) => {
            let (truth, found) = (truth.as_f64()?, found.as_f64()?);
            let near = (truth - found).abs() <= 0.01 * truth.abs().max(1e-12);
            (!near).then(|| format!("{at}: {found} instead of {truth}"))
        }
        (truth, found) => (truth != found).then(|| format!("{at}: {found} instead of {truth}")),
    }
}

#[test]
fn what_was_set_is_what_is_told() {
    let folder = Folder::new("system");
    let (system, study) = study(&folder);
    let truth: Value =
        serde_json::from_str(&fs::read_to_string(format!("{system}/truth.json")).expect("truth"))
            .expect("JSON");
    let found = told(&study, &["--annotations", &format!("{system}/annotations.csv")]);
    assert_eq!(differs(&truth, &found, ""), None);
    assert!(truth.as_object().expect("figures").len() > 12, "the truth tells of every figure");
    // Ingesting again adds nothing.
    let again = ingest(&study, &[&system]);
    assert_eq!(again["added"], 0, "{again}");
    questions(&study, &found);
    filters(&study, &found);
}

fn worked_queries() -> Vec<String> {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/how-to/study.md");
    let text = fs::read_to_string(page).expect("how-to");
    let blocks = text.split("```sql\n").skip(1);
    blocks.map(|block| block.split("```").next().expect("an end").to_string()).collect()
}

fn questions(study: &str, found: &Value) {
    let queries = worked_queries();
    assert_eq!(queries.len(), 10);
    let answers: Vec<Vec<Value>> = queries.iter().map(|query| ask(study, query)).collect();
    let near = |one: &Value, other: &Value, what: &str| {
        let (one, other) = (one.as_f64().expect("number"), other.as_f64().expect("number"));
        assert!((one - other).abs() <= 1e-9 * other.abs().max(1e-12), "{what}: {one} and {other}");
    };
    for (answer, project) in answers[0].iter().zip(found["Fig 4"]["projects"].as_array().expect("projects")) {
        assert_eq!(answer["account"], project["project"]);
        near(&answer["bytes_read"], &project["bytes_read"], "bytes of projects");
    }
    let total = &found["Table II"]["total"];
    near(&answers[1][0]["jobs"], &total["jobs"], "jobs");
    near(&answers[1][0]["jobs_recorded"], &total["jobs_instrumented"], "recorded jobs");
    near(&answers[1][0]["core_hours_recorded"], &total["core_hours_instrumented"], "core-hours");
    let bins = found["Fig 2"]["bins"].as_array().expect("bins");
    let posix = |name: &str| -> f64 {
        bins.iter()
            .map(|bin| bin[name]["POSIX"].as_f64().unwrap_or(0.0) * bin["runs"].as_f64().expect("runs"))
            .sum()
    };
    let asked = answers[2].iter().find(|row| row["interface"] == "POSIX").expect("POSIX");
    near(&asked["runs"], &posix("runs_using").round().into(), "runs with POSIX");
    let shared: f64 = answers[3].iter().map(|row| row["bytes"].as_f64().expect("bytes")).sum();
    let strategies = found["Fig 3"]["bins"].as_array().expect("bins").iter();
    let all: f64 = strategies
        .map(|bin| bin["bytes_read"].as_f64().expect("bytes") + bin["bytes_written"].as_f64().expect("bytes"))
        .sum();
    near(&shared.into(), &all.into(), "bytes of shared and other files");
    near(&answers[4][0]["peak"], &found["Fig 7"]["peak"], "peak");
    near(&answers[4][0]["read_per_day"], &found["Fig 6"]["bytes_read_per_day"], "bytes per day");
    near(&answers[5][0]["idle_share"], &found["Table III"]["idle_share"], "idle share");
    near(&answers[6][0]["count"], &found["Fig 8"]["most_popular"]["count"], "files of the most popular size");
    let most = found["Table IV"]["rows"].as_array().expect("rows").iter().skip(1);
    let most = most.max_by_key(|row| {
        row["files_after"].as_i64().zip(row["files_before"].as_i64()).map(|(after, before)| after - before)
    });
    assert_eq!(answers[7][0]["project"], most.expect("a project")["name"]);
    near(
        &answers[8][0]["files"],
        &found["Fig 9"]["accessed_64_days"]["files"],
        "files accessed within 64 days",
    );
    near(
        &answers[8][1]["bytes"],
        &found["Fig 9"]["modified_64_days"]["bytes"],
        "bytes modified within 64 days",
    );
    let rows = found["Table V"]["rows"].as_array().expect("rows");
    for answer in &answers[9] {
        let row = rows.iter().find(|row| row["project"] == answer["account"]).expect("the same project");
        near(&answer["mib_per_s_per_node"], &row["mib_per_s_per_node"], "MiB/s/CN");
        near(&answer["metadata_share"], &row["metadata_share"], "metadata");
    }
    assert_eq!(answers[9].len(), rows.len());
}

fn filters(study: &str, all: &Value) {
    let project = all["Fig 4"]["projects"][0]["project"].as_str().expect("a project");
    let own = told(study, &["--project", project]);
    assert_eq!(own["Fig 4"]["projects"].as_array().expect("projects").len(), 1);
    assert_eq!(own["Table II"]["total"]["jobs"], all["Table II"]["rows"][0]["jobs"]);
    let from = all["study"]["from"].as_f64().expect("from") + 86_400.0;
    let day = told(study, &["--from", &from.to_string(), "--to", &(from + 86_400.0).to_string()]);
    assert!(day["study"]["runs"].as_u64() < all["study"]["runs"].as_u64());
    assert!(day["Comparison"]["missing"].is_null(), "{}", day["Comparison"]);
    assert!(day["Fig 8"]["missing"].is_string(), "no snapshot was taken that day");
    for (arguments, complaint) in [
        (&["--project", "nobody"][..], "no job belongs to the project \"nobody\""),
        (&["--from", "yesterday"], "as a time"),
        (&["--from", "2000", "--to", "1000"], "--from must be before --to"),
    ] {
        let (code, out, complaints) = run(&[&["study", study][..], arguments].concat());
        assert!(code != 0 && out.is_empty() && complaints.contains(complaint), "{complaints}");
    }
}

#[test]
fn a_log_of_devices_may_grow() {
    let folder = Folder::new("growing");
    let (study, log) = (folder.file("study"), folder.file("oss1.csv"));
    let row = |minute: u64| format!("{},{},0\n", 1_700_000_040 + 60 * minute, minute + 1);
    let text = |minutes: u64| {
        "timestamp,write_bytes_per_s,read_bytes_per_s\n".to_string()
            + &(0..minutes).map(row).collect::<String>()
    };
    let mut rows = 0;
    for minutes in [10, 10, 75, 200] {
        fs::write(&log, text(minutes)).expect("written");
        ingest(&study, &[&log]);
        let found = ask(
            &study,
            "select count(*) as n, sum(bytes_written) as bytes, min(device) as device from devices",
        );
        rows = found[0]["n"].as_u64().expect("rows");
        assert_eq!(rows, minutes);
        let bytes = (1..=minutes).map(|rate| rate * 60).sum::<u64>() as f64;
        assert_eq!((found[0]["bytes"].as_f64(), found[0]["device"].as_str()), (Some(bytes), Some("oss1")));
    }
    assert_eq!(rows, 200);
}

#[test]
fn a_study_of_nothing_says_what_is_missing() {
    let folder = Folder::new("nothing");
    let study = folder.file("study");
    let jobs = folder.file("jobs.txt");
    fs::write(&jobs, "JobID|User|Account|NNodes|AllocCPUS|Start|End\n1|u|p|2|8|2026-01-01T00:00:00|2026-01-01T01:00:00\n2|u|p|2|8|2026-01-01T00:00:00|Unknown\n").expect("written");
    let (code, _, complaints) = run(&["ingest", &jobs, "--into", &study]);
    assert_eq!(code, 0);
    assert!(complaints.contains("1 jobs have not ended"), "{complaints}");
    let found = told(&study, &[]);
    for item in
        ["Fig 1", "Table I", "Fig 2", "Fig 6", "Fig 8", "Table IV", "Fig 11", "Overwrites", "Signatures"]
    {
        assert!(found[item]["missing"].as_str().is_some_and(|why| why.len() > 20), "{item}");
    }
    assert_eq!(found["Table II"]["total"]["core_hours"], 8.0);
    let (code, _, complaints) = run(&["study", &folder.file("elsewhere")]);
    assert_eq!(code, 1);
    assert!(complaints.contains("no study found"), "{complaints}");
}
