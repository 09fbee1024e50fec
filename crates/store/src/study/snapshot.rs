//! The content of a study at one moment.

use std::collections::HashSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use super::commit::{Commit, Named};
use super::hidden::{Belongs, Hidden};
use super::known::Known;
use super::{PENDING, REPLACED, Study};
use crate::cell::Cell;
use crate::error::Error;
use crate::key::JobKey;
use crate::row::View;
use crate::scan::Scan;
use crate::scan::part::Part;
use crate::tables::{IDENTITIES, Table};

/// The committed parts at the time it was taken. Later commits are not in it, and parts replaced
/// later stay readable for a while.
pub struct Snapshot {
    study: Study,
    /// Commits that count, sorted by name.
    pub(crate) live: Vec<Commit>,
    pub(crate) dead: Vec<Commit>,
    pub(crate) hidden: Hidden,
}

impl Snapshot {
    pub(super) fn take(study: &Study) -> Result<Snapshot, Error> {
        let all = Commit::read_all(&study.commits())?;
        let replaced: HashSet<String> = all.iter().flat_map(|commit| commit.replaces.clone()).collect();
        let (dead, live) = all.into_iter().partition(|commit| replaced.contains(&commit.name));
        let mut snapshot = Snapshot { study: study.clone(), live, dead, hidden: Hidden::default() };
        snapshot.hidden = Hidden::find(&snapshot)?;
        Ok(snapshot)
    }

    /// Adds what commits that were not seen before have.
    pub(crate) fn learn(&self, seen: &[String], known: &mut Known) -> Result<(), Error> {
        for commit in self.live.iter().filter(|commit| !seen.contains(&commit.name)) {
            for table in IDENTITIES {
                let keys = &mut known.keys;
                each_key(&self.open(commit, table, None)?, &mut |key| keys.extend(JobKey::parse(key)))?;
            }
            self.belonging(commit, &mut |row| {
                let run = row.run_key.and_then(JobKey::parse);
                if let (Some(run), Some(key)) = (run, JobKey::parse(row.job_key)) {
                    known.add_run(run, key, row.detail.unwrap_or(0));
                }
            })?;
        }
        Ok(())
    }

    /// Visits the logs of a commit and their runs, whether or not they count.
    pub(super) fn belonging(&self, commit: &Commit, each: &mut impl FnMut(Belongs<'_>)) -> Result<(), Error> {
        read_parts::<Belongs>(&self.open(commit, Belongs::TABLE, None)?, each)
    }

    /// Visits the rows of all logs, whether or not they count.
    pub(super) fn all_logs<V: View>(&self, each: &mut impl FnMut(V::Row<'_>)) -> Result<(), Error> {
        self.live.iter().try_for_each(|commit| read_parts::<V>(&self.open(commit, V::TABLE, None)?, each))
    }

    pub(crate) fn parts(&self, table: &'static Table) -> Result<Vec<Part>, Error> {
        let mut parts = Vec::new();
        for (at, commit) in self.live.iter().enumerate() {
            parts.extend(self.open(commit, table, self.hidden.of(at, table))?);
        }
        Ok(parts)
    }

    pub(crate) fn open(
        &self,
        commit: &Commit,
        table: &'static Table,
        hidden: Option<&Arc<HashSet<String>>>,
    ) -> Result<Vec<Part>, Error> {
        let named = commit.parts.iter().filter(|part| part.table == table.name);
        named
            .map(|part| {
                let (path, file) = self.find(part)?;
                Part::new(table, path, file, hidden.cloned())
            })
            .collect()
    }

    /// Opens a part wherever it is by now: it moves into its table's folder just after its commit,
    /// and out of it when it is replaced.
    fn find(&self, part: &Named) -> Result<(PathBuf, File), Error> {
        let folders = [part.table.as_str(), PENDING, part.table.as_str(), REPLACED];
        for folder in folders {
            let path = self.study.root().join(folder).join(&part.file);
            match File::open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(Error::Io { path, error }),
            }
        }
        let path = self.study.root().join(&part.table).join(&part.file);
        Err(Error::Io { path, error: ErrorKind::NotFound.into() })
    }

    pub fn read<V: View>(&self, mut each: impl FnMut(V::Row<'_>)) -> Result<(), Error> {
        read_parts::<V>(&self.parts(V::TABLE)?, &mut each)
    }

    /// Number of live commits.
    pub fn batches(&self) -> usize {
        self.live.len()
    }

    /// Committed rows of a table, duplicates included.
    pub fn rows(&self, table: &Table) -> u64 {
        let parts = self.live.iter().flat_map(|commit| &commit.parts);
        parts.filter(|part| part.table == table.name).map(|part| part.rows).sum()
    }
}

fn read_parts<V: View>(parts: &[Part], each: &mut impl FnMut(V::Row<'_>)) -> Result<(), Error> {
    let scan = Scan::new(parts, V::COLUMNS, &[]);
    for unit in 0..scan.units() {
        for selected in scan.read(unit)? {
            for row in (0..selected.len()).map(|n| selected.row(n)) {
                each(scan.part(unit).row::<V>(&selected.block, row)?);
            }
        }
    }
    Ok(())
}

pub(super) fn each_key(parts: &[Part], take: &mut dyn FnMut(&str)) -> Result<(), Error> {
    let scan = Scan::new(parts, &[0], &[]);
    let mut last = String::new();
    for unit in 0..scan.units() {
        for selected in scan.read(unit)? {
            for n in 0..selected.len() {
                if let Cell::Text(key) = selected.block.columns[0].cell(selected.row(n))
                    && key != last
                {
                    take(key);
                    key.clone_into(&mut last);
                }
            }
        }
    }
    Ok(())
}
