//! Runs programs under the recorder and reads their parts.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use marigraph_wire::chunk::{Chunks, Kind};
use marigraph_wire::op::Op;
use marigraph_wire::part::{Identity, Live, read_identity};
use marigraph_wire::record::{RECORD, Record};
use marigraph_wire::segment;

/// Builds the library: cargo does not build it for tests, as nothing links to it.
pub fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut folder = std::env::current_exe().expect("own path");
        while folder.file_name().is_some_and(|name| name != "deps") {
            folder.pop();
        }
        folder.pop();
        let release: &[&str] = if folder.ends_with("release") { &["--release"] } else { &[] };
        let target = folder.parent().expect("target folder");
        let status = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "marigraph-recorder"])
            .args(release)
            .env("CARGO_TARGET_DIR", target)
            .status()
            .expect("cargo");
        assert!(status.success(), "the library builds");
        folder.join("libmarigraph_recorder.so")
    })
}

pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("marigraph-recorder-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("folder");
    folder
}

pub fn program(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| folder("bin"));
    let binary = folder.join(name);
    // Two tests at once would overwrite the binary that the other runs.
    static COMPILING: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _one_at_a_time = COMPILING.lock();
    if !binary.exists() {
        let source =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../recorder/tests/progs").join(format!("{name}.c"));
        let status = Command::new("cc")
            .args(["-O2", "-w", "-pthread", "-o"])
            .arg(&binary)
            .arg(source)
            .status()
            .expect("a C compiler");
        assert!(status.success(), "{name} compiles");
    }
    binary
}

pub fn recorded(command: impl AsRef<OsStr>, parts: &Path) -> Command {
    let mut command = Command::new(command);
    command.env("LD_PRELOAD", library()).env("MARIGRAPH_DIR", parts);
    command
}

/// The part of one process.
#[derive(Debug, Default)]
pub struct Part {
    pub identity: Option<Identity>,
    /// Records of each thread in order, without names.
    pub threads: BTreeMap<u32, Vec<Record>>,
    pub names: BTreeMap<u32, String>,
    pub ended: bool,
}

impl Part {
    pub fn of(&self, op: Op) -> Vec<Record> {
        self.threads.values().flatten().filter(|record| record.op == op as u16).copied().collect()
    }
}

/// Reads all parts in a folder; the records of every thread must have no gaps.
pub fn parts(folder: &Path) -> Vec<Part> {
    let mut stems: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("parts")
        .map(|entry| entry.expect("entry").path().with_extension(""))
        .collect();
    stems.sort();
    stems.dedup();
    stems.iter().map(|stem| part(stem)).collect()
}

fn part(stem: &Path) -> Part {
    let with = |ending: &str| {
        let mut name = stem.as_os_str().to_owned();
        name.push(ending);
        std::fs::read(name).unwrap_or_default()
    };
    let (log, live) = (with(".log"), with(".live"));
    let mut part = Part::default();
    let mut next: BTreeMap<u32, u64> = BTreeMap::new();
    for (head, content) in Chunks::new(&log) {
        let records = match head.kind {
            Kind::Identity => {
                part.identity = read_identity(content);
                continue;
            }
            Kind::End => {
                part.ended = true;
                continue;
            }
            Kind::Maps => continue,
            Kind::Folded => segment::decode(content).expect("a whole segment"),
            Kind::Plain => content
                .chunks_exact(RECORD)
                .map(|bytes| Record::from_bytes(bytes.try_into().expect("a record")))
                .collect(),
        };
        assert_eq!(records.len(), head.records as usize);
        let next = next.entry(head.thread).or_default();
        assert_eq!(*next, head.first, "no gap between chunks");
        *next += u64::from(head.records);
        take(&mut part, head.thread, &records);
    }
    for tail in Live::new(&live).iter().flat_map(Live::tails) {
        let have = next.get(&tail.thread).copied().unwrap_or(0);
        let known = have.saturating_sub(tail.first) as usize;
        assert!(tail.first <= have, "no gap before the tail");
        take(&mut part, tail.thread, tail.records.get(known.min(tail.records.len())..).unwrap_or(&[]));
    }
    part
}

fn take(part: &mut Part, thread: u32, records: &[Record]) {
    for record in records {
        if record.op == Op::Name as u16 {
            let name = part.names.entry(record.slot).or_default();
            let left = record.start as usize - name.len();
            let bytes = record.name_bytes();
            name.push_str(&String::from_utf8_lossy(&bytes[..left.min(bytes.len())]));
        } else {
            part.threads.entry(thread).or_default().push(*record);
        }
    }
}
