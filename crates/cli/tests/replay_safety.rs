//! `replay` of hostile traces: nothing outside its folder changes, nothing hangs, nothing is left
//! behind.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it measured

mod common;
#[path = "replay/traces.rs"]
mod traces;

use std::path::Path;
use std::process::Command;

use common::{Folder, run};
use marigraph_wire::op::Op;
use traces::{CREATE, Thread, endless, write};

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
    // No call can make a link that leads out, or remove what is outside.
    let victim = folder.file("victim");
    std::fs::write(&victim, "mine").expect("file");
    thread.call(Op::Symlink, 0, [5, 6, 0], 0);
    thread.call(Op::Unlink, 0, [4, 0, 0], -2);
    write(&trace, &["../../up", "/etc/passwd2", "/a/../../../b", &victim, "/", "/link"], vec![thread]);
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--keep", "--allow-left-out"]);
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
    refused("passes through a link");
    std::fs::remove_file(root.join("way")).expect("removed");
    std::fs::create_dir(root.join("way")).expect("folder");
    std::os::unix::fs::symlink(outside.join("file"), root.join("way/file")).expect("link");
    refused("passes through a link");
    std::fs::remove_file(root.join("way/file")).expect("removed");
    std::fs::write(root.join("way/file"), "theirs").expect("file");
    refused("way/file exists");
    assert_eq!(std::fs::read(root.join("way/file")).expect("still there"), b"theirs");
}

#[test]
fn inputs_that_are_there_are_used_and_stay_as_they_are() {
    let folder = Folder::new("replay-inputs");
    let (trace, root) = (folder.file("t.mari"), folder.0.join("root"));
    std::fs::create_dir_all(root.join("in")).expect("folder");
    std::fs::write(root.join("in/data"), "theirs").expect("file");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, 0, 6], 0);
    thread.call(Op::Read, 1, [0, 100, 0], 6);
    thread.call(Op::Open, 2, [2, CREATE, 0], 0);
    write(&trace, &["/in/data", "/in/new"], vec![thread]);
    let arguments = ["replay", &trace, "--root", &root.display().to_string(), "--mode", "fast"];
    let (code, _, err) = run(&arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(!root.join("in/new").exists());
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, 0, 6], 0);
    thread.call(Op::Fchmod, 1, [0, 0, 0], 0);
    write(&trace, &["/in/data"], vec![thread]);
    let (code, _, err) = run(&arguments);
    assert!(code == 1 && err.contains("exists, and"), "{err}");
    let rights =
        std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(root.join("in/data")).expect("file"));
    assert_ne!(rights & 0o777, 0);
    assert_eq!(std::fs::read(root.join("in/data")).expect("still there"), b"theirs");
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
    assert_eq!(err.lines().filter(|line| line.starts_with("rank 0")).count(), 6, "{err}");
    assert!(err.contains("1 calls were left out"), "{err}");
    assert!(out.contains("mismatch  6 calls") && out.contains("left out  1 calls"), "{out}");
    assert!(err.contains("rank 0: pwrite x: 10 in the trace, error"), "{err}");
    assert!(!Path::new(&root).exists());
}

const WRITE: i64 = 0o1;
const TRUNCATE: i64 = 0o1000;
const NOT_FOUND: i64 = -2;

/// Once, an open that failed in the trace was tried on a file that was there, and emptied it, even
/// behind a link that led out of the root.
#[test]
fn what_failed_in_the_trace_does_not_work_on_what_is_there() {
    let folder = Folder::new("replay-failed");
    let (trace, root) = (folder.file("t.mari"), folder.0.join("root"));
    let outside = folder.0.join("outside");
    std::fs::create_dir_all(&root).expect("folder");
    std::fs::create_dir_all(&outside).expect("folder");
    std::fs::write(outside.join("file"), "mine").expect("file");
    std::fs::write(root.join("precious"), "theirs").expect("file");
    std::os::unix::fs::symlink(&outside, root.join("way")).expect("link");
    let attempts: [(Op, &str, [i64; 3]); 8] = [
        (Op::Open, "/precious", [1, WRITE | TRUNCATE, 0]),
        (Op::Open, "/way/file", [1, WRITE | TRUNCATE, 0]),
        (Op::Fopen, "/precious", [1, CREATE | TRUNCATE, 0]),
        (Op::Fopen, "/way/file", [1, CREATE | TRUNCATE, 0]),
        (Op::Truncate, "/precious", [1, 0, 0]),
        (Op::Unlink, "/precious", [1, 0, 0]),
        (Op::Chmod, "/precious", [1, 0, 0]),
        (Op::Rename, "/precious", [1, 2, 0]),
    ];
    for (op, name, arguments) in attempts {
        let mut thread = Thread::new(0);
        thread.call(op, 1, arguments, NOT_FOUND);
        thread.call(Op::Write, 1, [0, 3, 0], 3);
        thread.call(Op::Ftruncate, 1, [0, 0, 0], 0);
        write(&trace, &[name, "/other"], vec![thread]);
        let (code, _, err) =
            run(&["replay", &trace, "--root", &root.display().to_string(), "--mode", "fast"]);
        assert_eq!(code, 1, "{op:?} {name}: {err}");
        assert!(err.contains("exists, and") || err.contains("passes through a link"), "{op:?} {name}: {err}");
        assert_eq!(std::fs::read(outside.join("file")).expect("still there"), b"mine", "{op:?}");
        assert_eq!(std::fs::read(root.join("precious")).expect("still there"), b"theirs", "{op:?}");
    }
}

