//! `marigraph monitor` as a process: killed, stopped, out of space, on its own and on foreign
//! files.

#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;
#[path = "monitor/server.rs"]
mod server;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::{Folder, run, testdata};
use marigraph_formats::server::monitor::{Header, Meaning, Walked, Writer, walk};
use marigraph_formats::server::{Zone, read_throughput};
use marigraph_model::{Gap, GapCause, Sample};
use serde_json::Value;
use server::{Monitor, Server, values};

struct Seen {
    wall_us: i64,
    first: bool,
    gap: Option<Gap>,
    number: u64,
}

fn seen(content: &[u8]) -> (Vec<Seen>, Walked) {
    let mut looks = Vec::new();
    let mut totals = [[0u64; 9]; 2];
    let walked = walk(content, &mut |look| {
        assert_eq!(look.counts.len(), 2);
        for counted in look.counts {
            for (at, total) in totals[counted.source as usize].iter_mut().enumerate() {
                let grows = counted.meaning == Meaning::Growth && at != 6;
                *total = if grows { *total + counted.values[at] } else { counted.values[at] };
            }
        }
        let number = totals[0][0];
        assert_eq!(totals, [values(number); 2]);
        looks.push(Seen { wall_us: look.wall_us, first: look.elapsed_us == 0, gap: look.gap, number });
    });
    (looks, walked)
}

/// Duration of the test of kills: a day at a hundred times its speed, or a part of it.
fn patience() -> Duration {
    let long = std::env::var_os("MARIGRAPH_LONG").is_some();
    Duration::from_secs(if long { 864 } else { 20 })
}

fn dice(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |limit| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    }
}

#[test]
fn kills_at_random_moments_cost_the_record_in_flight() {
    let server = Server::start("monitor-kills", Duration::from_millis(7));
    let (begun, mut dice) = (Instant::now(), dice(20_261_116));
    let (mut runs, mut torn, mut before) = (0, 0, 0);
    while begun.elapsed() < patience() {
        let monitor = server.monitor("0.02", &["--quiet"]);
        thread::sleep(Duration::from_millis(dice(3000)));
        let acknowledged = monitor.samples();
        thread::sleep(Duration::from_micros(dice(25_000)));
        monitor.kill();
        // Samples it acknowledged are in the file.
        let content = fs::read(server.log()).expect("reads");
        let looks = seen(&content).1.looks;
        assert!(looks >= before + acknowledged, "{looks} looks, {acknowledged} more than {before} were said");
        (runs, before) = (runs + 1, looks);
        // What a power failure leaves: a part of a record, or nothing.
        let part = content.get(..dice(60) as usize).filter(|part| !part.is_empty() && runs % 2 == 0);
        if let Some(part) = part {
            let file = fs::OpenOptions::new().append(true).open(server.log());
            file.expect("opens").write_all(part).expect("writes");
            torn += 1;
        }
    }
    let last = server.monitor("0.02", &["--quiet"]);
    last.wait_for_samples(5);
    assert!(last.stop().status.success());
    check_kills(&server, runs, torn);
}

fn check_kills(server: &Server, kills: u64, torn: u64) {
    let content = fs::read(server.log()).expect("reads");
    let (looks, walked) = seen(&content);
    assert!(walked.problems.is_empty(), "{:?}", walked.problems);
    assert_eq!(walked.header.host, "oss7");
    assert!(looks.windows(2).all(|pair| pair[0].number <= pair[1].number));
    assert!(looks.last().is_some_and(|look| look.number <= server.newest()));
    let runs: Vec<&[Seen]> = looks.chunk_by(|_, next| !next.first).collect();
    for pair in runs.windows(2) {
        let (before, after) = (pair[0].last().expect("a look"), &pair[1][0]);
        let gap = Gap { from_us: before.wall_us, to_us: after.wall_us, cause: GapCause::NotRunning };
        assert_eq!(after.gap, Some(gap));
    }
    let stopped = walked.gaps.iter().filter(|gap| gap.cause == GapCause::NotRunning).count();
    assert_eq!(stopped, runs.len() - 1);
    eprintln!(
        "{kills} kills, {torn} torn tails, {} looks in {} runs, {} bytes, {} gaps of other causes: nothing lost",
        looks.len(),
        runs.len(),
        content.len(),
        walked.gaps.len() - stopped
    );
}

#[test]
fn a_signal_ends_it_in_order() {
    let server = Server::start("monitor-stop", Duration::from_millis(7));
    let monitor = server.monitor("0.02", &["--json", "--devices", "sdb", "--devices", "sdc"]);
    monitor.wait_for_samples(10);
    let text = monitor.metrics();
    assert!(
        text.contains(
            "# TYPE node_disk_read_bytes_total counter\nnode_disk_read_bytes_total{device=\"sdb\"} "
        )
    );
    let (log, root) = (server.folder.file("log"), server.folder.file("root"));
    let (code, _, complaint) = run(&["monitor", "-o", &log, "--root", &root]);
    assert_eq!(code, 1);
    assert!(complaint.contains("another monitor is writing to this file\nhint: stop it"), "{complaint}");
    let before = monitor.samples();
    let output = monitor.stop();
    assert!(output.status.success());
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(told["samples"].as_u64() >= Some(before));
    assert_eq!((&told["gap_count"], &told["devices"][1]["name"]), (&0.into(), &"sdc".into()));
    let content = fs::read(server.log()).expect("reads");
    assert_eq!(told["bytes"], content.len());
    assert_eq!(told["samples"], seen(&content).1.looks);
    let mut bytes = 0.0;
    let facts =
        read_throughput(&content, &Zone::utc(), &mut |reading| bytes += reading.read * reading.seconds);
    assert_eq!(facts.expect("reads").sources, ["oss7:sdb", "oss7:sdc"]);
    let looks = seen(&content).0;
    let grown = looks.last().expect("a look").number - looks[0].number;
    assert_eq!(bytes.round(), (2 * grown * 8 * 512) as f64);
}

