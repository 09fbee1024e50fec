//! The content of a study at one moment.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use super::commit::{Commit, Named};
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
    /// Per live commit, the jobs that an earlier one has, too.
    doubled: BTreeMap<usize, Arc<HashSet<String>>>,
    overlaps: BTreeSet<(usize, usize)>,
}

impl Snapshot {
    pub(super) fn take(study: &Study) -> Result<Snapshot, Error> {
        let all = Commit::read_all(&study.commits())?;
        let replaced: HashSet<String> = all.iter().flat_map(|commit| commit.replaces.clone()).collect();
        let (dead, live) = all.into_iter().partition(|commit| replaced.contains(&commit.name));
        let mut snapshot = Snapshot {
            study: study.clone(),
            live,
            dead,
            doubled: BTreeMap::new(),
            overlaps: BTreeSet::new(),
        };
        snapshot.find_doubles()?;
        Ok(snapshot)
    }

    /// Finds jobs that two commits have. This is possible only if neither saw the other, since a
    /// writer skips jobs that it has seen. So keys are compared only for the few concurrent
    /// commits.
    fn find_doubles(&mut self) -> Result<(), Error> {
        let mut keys: BTreeMap<usize, HashSet<String>> = BTreeMap::new();
        for later in 1..self.live.len() {
            for earlier in 0..later {
                if saw(&self.live[earlier], &self.live[later]) || saw(&self.live[later], &self.live[earlier])
                {
                    continue;
                }
                for at in [earlier, later] {
                    if let Entry::Vacant(entry) = keys.entry(at) {
                        entry.insert(self.keys_of(&self.live[at])?);
                    }
                }
                let common: Vec<String> = keys[&later].intersection(&keys[&earlier]).cloned().collect();
                if !common.is_empty() {
                    self.overlaps.insert((earlier, later));
                    Arc::make_mut(self.doubled.entry(later).or_default()).extend(common);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn overlap(&self, one: usize, other: usize) -> bool {
        self.overlaps.contains(&(one.min(other), one.max(other)))
    }

    fn keys_of(&self, commit: &Commit) -> Result<HashSet<String>, Error> {
        let mut keys = HashSet::new();
        for table in IDENTITIES {
            each_key(&self.open(commit, table, None)?, &mut |key| {
                keys.insert(key.to_string());
            })?;
        }
        Ok(keys)
    }

    pub(crate) fn add_keys(&self, known: &[String], keys: &mut HashSet<JobKey>) -> Result<(), Error> {
        for commit in self.live.iter().filter(|commit| !known.contains(&commit.name)) {
            for table in IDENTITIES {
                each_key(&self.open(commit, table, None)?, &mut |key| keys.extend(JobKey::parse(key)))?;
            }
        }
        Ok(())
    }

    pub(crate) fn parts(&self, table: &'static Table) -> Result<Vec<Part>, Error> {
        let mut parts = Vec::new();
        for (at, commit) in self.live.iter().enumerate() {
            parts.extend(self.open(commit, table, self.doubled.get(&at))?);
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
        let parts = self.parts(V::TABLE)?;
        let scan = Scan::new(&parts, V::COLUMNS, &[]);
        for unit in 0..scan.units() {
            for selected in scan.read(unit)? {
                for row in (0..selected.len()).map(|n| selected.row(n)) {
                    each(scan.part(unit).row::<V>(&selected.block, row)?);
                }
            }
        }
        Ok(())
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

/// Whether a commit is known to have no job of another.
fn saw(one: &Commit, other: &Commit) -> bool {
    let knows = |name: &String| one.saw.contains(name);
    knows(&other.name) || (!other.replaces.is_empty() && other.replaces.iter().all(knows))
}

fn each_key(parts: &[Part], take: &mut dyn FnMut(&str)) -> Result<(), Error> {
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
