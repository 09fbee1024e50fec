//! `replay --emit c`: a trace as a program, compiled, run and recorded again.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it measured

mod common;
#[path = "../../recorder/tests/common/mod.rs"]
mod recorder;
#[path = "replay/traces.rs"]
mod traces;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use common::{Folder, run};
use marigraph_wire::op::Op;
use traces::{CREATE, Thread, write};

fn emitted(trace: &str) -> String {
    let (code, text, err) = run(&["replay", trace, "--emit", "c"]);
    assert_eq!(code, 0, "{err}");
    text
}

/// A compiler warning is an error.
fn compiled(folder: &Folder, trace: &str) -> PathBuf {
    let (source, program) = (folder.file("prog.c"), folder.file("prog"));
    let (code, _, err) = run(&["replay", trace, "--emit", "c", "-o", &source]);
    assert_eq!(code, 0, "{err}");
    let flags = [
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-trigraphs",
        "-Wno-trigraphs",
        "-pthread",
        "-o",
        &program,
        &source,
    ];
    let out = Command::new("cc").args(flags).output().expect("a compiler");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    program.into()
}

fn started(program: &Path, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().expect("starts")
}

fn merged(folder: &Folder, parts: &Path, name: &str) -> String {
    let name = folder.file(name);
    let (code, _, err) = run(&["merge", &parts.display().to_string(), "-o", &name, "--trace"]);
    assert_eq!(code, 0, "{err}");
    format!("{name}.mari")
}

/// Records the program of a trace below `root`; returns the output of `diff`.
fn difference(folder: &Folder, trace: &str, root: &str) -> String {
    let program = compiled(folder, trace);
    let parts = folder.0.join("again.parts");
    std::fs::create_dir_all(&parts).expect("folder");
    let out = recorder::recorded(&program, &parts).arg(folder.file(root)).output().expect("starts");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && told.is_empty(), "{told}");
    let again = merged(folder, &parts, "again");
    let map = format!("/={}/", folder.file(root));
    run(&["diff", trace, &again, "--map", &map]).1
}

fn is_same(folder: &Folder, trace: &str, calls: u64) {
    assert_eq!(difference(folder, trace, "root"), format!("the same: {calls} calls\n"));
}

#[test]
fn a_recorded_program_becomes_the_same_program() {
    let folder = Folder::new("emit-again");
    let (data, parts) = (folder.0.join("data"), folder.0.join("first.parts"));
    std::fs::create_dir_all(&data).expect("folder");
    std::fs::create_dir_all(&parts).expect("folder");
    std::fs::write(data.join("in.dat"), vec![3; 10_000]).expect("input");
    let mut command = recorder::recorded(recorder::program("again"), &parts);
    assert!(command.arg(&data).stdout(Stdio::null()).status().expect("starts").success());
    let trace = merged(&folder, &parts, "first");
    let told = difference(&folder, &trace, "root");
    assert!(told.starts_with("the same: ") && !told.starts_with("the same: 0 "), "{told}");
}

fn strides(outer: i64, inner: i64) -> Thread {
    let mut thread = Thread::new(0);
    for file in 1..4 {
        thread.call(Op::Open, file as u32, [file, CREATE, 0], 0);
        for at in 0..outer * inner {
            let (i, j) = (at / inner, at % inner);
            thread.call(Op::Pwrite, file as u32, [i * 4096 + j * 512 + file, 100 + j, 0], 100 + j);
        }
        thread.call(Op::Close, file as u32, [0; 3], 0);
    }
    thread
}

const STEPS: [&str; 3] = ["/d/step1", "/d/step2", "/d/step3"];

#[test]
fn loops_and_strides_are_loops_and_strides() {
    let folder = Folder::new("emit-strides");
    let trace = folder.file("t.mari");
    write(&trace, &STEPS, vec![strides(6, 5)]);
    let text = emitted(&trace);
    assert!(text.contains("do_pwrite(t, 1 + i, 1 + i + 4096 * j + 512 * k, 100 + k, 100 + k);"), "{text}");
    assert!(text.contains("\"d/step%lld\", number(1 + i)"), "{text}");
    is_same(&folder, &trace, 96);
}

