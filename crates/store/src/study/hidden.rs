//! Which rows of a study do not count.
//!
//! A log is left out for one of three reasons. A later commit says so: a row of `sources` or
//! `invalid`, written because another log tells more of the same run, or because the log cannot be
//! trusted. Or two commits that did not see each other have the same log: the later copy is hidden.
//! Or they have different logs of one run: the one that tells less is hidden, of equal ones the
//! later.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::commit::Commit;
use super::snapshot::{Snapshot, each_key};
use crate::error::Error;
use crate::scan::Scan;
use crate::scan::filter::{Filter, Op, Value};
use crate::scan::part::Part;
use crate::tables::{APART, IDENTITIES, INVALID, JobRow, SOURCES, Table};

type Names = HashSet<String>;

#[derive(Default)]
pub(crate) struct Hidden {
    /// Per commit, logs without rows in its tables; only for commits that have some.
    logs: BTreeMap<usize, Arc<Names>>,
    /// Per commit, keys that an earlier one has, too.
    doubled: BTreeMap<usize, Arc<Names>>,
    /// The same for rows of `sources`.
    sources: BTreeMap<usize, Arc<Names>>,
    /// Logs that a row of `sources` or `invalid` leaves out, in all commits.
    pub apart: Arc<Names>,
    pub beaten: Vec<Beaten>,
    overlaps: BTreeSet<(usize, usize)>,
}

/// A log that another commit surpasses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Beaten {
    pub commit: usize,
    pub key: String,
    /// The commit with the log that counts.
    pub by: usize,
}

crate::view! {
    /// Which run a log belongs to.
    pub(crate) struct Belongs<'a> of JobRow { job_key: &'a str, run_key: Option<&'a str>, detail: Option<u64> }
}

/// What one commit has.
#[derive(Default)]
struct Kept {
    keys: Names,
    sources: Names,
    /// The log that tells most of each run.
    runs: HashMap<String, (u64, String)>,
}

impl Kept {
    fn of(snapshot: &Snapshot, commit: &Commit) -> Result<Kept, Error> {
        let mut kept = Kept::default();
        for table in IDENTITIES {
            let into = if is(table, &SOURCES) { &mut kept.sources } else { &mut kept.keys };
            each_key(&snapshot.open(commit, table, None)?, &mut |key| {
                into.insert(key.to_string());
            })?;
        }
        snapshot.belonging(commit, &mut |row| {
            let Some(run) = row.run_key else { return };
            let detail = row.detail.unwrap_or(0);
            if kept.runs.get(run).is_none_or(|known| detail > known.0) {
                kept.runs.insert(run.to_string(), (detail, row.job_key.to_string()));
            }
        })?;
        Ok(kept)
    }
}

fn is(one: &'static Table, other: &'static Table) -> bool {
    std::ptr::eq(one, other)
}

impl Hidden {
    /// Keys are compared only for the few commits that did not see each other: a writer adds
    /// nothing that it knows of.
    pub fn find(snapshot: &Snapshot) -> Result<Hidden, Error> {
        let live = &snapshot.live;
        let mut kept: BTreeMap<usize, Kept> = BTreeMap::new();
        let mut hidden = Hidden { apart: Arc::new(apart(snapshot)?), ..Hidden::default() };
        for later in 1..live.len() {
            for earlier in 0..later {
                if live[earlier].saw(&live[later]) || live[later].saw(&live[earlier]) {
                    continue;
                }
                for at in [earlier, later] {
                    if let Entry::Vacant(entry) = kept.entry(at) {
                        entry.insert(Kept::of(snapshot, &live[at])?);
                    }
                }
                hidden.compare((earlier, &kept[&earlier]), (later, &kept[&later]));
            }
        }
        hidden.gather(live.len());
        Ok(hidden)
    }

    fn compare(&mut self, (earlier, one): (usize, &Kept), (later, other): (usize, &Kept)) {
        let mut overlap = false;
        let sets =
            [(&one.keys, &other.keys, &mut self.doubled), (&one.sources, &other.sources, &mut self.sources)];
        for (one, other, doubled) in sets {
            let common: Vec<String> = other.intersection(one).cloned().collect();
            if !common.is_empty() {
                Arc::make_mut(doubled.entry(later).or_default()).extend(common);
                overlap = true;
            }
        }
        for (run, (detail, key)) in &other.runs {
            let Some((before, known)) = one.runs.get(run).filter(|(_, known)| known != key) else { continue };
            let (commit, key, by) =
                if detail > before { (earlier, known, later) } else { (later, key, earlier) };
            self.beaten.push(Beaten { commit, key: key.clone(), by });
            overlap = true;
        }
        if overlap {
            self.overlaps.insert((earlier, later));
        }
    }

    fn gather(&mut self, commits: usize) {
        let mut logs: BTreeMap<usize, Names> = BTreeMap::new();
        if !self.apart.is_empty() {
            logs.extend((0..commits).map(|at| (at, Names::clone(&self.apart))));
        }
        for (&at, doubled) in &self.doubled {
            logs.entry(at).or_default().extend(doubled.iter().cloned());
        }
        for Beaten { commit, key, .. } in &self.beaten {
            logs.entry(*commit).or_default().insert(key.clone());
        }
        self.logs = logs.into_iter().map(|(at, names)| (at, Arc::new(names))).collect();
    }

    /// Whether two commits have a log, or logs of a run, in common.
    pub fn overlap(&self, one: usize, other: usize) -> bool {
        self.overlaps.contains(&(one.min(other), one.max(other)))
    }

    /// The first values of rows of a table that do not count in a commit.
    pub fn of(&self, at: usize, table: &'static Table) -> Option<&Arc<Names>> {
        let by_commit = if is(table, &SOURCES) {
            &self.sources
        } else if is(table, &INVALID) {
            &self.doubled
        } else {
            &self.logs
        };
        by_commit.get(&at)
    }
}

fn apart(snapshot: &Snapshot) -> Result<Names, Error> {
    let mut apart = Names::new();
    for table in APART {
        let mut parts: Vec<Part> = Vec::new();
        for commit in &snapshot.live {
            parts.extend(snapshot.open(commit, table, None)?);
        }
        let stored = [Filter { column: table.place("stored"), op: Op::Equal, value: Value::Int(1) }];
        let scan = Scan::new(&parts, &[0], &stored);
        for unit in 0..scan.units() {
            for selected in scan.read(unit)? {
                selected.each(|row| {
                    if let crate::Cell::Text(key) = selected.block.columns[0].cell(row) {
                        apart.insert(key.to_string());
                    }
                });
            }
        }
    }
    Ok(apart)
}
