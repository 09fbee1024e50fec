//! `ingest` and `sql` as a user runs them.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use common::{Folder, golden, run};
use serde_json::{Value, json};

const LOGS: [&str; 2] = ["testdata/darshan", "testdata/csv"];

fn ingest(study: &str, logs: &[&str]) -> Value {
    let (code, out, complaints) = run(&[&["ingest", "--json", "--into", study], logs].concat());
    assert_eq!(code, 0, "{complaints}");
    serde_json::from_str(&out).expect("one JSON document")
}

fn ask(study: &str, query: &str) -> Value {
    let (code, out, complaints) = run(&["sql", study, query, "--format", "json"]);
    assert_eq!((code, complaints.as_str()), (0, ""), "{query}");
    serde_json::from_str(&out).expect("one JSON document")
}

#[test]
fn logs_are_added_once_and_told_as_show_tells_them() {
    let folder = Folder::new("ingest");
    let study = folder.file("study");
    let first = ingest(&study, &LOGS);
    let added = first["added"].as_u64().expect("added");
    assert!(added >= 2, "{first}");
    let again = ingest(&study, &LOGS);
    let count = |value: &Value| match value {
        Value::Object(reasons) => reasons.values().filter_map(Value::as_u64).sum(),
        number => number.as_u64().expect("number"),
    };
    let seen = ["added", "already_there", "same_run", "invalid"].map(|field| count(&first[field]));
    assert_eq!((&again["added"], count(&again["already_there"])), (&json!(0), seen.iter().sum()));
    assert_eq!(ask(&study, "select count(*) as n from jobs"), json!([{ "n": added }]));
    let small = "testdata/darshan/small.darshan";
    let (_, shown, _) = run(&["show", "--json", small]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    let row = ask(&study, &format!("select * from jobs where source = '{small}'"))[0].clone();
    for (column, expected) in [
        ("job_id", &shown["job"]["id"]),
        ("uid", &shown["job"]["uid"]),
        ("nprocs", &shown["job"]["nprocs"]),
        ("command", &shown["job"]["exe"]),
        ("bytes_read", &shown["totals"]["read_bytes"]),
        ("bytes_written", &shown["totals"]["write_bytes"]),
        ("reads", &shown["totals"]["reads"]),
        ("metadata_ops", &shown["totals"]["metadata_ops"]),
        ("files", &shown["files"]),
        ("format", &shown["format"]),
    ] {
        assert_eq!(&row[column], expected, "{column}");
    }
    let moved = "select sum(bytes_written) as n from files where module in ('POSIX', 'STDIO') and job_key = ";
    let moved = ask(&study, &format!("{moved}{}", row["job_key"].to_string().replace('"', "'")));
    assert_eq!(moved[0]["n"], row["bytes_written"]);
}

#[test]
fn every_table_is_filled_from_a_log_that_tells_all() {
    let folder = Folder::new("tables");
    let study = folder.file("study");
    ingest(&study, &["testdata/csv/checkpoints.csv"]);
    for table in ["jobs", "files", "counters", "operations", "phases", "categories"] {
        let rows = ask(&study, &format!("select count(*) as n from {table}"))[0]["n"].as_u64();
        assert!(rows.is_some_and(|rows| rows > 0), "{table}: {rows:?}");
    }
    let phases = ask(&study, "select phase, bytes from jobs join phases using (job_key) order by phase");
    assert!(phases.as_array().is_some_and(|phases| phases.len() >= 10), "{phases}");
}

#[test]
fn bad_logs_are_counted_by_reason() {
    let folder = Folder::new("bad");
    let study = folder.file("study");
    std::fs::create_dir(folder.file("logs")).expect("folder");
    for (name, content) in [("empty", ""), ("other", "not a log"), ("another", "not a log either")] {
        std::fs::write(folder.file(&format!("logs/{name}")), content).expect("file");
    }
    let found = ingest(&study, &[&folder.file("logs"), "testdata/darshan/small.darshan"]);
    assert_eq!(found["added"], 1);
    let skipped: u64 =
        found["skipped"].as_object().expect("by reason").values().filter_map(Value::as_u64).sum();
    assert_eq!((skipped, found["skipped"].as_object().map(serde_json::Map::len)), (3, Some(2)), "{found}");
    let (code, _, complaints) = run(&["ingest", "--into", &study, &folder.file("logs/other")]);
    assert_eq!(code, 1);
    assert!(complaints.contains("error: ") && complaints.contains("logs/other: "), "{complaints}");
    let (code, _, _) = run(&["ingest", "--strict", "--into", &study, &folder.file("logs")]);
    assert_eq!(code, 1);
}

#[test]
fn a_log_that_cannot_be_trusted_is_kept_apart() {
    let folder = Folder::new("invalid");
    let (logs, study) = (folder.file("logs"), folder.file("study"));
    let (code, _, complaints) = run(&["synth", "corpus", "--logs", "200", "--seed", "77", "-o", &logs]);
    assert_eq!(code, 0, "{complaints}");
    let found = ingest(&study, &[&logs]);
    let (code, told, complaints) = run(&["categorize", &logs, "--into", &folder.file("corpus"), "--json"]);
    assert_eq!(code, 0, "{complaints}");
    let told: Value = serde_json::from_str(&told).expect("one JSON document");
    assert_eq!(found["added"], told["valid"]);
    let reasons = found["invalid"].as_object().expect("by reason");
    assert!(reasons.len() >= 3, "{found}");
    for (reason, count) in reasons {
        assert_eq!(&told["skipped"][reason], count, "{reason}");
        let kept = ask(&study, &format!("select count(*) as n from invalid where reason = '{reason}'"));
        assert_eq!(&kept[0]["n"], count, "{reason}");
    }
    // More bytes than its processes can move in its time.
    let most = "select max((bytes_read + bytes_written) / (nprocs * runtime_s)) <= 100e9 as sound from jobs";
    assert_eq!(ask(&study, most), json!([{ "sound": 1 }]));
    for table in ["files", "counters", "categories"] {
        let query =
            format!("select count(*) as n from {table} where job_key in (select job_key from invalid)");
        assert_eq!(ask(&study, &query)[0]["n"], 0, "{table}");
    }
    let again = ingest(&study, &[&logs]);
    assert_eq!((&again["added"], &again["invalid"]), (&json!(0), &json!({})), "{again}");
    let (_, report, _) = run(&["study", &study, "--json"]);
    let report: Value = serde_json::from_str(&report).expect("one JSON document");
    assert_eq!(&report["study"]["invalid"], &found["invalid"]);
    let (_, report, _) = run(&["study", &study]);
    assert!(report.contains("logs cannot be trusted"), "{report}");
}

#[test]
fn a_name_that_does_not_exist_is_an_error_among_many_too() {
    let folder = Folder::new("no-such-name");
    let (log, none) = ("testdata/darshan/small.darshan", folder.file("no.darshan"));
    for command in [&["ingest", "--into", &folder.file("study")][..], &["show"], &["categorize"], &["period"]]
    {
        let (code, _, complaints) = run(&[command, &[log, none.as_str()]].concat());
        assert!(code == 1 && complaints.contains(&format!("error: {none}: No such file")), "{complaints}");
    }
}

#[test]
fn an_input_with_nothing_to_add_says_what_it_is() {
    let folder = Folder::new("empty-input");
    let log = folder.file("oss.csv");
    std::fs::write(&log, "timestamp,write_bytes_per_s,read_bytes_per_s\n").expect("written");
    let (code, _, complaints) = run(&["ingest", &log, "--into", &folder.file("study")]);
    assert_eq!(code, 0, "{complaints}");
    assert!(complaints.contains("added 0, already there 0\n"), "{complaints}");
    assert!(complaints.contains("nothing to add from 1: a throughput log without readings"), "{complaints}");
}

#[test]
fn an_answer_in_every_form() {
    let folder = Folder::new("forms");
    let study = folder.file("study");
    ingest(&study, &["testdata/csv/checkpoints.csv"]);
    let query = "select direction, count(*) as n, 1.5 as x, null as none, 'a, \"b\"' as q from operations group by direction";
    let (_, table, _) = run(&["sql", &study, query]);
    golden("sql.txt", &table);
    let (_, csv, _) = run(&["sql", &study, query, "--format", "csv"]);
    golden("sql.csv", &csv);
    let (_, document, _) = run(&["sql", &study, query, "--format", "json"]);
    golden("sql.json", &document);
    assert_eq!(ask(&study, "select 1 where 0"), json!([]));
    let file = folder.file("answer.parquet");
    let (code, out, complaints) = run(&["sql", &study, query, "--format", "parquet", "-o", &file]);
    assert_eq!((code, out.as_str(), complaints.as_str()), (0, "", ""));
    assert!(std::fs::read(&file).expect("file").starts_with(b"PAR1"));
    let (code, _, complaints) = run(&["sql", &study, query, "--format", "parquet"]);
    assert_eq!((code, complaints.lines().nth(1)), (2, Some("hint: add -o FILE.parquet")));
}

#[test]
fn what_cannot_be_asked_is_said_with_what_can() {
    let folder = Folder::new("wrong");
    let study = folder.file("study");
    let (code, _, complaints) = run(&["sql", &study, "select 1"]);
    assert_eq!(code, 1);
    assert!(
        complaints.ends_with("no study found\nhint: create one with marigraph ingest PATH... --into STUDY\n"),
        "{complaints}"
    );
    ingest(&study, &["testdata/csv/checkpoints.csv"]);
    for (query, words) in [
        ("select * from job", "hint: the tables are jobs, files,"),
        ("select path from jobs", "hint: jobs has the columns job_key, job_id, uid,"),
        ("selec 1", "only SELECT and WITH queries are allowed"),
    ] {
        let (code, _, complaints) = run(&["sql", &study, query]);
        assert!(code == 1 && complaints.contains(words), "{query}: {complaints}");
    }
    let (code, tables, _) = run(&["sql", &study]);
    assert_eq!(code, 0);
    assert!(tables.contains("jobs (1 rows)\n") && tables.contains("bytes_written"), "{tables}");
}

#[test]
fn real_logs_go_in_and_threads_make_no_difference() {
    let Some(data) = common::data() else { return };
    let logs = data.join("darshan").display().to_string();
    let older = data.join("darshan2").display().to_string();
    let folder = Folder::new("real");
    let mut answers = Vec::new();
    for threads in ["1", "2"] {
        let study = folder.file(threads);
        let found = ingest(&study, &["--threads", threads, &logs, &older]);
        assert!(found["added"].as_u64().is_some_and(|added| added >= 50), "{found}");
        let all = ["jobs", "files", "counters", "operations", "phases", "categories"];
        answers.push(all.map(|table| {
            let (_, out, _) = run(&["sql", &study, &format!("select * from {table}"), "--format", "csv"]);
            let mut lines: Vec<String> = out.lines().map(String::from).collect();
            lines.sort();
            lines
        }));
    }
    assert!(answers[0].iter().all(|lines| lines.len() > 50));
    assert!(answers[0] == answers[1]);
}
