//! A run is one run, whatever files tell of it, and two jobs are never one.

#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;
#[path = "../../formats/src/native/parts/made.rs"]
mod made;

use std::path::Path;

use common::{Folder, run};
use made::Made;
use serde_json::{Value, json};

fn put(folder: &Path, made: &Made) {
    std::fs::create_dir_all(folder).expect("folder");
    std::fs::write(folder.join(format!("{}.log", made.stem)), made.log()).expect("log");
    if let Some(live) = made.live() {
        std::fs::write(folder.join(format!("{}.live", made.stem)), live).expect("live");
    }
}

/// A program that ended in order after `writes` writes.
fn process(pid: u32, writes: u64, environment: &[&str]) -> Made {
    let mut made = Made::new(pid);
    made.environment = environment.iter().map(|entry| (*entry).to_string()).collect();
    made.threads[0].0 = made.writes(1, &format!("/scratch/{pid}"), 100_000, writes);
    made.ended = true;
    made
}

/// Merges parts; returns the lines on standard error, without warnings.
fn merge(folder: &Folder, parts: &[Made], arguments: &[&str]) -> (i32, Vec<String>) {
    let below = folder.0.join("parts");
    parts.iter().for_each(|made| put(&below, made));
    let (below, name) = (below.display().to_string(), folder.file("run"));
    let (code, _, err) = run(&[&["merge", below.as_str(), "-o", &name], arguments].concat());
    (code, err.lines().filter(|line| !line.starts_with("warning: ")).map(String::from).collect())
}

fn written(log: &str) -> (Value, Value) {
    let (code, out, err) = run(&["show", "--json", log]);
    assert_eq!(code, 0, "{err}");
    let shown: Value = serde_json::from_str(&out).expect("JSON");
    (shown["job"]["id"].clone(), shown["totals"]["write_bytes"].clone())
}