#[test]
fn the_program_does_not_grow_with_iterations_or_ranks() {
    let folder = Folder::new("emit-size");
    let of = |name: &str, threads: Vec<Thread>| {
        let trace = folder.file(name);
        write(&trace, &STEPS, threads);
        emitted(&trace).len()
    };
    let (small, large) = (of("small", vec![strides(70, 5)]), of("large", vec![strides(70_000, 5)]));
    assert!(large < small + 50, "{small} bytes for 1000 calls, {large} for 1000000");
    let ranks = |many: u32| {
        let thread = |rank: u32| {
            let mut thread = Thread::new(rank);
            thread.call(Op::Open, 1, [1, CREATE, 0], 0);
            (0..4)
                .for_each(|at| thread.call(Op::Pwrite, 1, [i64::from(rank) * 4096 + at * 512, 512, 0], 512));
            thread
        };
        (0..many).map(thread).collect::<Vec<_>>()
    };
    let (small, large) = (of("few", ranks(4)), of("many", ranks(5000)));
    assert!(large < small + 50, "{small} bytes for 4 ranks, {large} for 5000");
}

#[test]
fn numbers_without_a_rule_come_from_tables() {
    let folder = Folder::new("emit-random");
    let trace = folder.file("t.mari");
    let thread = |rank: u32| {
        let mut thread = Thread::new(rank);
        thread.call(Op::Open, 1, [1 + i64::from(rank), CREATE, 0], 0);
        let mut random = 12345u64 + u64::from(rank);
        for _ in 0..50 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (at, len) = ((random >> 40) as i64, 1 + (random >> 20 & 0xfff) as i64);
            thread.call(Op::Pwrite, 1, [at, len, 0], len);
        }
        // Some offsets that repeat.
        for at in [70, 10, 90, 20, 70].repeat(8) {
            thread.call(Op::Pread, 1, [at, 5, 0], 5);
        }
        thread.call(Op::Close, 1, [0; 3], 0);
        thread
    };
    write(&trace, &["/a", "/b/c", "/dd"], (0..3).map(thread).collect());
    // Only the order in which these ranks begin distinguishes them.
    is_same(&folder, &trace, 276);
}

#[test]
fn threads_of_a_process_share_their_files() {
    let folder = Folder::new("emit-threads");
    let trace = folder.file("t.mari");
    let (mut one, mut other) = (Thread::of(0, 0), Thread::of(0, 1));
    one.call(Op::Open, 1, [1, CREATE, 0], 0);
    (0..20).for_each(|at| one.call(Op::Pwrite, 1, [at * 10, 10, 0], 10));
    other.pause(5_000_000);
    (0..20).for_each(|at| other.call(Op::Pwrite, 1, [1000 + at * 20, 20, 0], 20));
    one.pause(20_000_000);
    one.call(Op::Close, 1, [0; 3], 0);
    write(&trace, &["/x"], vec![one, other]);
    is_same(&folder, &trace, 42);
}

#[test]
fn pauses_are_kept_or_left_out() {
    let folder = Folder::new("emit-pauses");
    let trace = folder.file("t.mari");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE, 0], 0);
    for _ in 0..10 {
        thread.pause(30_000_000);
        thread.call(Op::Write, 1, [0, 10, 0], 10);
    }
    write(&trace, &["/x"], vec![thread]);
    let program = compiled(&folder, &trace);
    let took = |arguments: &[&str]| {
        let since = std::time::Instant::now();
        assert!(started(&program, arguments).status.success());
        since.elapsed().as_secs_f64()
    };
    let (timed, fast) = (took(&["-r", &folder.file("one")]), took(&["-f", &folder.file("two")]));
    assert!((0.29..0.6).contains(&timed) && fast < 0.2, "{timed} s, {fast} s");
    assert!(
        !folder.0.join("one/x").exists() && folder.0.join("two/x").exists(),
        "-r removes, and nothing else does"
    );
}

