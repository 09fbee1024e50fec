//! Merges many small commits into a large one.
//!
//! Commits of about the same size are merged when there are many, so that a row is rewritten about
//! once each time its commit grows sixteenfold. A merged commit has every job of those it replaces,
//! whatever other processes do at the same time. It keeps one copy of a job that two of them have,
//! and drops nothing because of a job in a commit that is not among them. So no two mergers can
//! each rely on the other's copy. Of two logs of one run it keeps the rows of the one that counts
//! and the source of the other. It also drops rows that `sources` or `invalid` leaves out: no merge
//! ever drops the rows of these two tables.

use std::collections::HashSet;

use super::hidden::Beaten;
use super::ingest::Batch;
use super::known::{Source, Told};
use super::snapshot::Snapshot;
use super::{Study, sweep};
use crate::cell::Cell;
use crate::error::Error;
use crate::rows::{Columns, Rows};
use crate::scan::Scan;
use crate::scan::part::Part;
use crate::tables::{APART, SourceRow, TABLES, Table};

/// Number of commits of one size class that triggers a merge.
const MANY: usize = 16;
/// Upper bound of the smallest size class; each next class is sixteen times larger.
const SMALL: u64 = 1 << 20;
/// Larger commits stay as they are.
const LARGE: u64 = 2 << 30;
/// Number of rows collected before encoding.
const ROWS: usize = 1 << 15;

pub(super) fn compact(study: &Study) -> Result<(), Error> {
    let snapshot = study.snapshot()?;
    let Some(chosen) = choose(&snapshot) else { return Ok(()) };
    let mut inputs = Vec::with_capacity(chosen.len());
    for at in chosen {
        if is_declared(&snapshot, at)? {
            inputs.push(at);
        }
    }
    if inputs.len() < 2 {
        return Ok(());
    }
    let mut batch = Batch::new(study.clone());
    for table in TABLES.iter().copied() {
        merge(table, &snapshot, &inputs, &mut batch)?;
    }
    note_beaten(&snapshot, &inputs, &mut batch)?;
    finish(study, &snapshot, &inputs, batch)
}

/// Whether a commit holds only tables and columns that this program declares: a merge would lose
/// those of a newer one.
fn is_declared(snapshot: &Snapshot, at: usize) -> Result<bool, Error> {
    let commit = &snapshot.live[at];
    let mut known = 0;
    for table in TABLES.iter().copied() {
        let parts = snapshot.open(commit, table, None)?;
        if !parts.iter().all(Part::is_declared) {
            return Ok(false);
        }
        known += parts.len();
    }
    Ok(known == commit.parts.len())
}

fn merge(
    table: &'static Table,
    snapshot: &Snapshot,
    inputs: &[usize],
    batch: &mut Batch,
) -> Result<(), Error> {
    let mut rows = Columns::new(table);
    let mut taken: HashSet<String> = HashSet::new();
    let all: Vec<usize> = (0..table.columns.len()).collect();
    for &at in inputs {
        let doubled = inputs.iter().any(|&other| other != at && snapshot.hidden.overlap(at, other));
        let left_out = left_out(table, snapshot, inputs, at);
        let mut here: HashSet<String> = HashSet::new();
        let parts = snapshot.open(&snapshot.live[at], table, None)?;
        let scan = Scan::new(&parts, &all, &[]);
        for unit in 0..scan.units() {
            for block in scan.read(unit)?.iter().map(|selected| &selected.block) {
                for cells in (0..block.len).map(|row| block.row(row)) {
                    if !is_in(&left_out, &cells) && (!doubled || first_copy(&cells, &taken, &mut here)) {
                        rows.push(&cells);
                    }
                    if rows.len() >= ROWS {
                        batch.add(table, &mut rows)?;
                    }
                }
            }
        }
        taken.extend(here);
    }
    if rows.is_empty() { Ok(()) } else { batch.add(table, &mut rows) }
}

/// The logs whose rows a merge drops from one of its inputs: a row of `sources` or `invalid` that
/// stays says that they do not count, or another input surpasses them.
fn left_out<'s>(
    table: &'static Table,
    snapshot: &'s Snapshot,
    inputs: &'s [usize],
    at: usize,
) -> HashSet<&'s str> {
    if APART.iter().any(|apart| std::ptr::eq(*apart, table)) {
        return HashSet::new();
    }
    let beaten =
        beaten(snapshot, inputs).filter(|beaten| beaten.commit == at).map(|beaten| beaten.key.as_str());
    snapshot.hidden.apart.iter().map(String::as_str).chain(beaten).collect()
}

