//! A study on disk: part files, and the commits that make them count.
//!
//! ```text
//! STUDY/commits/NAME.json     a batch: its parts; there or not there, nothing between
//! STUDY/<table>/*.parquet     committed parts; what other programs read
//! STUDY/pending/*.parquet     parts on their way in; no commit names them yet
//! STUDY/replaced/*.parquet    parts whose rows are in larger ones; they stay for those who still read
//! ```
//!
//! No file is ever changed once it has its name, nothing is locked, and nobody needs to know of anybody
//! else: many processes on many hosts can add at once. A batch counts from the moment its commit is renamed
//! into place. Two who add the same log at the same moment both commit it; readers then count it once
//! (see [`snapshot`]), and compaction drops the double.

mod commit;
mod compact;
mod ingest;
pub(crate) mod snapshot;
mod sweep;

use std::fs;
use std::path::{Path, PathBuf};

pub use ingest::Ingest;
pub use snapshot::Snapshot;

use crate::error::Error;

const COMMITS: &str = "commits";
const PENDING: &str = "pending";
const REPLACED: &str = "replaced";

/// A folder that holds a study.
#[derive(Debug, Clone)]
pub struct Study {
    root: PathBuf,
}

impl Study {
    /// Opens a study that is there.
    pub fn open(root: &Path) -> Result<Study, Error> {
        let study = Study { root: root.to_path_buf() };
        if study.commits().is_dir() { Ok(study) } else { Err(Error::NoStudy(root.to_path_buf())) }
    }

    /// Opens a study, creating it if missing.
    pub fn create(root: &Path) -> Result<Study, Error> {
        let study = Study { root: root.to_path_buf() };
        for folder in [PENDING, REPLACED, COMMITS] {
            let path = root.join(folder);
            fs::create_dir_all(&path).map_err(Error::io(&path))?;
        }
        Ok(study)
    }

    /// What it holds now.
    pub fn snapshot(&self) -> Result<Snapshot, Error> {
        Snapshot::take(self)
    }

    fn root(&self) -> &Path {
        &self.root
    }

    fn commits(&self) -> PathBuf {
        self.root.join(COMMITS)
    }
}