/// Only the calls that must fail again are tried; the others are counted.
#[test]
fn failed_calls_are_tried_where_they_must_fail_again() {
    let folder = Folder::new("replay-again");
    let (trace, root) = (folder.file("t.mari"), folder.file("root"));
    let mut thread = Thread::new(0);
    thread.call(Op::Mkdir, 0, [1, 0o755, 0], 0);
    thread.call(Op::Mkdir, 0, [1, 0o755, 0], -17);
    thread.call(Op::Open, 1, [2, WRITE, 0], NOT_FOUND);
    thread.call(Op::Open, 1, [1, WRITE, 0], -21);
    thread.call(Op::Unlink, 0, [2, 0, 0], NOT_FOUND);
    // It would work: nobody forbids it here.
    thread.call(Op::Open, 1, [2, CREATE, 0], -13);
    thread.call(Op::Rmdir, 0, [1, 0, 0], -39);
    write(&trace, &["/folder", "/none"], vec![thread]);
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--mode", "fast", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert_eq!((&said["calls"], &said["not_tried"], &said["mismatches"]), (&5.into(), &2.into(), &0.into()));
    assert!(!Path::new(&root).exists());
}

#[test]
fn the_root_itself_is_never_changed() {
    let folder = Folder::new("replay-root");
    let (trace, root) = (folder.file("t.mari"), folder.0.join("root"));
    std::fs::create_dir_all(&root).expect("folder");
    let before = std::fs::metadata(&root).expect("root");
    let mut thread = Thread::new(0);
    thread.call(Op::Chmod, 0, [1, 0o777, 0], 0);
    thread.call(Op::Utime, 0, [1, 0, 0], 0);
    thread.call(Op::Open, 1, [1, 0o200_000, 0], 0);
    thread.call(Op::Fchmod, 1, [0, 0o777, 0], 0);
    thread.call(Op::Close, 1, [0; 3], 0);
    thread.call(Op::Rename, 0, [1, 2, 0], 0);
    thread.call(Op::Unlink, 0, [1, 1, 0], 0);
    write(&trace, &["/", "/elsewhere"], vec![thread]);
    let arguments = ["replay", &trace, "--root", &root.display().to_string(), "--mode", "fast"];
    let (code, out, err) = run(&arguments);
    assert!(code == 1 && out.contains("left out  5 calls"), "{out}{err}");
    use std::os::unix::fs::MetadataExt;
    let after = std::fs::metadata(&root).expect("root");
    assert_eq!((after.ino(), after.mode(), after.mtime()), (before.ino(), before.mode(), before.mtime()));
}

/// Once, two threads that closed the same stream freed it twice.
#[test]
fn threads_that_close_the_same_files_do_no_harm() {
    let folder = Folder::new("replay-close");
    let (trace, root) = (folder.file("t.mari"), folder.file("root"));
    let threads = (0..4).map(|at| {
        let mut thread = Thread::of(0, at);
        for turn in 0..300 {
            let slot = 1 + turn % 3;
            thread.call(Op::Fopen, slot, [1, CREATE, 0], 0);
            thread.call(Op::Fwrite, slot, [0, 100, 1], 100);
            thread.call(Op::Fclose, slot, [0; 3], 0);
            thread.call(Op::Fputc, slot, [0; 3], 1);
            thread.call(Op::Fclose, slot, [0; 3], 0);
            thread.call(Op::Opendir, slot, [2, 0, 0], 0);
            thread.call(Op::Closedir, slot, [0; 3], 0);
            thread.call(Op::Closedir, slot, [0; 3], 0);
            thread.call(Op::Open, slot, [1, CREATE, 0], 0);
            thread.call(Op::Fdopen, slot + 3, [i64::from(slot), 2, 0], 0);
            thread.call(Op::CopyFileRange, slot, [0, 10, i64::from(slot + 3)], 10);
            thread.call(Op::Fclose, slot + 3, [0; 3], 0);
            thread.call(Op::Close, slot, [0; 3], 0);
        }
        thread
    });
    write(&trace, &["/file", "/folder"], threads.collect());
    let (code, _, err) = run(&["replay", &trace, "--root", &root, "--mode", "fast", "--quiet"]);
    // Threads disturb each other, so some calls return something else; the process must not end.
    assert!(code == 1 && !err.contains("ended early"), "{err}");
}

