//! Counts over all logs of a corpus.

use std::collections::BTreeMap;
use std::path::Path;

use marigraph_analysis::category::Label;
use marigraph_analysis::category::corpus::{Application, GroupedRun, Groups, LabelSet};
use marigraph_store::tables::TraceRow;
use marigraph_store::{read_file, view};

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
    pub groups: Groups,
}

impl Counts {
    pub fn add(&mut self, row: &Counted<'_>, number: u64) {
        self.read += 1;
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

    /// `first` is the number of its first row.
    pub fn add_piece(&mut self, piece: &Path, first: u64) -> Result<(), Failure> {
        let mut number = first;
        let read = read_file::<Counted>(piece, |row| {
            self.add(&row, number);
            number += 1;
        });
        read.map_err(|error| Failure::store(piece, error))
    }
}
