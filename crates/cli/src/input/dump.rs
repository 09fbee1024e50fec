//! Folders that are one input: text dumps of Recorder, one file per rank.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use marigraph_formats::recorder_dump::{heading, sniff};

/// Number of bytes by which the first file is recognised.
const BEGINNING: u64 = 4096;

/// The files of a dump by rank, if the folder holds such files and nothing else.
pub fn files(folder: &Path) -> Option<Vec<(u32, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.ok()?.path();
        let is_text = path.extension().is_some_and(|extension| extension == "txt");
        let rank = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok()).filter(|_| is_text)?;
        files.push((rank, path));
    }
    files.sort();
    let mut beginning = Vec::new();
    File::open(&files.first()?.1).ok()?.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    sniff(&beginning).then_some(files)
}

pub fn join(files: &[(u32, PathBuf)]) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for (rank, path) in files {
        bytes.extend(heading(*rank).bytes());
        File::open(path)?.read_to_end(&mut bytes)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
