//! Counts over all logs of a corpus.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use marigraph_analysis::category::Label;
use marigraph_analysis::category::corpus::{Application, GroupedRun, Groups, LabelSet};
use marigraph_store::tables::TraceRow;
use marigraph_store::{JobKey, View, read_file, view};

use super::row::VALID;
use crate::error::Failure;

view! {
    /// Columns from which everything is counted.
    pub struct Counted<'a> of TraceRow {
        status: &'a str, job_id: Option<i64>, uid: Option<i64>, exe: Option<&'a str>, runtime_s: Option<f64>,
        incomplete: Option<bool>, labels: Option<&'a str>, read_bytes: Option<u64>, write_bytes: Option<u64>,
    }
}

impl Counted<'_> {
    pub fn application(&self) -> Application {
        Application { uid: self.uid.unwrap_or(0), exe: self.exe.unwrap_or_default().to_string() }
    }

    /// Read and written.
    pub fn bytes(&self) -> u64 {
        self.read_bytes.unwrap_or(0).saturating_add(self.write_bytes.unwrap_or(0))
    }

    pub fn labels(&self) -> LabelSet {
        self.labels.unwrap_or_default().split(',').filter_map(Label::named).collect()
    }
}

/// Counts over all logs; rows may be added in any order.
#[derive(Default)]
pub struct Counts {
    pub read: u64,
    /// Logs with labels.
    pub valid: u64,
    pub incomplete: u64,
    /// Logs without labels, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Logs that count for nothing, because another log of their run does; by number, with the
    /// number of that log.
    pub same_run: HashMap<u64, u64>,
    pub groups: Groups,
}

view! {
    /// Which run a log tells of, and how much.
    struct Belongs<'a> of TraceRow { status: &'a str, run_key: Option<&'a str>, detail: Option<u64> }
}

impl Counts {
    pub fn of(pieces: &[PathBuf]) -> Result<Counts, Failure> {
        let mut counts = Counts { same_run: same_run(pieces)?, ..Counts::default() };
        let mut number = 0;
        each::<Counted>(pieces, |row| {
            counts.add(&row, number);
            number += 1;
        })?;
        Ok(counts)
    }

    fn add(&mut self, row: &Counted<'_>, number: u64) {
        self.read += 1;
        if self.same_run.contains_key(&number) {
            return;
        }
        if row.status != VALID {
            *self.skipped.entry(row.status.to_string()).or_default() += 1;
            return;
        }
        self.valid += 1;
        self.incomplete += u64::from(row.incomplete == Some(true));
        let run = GroupedRun {
            bytes: row.bytes(),
            runtime_s: row.runtime_s.unwrap_or(0.0),
            job_id: row.job_id.and_then(|id| u64::try_from(id).ok()).unwrap_or(0),
            number,
            labels: row.labels(),
        };
        self.groups.add(row.application(), run);
    }
}

/// Of several valid logs of a run the one that tells most counts, of equal ones the first.
fn same_run(pieces: &[PathBuf]) -> Result<HashMap<u64, u64>, Failure> {
    let mut best: HashMap<u128, (u64, u64)> = HashMap::new();
    let mut beaten: Vec<(u64, u128)> = Vec::new();
    let mut number = 0;
    each::<Belongs>(pieces, |row| {
        let (at, detail) = (number, row.detail.unwrap_or(0));
        number += 1;
        let Some(run) = row.run_key.filter(|_| row.status == VALID) else { return };
        let run = JobKey::of(run.as_bytes()).bits();
        match best.get(&run).copied() {
            Some((known, _)) if known >= detail => beaten.push((at, run)),
            Some((_, known)) => {
                beaten.push((known, run));
                best.insert(run, (detail, at));
            }
            None => drop(best.insert(run, (detail, at))),
        }
    })?;
    Ok(beaten.into_iter().filter_map(|(at, run)| Some((at, best.get(&run)?.1))).collect())
}

fn each<V: View>(pieces: &[PathBuf], mut take: impl FnMut(V::Row<'_>)) -> Result<(), Failure> {
    pieces
        .iter()
        .try_for_each(|piece| read_file::<V>(piece, &mut take).map_err(|error| Failure::store(piece, error)))
}
