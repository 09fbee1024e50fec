//! `replay`: a recorded program performed and recorded again; ranks, interrupts, wrong usage.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it measured

mod common;
#[path = "../../recorder/tests/common/mod.rs"]
mod recorder;
#[path = "replay/traces.rs"]
mod traces;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Folder, marigraph, run};
use marigraph_wire::op::Op;
use traces::{CREATE, Thread, write};

fn merged(folder: &Folder, parts: &Path, name: &str) -> String {
    let name = folder.file(name);
    let (code, _, err) = run(&["merge", &parts.display().to_string(), "-o", &name, "--trace"]);
    assert_eq!(code, 0, "{err}");
    format!("{name}.mari")
}

fn parts(folder: &Folder, name: &str) -> std::path::PathBuf {
    let parts = folder.0.join(name);
    std::fs::create_dir_all(&parts).expect("folder");
    parts
}

/// Records a replay of a trace below `root`; returns the new trace and the replay's JSON.
fn replayed(folder: &Folder, trace: &str, root: &str, more: &[&str]) -> (String, serde_json::Value) {
    let parts = parts(folder, &format!("{root}.parts"));
    let mut command = recorder::recorded(env!("CARGO_BIN_EXE_marigraph"), &parts);
    command.args(["replay", trace, "--json", "--root", &folder.file(root)]).args(more);
    let out = command.output().expect("starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let said = serde_json::from_slice(&out.stdout).expect("JSON");
    (merged(folder, &parts, &format!("{root}-again")), said)
}

fn difference(a: &str, b: &str, root: &str) -> String {
    let map = format!("/={root}/");
    run(&["diff", a, b, "--system", "--map", &map]).1
}

#[test]
fn a_recorded_replay_is_the_same_program() {
    let folder = Folder::new("replay-again");
    let data = folder.0.join("data");
    std::fs::create_dir_all(&data).expect("folder");
    std::fs::write(data.join("in.dat"), vec![3; 10_000]).expect("input");
    let first = parts(&folder, "first.parts");
    let program = recorder::program("again");
    let mut command = recorder::recorded(&program, &first);
    assert!(command.arg(&data).stdout(Stdio::null()).status().expect("starts").success());
    let trace = merged(&folder, &first, "first");
    for (root, more) in [("timed", &[][..]), ("fast", &["--mode", "fast", "--as", "threads"])] {
        let (again, said) = replayed(&folder, &trace, root, more);
        let told = difference(&trace, &again, &folder.file(root));
        assert!(told.starts_with("the same: ") && !told.starts_with("the same: 0 "), "{root}: {told}");
        assert_eq!((&said["mismatches"], &said["left_out"]), (&0.into(), &0.into()), "{said}");
        assert!(!folder.0.join(root).exists(), "what it made is removed");
    }
    // A replay of something else differs.
    let changed = folder.file("changed.mari");
    let mut thread = Thread::new(0);
    thread.call(Op::Mkdir, 0, [1, 0o755, 0], 0);
    write(&changed, &["/other"], vec![thread]);
    let (again, _) = replayed(&folder, &changed, "changed", &[]);
    assert!(!difference(&trace, &again, &folder.file("changed")).starts_with("the same"));
}

#[test]
fn ranks_meet_and_wait_for_files_that_others_make() {
    let folder = Folder::new("replay-ranks");
    let trace = folder.file("ranks.mari");
    let mut threads = Vec::new();
    for rank in 0..3 {
        let mut thread = Thread::new(rank);
        thread.call(Op::Init, 0, [0; 3], 0);
        if rank == 0 {
            // Later than the others look for it.
            thread.pause(100_000_000);
            thread.call(Op::Open, 1, [1, CREATE, 0], 0);
            thread.call(Op::Write, 1, [0, 5000, 0], 5000);
            thread.call(Op::Close, 1, [0; 3], 0);
        } else {
            thread.call(Op::Stat, 0, [1, 0, 0o100_644], 0);
        }
        thread.call(Op::Barrier, 0, [0, 0, 1], 0);
        thread.call(Op::Open, 2, [1, 0, 5000], 0);
        thread.call(Op::Pread, 2, [1000, 9000, 0], 4000);
        // Ranks with more barriers than others must not wait forever.
        (0..=rank).for_each(|_| thread.call(Op::Barrier, 0, [0, 0, 1], 0));
        threads.push(thread);
    }
    write(&trace, &["/made/by/one"], threads);
    for how in ["processes", "threads"] {
        let root = folder.file("root");
        let mut arguments = vec!["replay", &trace, "--root", &root, "--json", "--mode", "fast"];
        arguments.extend(["--as", how]);
        let (code, out, err) = run(&arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{how}: {out}");
        let said: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!((said["calls"].as_u64(), said["bytes"].as_u64()), (Some(11), Some(17_000)), "{said}");
        assert_eq!(said["drift_s"], serde_json::Value::Null);
    }
}

#[test]
fn an_interrupt_removes_what_was_made() {
    let folder = Folder::new("replay-interrupt");
    let (trace, root) = (folder.file("t.mari"), folder.0.join("root"));
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, 0, 500], 0);
    thread.call(Op::Mkdir, 0, [2, 0o755, 0], 0);
    thread.call(Op::Open, 2, [3, CREATE, 0], 0);
    thread.pause(600_000_000_000);
    thread.call(Op::Close, 2, [0; 3], 0);
    write(&trace, &["/in/a", "/out", "/out/b"], vec![thread]);
    let mut command = marigraph();
    command.args(["replay", &trace, "--root"]).arg(&root).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let since = Instant::now();
    while !root.join("out/b").exists() {
        assert!(since.elapsed() < Duration::from_secs(60), "the file comes");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::metadata(root.join("in/a")).expect("prepared").len(), 500);
    let pid = child.id().to_string();
    // Not SIGINT: a shell that runs the tests in the background may ignore it.
    assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
    assert_eq!(child.wait().expect("ends").code(), Some(1));
    assert!(!root.exists(), "all is removed");
}

#[test]
fn wrong_speeds_are_wrong_usage() {
    let folder = Folder::new("replay-usage");
    let trace = folder.file("t.mari");
    write(&trace, &[], vec![Thread::new(0)]);
    for speed in ["0", "nan", "inf"] {
        assert_eq!(run(&["replay", &trace, "--root", &folder.file("r"), "--speed", speed]).0, 2);
    }
    let (code, _, err) = run(&["replay", file!(), "--root", &folder.file("r")]);
    assert!(code == 1 && err.contains("error: "), "{err}");
}

#[test]
fn ranks_that_would_wait_for_ever_are_refused_before_they_begin() {
    let folder = Folder::new("replay-together");
    let trace = folder.file("t.mari");
    let threads = (0..2).map(|rank| {
        let mut thread = Thread::new(rank);
        thread.call(Op::Init, 0, [0; 3], 0);
        (0..=rank).for_each(|_| thread.call(Op::Barrier, 0, [0, 0, 1], 0));
        thread
    });
    write(&trace, &[], threads.collect());
    if Command::new("mpirun.openmpi").arg("--version").output().is_err() {
        eprintln!("SKIPPED: no mpirun.openmpi");
        return;
    }
    // A replay that waits forever fails instead of hanging the test.
    let mut command = Command::new("timeout");
    command.args(["60", "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", "2"]);
    command.args([env!("CARGO_BIN_EXE_marigraph"), "replay", &trace, "--root", &folder.file("root")]);
    let out = command.output().expect("starts");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && said.contains("some would wait forever"), "{said}");
    assert!(!folder.0.join("root").exists());
}
