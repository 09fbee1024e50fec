//! `replay`: a recorded program performed again and recorded again, and traces that mean harm.

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
use traces::{CREATE, Thread, endless, write};

/// Merges what was recorded and gives the name of the trace.
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

/// Records a replay of a trace below `root`, and what it says.
fn replayed(folder: &Folder, trace: &str, root: &str, more: &[&str]) -> (String, serde_json::Value) {
    let parts = parts(folder, &format!("{root}.parts"));
    let mut command = recorder::recorded(env!("CARGO_BIN_EXE_marigraph"), &parts);
    command.args(["replay", trace, "--json", "--root", &folder.file(root)]).args(more);
    let out = command.output().expect("starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let said = serde_json::from_slice(&out.stdout).expect("JSON");
    (merged(folder, &parts, &format!("{root}-again")), said)
}

/// What `diff` finds between a trace and its replay below a folder.
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
    // A replay of something else is not the same.
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
        // Ranks that meet more often than others must not wait for ever.
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
fn hostile_names_stay_below_the_root() {
    let folder = Folder::new("replay-names");
    let (trace, root) = (folder.file("t.mari"), folder.file("root"));
    let mut thread = Thread::new(0);
    for name in [1, 2, 3] {
        thread.call(Op::Open, name as u32, [name, CREATE, 0], 0);
        thread.call(Op::Write, name as u32, [0, 3, 0], 3);
        thread.call(Op::Close, name as u32, [0; 3], 0);
    }
    // Nobody can make a link to lead out, and nobody can remove what is outside.
    let victim = folder.file("victim");
    std::fs::write(&victim, "mine").expect("file");
    thread.call(Op::Symlink, 0, [5, 6, 0], 0);
    thread.call(Op::Unlink, 0, [4, 0, 0], -2);
    write(&trace, &["../../up", "/etc/passwd2", "/a/../../../b", &victim, "/", "/link"], vec![thread]);
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--keep"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for made in ["up", "etc/passwd2", "b"] {
        assert_eq!(std::fs::read(folder.0.join("root").join(made)).expect(made).len(), 3);
    }
    assert!(std::fs::symlink_metadata(folder.0.join("root/link")).is_err());
    assert_eq!(std::fs::read(&victim).expect("still there"), b"mine");
    assert!(!folder.0.join("up").exists() && !Path::new("/etc/passwd2").exists());
}

#[test]
fn links_and_files_of_others_are_not_touched() {
    let folder = Folder::new("replay-links");
    let (trace, root) = (folder.file("t.mari"), folder.0.join("root"));
    let outside = folder.0.join("outside");
    std::fs::create_dir_all(&outside).expect("folder");
    std::fs::create_dir_all(&root).expect("folder");
    std::fs::write(outside.join("file"), "mine").expect("file");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE | 0o1000, 0], 0);
    write(&trace, &["/way/file"], vec![thread]);
    let refused = |what: &str| {
        let (code, _, err) = run(&["replay", &trace, "--root", &root.display().to_string()]);
        assert_eq!(code, 1);
        assert!(err.contains(what) && err.contains("hint: choose an empty folder"), "{err}");
        assert_eq!(std::fs::read(outside.join("file")).expect("still there"), b"mine");
    };
    std::os::unix::fs::symlink(&outside, root.join("way")).expect("link");
    refused("leads through a link");
    std::fs::remove_file(root.join("way")).expect("removed");
    std::fs::create_dir(root.join("way")).expect("folder");
    std::os::unix::fs::symlink(outside.join("file"), root.join("way/file")).expect("link");
    refused("leads through a link");
    std::fs::remove_file(root.join("way/file")).expect("removed");
    std::fs::write(root.join("way/file"), "theirs").expect("file");
    refused("way/file is there already");
    assert_eq!(std::fs::read(root.join("way/file")).expect("still there"), b"theirs");
}

