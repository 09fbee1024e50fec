//! `period` as a user runs it: text, JSON, pictures, flags, failures.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::collections::BTreeSet;

use common::{Folder, fields, golden, json_of, names_in, run};
use serde_json::Value;

/// Ten checkpoints of two ranks, 10 s apart, after reading an input.
const TABLE: &str = "testdata/csv/checkpoints.csv";
const SMALL: &str = "testdata/darshan/small.darshan";

fn json(arguments: &[&str]) -> Value {
    json_of("period", arguments)
}

#[test]
fn the_published_method_as_text_and_json() {
    let (code, text, complaints) = run(&["period", "--method", "dft", TABLE]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    golden("period.txt", &text);
    let document = json(&["--method", "dft", TABLE]);
    golden("period.json", &format!("{}\n", serde_json::to_string_pretty(&document).expect("pretty")));
}

#[test]
fn each_rank_has_its_own_period() {
    let folder = Folder::new("per-rank");
    let table = folder.file("ranks.csv");
    let mut text = "rank,start,end,bytes,op\n".to_string();
    for (rank, distance) in [(0, 10.0), (1, 10.0), (3, 25.0)] {
        for n in 0..20 {
            let start = f64::from(n) * distance;
            text += &format!("{rank},{start:.2},{:.2},1000000,write\n", start + 2.0);
        }
    }
    text += "5,1.00,2.00,1000,write\n";
    std::fs::write(&table, text).expect("table");
    for method in ["auto", "dft"] {
        let document = json(&["--per-rank", "--method", method, &table]);
        let ranks = document["ranks"].as_array().expect("ranks");
        let numbers: Vec<_> = ranks.iter().map(|one| one["rank"].as_u64().unwrap_or(99)).collect();
        assert_eq!((numbers, &document["ranks_with_io"]), (vec![0, 1, 3, 5], &4.into()));
        for (rank, expected) in ranks.iter().zip([10.0, 10.0, 25.0]) {
            let period = rank["period_s"].as_f64().expect("a period");
            assert!((period / expected - 1.0).abs() < 0.05, "{method}: {period} {expected}");
        }
        assert_eq!(ranks[3]["period_s"], Value::Null, "one request has no period");
    }
    let (_, text, _) = run(&["period", "--per-rank", &table]);
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(rows.iter().any(|row| row.starts_with(&["10.0", "s", "2", "0"])), "{text}");
    assert!(rows.iter().any(|row| row.starts_with(&["25.0", "s", "1", "3"])), "{text}");
    assert_eq!(json(&[&table])["ranks"], Value::Null);
}

#[test]
fn the_dominant_waves_are_drawn() {
    let folder = Folder::new("waves");
    let picture = folder.file("waves.svg");
    for (method, drawn) in [("dft", true), ("auto", false)] {
        assert_eq!(run(&["period", "--method", method, "--plot", &picture, TABLE]).0, 0);
        let svg = std::fs::read_to_string(&picture).expect("picture");
        assert_eq!(svg.contains("class=\"wave n0\""), drawn, "{method}");
        assert_eq!(svg.contains("Dominant waves"), drawn, "{method}");
    }
}

#[test]
fn outliers_are_found_in_other_ways() {
    for ways in ["dbscan", "lof", "find-peaks", "isolation-forest", "zscore,dbscan,lof"] {
        let document = json(&["--method", "dft", "--outliers", ways, TABLE]);
        let named: Vec<&str> = ways.split(',').collect();
        assert_eq!(document["rules"]["outliers"], Value::from(named));
    }
    let (code, _, complaints) = run(&["period", "--outliers", "lof", TABLE]);
    assert!(code == 2 && complaints.contains("--method dft"), "{complaints}");
}

#[test]
fn a_text_fits_eighty_columns() {
    for arguments in
        [&[TABLE][..], &["--method", "dft", TABLE], &["--window", "200:300", TABLE], &[TABLE, SMALL]]
    {
        let output =
            common::marigraph().env("COLUMNS", "80").arg("period").args(arguments).output().expect("run");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.is_empty());
    }
}

#[test]
fn our_own_method_finds_the_checkpoints() {
    let document = json(&[TABLE]);
    let period = document["period_s"].as_f64().expect("a period");
    assert!((period - 10.0).abs() < 0.5, "{period}");
    assert_eq!((&document["method"], &document["op"]), (&"auto".into(), &"both".into()));
    assert_eq!((&document["evidence"], &document["interfaces"][0]), (&"trace".into(), &"POSIX".into()));
    let (frequency, confidence) = (document["frequency_hz"].as_f64(), document["confidence"].as_f64());
    assert!((frequency.expect("frequency") * period - 1.0).abs() < 1e-6);
    assert!((0.0..=1.0).contains(&confidence.expect("confidence")));
}

