//! The folders that recorded processes write into.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of one part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartFiles {
    /// File name without extension.
    pub stem: String,
    /// The mapped file; removed at an orderly end.
    pub live: Option<PathBuf>,
    pub log: Option<PathBuf>,
}

/// The parts in a folder, sorted by name.
pub fn list(folder: &Path) -> io::Result<Vec<PartFiles>> {
    let mut parts: BTreeMap<String, PartFiles> = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let (Some(stem), Some(ending)) = (path.file_stem().and_then(|stem| stem.to_str()), path.extension())
        else {
            continue;
        };
        let stem = stem.to_string();
        let part = || parts.entry(stem.clone()).or_insert(PartFiles { stem, ..PartFiles::default() });
        if ending == "live" {
            part().live = Some(path);
        } else if ending == "log" {
            part().log = Some(path);
        }
    }
    Ok(parts.into_values().collect())
}

/// Removes parts, and folders that become empty.
pub fn remove(parts: &[PartFiles], folders: &[PathBuf]) -> io::Result<()> {
    for path in parts.iter().flat_map(|part| part.live.iter().chain(&part.log)) {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    for folder in folders {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
