//! A study on disk: part files, and the commits that make them visible.
//!
//! ```text
//! STUDY/commits/NAME.json     a batch and its parts; exists completely or not at all
//! STUDY/<table>/*.parquet     committed parts; other programs read these
//! STUDY/pending/*.parquet     uncommitted parts
//! STUDY/replaced/*.parquet    parts whose rows are in larger ones; kept for running readers
//! ```
//!
//! A file never changes once it has its name, and nothing is locked: many processes on many hosts
//! can add at once. The rename of its commit makes a batch count. Two processes that add the same
//! log at the same moment both commit it; readers then count it once (see [`hidden`]), and
//! compaction drops the duplicate. Several logs of one run count once, too, wherever they are.

mod commit;
mod compact;
mod hidden;
mod ingest;
mod known;
pub(crate) mod snapshot;
mod sweep;

use std::fs;
use std::path::{Path, PathBuf};

pub use ingest::Ingest;
pub use known::Source;
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
