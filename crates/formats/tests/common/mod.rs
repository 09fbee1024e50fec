//! Access to the real logs.
#![allow(dead_code)] // each test uses its part

use std::io::Read;
use std::path::{Path, PathBuf};

use marigraph_formats::darshan::text::Options;

pub fn data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MARIGRAPH_DATA").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no real logs at {} (set MARIGRAPH_DATA)", folder.display());
    None
}

pub fn logs() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = data().map(|data| data.join("darshan")) else { return Vec::new() };
    let mut logs: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder)
        .expect("folder of logs")
        .map(|entry| entry.expect("entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "darshan"))
        .map(|path| {
            let name = path.file_stem().expect("name").to_string_lossy().into_owned();
            (name, std::fs::read(path).expect("log"))
        })
        .collect();
    logs.sort();
    assert!(logs.len() >= 40, "only {} logs found", logs.len());
    logs
}

pub fn golden(name: &str, kind: &str) -> Vec<u8> {
    let path = data().expect("data").join("darshan/golden").join(format!("{name}.{kind}.txt.gz"));
    let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut text).expect("gzip");
    text
}

/// Prints in UTC, as the golden files do.
pub fn utc(threads: usize) -> Options<'static> {
    Options { offset: &|_| 0, threads }
}