#[test]
fn the_fields_emitted_are_those_of_the_contract() {
    let page = common::contract();
    let names = names_in(&page, "## JSON of `period`");
    assert!(names.len() > 25, "{names:?}");
    // Values and names of methods are not fields.
    let wanted: BTreeSet<String> = names.into_iter().filter(|name| name != "auto" && name != "dft").collect();
    for method in ["auto", "dft"] {
        let mut emitted = BTreeSet::new();
        fields(&json(&["--method", method, TABLE]), &mut emitted);
        let missing: Vec<_> = wanted.difference(&emitted).collect();
        assert!(missing.is_empty(), "{method}: {missing:?} are in the contract but not emitted");
    }
    let (_, help, _) = run(&["period", "--help"]);
    for flag in [
        "--op",
        "--sampling",
        "--window",
        "--method",
        "--tolerance",
        "--as-ftio",
        "--outliers",
        "--per-rank",
        "--no-autocorrelation",
        "--skip-first-phase",
        "--unit",
        "--plot",
    ] {
        assert!(help.contains(flag), "{flag} is in the contract but not in the help");
    }
}

#[test]
fn flags_choose_what_is_analysed() {
    let writes = json(&["--op", "write", TABLE]);
    assert_eq!((&writes["op"], &writes["window_s"][0]), (&"write".into(), &5.0.into()));
    let part = json(&["--window", "30:70", "--method", "dft", TABLE]);
    assert_eq!(part["window_s"], serde_json::json!([30.0, 70.0]));
    let open = json(&["--window", ":70", "--method", "dft", TABLE]);
    assert_eq!(open["window_s"], serde_json::json!([0.5, 70.0]));
    let fine = json(&["--sampling", "20", "--method", "dft", TABLE]);
    assert_eq!(fine["sampling_hz"], 20.0);
    assert_eq!(json(&["--method", "dft", TABLE])["sampling_hz"], 10.0);
    // The shortest request takes 50 ms.
    assert_eq!(json(&["--sampling", "auto", "--method", "dft", TABLE])["sampling_hz"], 40.0);
    let rest = json(&["--skip-first-phase", "--method", "dft", TABLE]);
    assert!(rest["window_s"][0].as_f64().expect("from") >= 4.9, "{rest}");
}

#[test]
fn a_part_without_io_is_an_answer() {
    for method in ["auto", "dft"] {
        for arguments in [&["--window", "200:300", TABLE][..], &["--op", "read", "--window", "50:", TABLE]] {
            let document = json(&[&["--method", method], arguments].concat());
            assert!(document["period_s"].is_null() && document["phases"] == 0, "{document}");
        }
        let (code, text, _) =
            run(&["period", "--method", method, "--op", "read", "--window", "50:90", TABLE]);
        assert_eq!(code, 0);
        let text = text.replace("\n     ", "");
        assert!(text.contains("none found") && text.contains("8.00 MiB read"), "{text}");
    }
}

#[test]
fn what_does_not_tell_times_is_an_error_with_a_hint() {
    let folder = Folder::new("untimed");
    let empty = folder.file("empty.csv");
    std::fs::write(&empty, "rank,start,end,bytes,op\n").expect("write");
    let (code, out, complaints) = run(&["period", &empty]);
    assert_eq!((code, out.as_str()), (1, ""));
    let lines: Vec<&str> = complaints.lines().collect();
    assert!(lines[0].starts_with(&format!("error: {empty}: the log has no times")), "{complaints}");
    assert!(lines[1].starts_with("hint: ") && lines[1].contains("DXT_ENABLE_IO_TRACE"), "{complaints}");
    let (code, out, complaints) = run(&["period", "--json", &empty, TABLE]);
    assert_eq!((code, out.lines().count()), (0, 1), "skipped among many");
    assert!(complaints.contains("skipped 1: the log has no times"), "{complaints}");
    let picture = folder.file("none.svg");
    assert_eq!(run(&["period", "--plot", &picture, &empty]).0, 1);
    assert!(!std::path::Path::new(&picture).exists(), "no picture of nothing");
}

