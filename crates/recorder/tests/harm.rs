//! The host does not notice the recorder: same output, same status, no extra descriptor, no hang.
#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn runs() -> usize {
    if std::env::var_os("MARIGRAPH_LONG").is_some() { 1000 } else { 40 }
}

/// Runs a command; kills it after a minute.
fn finish(command: &mut Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let id = child.id();
    let (done, wait) = std::sync::mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs(60)) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-9", &id.to_string()]).status();
        }
    });
    let started = Instant::now();
    let output = child.wait_with_output().expect("ends");
    drop(done);
    let _ = watch.join();
    assert!(started.elapsed() < Duration::from_secs(59), "no hang");
    output
}

#[test]
fn threads_that_fork_and_exec_end_as_without_it() {
    let program = common::program("stress");
    for (turn, leave) in ["return", "exit", "_exit", "abort", "kill"].iter().cycle().take(runs()).enumerate()
    {
        let folder = common::folder("stress");
        let parts = common::folder("stress-parts");
        let threads = if turn % 10 == 0 { "32" } else { "6" };
        let arguments = [folder.to_str().expect("text"), threads, leave];
        let plain = finish(Command::new(&program).args(arguments));
        let with = finish(common::recorded(&program, &parts).args(arguments));
        let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text(&plain), text(&with), "turn {turn} {leave}");
        assert!(text(&with).starts_with("failures 0 "), "{}", text(&with));
        assert_eq!((plain.status.code(), plain.status.signal()), (with.status.code(), with.status.signal()));
        assert_eq!(plain.stderr, with.stderr);
        let recorded = common::parts(&parts);
        let calls: usize = recorded.iter().map(|part| part.of(marigraph_wire::op::Op::Write).len()).sum();
        let threads: usize = threads.parse().expect("number");
        assert_eq!(calls, threads * 2 * 50, "50 writes of each thread and of each child");
        let _ = std::fs::remove_dir_all(&folder);
        let _ = std::fs::remove_dir_all(&parts);
    }
}

#[test]
fn a_directory_that_is_gone_or_full_harms_nobody() {
    let program = common::program("stress");
    let folder = common::folder("gone");
    let mut plain = Command::new(&program);
    let plain = finish(plain.args([folder.to_str().expect("text"), "4", "return"]));
    for parts in ["/nonexistent/parts", "/proc/self", "relative", "/dev/full"] {
        let with = finish(common::recorded(&program, parts.as_ref()).args([
            folder.to_str().expect("text"),
            "4",
            "return",
        ]));
        assert_eq!(plain.stdout, with.stdout, "{parts}");
        assert_eq!(plain.status.code(), with.status.code(), "{parts}");
        assert_eq!(plain.stderr, with.stderr, "{parts}");
    }
}