#[test]
fn existing_files_are_changed_only_if_that_is_asked_for() {
    let folder = Folder::new("replay-into");
    let (trace, root) = (folder.file("t.mari"), folder.0.join("root"));
    std::fs::create_dir_all(&root).expect("folder");
    std::fs::write(root.join("data"), "theirs").expect("file");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    thread.call(Op::Write, 1, [0, 3, 0], 3);
    write(&trace, &["/data"], vec![thread]);
    let root_text = root.display().to_string();
    let arguments = ["replay", &trace, "--root", &root_text, "--mode", "fast"];
    let (code, _, err) = run(&arguments);
    assert!(code == 1 && err.contains("--into-existing"), "{err}");
    assert_eq!(std::fs::read(root.join("data")).expect("file"), b"theirs");
    let (code, _, err) = run(&[&arguments[..], &["--into-existing"]].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let now = std::fs::read(root.join("data")).expect("it was there before, so it stays");
    assert!(now.ends_with(b"irs") && now != b"theirs", "{now:?}");
}

/// Once, such a replay exited 0 and claimed that every call returned the same.
#[test]
fn calls_that_are_left_out_fail_unless_allowed() {
    let folder = Folder::new("replay-left-out");
    let (trace, root) = (folder.file("t.mari"), folder.file("root"));
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    thread.call(Op::Pwrite, 1, [0, 10, 0], 10);
    thread.call(Op::Read, 77, [0, 1, 0], 1);
    write(&trace, &["/x"], vec![thread]);
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--mode", "fast"]);
    assert!(out.contains("left out  1 calls") && out.contains("every other call returned the same"), "{out}");
    assert!(code == 1 && err.contains("1 calls were left out") && err.contains("--allow-left-out"), "{err}");
    let (code, out, err) =
        run(&["replay", &trace, "--root", &root, "--mode", "fast", "--allow-left-out", "--json"]);
    let said: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, err.as_str(), &said["left_out"]), (0, "", &1.into()));
}

/// What the trace itself lacks is reported by every command that reads it.
#[test]
fn problems_of_a_trace_are_reported() {
    let folder = Folder::new("replay-problems");
    let (trace, cut, root) = (folder.file("t.mari"), folder.file("cut.mari"), folder.file("root"));
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    write(&trace, &["/x"], vec![thread]);
    let whole = std::fs::read(&trace).expect("trace");
    std::fs::write(&cut, &whole[..whole.len() - 1]).expect("cut");
    for words in [
        &["diff", "--json", &trace, &cut][..],
        &["replay", &cut, "--root", &root, "--json", "--mode", "fast"],
        &["replay", &cut, "--root", &root, "--json", "--dry-run"],
    ] {
        let (_, out, err) = run(words);
        let said: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let place = said["problems"][0]["where"].as_str().unwrap_or_default();
        assert!(place.starts_with(&cut) && err.contains("warning:"), "{words:?}: {out}{err}");
    }
}

#[test]
fn endless_traces_are_counted_but_not_performed() {
    let folder = Folder::new("replay-endless");
    let trace = folder.file("t.mari");
    std::fs::write(&trace, endless(1 << 40)).expect("trace");
    let root = folder.file("root");
    let (code, _, err) = run(&["replay", &trace, "--root", &root]);
    assert_eq!(code, 1);
    assert!(err.contains("makes 1099511627776 calls; the limit is 1000000000"), "{err}");
    let (code, out, err) = run(&["replay", &trace, "--root", &root, "--dry-run"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("1099511627776") && out.contains("1.00 TiB"), "{out}");
    assert!(!Path::new(&root).exists());
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
    // Another rank might create it, but does not.
    let mut other = Thread::new(1);
    other.call(Op::Stat, 0, [2, 0, 0], -2);
    write(&trace, &["/gone", "/nothing"], vec![thread, other]);
    let (code, out, _) = run(&["replay", &trace, "--root", &folder.file("r"), "--mode", "fast"]);
    assert_eq!(code, 1);
    assert!(out.contains("mismatch  1000 calls"), "{out}");
}