fn ask(study: &str, query: &str) -> Value {
    let (code, out, err) = run(&["sql", study, query, "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).expect("one JSON document")
}

fn ingest(study: &str, inputs: &[&str]) -> Value {
    let (code, out, err) = run(&[&["ingest", "--json", "--into", study], inputs].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).expect("one JSON document")
}

#[test]
fn the_log_and_the_trace_of_a_run_are_one_run() {
    let folder = Folder::new("one-run");
    assert_eq!(merge(&folder, &[process(100, 5, &["SLURM_JOB_ID=7"])], &["--trace"]).0, 0);
    let (log, trace) = (folder.file("run.darshan"), folder.file("run.mari"));
    let both = json!([{ "source": trace, "bytes_written": 5 * 4096, "detail": 2 }]);
    let orders: [&[&[&str]]; 3] = [&[&[&log, &trace]], &[&[&log], &[&trace]], &[&[&trace], &[&log]]];
    for (number, order) in orders.iter().enumerate() {
        let study = folder.file(&format!("study-{number}"));
        for (time, inputs) in order.iter().chain(*order).enumerate() {
            let told = ingest(&study, inputs);
            assert!(time < order.len() || told["added"] == 0, "{told}");
        }
        assert_eq!(ask(&study, "select source, bytes_written, detail from jobs"), both, "{order:?}");
        assert_eq!(ask(&study, "select sum(bytes_written) as n from files")[0]["n"], 5 * 4096);
        let others = "select sources.source from sources join jobs using (run_key)";
        assert_eq!(ask(&study, others), json!([{ "source": log }]));
    }
}

#[test]
fn a_copy_in_another_packing_is_the_same_run() {
    let folder = Folder::new("one-run-copy");
    let log = "testdata/darshan/small.darshan";
    let packed =
        std::process::Command::new("gzip").arg("-c").arg(common::root().join(log)).output().expect("gzip");
    std::fs::write(folder.file("copy"), packed.stdout).expect("written");
    let copy = folder.file("copy.darshan");
    let (code, _, err) = run(&["convert", log, "-o", &copy]);
    assert_eq!(code, 0, "{err}");
    let study = folder.file("study");
    ingest(&study, &[log, &folder.file("copy"), &copy]);
    assert_eq!(ask(&study, "select count(*) as n from jobs"), json!([{ "n": 1 }]));
}

#[test]
fn runs_of_one_job_stay_apart() {
    let folder = Folder::new("runs-apart");
    let environment = ["SLURM_JOB_ID=7"];
    for pid in [50, 51] {
        let below = Folder::new(&format!("runs-apart-{pid}"));
        assert_eq!(merge(&below, &[process(pid, 5, &environment)], &[]).0, 0);
        std::fs::copy(below.file("run.darshan"), folder.file(&format!("{pid}.darshan"))).expect("copied");
    }
    let study = folder.file("study");
    let told = ingest(&study, &[&folder.file("50.darshan"), &folder.file("51.darshan")]);
    assert_eq!((&told["added"], &told["same_run"]), (&json!(2), &json!(0)), "{told}");
}

#[test]
fn parts_of_two_jobs_become_two_logs() {
    let folder = Folder::new("two-jobs");
    let parts = [process(100, 5, &["SLURM_JOB_ID=7"]), process(101, 3, &["SLURM_JOB_ID=8"])];
    let (code, told) = merge(&folder, &parts, &[]);
    assert_eq!((code, told.len()), (0, 3), "{told:?}");
    assert!(told[1].contains("run.7.darshan: job 7") && told[2].contains("run.8.darshan: job 8"), "{told:?}");
    assert_eq!(written(&folder.file("run.7.darshan")), (json!(7), json!(5 * 4096)));
    assert_eq!(written(&folder.file("run.8.darshan")), (json!(8), json!(3 * 4096)));
    assert!(!Path::new(&folder.file("run.darshan")).exists());
    let (code, told) = merge(&folder, &parts, &["--job", "8", "--remove"]);
    assert_eq!((code, told.len()), (0, 0), "{told:?}");
    assert_eq!(written(&folder.file("run.darshan")), (json!(8), json!(3 * 4096)));
    let left = folder.0.join("parts");
    assert!(left.join("node0.100.abcd.log").exists() && !left.join("node0.101.abcd.log").exists());
    let (code, told) = merge(&folder, &[], &["--job", "9"]);
    assert!(code == 1 && told[0].contains("no part belongs to job 9"), "{told:?}");
    assert!(told[1].contains("jobs with parts here: 7"), "{told:?}");
}

/// A rank of an MPI program.
fn rank(pid: u32, at: u32, environment: &[&str]) -> Made {
    Made { mpi: Some((at, 2)), ..process(pid, 1, environment) }
}

/// The logs that merging parts gives, with their bytes.
fn logs(name: &str, parts: &[Made]) -> Vec<(String, Value)> {
    let folder = Folder::new(name);
    assert_eq!(merge(&folder, parts, &[]).0, 0);
    let files = std::fs::read_dir(&folder.0).expect("folder").map(|entry| entry.expect("entry").path());
    let mut logs: Vec<(String, Value)> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "darshan"))
        .map(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            (name, written(&path.display().to_string()).1)
        })
        .collect();
    logs.sort_by(|one, other| one.0.cmp(&other.0));
    logs
}

#[test]
fn what_tells_runs_apart_depends_on_what_parts_say() {
    let one = |bytes: u64| vec![("run.darshan".to_string(), json!(bytes * 4096))];
    let many = |names: &[(&str, u64)]| -> Vec<(String, Value)> {
        names.iter().map(|(name, bytes)| ((*name).to_string(), json!(bytes * 4096))).collect()
    };
    let silent = [process(100, 1, &[]), process(101, 2, &[])];
    assert_eq!(logs("says-nothing", &silent), one(3), "nothing says that they are two");
    let steps = ["SLURM_STEP_ID=0", "SLURM_STEP_ID=1"];
    let step = |pid, at, step: usize| rank(pid, at, &["SLURM_JOB_ID=7", steps[step]]);
    let stepped = [step(100, 0, 0), step(101, 1, 0), step(102, 0, 1)];
    assert_eq!(logs("steps", &stepped), many(&[("run.7.1.darshan", 2), ("run.7.2.darshan", 1)]));
    let head = rank(102, 0, &["SLURM_JOB_ID=7"]);
    let mixed = [step(100, 1, 0), head, step(103, 1, 1)];
    assert_eq!(logs("no-step-on-head", &mixed), one(3), "whose rank has no step?");
    let recorded = |pid, step: usize| process(pid, 1, &["SLURM_JOB_ID=7", "MARIGRAPH_RUN=a", steps[step]]);
    assert_eq!(logs("one-recording", &[recorded(100, 0), recorded(101, 1)]), one(2));
    let recordings = [process(100, 1, &["MARIGRAPH_RUN=a"]), process(101, 2, &["MARIGRAPH_RUN=b"])];
    assert_eq!(logs("recordings", &recordings), many(&[("run.100.darshan", 1), ("run.101.darshan", 2)]));
    let far = Made { host: "node1".to_string(), stem: "node1.9.x".to_string(), ..rank(9, 1, &[]) };
    assert_eq!(logs("far-rank", &[rank(100, 0, &["PBS_JOBID=7.server"]), far]), one(2));
    let array = [process(100, 1, &["PBS_JOBID=7[1].server"]), process(101, 2, &["PBS_JOBID=7[2].server"])];
    assert_eq!(logs("array", &array), many(&[("run.7.1.darshan", 1), ("run.7.2.darshan", 2)]));
}

