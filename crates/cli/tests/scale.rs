//! `diff` and `extrapolate` on traces of which all is known.
#![allow(clippy::expect_used, clippy::print_stderr)]

mod common;

use std::collections::HashMap;

use common::{Folder, run};
use marigraph_formats::native::call::Call;
use marigraph_formats::native::mari::{Context, Meta, Site, StreamKey, Times, TraceWriter};
use marigraph_model::Nanos;
use marigraph_wire::op::Op;
use serde_json::Value;

/// What a program does on a rank of so many: calls with the name of a file, if they have one.
type Program = fn(u32, u32) -> Vec<(Op, Option<String>, [i64; 3])>;

/// Each rank writes a file of its own; the work is divided, and rank 0 writes a header.
fn divided(rank: u32, ranks: u32) -> Vec<(Op, Option<String>, [i64; 3])> {
    let mut calls = vec![(Op::Open, Some(format!("/data/run7/out.{rank:05}")), [0, 65, 0])];
    if rank == 0 {
        calls.push((Op::Pwrite, None, [0, 64, 0]));
    }
    for item in 0..i64::from(7200 / ranks) {
        calls.push((Op::Pwrite, None, [64 + 512 * item, 512, 0]));
    }
    calls.push((Op::Close, None, [0; 3]));
    calls
}

/// Offsets without a rule.
fn scattered(rank: u32, ranks: u32) -> Vec<(Op, Option<String>, [i64; 3])> {
    let mixed = |at: u32| i64::from((rank * 2_654_435 + ranks * 40_503 + at * 977) % 9973);
    let mut calls = vec![(Op::Open, Some("/data/shared".to_string()), [0, 65, 0])];
    calls.extend((0..5).map(|at| (Op::Pwrite, None, [mixed(at), 10, 0])));
    calls
}

fn trace(program: Program, ranks: u32) -> Vec<u8> {
    let sites = [
        Site::default(),
        Site { module: "app".into(), offset: 16 },
        Site { module: "app".into(), offset: 32 },
    ];
    let mut writer = TraceWriter::new(Times::Histogram);
    for rank in 0..ranks {
        let mut names: HashMap<i64, Vec<u8>> = HashMap::new();
        let mut stream = writer.stream(StreamKey { process: 0, thread: 0, rank }).expect("once");
        let mut now = 0;
        for (op, name, mut args) in program(rank, ranks) {
            if let Some(name) = name {
                args[0] = 1;
                names.insert(1, name.into_bytes());
            }
            now += 1000;
            let ret = if op == Op::Pwrite { args[1] } else { 0 };
            // The header is written elsewhere in the program than the items.
            let site = if args[1] == 64 { 2 } else { 1 };
            let (start, end) = (Nanos(now), Nanos(now + 10));
            let call = Call { op, depth: 0, flags: 0, slot: 1, args, ret, start, end, site };
            stream.call(&call, &Context { names: &names, sites: &sites });
        }
        stream.end();
    }
    writer.finish(&Meta { ranks: u64::from(ranks), ..Meta::default() }, &[])
}

/// The traces of a program by size.
fn traces(folder: &Folder, program: Program, sizes: &[u32]) -> Vec<String> {
    let put = |&ranks: &u32| {
        let path = folder.file(&format!("{ranks}.mari"));
        std::fs::write(&path, trace(program, ranks)).expect("write");
        path
    };
    sizes.iter().map(put).collect()
}

fn extrapolate(
    folder: &Folder,
    program: Program,
    ranks: u32,
    more: &[&str],
) -> (i32, String, String, String) {
    let inputs = traces(folder, program, &[4, 6, 9, 12]);
    let output = folder.file("made.mari");
    let ranks = ranks.to_string();
    let mut words: Vec<&str> = vec!["extrapolate", "--ranks", &ranks, "-o", &output];
    words.extend(inputs.iter().map(String::as_str));
    words.extend(more);
    let (code, out, error) = run(&words);
    (code, out, error, output)
}

#[test]
fn what_is_computed_is_what_is_recorded() {
    let folder = Folder::new("scale-divided");
    for ranks in [2, 16, 30, 45] {
        let (code, out, error, made) = extrapolate(&folder, divided, ranks, &["--json", "--strict"]);
        assert_eq!((code, error.as_str()), (0, ""), "{out}");
        let told: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!((&told["verdict"], &told["ranks"]), (&"EXACT".into(), &ranks.into()));
        let real = traces(&folder, divided, &[ranks]).remove(0);
        let (code, out, _) = run(&["diff", &made, &real]);
        assert_eq!(code, 0, "{out}");
    }
    let (code, out, _, made) = extrapolate(&folder, divided, 3600, &[]);
    assert_eq!(code, 0, "{out}");
    assert!(std::fs::metadata(&made).expect("made").len() < 2000, "it does not grow with ranks");
}

