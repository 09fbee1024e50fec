//! Synthetic jobs, and query results as text.
#![allow(dead_code, unused_imports)] // each test uses its part

#[path = "../../../cli/tests/common/folder.rs"]
mod folder;

pub use folder::Folder;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use marigraph_store::tables::{FileRow, JobRow};
use marigraph_store::{Cell, Ingest, JobKey, Output, Rows, Study, query};

impl Folder {
    /// The Parquet files in a subfolder.
    pub fn parts(&self, below: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.0.join(below)).into_iter().flatten();
        entries.map(|entry| entry.expect("entry").path()).collect()
    }
}

/// Adds a job with two files, unless the study has it.
pub fn add(ingest: &Ingest, number: i64) -> bool {
    let key = JobKey::of(&number.to_le_bytes());
    if !ingest.claim(key) {
        return false;
    }
    let key = key.to_string();
    let exe = format!("app{}", number % 7);
    let mut rows = Rows::default();
    rows.push(JobRow {
        job_key: &key,
        job_id: number,
        exe: Some(&exe),
        bytes_written: number as u64 * 100,
        ..JobRow::default()
    });
    for path in ["/scratch/a", "/scratch/b"] {
        rows.push(FileRow { job_key: &key, path, ..FileRow::default() });
    }
    ingest.add(&mut rows).expect("add");
    true
}

#[derive(Default)]
struct Text(String);

impl Output for Text {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.0.push_str(&format!("{}\n", names.join("|")));
        Ok(())
    }
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        let word = |cell: &Cell<'_>| match cell {
            Cell::Null => "null".to_string(),
            Cell::Int(value) => value.to_string(),
            // Differences in the last digits do not matter.
            Cell::Float(value) => format!("{value:.9e}"),
            Cell::Text(text) => format!("'{text}'"),
        };
        self.0.push_str(&format!("{}\n", cells.iter().map(word).collect::<Vec<_>>().join("|")));
        Ok(())
    }
}

/// The result of a query as text, or the error.
pub fn ask(study: &Path, sql: &str) -> Result<String, String> {
    let snapshot =
        Study::open(study).and_then(|study| study.snapshot()).map_err(|error| error.to_string())?;
    let mut text = Text::default();
    query(&Arc::new(snapshot), sql, 2, &mut text).map_err(|error| {
        format!("{error}{}", error.hint().map(|hint| format!("\nhint: {hint}")).unwrap_or_default())
    })?;
    Ok(text.0)
}

/// The rows of a result without the column names.
pub fn rows(study: &Path, sql: &str) -> Vec<String> {
    ask(study, sql).expect("answer").lines().skip(1).map(String::from).collect()
}