#[test]
fn wrong_usage_is_told() {
    for arguments in [
        &["--window", "20:10", TABLE][..],
        &["--window", "now", TABLE],
        &["--sampling", "0", TABLE],
        &["--sampling", "nan", TABLE],
        &["--tolerance", "1.5", TABLE],
        &["--op", "append", TABLE],
        &["--method", "magic", TABLE],
        &["--as-ftio", TABLE],
        &["--no-autocorrelation", TABLE],
        &["--unit", "GB", TABLE],
        &["--plot", "picture.png", TABLE],
        &["--plot", "picture.svg", TABLE, SMALL],
        &[],
    ] {
        let (code, out, complaints) = run(&[&["period"], arguments].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(!complaints.is_empty());
    }
    let (_, _, complaints) = run(&["period", "--plot", "picture.svg", TABLE, SMALL]);
    assert!(complaints.contains("\nhint: use the extension .html"), "{complaints}");
}

#[test]
fn a_picture_as_svg() {
    let folder = Folder::new("picture");
    let picture = folder.file("picture.svg");
    let (code, text, complaints) = run(&["period", "--method", "dft", "--plot", &picture, TABLE]);
    assert_eq!((code, complaints.as_str()), (0, ""));
    assert!(text.contains("period"), "the text is printed as well");
    let svg = std::fs::read_to_string(&picture).expect("picture");
    golden("period.svg", &svg);
    for part in ["<title id=", "<desc id=", "prefers-color-scheme: dark", "Power spectrum", "Autocorrelation"]
    {
        assert!(svg.contains(part), "no {part}");
    }
    for outside in ["href", "url(", "@import", "<script", "<image", "NaN", "inf"] {
        assert!(!svg.contains(outside), "{outside} in the picture");
    }
    assert_eq!(svg.matches("class=\"phase\"").count(), 11, "input and ten checkpoints");
}

#[test]
fn pictures_of_many_logs_are_one_page() {
    let folder = Folder::new("pictures");
    let page = folder.file("all.html");
    let (code, text, _) = run(&["period", "--plot", &page, TABLE, SMALL]);
    assert_eq!(code, 0);
    assert!(text.ends_with("logs, 1 with a period\n") || text.contains("2 logs, "), "{text}");
    let html = std::fs::read_to_string(&page).expect("page");
    assert!(html.contains(&format!("<h2>{TABLE}</h2>")) && html.contains(&format!("<h2>{SMALL}</h2>")));
    for outside in ["src=\"http", "href=\"http", "@import", "url(http", "<link "] {
        assert!(!html.contains(outside), "{outside} in the page");
    }
}

#[test]
fn the_page_about_a_job_has_a_section() {
    let folder = Folder::new("section");
    let page = folder.file("page.html");
    assert_eq!(run(&["report", TABLE, "-o", &page]).0, 0);
    let html = std::fs::read_to_string(&page).expect("page");
    let section =
        html.split("<section id=\"period\">").nth(1).and_then(|rest| rest.split("</section>").next());
    let section = section.expect("section");
    assert!(section.contains("I/O phases, one every") && section.contains("class=\"phase\""), "{section}");
}

#[test]
fn the_unit_of_old_files_is_told() {
    let folder = Folder::new("unit");
    let file = folder.file("old.json");
    let times = |shift: f64| {
        (0..8).map(|n| format!("{:.1}", 5.0 * f64::from(n) + shift)).collect::<Vec<_>>().join(",")
    };
    let rates = ["300"; 8].join(",");
    let text =
        format!("{{\"b_rank_avr\":[{rates}],\"t_rank_s\":[{}],\"t_rank_e\":[{}]}}", times(0.0), times(1.0));
    std::fs::write(&file, text).expect("write");
    let rate = |unit: &str| json(&["--method", "dft", "--unit", unit, &file])["b_io"].as_f64().expect("rate");
    assert!((rate("MB") / rate("B") / 1e6 - 1.0).abs() < 1e-6, "{} {}", rate("MB"), rate("B"));
    assert_eq!(json(&["--unit", "MB", TABLE])["b_io"], json(&[TABLE])["b_io"], "others know their unit");
}

#[test]
fn results_do_not_depend_on_threads() {
    let with = |threads: &str| run(&["period", "--json", "--threads", threads, TABLE, SMALL, TABLE]);
    assert_eq!(with("1"), with("3"));
}

#[test]
fn heat_maps_do_where_there_are_no_operations() {
    let Some(data) = common::data() else { return };
    let log = data.join("darshan/e3sm_io_heatmap_only.darshan").display().to_string();
    for method in ["auto", "dft"] {
        let document = json(&["--method", method, &log]);
        assert_eq!(document["evidence"], "heatmap");
        assert!(document["samples"].as_u64() > Some(0), "{document}");
    }
}

#[test]
fn the_paper_s_own_runs_have_their_periods() {
    let Some(data) = common::data() else { return };
    for (name, period_s, within) in [("8.jsonl", 1.937, 0.01), ("384.msgpack", 10.14, 0.02)] {
        let path = data.join("tmio").join(name);
        let found = common::json_of("period", &[&path.display().to_string()]);
        let told = found["period_s"].as_f64().expect("a period");
        assert!((told / period_s - 1.0).abs() < within, "{name}: {told}");
    }
}
