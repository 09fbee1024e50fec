//! From pieces to the results: two passes over the rows, the first of which tells groups.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use marigraph_analysis::category::corpus::{Application, Groups, LabelSet, Run};
use marigraph_analysis::category::{Label, Thresholds};
use marigraph_report::corpus::{Listed, Shortlist, Summarised};
use marigraph_report::page::corpus_page;
use marigraph_store::tables::TRACES;
use marigraph_store::{Cell, Writer, read_file};

use super::row::VALID;
use crate::error::Failure;
use crate::output::{self, AtomicFile};

/// Writes all results. `outside` is what was skipped without being a log; `skipped` is where to list the logs that were.
pub fn assemble(
    pieces: &[PathBuf],
    outside: BTreeMap<String, u64>,
    into: &Path,
    thresholds: &Thresholds,
    skipped: Option<&Path>,
) -> Result<Summarised, Failure> {
    let places = Places::find();
    let mut counts = Counts { skipped: outside, ..Counts::default() };
    for piece in pieces {
        read_file(piece, &TRACES, &|name| COUNTED.contains(&name), &mut |cells| counts.add(&places, cells))
            .map_err(|error| Failure::store(piece, error))?;
    }
    let mut noted = Noted::default();
    write_traces(pieces, &into.join("traces.parquet"), &places, &counts.groups, &mut noted)?;
    if let Some(path) = skipped {
        output::write_file(path, noted.skipped.as_bytes())?;
    }
    let summarised = Summarised {
        read: counts.read,
        valid: counts.valid,
        incomplete: counts.incomplete,
        skipped: counts.skipped,
        unique: counts.groups.len() as u64,
        summary: counts.groups.summary(),
        thresholds: *thresholds,
    };
    output::write_file(&into.join("report.html"), corpus_page(&summarised, &noted.shortlist).as_bytes())?;
    output::write_file(&into.join("summary.json"), format!("{:#}\n", summarised.json()).as_bytes())?;
    Ok(summarised)
}

/// Columns from which everything is counted.
const COUNTED: [&str; 9] =
    ["status", "job_id", "uid", "exe", "runtime_s", "incomplete", "labels", "read_bytes", "write_bytes"];

/// Where columns are.
struct Places {
    input: usize,
    status: usize,
    problem: usize,
    job_id: usize,
    uid: usize,
    exe: usize,
    nprocs: usize,
    runtime_s: usize,
    incomplete: usize,
    heaviest: usize,
    runs: usize,
    labels: usize,
    bytes: [usize; 2],
    first_label: usize,
}

impl Places {
    fn find() -> Places {
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

    fn application(&self, cells: &[Cell<'_>]) -> Application {
        Application { uid: signed(cells, self.uid), exe: word(cells, self.exe).to_string() }
    }

    fn bytes(&self, cells: &[Cell<'_>]) -> u64 {
        self.bytes.iter().map(|&at| whole(cells, at)).fold(0, u64::saturating_add)
    }
}

fn signed(cells: &[Cell<'_>], at: usize) -> i64 {
    if let Some(Cell::Int(value)) = cells.get(at) { *value } else { 0 }
}

fn whole(cells: &[Cell<'_>], at: usize) -> u64 {
    u64::try_from(signed(cells, at)).unwrap_or(0)
}

fn number(cells: &[Cell<'_>], at: usize) -> Option<f64> {
    if let Some(Cell::Float(value)) = cells.get(at) { Some(*value) } else { None }
}

fn word<'a>(cells: &[Cell<'a>], at: usize) -> &'a str {
    if let Some(Cell::Text(word)) = cells.get(at) { word } else { "" }
}

#[derive(Default)]
struct Counts {
    read: u64,
    valid: u64,
    incomplete: u64,
    skipped: BTreeMap<String, u64>,
    groups: Groups,
}

impl Counts {
    fn add(&mut self, places: &Places, cells: &[Cell<'_>]) {
        let number_of_row = self.read;
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
            number: number_of_row,
            labels: labels(word(cells, places.labels)),
        };
        self.groups.add(places.application(cells), run);
    }
}

fn labels(names: &str) -> LabelSet {
    names.split(',').filter_map(Label::named).collect()
}

/// What is noted while traces are written.
#[derive(Default)]
struct Noted {
    /// Traces that the page lists.
    shortlist: Shortlist,
    /// A line per log that was skipped.
    skipped: String,
}

/// Writes `traces.parquet`, and notes some of them on the way.
fn write_traces(
    pieces: &[PathBuf],
    path: &Path,
    places: &Places,
    groups: &Groups,
    noted: &mut Noted,
) -> Result<(), Failure> {
    let failed = |error| Failure::store(path, error);
    let mut writer = Writer::new(AtomicFile::create(path)?, &TRACES).map_err(failed)?;
    let mut number_of_row = 0;
    for piece in pieces {
        let read = read_file(piece, &TRACES, &|_| true, &mut |cells| {
            let mut cells = cells.to_vec();
            if word(&cells, places.status) != VALID {
                let (input, problem) = (word(&cells, places.input), word(&cells, places.problem));
                noted.skipped.push_str(&format!("{input}\t{problem}\n"));
            } else if let Some((heaviest, runs)) = groups.heaviest(&places.application(&cells)) {
                let stands = heaviest == number_of_row;
                set(&mut cells, places.heaviest, i64::from(stands).into());
                set(&mut cells, places.runs, runs.into());
                if stands {
                    list(&mut noted.shortlist, places, &cells, runs);
                }
            }
            number_of_row += 1;
            writer.rows().push(&cells);
        });
        read.map_err(|error| Failure::store(piece, error))?;
        writer.keep().map_err(failed)?;
    }
    writer.finish().map_err(failed)?.finish()
}

fn set<'a>(cells: &mut [Cell<'a>], at: usize, value: Cell<'a>) {
    if let Some(cell) = cells.get_mut(at) {
        *cell = value;
    }
}

fn list(shortlist: &mut Shortlist, places: &Places, cells: &[Cell<'_>], runs: u64) {
    let bytes = places.bytes(cells);
    for (at, label) in Label::ALL.into_iter().enumerate() {
        let Some(confidence) = number(cells, places.first_label + at) else { continue };
        shortlist.offer(label, bytes, &|| Listed {
            input: word(cells, places.input).to_string(),
            exe: word(cells, places.exe).to_string(),
            uid: signed(cells, places.uid),
            nprocs: whole(cells, places.nprocs),
            runtime_s: number(cells, places.runtime_s).unwrap_or(0.0),
            bytes,
            runs,
            confidence,
            labels: labels(word(cells, places.labels)),
        });
    }
}