/// A folder with the log and the trace of one run, and the log of another.
fn two_runs(name: &str) -> (Folder, Vec<String>) {
    let folder = Folder::new(name);
    assert_eq!(merge(&folder, &[process(50, 5, &[])], &["--trace"]).0, 0);
    let other = Folder::new(&format!("{name}-other"));
    assert_eq!(merge(&other, &[process(51, 5, &[])], &[]).0, 0);
    std::fs::rename(other.file("run.darshan"), folder.file("other.darshan")).expect("moved");
    let logs = ["other.darshan", "run.darshan", "run.mari"].map(|log| folder.file(log)).to_vec();
    (folder, logs)
}

#[test]
fn categorize_and_report_look_at_each_run_once() {
    let (folder, logs) = two_runs("categorize-once");
    let names: Vec<&str> = logs.iter().map(String::as_str).collect();
    let (code, out, err) = run(&[&["categorize", "--json"], &names[..]].concat());
    assert_eq!((code, out.lines().count()), (0, 2), "{err}");
    assert!(err.contains("1 inputs tell of runs that other inputs tell more of"), "{err}");
    let told: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((&told[0]["input"], &told[0]["same_run"]), (&json!(logs[0]), &json!([])));
    assert_eq!((&told[1]["input"], &told[1]["same_run"]), (&json!(logs[2]), &json!([logs[1]])));
    let into = folder.file("corpus");
    for _ in 0..2 {
        let (code, out, err) = run(&[&["categorize", "--json", "--into", &into], &names[..]].concat());
        assert_eq!(code, 0, "{err}");
        let summary: Value = serde_json::from_str(&out).expect("JSON");
        let counts = ["read", "valid", "same_run"].map(|field| summary[field].clone());
        assert_eq!(counts, [json!(3), json!(2), json!(1)], "{summary}");
    }
    let (code, out, err) = run(&[&["report", "--json"], &names[..]].concat());
    let inputs = out.lines().filter(|line| !line.contains("\"application\"")).count();
    assert_eq!((code, inputs), (0, 2), "{err}");
}