/// Logs of inputs that other inputs surpass.
fn beaten<'s>(snapshot: &'s Snapshot, inputs: &'s [usize]) -> impl Iterator<Item = &'s Beaten> {
    let merged = |beaten: &&Beaten| inputs.contains(&beaten.commit) && inputs.contains(&beaten.by);
    snapshot.hidden.beaten.iter().filter(merged)
}

fn is_in(keys: &HashSet<&str>, cells: &[Cell<'_>]) -> bool {
    matches!(cells.first(), Some(Cell::Text(key)) if keys.contains(*key))
}

/// Notes the sources of logs that the merge drops because another of its inputs surpasses them.
fn note_beaten(snapshot: &Snapshot, inputs: &[usize], batch: &mut Batch) -> Result<(), Error> {
    let mut keys: HashSet<&str> = beaten(snapshot, inputs).map(|beaten| beaten.key.as_str()).collect();
    if keys.is_empty() {
        return Ok(());
    }
    snapshot.all_logs::<Noted>(&mut |row| {
        keys.remove(row.job_key);
    })?;
    let mut rows = Rows::default();
    snapshot.all_logs::<Told>(&mut |told| {
        if let Some(log) = told.as_source().filter(|_| keys.remove(told.job_key)) {
            Source { stored: false, ..log }.add_to(&mut rows);
        }
    })?;
    rows.tables().try_for_each(|(table, columns)| batch.add(table, columns))
}

crate::view! {
    struct Noted<'a> of SourceRow { job_key: &'a str }
}

fn first_copy(cells: &[Cell<'_>], taken: &HashSet<String>, here: &mut HashSet<String>) -> bool {
    let Some(Cell::Text(key)) = cells.first() else { return true };
    if taken.contains(*key) {
        return false;
    }
    if !here.contains(*key) {
        here.insert((*key).to_string());
    }
    true
}

/// Commits the merge, unless another process merged one of the inputs meanwhile.
fn finish(study: &Study, snapshot: &Snapshot, inputs: &[usize], batch: Batch) -> Result<(), Error> {
    let now = study.snapshot()?;
    let merged: Vec<&String> = inputs.iter().map(|&at| &snapshot.live[at].name).collect();
    if !merged.iter().all(|name| now.live.iter().any(|commit| commit.name == **name)) {
        return Ok(());
    }
    let apart =
        |at: &usize| !inputs.contains(at) && inputs.iter().all(|&input| !snapshot.hidden.overlap(input, *at));
    let saw = (0..snapshot.live.len()).filter(apart).map(|at| snapshot.live[at].name.clone()).collect();
    // Commits that the inputs replaced stay replaced when the inputs are gone.
    let still_there = |name: &&String| snapshot.dead.iter().any(|commit| commit.name == **name);
    let before = inputs.iter().flat_map(|&at| &snapshot.live[at].replaces).filter(still_there);
    let replaces = merged.into_iter().chain(before).cloned().collect();
    batch.commit(saw, replaces)?;
    inputs.iter().for_each(|&at| sweep::retire(study, &snapshot.live[at]));
    Ok(())
}

/// The commits to merge: all of the smallest class with enough commits, and of the classes below
/// it.
fn choose(snapshot: &Snapshot) -> Option<Vec<usize>> {
    let class = |bytes: u64| (bytes / SMALL).max(1).ilog2() / 4;
    let mut by_size: Vec<(u64, usize)> = snapshot
        .live
        .iter()
        .enumerate()
        .map(|(at, commit)| (commit.bytes(), at))
        .filter(|&(bytes, _)| bytes < LARGE)
        .collect();
    by_size.sort_unstable();
    let largest = (0..=class(LARGE))
        .find(|&wanted| by_size.iter().filter(|&&(bytes, _)| class(bytes) == wanted).count() >= MANY)?;
    let mut inputs: Vec<usize> =
        by_size.into_iter().filter(|&(bytes, _)| class(bytes) <= largest).map(|(_, at)| at).collect();
    inputs.sort_unstable();
    Some(inputs)
}