#[test]
fn hostile_names_are_names_and_nothing_else() {
    let folder = Folder::new("emit-hostile");
    let trace = folder.file("t.mari");
    let names = [
        "/q\"; system(\"touch /tmp/emit-was-here\"); //",
        "/n\n#include \"/etc/passwd\"\n%n%s%99999d",
        "/c*/ int main(void) { } /*",
        "/t??/\"??/",
        "../../up\\",
        "/a/../../b\t\x01\u{7f}\u{fe}",
    ];
    let mut thread = Thread::new(0);
    for name in 1..=names.len() as i64 {
        thread.call(Op::Open, name as u32, [name, CREATE, 0], 0);
        thread.call(Op::Write, name as u32, [0, 3, 0], 3);
        thread.call(Op::Close, name as u32, [0; 3], 0);
    }
    write(&trace, &names, vec![thread]);
    let program = compiled(&folder, &trace);
    let out = started(&program, &[&folder.file("root")]);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let root = folder.0.join("root");
    let cleaned = ["t??/\"??", "up\\", "b\t\x01\u{7f}\u{fe}"];
    for name in names.iter().take(3).map(|name| name.trim_matches('/')).chain(cleaned) {
        assert_eq!(std::fs::read(root.join(name)).expect(name).len(), 3, "{name}");
    }
    assert!(!Path::new("/tmp/emit-was-here").exists() && !folder.0.join("up\\").exists());
}

#[test]
fn files_of_others_and_links_are_not_touched() {
    let folder = Folder::new("emit-links");
    let (trace, root, outside) = (folder.file("t.mari"), folder.0.join("root"), folder.0.join("outside"));
    std::fs::create_dir_all(outside.join("in")).expect("folder");
    std::fs::create_dir_all(&root).expect("folder");
    std::fs::write(outside.join("in/file"), "mine").expect("file");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, CREATE | 0o1000, 0], 0);
    write(&trace, &["/way/in/file"], vec![thread]);
    let program = compiled(&folder, &trace);
    let refused = |what: &str| {
        let out = started(&program, &[&root.display().to_string()]);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(1) && told.contains(what), "{told}");
        assert_eq!(std::fs::read(outside.join("in/file")).expect("still there"), b"mine");
    };
    std::os::unix::fs::symlink(&outside, root.join("way")).expect("link");
    refused("passes through a link");
    std::fs::remove_file(root.join("way")).expect("removed");
    std::fs::create_dir_all(root.join("way/in")).expect("folder");
    std::fs::write(root.join("way/in/file"), "others'").expect("file");
    refused("exists, and");
    assert_eq!(std::fs::read(root.join("way/in/file")).expect("still there"), b"others'");
}

#[test]
fn what_is_read_is_there_and_what_returns_otherwise_is_told() {
    let folder = Folder::new("emit-differs");
    let trace = folder.file("t.mari");
    let mut thread = Thread::new(0);
    thread.call(Op::Open, 1, [1, 0, 5000], 0);
    thread.call(Op::Read, 1, [0, 9000, 0], 5000);
    thread.call(Op::Lseek, 1, [3, 0, 0], 99);
    thread.call(Op::Symlink, 0, [1, 2, 0], 0);
    write(&trace, &["/in/put", "/link"], vec![thread]);
    let (code, text, err) = run(&["replay", &trace, "--emit", "c"]);
    assert!(code == 0 && err.contains("1 calls are not in the program: symlink"), "{err}");
    assert!(text.contains("1 symlink"), "{text}");
    let out = started(&compiled(&folder, &trace), &[&folder.file("root")]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1));
    assert!(
        told.contains("read returned 7, in the trace 5007") || told.contains("1 calls returned"),
        "{told}"
    );
}

#[test]
fn wrong_usage_is_told() {
    let (code, _, err) = run(&["replay", "t.mari"]);
    assert!(code == 2 && err.contains("--root"), "{err}");
    let (code, _, _) = run(&["replay", "t.mari", "--root", "x", "-o", "y"]);
    assert_eq!(code, 2);
}