#[test]
fn report_of_a_folder_leaves_out_what_cannot_be_trusted() {
    let folder = Folder::new("report-invalid");
    let logs = folder.file("logs");
    let (code, _, err) = run(&["synth", "corpus", "--logs", "60", "--seed", "77", "-o", &logs]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(&["report", &logs, "-o", &folder.file("page.html")]);
    assert!(code == 0 && err.contains("left out ") && err.contains(" of the summary: "), "{err}");
}

#[test]
fn a_study_shows_every_file_system() {
    let folder = Folder::new("file-systems");
    let study = folder.file("study");
    for tree in ["large", "small"] {
        std::fs::create_dir(folder.file(tree)).expect("folder");
        let size = if tree == "large" { 9000 } else { 10 };
        for time in 0..2 {
            std::fs::write(folder.file(&format!("{tree}/{time}")), vec![0; size]).expect("file");
            let snapshot = folder.file(&format!("{tree}-{time}.snap"));
            assert_eq!(run(&["scan", &folder.file(tree), "-o", &snapshot]).0, 0);
            ingest(&study, &[&snapshot]);
        }
    }
    let (_, out, _) = run(&["study", &study, "--json"]);
    let report: Value = serde_json::from_str(&out).expect("JSON");
    for figure in ["Fig 8", "Table IV", "Fig 9"] {
        let all = report[figure]["file_systems"].as_array().expect("all of them");
        let roots: Vec<&str> = all.iter().filter_map(|one| one["roots"].as_str()).collect();
        assert!(roots.len() == 2 && roots[0].ends_with("large") && roots[1].ends_with("small"), "{roots:?}");
    }
    assert_eq!(report["Fig 8"]["file_systems"][1]["bytes"], 20);
    assert_eq!(report["Table IV"]["file_systems"][1]["rows"][0]["bytes_before"], 10);
    let (_, text, _) = run(&["study", &study]);
    assert!(text.contains("/large on ") && text.contains("/small on "), "{text}");
    let page = folder.file("study.html");
    assert_eq!(run(&["study", &study, "-o", &page]).0, 0);
    let page = std::fs::read_to_string(&page).expect("page");
    assert_eq!(page.matches("aria-label=\"Sizes of files").count(), 2);
}

/// Every command that prints JSON about inputs, over inputs of its kind.
#[test]
fn every_json_document_of_an_input_has_problems() {
    let (folder, logs) = two_runs("problems");
    let [other, log, trace] = [&logs[0], &logs[1], &logs[2]].map(String::as_str);
    let traces: Vec<String> = [2, 3, 4, 5]
        .map(|ranks| {
            let below = Folder::new(&format!("problems-{ranks}"));
            let parts: Vec<Made> =
                (0..ranks).map(|at| Made { mpi: Some((at, ranks)), ..process(50 + at, 3, &[]) }).collect();
            assert_eq!(merge(&below, &parts, &["--trace"]).0, 0);
            let trace = folder.file(&format!("{ranks}.mari"));
            std::fs::rename(below.file("run.mari"), &trace).expect("moved");
            trace
        })
        .to_vec();
    let [snap, study, jobs, rates] =
        ["a.snap", "study", "jobs.csv", "rates.csv"].map(|name| folder.file(name));
    let runs: String = (0..5).map(|at| format!("{at},u,a,1,{},{}\n", at * 200, at * 200 + 100)).collect();
    std::fs::write(&jobs, format!("jobid,user,name,nodes,start,end\n{runs}")).expect("written");
    let rate = |at: u32| if (30..40).contains(&(at % 200)) { 1e9 } else { 0.0 };
    let lines: String = (0..1000).map(|at| format!("{at},{},0\n", rate(at))).collect();
    std::fs::write(&rates, format!("timestamp,write_bytes_per_s,read_bytes_per_s\n{lines}"))
        .expect("written");
    let into = folder.file("corpus");
    let (root, out) = (folder.file("root"), folder.file("more.mari"));
    let extrapolate = [&["extrapolate"], &traces.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat();
    let extrapolate =
        [&extrapolate[..], &["--ranks", "9", "-o", &out, "--accept-assumed", "--skip-refused"]].concat();
    let commands: [&[&str]; 17] = [
        &["show", log],
        &["show", log, trace],
        &["report", log],
        &["report", log, other],
        &["period", "testdata/csv/checkpoints.csv"],
        &["categorize", log],
        &["categorize", log, "--into", &into],
        &["scan", "testdata", "-o", &snap],
        &["scan-diff", &snap, &snap],
        &["ingest", log, &snap, &jobs, "--into", &study],
        &["study", &study],
        &["signature", "--jobs", &jobs, "--throughput", &rates],
        &extrapolate,
        &["diff", trace, &traces[0]],
        &["replay", trace, "--root", &root, "--dry-run"],
        &["replay", trace, "--root", &root, "--mode", "fast", "--allow-left-out"],
        &["merge", &folder.file("parts"), "-o", &folder.file("again")],
    ];
    for command in commands {
        let (_, out, err) = run(&[command, &["--json"]].concat());
        assert!(!out.is_empty(), "{command:?}: {err}");
        for line in out.lines() {
            let document: Value = serde_json::from_str(line).expect("JSON");
            let problems = document["problems"].as_array();
            let problems = problems.unwrap_or_else(|| panic!("{command:?} has no problems: {line:.300}"));
            for problem in problems {
                let fields = ["kind", "message", "where"].map(|field| problem[field].is_string());
                assert_eq!(fields, [true; 3], "{command:?}: {problem}");
            }
        }
    }
}