#[test]
fn it_goes_on_when_there_is_no_room() {
    let server = Server::start("monitor-room", Duration::from_millis(7));
    let script = "trap '' XFSZ; ulimit -S -f 4; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args([
        "-c",
        script,
        env!("CARGO_BIN_EXE_marigraph"),
        "monitor",
        "--metrics",
        "0",
        "--interval",
        "0.02",
    ]);
    command.args(["-o", &server.folder.file("log"), "--root", &server.folder.file("root")]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut monitor = Monitor::of(child);
    monitor.told("cannot write: ");
    let full = fs::read(server.log()).expect("reads");
    assert!(seen(&full).1.problems.is_empty(), "no half record is left");
    let more =
        Command::new("prlimit").args(["--pid", &monitor.id().to_string(), "--fsize=unlimited"]).status();
    if !more.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: there is no prlimit to give room again");
        assert_eq!(monitor.stop().status.code(), Some(1));
        return;
    }
    let (_, between) = monitor.told("writing again");
    assert!(between.is_empty(), "said once: {between:?}");
    monitor.wait_for_samples(monitor.samples() + 3);
    assert!(monitor.stop().status.success());
    let content = fs::read(server.log()).expect("reads");
    assert!(content.starts_with(&full));
    let (_, walked) = seen(&content);
    assert!(walked.problems.is_empty());
    assert_eq!(walked.gaps.iter().filter(|gap| gap.cause == GapCause::NotWritten).count(), 1);
}

#[test]
fn a_file_of_yesterday_is_put_aside() {
    let server = Server::start("monitor-day", Duration::from_millis(7));
    let day_ago = Sample { wall_us: 1_700_000_000_000_000, ..Sample::default() };
    let mut writer = Writer::new(Header::default(), day_ago.wall_us);
    let past = writer.encode(&day_ago, None, true).to_vec();
    fs::write(server.log(), &past).expect("writes");
    let monitor = server.monitor("0.02", &[]);
    monitor.wait_for_samples(3);
    monitor.kill();
    assert_eq!(fs::read(server.folder.0.join("log.2023-11-14")).expect("reads"), past);
    let (looks, walked) = seen(&fs::read(server.log()).expect("reads"));
    let gap = looks[0].gap.expect("a gap");
    assert_eq!((gap.from_us, gap.cause), (day_ago.wall_us, GapCause::NotRunning));
    assert!(walked.problems.is_empty());
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = Folder::new("monitor-foreign");
    let name = folder.file("thesis.txt");
    fs::write(&name, "years of work").expect("writes");
    let root = testdata("monitor/server").display().to_string();
    let (code, _, complaint) = run(&["monitor", "-o", &name, "--root", &root, "--samples", "1"]);
    assert_eq!(code, 1);
    assert!(complaint.starts_with(&format!("error: {name}: not a monitor file")), "{complaint}");
    assert_eq!(fs::read_to_string(&name).expect("reads"), "years of work");
    let nothing = folder.file("empty");
    let (code, _, complaint) = run(&["monitor", "-o", &folder.file("log"), "--root", &nothing]);
    assert_eq!(code, 1);
    assert!(complaint.starts_with(&format!("error: {nothing}/proc/diskstats: ")), "{complaint}");
    assert_eq!(run(&["monitor", "-o", &name, "--interval", "0"]).0, 2);
}

#[test]
fn a_recorded_tree_is_watched() {
    let folder = Folder::new("monitor-tree");
    let root = testdata("monitor/server").display().to_string();
    let arguments =
        ["monitor", "-o", &folder.file("log"), "--root", &root, "--interval", "0.01", "--samples", "3"];
    let (code, told, notes) = run(&arguments);
    assert_eq!(code, 0, "{notes}");
    assert!(told.contains("targets   2 disk, 2 ost, 1 mdt, 3 job\n"), "{told}");
    for note in [
        "note: watching sdd, dm-1, lustrefs-",
        "note: left out (holds /): dm-0, sda, sda2\n",
        "note: left out (a part of dm-1): sdb, sdc\n",
    ] {
        assert!(notes.contains(note), "{note} {notes}");
    }
}

#[test]
fn help_has_two_examples() {
    let (status, stdout, _) = run(&["monitor", "--help"]);
    assert_eq!(status, 0);
    let examples = stdout.split("Examples:").nth(1).expect("examples");
    assert_eq!(examples.matches("marigraph monitor ").count(), 2);
}
