//! Commits: small files, each of which makes a batch of parts visible.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use crate::error::Error;
use crate::tables::APART;

/// Raise it when older programs would misread a commit. Version 2 may leave out rows of other
/// commits; the others are still written as version 1.
const VERSION: u64 = 2;
const ENDING: &str = ".json";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub table: String,
    pub file: String,
    pub rows: u64,
    pub bytes: u64,
}

/// A batch: parts that became visible together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Commit {
    pub name: String,
    /// Commits known to have no job in common with this one.
    pub saw: Vec<String>,
    /// Commits whose rows are all in this one, and that no longer count.
    pub replaces: Vec<String>,
    pub parts: Vec<Named>,
}

impl Commit {
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    /// Whether it is known to have no log of another.
    pub fn saw(&self, other: &Commit) -> bool {
        let knows = |name: &String| self.saw.contains(name);
        knows(&other.name) || (!other.replaces.is_empty() && other.replaces.iter().all(knows))
    }

    fn version(&self) -> u64 {
        let leaves_out = |part: &Named| APART.iter().any(|table| table.name == part.table);
        if self.parts.iter().any(leaves_out) { VERSION } else { 1 }
    }

    pub fn file_name(&self) -> String {
        format!("{}{ENDING}", self.name)
    }

    fn document(&self) -> Value {
        let part = |part: &Named| json!({ "table": part.table, "file": part.file, "rows": part.rows, "bytes": part.bytes });
        json!({
            "version": self.version(),
            "saw": self.saw,
            "replaces": self.replaces,
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
        })
    }

    fn parse(name: &str, text: &str) -> Result<Commit, String> {
        let document: Value = serde_json::from_str(text).unwrap_or_default();
        match document["version"].as_u64() {
            Some(version) if version > VERSION => Err(format!("study version \"{version}\" is not known")),
            _ => Commit::known(name, &document).ok_or_else(|| "this commit cannot be read".to_string()),
        }
    }

    fn known(name: &str, document: &Value) -> Option<Commit> {
        document["version"].as_u64()?;
        let names = |field: &str| {
            let names = document[field].as_array()?.iter();
            names.map(|name| name.as_str().map(String::from)).collect::<Option<Vec<_>>>()
        };
        let part = |part: &Value| {
            Some(Named {
                table: part["table"].as_str()?.to_string(),
                file: part["file"].as_str().filter(|file| !file.contains('/'))?.to_string(),
                rows: part["rows"].as_u64()?,
                bytes: part["bytes"].as_u64()?,
            })
        };
        Some(Commit {
            name: name.to_string(),
            saw: names("saw")?,
            replaces: names("replaces")?,
            parts: document["parts"].as_array()?.iter().map(part).collect::<Option<_>>()?,
        })
    }

    /// Renames the file into place when it is complete and on disk.
    pub fn publish(&self, folder: &Path) -> Result<(), Error> {
        let path = folder.join(self.file_name());
        let temporary = folder.join(format!(".{}.partial", self.name));
        let written = (|| {
            let mut file = File::create(&temporary)?;
            file.write_all(self.document().to_string().as_bytes())?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            File::open(folder)?.sync_all()
        })();
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            Error::Io { path, error }
        })
    }

    /// Reads all commits of a folder, sorted by name. A commit that disappears meanwhile has been
    /// replaced by one that exists.
    pub fn read_all(folder: &Path) -> Result<Vec<Commit>, Error> {
        let mut commits = Vec::new();
        for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
            let entry = entry.map_err(Error::io(folder))?;
            let file_name = entry.file_name();
            let Some(name) = file_name.to_str().and_then(|name| name.strip_suffix(ENDING)) else { continue };
            if name.starts_with('.') {
                continue;
            }
            match fs::read_to_string(entry.path()) {
                Ok(text) => commits.push(
                    Commit::parse(name, &text)
                        .map_err(|message| Error::Commit { path: entry.path(), message })?,
                ),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(Error::Io { path: entry.path(), error }),
            }
        }
        commits.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(commits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_read_as_it_was_written() {
        let part = Named { table: "jobs".into(), file: "x.parquet".into(), rows: 3, bytes: 9 };
        let commit = Commit {
            name: "c".into(),
            saw: vec!["a".into()],
            replaces: vec!["b".into()],
            parts: vec![part.clone()],
        };
        assert_eq!(Commit::parse("c", &commit.document().to_string()), Ok(commit.clone()));
        let outside = Commit { parts: vec![Named { file: "../x".into(), ..part }], ..commit };
        let useless = Err("this commit cannot be read".to_string());
        assert_eq!(Commit::parse("c", &outside.document().to_string()), useless);
        assert_eq!(Commit::parse("c", ""), useless);
        let newer = Commit::parse("c", r#"{"version":3,"saw":[],"replaces":[],"parts":[]}"#);
        assert_eq!(newer, Err("study version \"3\" is not known".to_string()));
    }
}