#[test]
fn division_that_does_not_come_out_even_is_assumed() {
    let folder = Folder::new("scale-assumed");
    let (code, out, _, made) = extrapolate(&folder, divided, 7, &["--json"]);
    let told: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &told["verdict"]), (0, &"ASSUMED".into()));
    let real = traces(&folder, divided, &[7]).remove(0);
    assert_eq!(run(&["diff", &made, &real]).0, 0, "and C divides like that");
    std::fs::remove_file(&made).expect("made");
    let (code, _, error, made) = extrapolate(&folder, divided, 7, &["--strict"]);
    assert_eq!(code, 1);
    assert!(error.contains("assumed") && !std::path::Path::new(&made).exists(), "{error}");
}

#[test]
fn what_follows_no_model_is_refused_or_left_out() {
    let folder = Folder::new("scale-refused");
    let (code, out, error, made) = extrapolate(&folder, scattered, 16, &[]);
    assert_eq!(code, 1, "{error}");
    assert!(out.contains("REFUSED pwrite") && out.contains("offset"), "{out}");
    assert!(!std::path::Path::new(&made).exists());
    let (code, _, error, made) = extrapolate(&folder, scattered, 16, &["--skip-refused"]);
    assert_eq!((code, error.as_str()), (0, ""));
    let real = traces(&folder, scattered, &[16]).remove(0);
    let (code, out, _) = run(&["diff", &made, &real]);
    assert!(code == 1 && out.starts_with("ranks 0-15, call 1: only B has 5 calls: pwrite"), "{out}");
}

#[test]
fn other_structures_and_too_few_sizes_are_told() {
    let folder = Folder::new("scale-bad");
    let two = traces(&folder, divided, &[4, 6]);
    let output = folder.file("x.mari");
    let (code, _, error) = run(&["extrapolate", &two[0], &two[1], "--ranks", "8", "-o", &output]);
    assert!(code == 1 && error.contains("2 different numbers of ranks"), "{error}");
    let other = folder.file("other.mari");
    std::fs::write(&other, trace(scattered, 9)).expect("write");
    let (code, _, error) = run(&["extrapolate", &two[0], &two[1], &other, "--ranks", "8", "-o", &output]);
    assert!(code == 1 && error.contains("no rank of"), "{error}");
    let bad = folder.file("bad.mari");
    std::fs::write(&bad, b"mgraphtr\x01\x07").expect("write");
    for command in [vec!["extrapolate", &bad, "--ranks", "8", "-o", &output], vec!["diff", &bad, &two[0]]] {
        let (code, _, error) = run(&command);
        assert!(code == if command[0] == "diff" { 2 } else { 1 } && error.contains("damaged"), "{error}");
    }
    let (code, _, error) =
        run(&["extrapolate", &two[0], "--ranks", "8", "-o", &output, "--model", "offset@write: 1 +"]);
    assert!(code == 2 && error.contains("is expected at character"), "{error}");
}

#[test]
fn differences_are_told_by_rank_and_call() {
    let folder = Folder::new("scale-diff");
    let one = traces(&folder, divided, &[4]).remove(0);
    let other = folder.file("other.mari");
    let longer: Program = |rank, ranks| {
        let mut calls = divided(rank, ranks);
        if rank == 2 {
            calls[3].2[0] += 1;
        }
        calls
    };
    std::fs::write(&other, trace(longer, 4)).expect("write");
    assert_eq!(run(&["diff", &one, &one]).0, 0);
    let (code, out, _) = run(&["diff", &one, &other, "--json"]);
    let told: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (code, &told["same"], told["differences"].as_array().map(Vec::len)),
        (1, &false.into(), Some(1))
    );
    let first = &told["differences"][0];
    assert_eq!((&first["rank"], &first["call"], &first["what"]), (&2.into(), &3.into(), &"offset".into()));
    assert_eq!((&first["a"], &first["b"]), (&"1088".into(), &"1089".into()));
    let moved: Program = |rank, ranks| {
        let mut calls = divided(rank, ranks);
        calls[0].1 = calls[0].1.take().map(|name| name.replace("/data", "/scratch/me"));
        calls
    };
    std::fs::write(&other, trace(moved, 4)).expect("write");
    assert_eq!(run(&["diff", &one, &other]).0, 1);
    assert_eq!(run(&["diff", &one, &other, "--map", "/data=/scratch/me"]).0, 0);
    assert_eq!(run(&["diff", &one, &other, "--map", "/data"]).0, 2);
}
