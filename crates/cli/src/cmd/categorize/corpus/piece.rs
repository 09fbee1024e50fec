//! A piece of a corpus: some logs, and the file with their rows.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use marigraph_analysis::category::Thresholds;
use marigraph_store::tables::TRACES;
use marigraph_store::{JobKey, Rows, Writer, count_rows};

use super::row;
use crate::args::ReadArgs;
use crate::cmd::categorize::one;
use crate::error::Failure;
use crate::output::AtomicFile;

/// Raise it when the rows of the same logs change: older pieces are then made again.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " 2");

/// Mean number of logs in a piece of a large corpus, and of a small one.
const USUAL: u64 = 512;
const FEW: u64 = 32;
/// Number of logs from which on a corpus is large.
const LARGE: usize = 16 << 10;

/// Some logs.
pub struct Cut<'a> {
    pub paths: &'a [PathBuf],
}

/// Cuts logs into pieces. A cut depends only on the name there, so that new logs change few pieces.
pub fn cut(paths: &[PathBuf]) -> Vec<Cut<'_>> {
    let mean = if paths.len() < LARGE { FEW } else { USUAL };
    let mut pieces = Vec::new();
    let mut from = 0;
    for (at, path) in paths.iter().enumerate() {
        let full = (at + 1 - from) as u64 >= 4 * mean;
        if full
            || JobKey::of(path.as_os_str().as_bytes()).bits().is_multiple_of(mean.into())
            || at + 1 == paths.len()
        {
            pieces.extend(paths.get(from..=at).map(|paths| Cut { paths }));
            from = at + 1;
        }
    }
    pieces
}

/// Some logs and the file of their rows.
pub struct Piece<'a> {
    paths: &'a [PathBuf],
    /// May not exist yet.
    pub file: PathBuf,
}

impl<'a> Piece<'a> {
    /// Its file name depends on the current state of the logs.
    pub fn new(paths: &'a [PathBuf], thresholds: &Thresholds, args: &ReadArgs, folder: &Path) -> Piece<'a> {
        let mut identity = format!("{VERSION} {:?} {}", thresholds.values(), args.max_inflate).into_bytes();
        for path in paths {
            identity.push(0);
            identity.extend_from_slice(path.as_os_str().as_bytes());
            if let Ok(state) = fs::metadata(path) {
                for number in [state.len(), state.mtime().cast_unsigned(), state.mtime_nsec().cast_unsigned()]
                {
                    identity.extend_from_slice(&number.to_le_bytes());
                }
            }
        }
        Piece { paths, file: folder.join(format!("{}.parquet", JobKey::of(&identity))) }
    }

    /// Whether all its rows exist. A file torn by a crash of the machine does not count.
    pub fn is_there(&self) -> bool {
        count_rows(&self.file, &TRACES).is_ok_and(|rows| rows == self.paths.len())
    }

    pub fn make(&self, thresholds: &Thresholds, args: &ReadArgs) -> Result<(), Failure> {
        let failed = |error| Failure::store(&self.file, error);
        let mut writer = Writer::passing(AtomicFile::create(&self.file)?, &TRACES).map_err(failed)?;
        let mut rows = Rows::default();
        for path in self.paths {
            row::with(path, &one::examine(path, args, thresholds), |row| rows.push(row));
        }
        writer.take(&mut rows).map_err(failed)?;
        writer.finish().map_err(failed)?.finish()
    }
}

pub fn sweep(folder: &Path, pieces: &[PathBuf]) {
    let wanted: HashSet<&Path> = pieces.iter().map(PathBuf::as_path).collect();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if !wanted.contains(entry.path().as_path()) {
            // Files that cannot be removed do no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<PathBuf> {
        (0..count).map(|at| PathBuf::from(format!("logs/{at:06}.darshan"))).collect()
    }

    #[test]
    fn pieces_hold_every_log_once_and_in_order() {
        for count in [0, 1, 33, 5000, 40_000] {
            let paths = names(count);
            let pieces = cut(&paths);
            let pieces: Vec<&[PathBuf]> = pieces.into_iter().map(|piece| piece.paths).collect();
            assert_eq!(pieces.concat(), paths);
            let mean = if count < LARGE { FEW } else { USUAL } as usize;
            assert!(pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= 4 * mean));
            assert!(count < 1000 || pieces.len() > count / mean / 2, "{} of {count}", pieces.len());
        }
    }

    #[test]
    fn a_new_log_changes_few_pieces() {
        let mut paths = names(5000);
        let before: HashSet<Vec<PathBuf>> = cut(&paths).iter().map(|piece| piece.paths.to_vec()).collect();
        paths.insert(2500, PathBuf::from("logs/002499.new"));
        let after = cut(&paths);
        assert!(after.iter().filter(|piece| !before.contains(piece.paths)).count() <= 2);
    }
}
