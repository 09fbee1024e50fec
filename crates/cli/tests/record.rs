//! A real program under the real library: its raw records equal what the trace expands to, field by
//! field, and what the log counts.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it measured

mod common;
#[path = "../../recorder/tests/common/mod.rs"]
mod recorder;

use std::collections::BTreeMap;

use common::{Folder, run};
use marigraph_formats::native::mari::Mari;
use marigraph_model::{NameId, Names as _};
use marigraph_wire::op::Op;

#[test]
fn the_trace_expands_to_what_the_hooks_wrote() {
    let folder = Folder::new("record-lossless");
    let (data, parts) = (folder.0.join("data"), folder.0.join("parts"));
    std::fs::create_dir_all(&data).expect("folder");
    std::fs::create_dir_all(&parts).expect("folder");
    let program = recorder::program("calls");
    let status = recorder::recorded(&program, &parts).arg(&data).status().expect("starts");
    assert!(status.success());
    let raw = recorder::parts(&parts);
    let [part] = raw.as_slice() else { panic!("one process, {} parts", raw.len()) };
    let name = folder.file("run");
    let (code, _, err) = run(&["merge", &parts.display().to_string(), "-o", &name, "--trace"]);
    assert_eq!(code, 0, "{err}");
    let bytes = std::fs::read(format!("{name}.mari")).expect("trace");
    let mari = Mari::read(&bytes).expect("reads");
    assert_eq!(mari.stream_count(), part.threads.len() as u64);
    let mut compared = 0;
    for stream in mari.streams() {
        let records = &part.threads[&stream.key().thread];
        let loaded = stream.load().expect("loads");
        assert_eq!(loaded.calls_len(), records.len() as u64);
        let mut calls = loaded.calls();
        for record in records {
            let call = calls.next().expect("as many calls");
            let op = record.op().expect("known");
            assert_eq!(
                (call.op, call.depth, call.flags, call.slot.0, call.ret),
                (op, record.depth, record.flags, record.slot, record.ret)
            );
            for (at, (&ours, raw)) in call.args.iter().zip([record.a, record.b, record.c]).enumerate() {
                if op.names().get(at) == Some(&true) {
                    let name = part.names.get(&(raw as u32)).map(String::as_bytes);
                    assert_eq!(calls.name(NameId(ours)), name, "{op:?}");
                } else {
                    assert_eq!(ours, raw, "{op:?} argument {at}");
                }
            }
            compared += 1;
        }
    }
    assert_eq!(compared, part.threads.values().map(Vec::len).sum::<usize>());
    counters_add_up(&name, part);
}

fn counters_add_up(name: &str, part: &recorder::Part) {
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for record in part.threads.values().flatten().filter(|record| record.ret >= 0) {
        let ways: &[&str] = match record.op() {
            Some(Op::Read | Op::Pread | Op::Readv | Op::Preadv) => &["read"],
            Some(Op::Write | Op::Pwrite | Op::Writev | Op::Pwritev) => &["write"],
            Some(Op::Sendfile | Op::CopyFileRange) => &["read", "write"],
            _ => &[],
        };
        for way in ways {
            let sum = sums.entry(way).or_default();
            *sum = (sum.0 + 1, sum.1 + record.ret as u64);
        }
    }
    for log in ["darshan", "mari"] {
        let (_, shown, _) = run(&["show", "--json", &format!("{name}.{log}")]);
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        let totals = &shown["totals"];
        assert_eq!(
            (totals["reads"].as_u64(), totals["read_bytes"].as_u64()),
            (Some(sums["read"].0), Some(sums["read"].1)),
            "{log}"
        );
        assert_eq!(
            (totals["writes"].as_u64(), totals["write_bytes"].as_u64()),
            (Some(sums["write"].0), Some(sums["write"].1)),
            "{log}"
        );
        assert_eq!(shown["job"]["nprocs"], 1);
    }
}

#[test]
fn traces_tell_new_files_from_overwritten_ones() {
    let folder = Folder::new("record-overwrites");
    let data = folder.0.join("data");
    std::fs::create_dir_all(&data).expect("folder");
    std::fs::write(data.join("old"), vec![7; 5000]).expect("an old file");
    std::fs::write(data.join("empty"), b"").expect("an empty file");
    // One existing file, one existing but empty, three new ones.
    let script =
        "for f in old empty a b c; do dd if=/dev/zero of=$f bs=100 count=1 conv=notrunc status=none; done";
    let mut command = common::marigraph();
    command.env("MARIGRAPH_LIBRARY", recorder::library()).current_dir(&data);
    command.args(["record", "--trace", "-o", &folder.file("job"), "--", "sh", "-c", script]);
    assert!(command.status().expect("starts").success());
    let study = folder.file("study");
    let (code, _, err) = run(&["ingest", &folder.file("job.mari"), "--into", &study]);
    assert_eq!(code, 0, "{err}");
    let (_, told, _) = run(&["study", &study, "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    let overwrites = &told["Overwrites"];
    assert_eq!((&overwrites["files_written"], &overwrites["created_or_empty"]), (&5.into(), &4.into()));
}

#[test]
fn a_failed_start_leaves_the_folder_of_another_recording() {
    let folder = Folder::new("record-beside");
    let parts = folder.0.join("job.parts");
    std::fs::create_dir_all(&parts).expect("folder");
    let start = |name: &str| {
        let mut command = common::marigraph();
        command.env("MARIGRAPH_LIBRARY", recorder::library());
        command.args(["record", "-o", &folder.file(name), "--", "/nowhere/program"]);
        assert!(!command.output().expect("starts").status.success());
    };
    start("job");
    assert!(parts.is_dir(), "another recording may be about to write there");
    start("other");
    assert!(!folder.0.join("other.parts").exists(), "its own folder goes");
}
