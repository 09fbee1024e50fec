//! The kernel's account as an oracle: the recorder sees the calls that strace sees.
#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use marigraph_wire::op::Op;

const CALLS: &[(&str, &[Op])] = &[
    ("openat", &[Op::Open]),
    ("close", &[Op::Close]),
    ("dup", &[Op::Dup]),
    ("read", &[Op::Read]),
    ("write", &[Op::Write]),
    ("pread64", &[Op::Pread]),
    ("pwrite64", &[Op::Pwrite]),
    ("writev", &[Op::Writev]),
    ("preadv", &[Op::Preadv]),
    ("lseek", &[Op::Lseek]),
    ("fsync", &[Op::Fsync]),
    ("fdatasync", &[Op::Fdatasync]),
    ("ftruncate", &[Op::Ftruncate]),
    ("sendfile", &[Op::Sendfile]),
    ("copy_file_range", &[Op::CopyFileRange]),
    ("mmap", &[Op::Mmap]),
    ("msync", &[Op::Msync]),
    ("newfstatat", &[Op::Stat, Op::Lstat, Op::Fstat]),
    ("access", &[Op::Access]),
    ("rename", &[Op::Rename]),
    ("chmod", &[Op::Chmod]),
    ("truncate", &[Op::Truncate]),
    ("mkdir", &[Op::Mkdir]),
    ("rmdir", &[Op::Rmdir]),
    ("symlink", &[Op::Symlink]),
    ("readlink", &[Op::Readlink]),
    ("unlink", &[Op::Unlink]),
    ("chdir", &[Op::Chdir]),
    ("fadvise64", &[Op::Fadvise]),
];

fn traced(text: &str, folder: &Path) -> BTreeMap<String, Vec<i64>> {
    let folder = folder.to_str().expect("text");
    let mut out: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut started: BTreeMap<&str, &str> = BTreeMap::new();
    for line in text.lines() {
        let (process, line) = line.split_once(char::is_whitespace).unwrap_or(("", line));
        let line = line.trim_start();
        if line.ends_with("<unfinished ...>") {
            started.insert(process, line);
            continue;
        }
        let (begin, end) = match line.strip_prefix("<... ") {
            Some(end) => (started.remove(process).unwrap_or(""), end),
            None => (line, line),
        };
        let Some((name, rest)) = begin.split_once('(') else { continue };
        let result = end.rsplit_once(" = ").map_or("", |(_, result)| result);
        let number = result.split(|c: char| c != '-' && !c.is_ascii_digit()).next().unwrap_or("");
        // Relative names are in the folder, too: it is the program's working directory.
        let relative =
            ["openat(AT_FDCWD", "rename(", "chmod(", "mkdir(", "rmdir(", "symlink(", "unlink(", "truncate("]
                .iter()
                .chain(&["access(", "readlink(", "newfstatat(AT_FDCWD", "fadvise64("])
                .any(|start| begin.starts_with(start))
                && !rest.contains("\"/");
        // An address does not identify its file, and only this program maps any.
        let name = if name == "dup2" { "dup" } else { name };
        if name == "msync"
            || rest.contains(folder)
            || relative && !rest.contains("</proc") && !name.starts_with("fadvise")
        {
            out.entry(name.to_owned()).or_default().push(number.parse().unwrap_or(0));
        }
    }
    out
}

fn agree(command: &[&str], folder: &Path, clean: impl Fn()) {
    let trace = folder.with_extension("trace");
    clean();
    let mut traced_run = Command::new("strace");
    traced_run.args(["-f", "-y", "-s", "4096", "-o"]).arg(&trace).args(command);
    if !traced_run.status().is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: strace is not here or may not trace");
        return;
    }
    let theirs = traced(&std::fs::read_to_string(&trace).expect("trace"), folder);
    clean();
    let parts = folder.with_extension("parts");
    std::fs::create_dir_all(&parts).expect("folder");
    let status = common::recorded(command[0], &parts).args(&command[1..]).status().expect("starts");
    assert!(status.success());
    let parts = common::parts(&parts);
    let mut compared = 0;
    for (name, ops) in CALLS {
        let mut ours: Vec<i64> = parts
            .iter()
            .flat_map(|part| ops.iter().flat_map(|&op| part.of(op)))
            .map(|record| {
                let made = matches!(record.op(), Some(Op::Open | Op::Dup)) && record.ret >= 0;
                if made || record.op == Op::Mmap as u16 { 0 } else { record.ret.max(-1) }
            })
            .collect();
        let mut theirs = theirs.get(*name).cloned().unwrap_or_default();
        if matches!(*name, "openat" | "dup" | "mmap") {
            theirs.iter_mut().for_each(|number| *number = (*number).min(0));
        }
        ours.sort_unstable();
        theirs.sort_unstable();
        assert_eq!(ours, theirs, "{name} of {command:?}: ours and strace's results");
        compared += ours.len();
    }
    eprintln!("{}: {compared} calls, all as strace has them", command[0]);
    assert!(compared > 0);
}

#[test]
fn a_program_of_many_calls() {
    let folder = common::folder("strace-data");
    let program = common::program("calls");
    let clean = || {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("folder");
    };
    agree(&[program.to_str().expect("text"), folder.to_str().expect("text")], &folder, clean);
}

#[test]
fn dd() {
    let folder = common::folder("strace-dd");
    let (from, to) = (folder.join("from"), folder.join("to"));
    let clean = || {
        let _ = std::fs::remove_file(&to);
        std::fs::write(&from, vec![7; 100_000]).expect("input");
    };
    let (from, to) = (format!("if={}", from.display()), format!("of={}", to.display()));
    agree(&["dd", &from, &to, "bs=1000", "status=none"], &folder, clean);
}
