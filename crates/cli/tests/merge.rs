//! `merge` and `record`: from synthetic parts to logs, and programs that end in every way.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it measured

mod common;
#[path = "../../formats/src/native/parts/made.rs"]
mod made;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{Folder, marigraph, run};
use made::Made;

fn put(folder: &Path, made: &Made) {
    std::fs::create_dir_all(folder).expect("folder");
    std::fs::write(folder.join(format!("{}.log", made.stem)), made.log()).expect("log");
    if let Some(live) = made.live() {
        std::fs::write(folder.join(format!("{}.live", made.stem)), live).expect("live");
    }
}

fn rank(at: u32, size: u32, writes: u64) -> Made {
    let mut made = Made::new(at + 100);
    made.mpi = Some((at, size));
    let records = [
        made.writes(1, "/scratch/shared", 100_000, writes),
        made.writes(2, &format!("/own.{at}"), 5_000_000, 1),
    ];
    made.threads[0].0 = records.concat();
    made.ended = true;
    made
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn folders_of_nodes_become_one_log() {
    let folder = Folder::new("merge");
    let (a, b) = (folder.0.join("a"), folder.0.join("b"));
    put(&a, &rank(0, 2, 3));
    let mut killed = rank(1, 2, 0);
    (killed.ended, killed.host, killed.stem) = (false, "node1".to_string(), "node1.101.x".to_string());
    let tail = std::mem::take(&mut killed.threads[0].0);
    killed.threads[0].1 = tail;
    put(&b, &killed);
    let name = folder.file("run.darshan");
    let (a, b) = (a.display().to_string(), b.display().to_string());
    let (code, out, err) = run(&["merge", &a, &b, "-o", &name, "--json"]);
    assert_eq!(code, 0, "{err}");
    let summary = json(&out);
    assert_eq!(summary["ranks"], 2);
    assert_eq!(summary["processes"], 2);
    assert_eq!(summary["calls"], 9);
    assert_eq!(summary["outputs"][0], name);
    assert_eq!(summary["problems"][0]["kind"], "truncated");
    assert!(err.contains("warning: ") && err.contains("1 process did not end normally"), "{err}");
    let (_, shown, _) = run(&["show", "--json", &name]);
    let shown = json(&shown);
    assert_eq!(shown["totals"]["write_bytes"], 5 * 4096);
    assert_eq!(shown["job"]["exe"], "/home/u/app in.nml");
    assert!(Path::new(&a).join("node0.100.abcd.log").exists(), "parts are kept");
    let (code, _, _) = run(&["merge", &a, &b, "-o", &name, "--remove"]);
    assert_eq!(code, 0);
    assert!(!Path::new(&a).exists() && !Path::new(&b).exists());
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = Folder::new("merge-threads");
    let parts = folder.0.join("p");
    (0..40).for_each(|at| put(&parts, &rank(at, 40, u64::from(at % 7))));
    let parts = parts.display().to_string();
    let logs: Vec<Vec<u8>> = ["1", "4"]
        .iter()
        .map(|threads| {
            let name = folder.file(&format!("t{threads}"));
            assert_eq!(run(&["merge", &parts, "-o", &name, "--threads", threads]).0, 0);
            std::fs::read(format!("{name}.darshan")).expect("written")
        })
        .collect();
    assert_eq!(logs[0], logs[1]);
}

#[test]
fn help_has_two_examples() {
    for command in ["record", "merge"] {
        let (code, help, _) = run(&[command, "--help"]);
        let examples = help.split("Examples:").nth(1).expect("examples");
        assert!(code == 0 && examples.matches("marigraph ").count() >= 2, "{help}");
    }
}

#[test]
fn nothing_to_merge_is_said() {
    let folder = Folder::new("merge-nothing");
    let (code, out, err) = run(&["merge", &folder.0.display().to_string(), "-o", &folder.file("x")]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(
        err.contains("error: ") && err.contains("no part of a recorded run") && err.contains("hint: "),
        "{err}"
    );
    assert_eq!(run(&["merge", &folder.file("no"), "-o", &folder.file("x")]).0, 1);
    assert_eq!(run(&["merge"]).0, 2);
}

/// `record` with a library that records nothing.
fn record(folder: &Folder, script: &str) -> Option<Command> {
    let library = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6", "/usr/lib/libm.so.6"];
    let library = library.into_iter().find(|path| Path::new(path).exists())?;
    let mut command = marigraph();
    command.env("MARIGRAPH_LIBRARY", library).args([
        "record",
        "-o",
        &folder.file("run"),
        "--",
        "sh",
        "-c",
        script,
    ]);
    for name in ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"] {
        command.env_remove(name);
    }
    Some(command)
}

#[test]
fn a_program_keeps_its_status_and_its_streams() {
    use std::os::unix::process::ExitStatusExt;
    let folder = Folder::new("record");
    let Some(mut command) = record(&folder, "cat; echo out; echo err >&2; exit 7") else { return };
    let output = command.stdin(Stdio::null()).output().expect("runs");
    assert_eq!(output.status.code(), Some(7));
    assert_eq!(output.stdout, b"out\n");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(err.starts_with("err\n") && err.contains("no file I/O was recorded"), "{err}");
    assert!(Path::new(&folder.file("run.darshan")).exists());
    assert!(!Path::new(&folder.file("run.parts")).exists());
    let killed = record(&folder, "kill -TERM $$").expect("library").output().expect("runs");
    assert_eq!(killed.status.signal(), Some(15));
    let mut missing = record(&folder, "").expect("library");
    let missing = missing.arg("x").args(["--"]).env("PATH", "/nowhere").output().expect("runs");
    assert_eq!(missing.status.code(), Some(127));
}

#[test]
fn signals_reach_the_program() {
    let folder = Folder::new("record-signal");
    let script = "trap 'echo got; exit 5' USR1; echo ready; while :; do sleep 0.05; done";
    let Some(mut command) = record(&folder, script) else { return };
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut out = std::io::BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).expect("ready");
    let sent = Command::new("kill").args(["-USR1", &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
    assert_eq!(child.wait().expect("ends").code(), Some(5));
    std::io::Read::read_to_string(&mut out, &mut line).expect("rest");
    assert_eq!(line, "ready\ngot\n");
}

#[test]
fn once_per_rank_the_parts_stay() {
    let folder = Folder::new("record-ranks");
    let Some(mut command) = record(&folder, "true") else { return };
    let first = command.env("PMIX_RANK", "0").output().expect("runs");
    assert!(first.status.success());
    let err = String::from_utf8_lossy(&first.stderr).into_owned();
    assert_eq!(err.lines().count(), 1);
    assert!(err.starts_with("hint: ") && err.contains("marigraph merge"), "{err}");
    let second = record(&folder, "true").expect("library").env("PMIX_RANK", "1").output().expect("runs");
    assert!(second.stderr.is_empty() && second.stdout.is_empty());
    assert!(Path::new(&folder.file("run.parts")).exists());
    assert!(!Path::new(&folder.file("run.darshan")).exists());
}

/// Many killed ranks of 1,000 calls; run with `MARIGRAPH_RANKS=4096` and `--nocapture` for the
/// figures.
#[test]
fn many_killed_ranks() {
    let ranks: u32 = std::env::var("MARIGRAPH_RANKS").ok().and_then(|ranks| ranks.parse().ok()).unwrap_or(64);
    let folder = Folder::new("merge-large");
    let parts = folder.0.join("p");
    for at in 0..ranks {
        let mut made = rank(at, ranks, 997);
        made.ended = false;
        let records = std::mem::take(&mut made.threads[0].0);
        made.threads[0] = (records[..500].to_vec(), records[500..].to_vec());
        put(&parts, &made);
    }
    let begun = std::time::Instant::now();
    let (code, out, err) = run(&["merge", &parts.display().to_string(), "-o", &folder.file("run"), "--json"]);
    eprintln!("{:?}: {out}", begun.elapsed());
    assert_eq!(code, 0, "{err}");
    assert_eq!(json(&out)["calls"], ranks * 1000);
}