#[test]
fn numbers_out_of_bounds_end_in_errors() {
    let folder = Folder::new("replay-numbers");
    let (trace, root) = (folder.file("t.mari"), folder.file("root"));
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    thread.call(Op::Pwrite, 1, [i64::MAX, 10, 0], 10);
    thread.call(Op::Pwrite, 1, [i64::MIN, i64::MAX, 0], 10);
    thread.call(Op::Pwritev, 1, [0, i64::MIN, i64::MAX], 10);
    thread.call(Op::Ftruncate, 1, [0, i64::MIN, 0], 0);
    thread.call(Op::Fopen, 2, [2, CREATE, 0], 0);
    thread.call(Op::Fwrite, 2, [0, i64::MAX, 1], 1);
    thread.call(Op::Fputs, 2, [0, 1 << 40, 0], 1);
    thread.call(Op::Read, 77, [0, 1, 0], 1);
    write(&trace, &["/x", "/y"], vec![thread]);
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--mode", "fast"]);
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(err.lines().count(), 6, "{err}");
    assert!(out.contains("mismatch  6 calls") && out.contains("left out  1 calls"), "{out}");
    assert!(err.contains("rank 0: pwrite x: 10 in the trace, now error"), "{err}");
    assert!(!Path::new(&root).exists());
}

#[test]
fn endless_traces_are_counted_but_not_performed() {
    let folder = Folder::new("replay-endless");
    let trace = folder.file("t.mari");
    std::fs::write(&trace, endless(1 << 40)).expect("trace");
    let root = folder.file("root");
    let (code, _, err) = run(&["replay", &trace, "--root", &root]);
    assert_eq!(code, 1);
    assert!(err.contains("makes 1099511627776 calls, more than the 1000000000"), "{err}");
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--dry-run"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("1099511627776") && out.contains("1.00 TiB"), "{out}");
    assert!(!Path::new(&root).exists());
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
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    assert_eq!(child.wait().expect("ends").code(), Some(1));
    assert!(!root.exists(), "all is removed");
}

#[test]
fn a_full_file_system_ends_the_replay_in_order() {
    let folder = Folder::new("replay-full");
    let (trace, tiny) = (folder.file("t.mari"), folder.file("tiny"));
    std::fs::create_dir(&tiny).expect("folder");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    (0..64).for_each(|at| thread.call(Op::Pwrite, 1, [at << 16, 1 << 16, 0], 1 << 16));
    write(&trace, &["/much"], vec![thread]);
    let script = "mount -t tmpfs -o size=1m none \"$1\" || exit 77; \"$2\" replay \"$3\" --root \"$1\" --quiet; \
                  code=$?; ls -A \"$1\"; exit $code";
    let program = env!("CARGO_BIN_EXE_marigraph");
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", script, "sh", &tiny, program, &trace]);
    let Ok(out) = command.output() else { return eprintln!("SKIPPED: no unshare") };
    let err = String::from_utf8_lossy(&out.stderr);
    if out.status.code() == Some(77) || err.contains("unshare:") {
        return eprintln!("SKIPPED: no mounts here: {err}");
    }
    assert_eq!(out.status.code(), Some(1), "{err}");
    assert!(
        err.contains("pwrite much: ") && err.contains("error: ") && err.contains("no space left"),
        "{err}"
    );
    assert_eq!(String::from_utf8_lossy(&out.stdout), "", "all is removed");
}

#[test]
fn files_that_never_come_are_not_waited_for_again_and_again() {
    let folder = Folder::new("replay-never");
    let trace = folder.file("t.mari");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    thread.call(Op::Unlink, 0, [1, 0, 0], 0);
    (0..1000).for_each(|_| thread.call(Op::Stat, 0, [1, 0, 0], 0));
    // Another rank might make it, but does not.
    let mut other = Thread::new(1);
    other.call(Op::Stat, 0, [2, 0, 0], -2);
    write(&trace, &["/gone", "/nothing"], vec![thread, other]);
    let (code, out, _) = run(&["replay", &trace, "--root", &folder.file("r"), "--mode", "fast"]);
    assert_eq!(code, 1);
    assert!(out.contains("mismatch  1000 calls"), "{out}");
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
