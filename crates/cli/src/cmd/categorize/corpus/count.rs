//! What all logs together come to.

use std::collections::BTreeMap;
use std::path::Path;

use marigraph_analysis::category::Label;
use marigraph_analysis::category::corpus::{Application, Groups, LabelSet, Run};
use marigraph_store::tables::TRACES;
use marigraph_store::{Cell, read_file};

use super::row::VALID;
use crate::error::Failure;

/// Columns from which everything is counted.
const COUNTED: [&str; 9] =
    ["status", "job_id", "uid", "exe", "runtime_s", "incomplete", "labels", "read_bytes", "write_bytes"];

/// Where columns are.
pub struct Places {
    pub input: usize,
    pub status: usize,
    pub problem: usize,
    pub job_id: usize,
    pub uid: usize,
    pub exe: usize,
    pub nprocs: usize,
    pub runtime_s: usize,
    pub incomplete: usize,
    pub heaviest: usize,
    pub runs: usize,
    pub labels: usize,
    pub bytes: [usize; 2],
    pub first_label: usize,
}

impl Places {
    /// In the table.
    pub fn find() -> Places {
        // A name that the table did not declare would be a place beyond its end, where every cell is null.
        let place = |name: &str| TRACES.column(name).unwrap_or(usize::MAX);
        Places {
            input: place("input"),
            status: place("status"),
            problem: place("problem"),
            job_id: place("job_id"),
            uid: place("uid"),
            exe: place("exe"),
            nprocs: place("nprocs"),
            runtime_s: place("runtime_s"),
            incomplete: place("incomplete"),
            heaviest: place("heaviest"),
            runs: place("runs"),
            labels: place("labels"),
            bytes: [place("read_bytes"), place("write_bytes")],
            first_label: place(Label::ALL[0].name()),
        }
    }

    /// Who ran what.
    pub fn application(&self, cells: &[Cell<'_>]) -> Application {
        Application { uid: signed(cells, self.uid), exe: word(cells, self.exe).to_string() }
    }

    /// Bytes in both directions.
    pub fn bytes(&self, cells: &[Cell<'_>]) -> u64 {
        self.bytes.iter().map(|&at| whole(cells, at)).fold(0, u64::saturating_add)
    }
}

/// A whole number of a row.
pub fn signed(cells: &[Cell<'_>], at: usize) -> i64 {
    if let Some(Cell::Int(value)) = cells.get(at) { *value } else { 0 }
}

/// One that is not below zero.
pub fn whole(cells: &[Cell<'_>], at: usize) -> u64 {
    u64::try_from(signed(cells, at)).unwrap_or(0)
}

/// A number of a row.
pub fn number(cells: &[Cell<'_>], at: usize) -> Option<f64> {
    if let Some(Cell::Float(value)) = cells.get(at) { Some(*value) } else { None }
}

/// A word of a row.
pub fn word<'a>(cells: &[Cell<'a>], at: usize) -> &'a str {
    if let Some(Cell::Text(word)) = cells.get(at) { word } else { "" }
}

/// What is known of all logs once their rows were added, in any order.
#[derive(Default)]
pub struct Counts {
    /// Logs that were read.
    pub read: u64,
    /// Those with labels.
    pub valid: u64,
    /// Those that say that they do not hold everything.
    pub incomplete: u64,
    /// The others, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Runs by application.
    pub groups: Groups,
}

impl Counts {
    /// Adds the row with this number.
    pub fn add(&mut self, places: &Places, cells: &[Cell<'_>], row: u64) {
        self.read += 1;
        let status = word(cells, places.status);
        if status != VALID {
            *self.skipped.entry(status.to_string()).or_default() += 1;
            return;
        }
        self.valid += 1;
        self.incomplete += whole(cells, places.incomplete);
        let run = Run {
            bytes: places.bytes(cells),
            runtime_s: number(cells, places.runtime_s).unwrap_or(0.0),
            job_id: whole(cells, places.job_id),
            number: row,
            labels: labels(word(cells, places.labels)),
        };
        self.groups.add(places.application(cells), run);
    }

    /// Adds the rows of a piece, of which the first has this number.
    pub fn add_piece(&mut self, places: &Places, piece: &Path, first: u64) -> Result<(), Failure> {
        let mut row = first;
        let read = read_file(piece, &TRACES, &|name| COUNTED.contains(&name), &mut |cells| {
            self.add(places, cells, row);
            row += 1;
        });
        read.map_err(|error| Failure::store(piece, error))
    }
}

/// The labels of a row.
pub fn labels(names: &str) -> LabelSet {
    names.split(',').filter_map(Label::named).collect()
}
