//! The files of parts, read on demand.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use marigraph_formats::native::parts::{Files, Load};
use marigraph_model::{Problem, ProblemKind};
use marigraph_system::parts::PartFiles;

use crate::error::Failure;
use crate::input::{self, Content};

/// Parts by name.
pub struct Shelf<'a> {
    parts: HashMap<&'a str, &'a PartFiles>,
    failed: Mutex<HashMap<PathBuf, String>>,
}

impl<'a> Shelf<'a> {
    pub fn new(parts: &'a [PartFiles]) -> Shelf<'a> {
        let parts = parts.iter().map(|part| (part.stem.as_str(), part)).collect();
        Shelf { parts, failed: Mutex::default() }
    }

    fn read(&self, path: &Path) -> Option<Content> {
        match input::load(path) {
            Ok(content) => Some(content),
            Err(failure) => {
                let why = match failure {
                    Failure::Input { message, .. } => message,
                    other => other.to_string(),
                };
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_path_buf(), why);
                None
            }
        }
    }

    pub fn problems(&self) -> Vec<Problem> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<(&PathBuf, &String)> = failed.iter().collect();
        lines.sort();
        let problem = |(path, why): (&PathBuf, &String)| {
            Problem::new(ProblemKind::Truncated, format!("a part could not be read: {why}"))
                .at(path.display().to_string())
        };
        lines.into_iter().map(problem).collect()
    }
}

impl Load for Shelf<'_> {
    type Bytes = Content;

    fn load(&self, stem: &str) -> Files<Content> {
        let part = self.parts.get(stem);
        let read = |path: &Option<PathBuf>| path.as_deref().and_then(|path| self.read(path));
        Files { live: part.and_then(|part| read(&part.live)), log: part.and_then(|part| read(&part.log)) }
    }
}
