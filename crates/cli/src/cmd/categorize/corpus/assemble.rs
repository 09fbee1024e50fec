//! From pieces to the results: a last pass over the rows, now that all groups are known.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use marigraph_analysis::category::corpus::Groups;
use marigraph_analysis::category::{Label, Thresholds};
use marigraph_report::corpus::{Listed, Shortlist, Summarised};
use marigraph_report::page::corpus_page;
use marigraph_store::tables::TRACES;
use marigraph_store::{Cell, Rows, Writer, read_file};

use super::count::{Counts, Places, labels, number, signed, whole, word};
use super::row::VALID;
use crate::error::Failure;
use crate::output::{self, AtomicFile};

/// What results are made of, and where they go.
pub struct Assembly<'a> {
    /// Files with the rows.
    pub pieces: &'a [PathBuf],
    /// What they come to.
    pub counts: Counts,
    /// Where results go.
    pub into: &'a Path,
    /// What labels were given by.
    pub thresholds: &'a Thresholds,
    /// Where to list the logs that were skipped.
    pub skipped: Option<&'a Path>,
    /// Threads to use.
    pub threads: usize,
}

impl Assembly<'_> {
    /// Writes all results.
    pub fn write(self) -> Result<Summarised, Failure> {
        let mut noted = Noted::default();
        self.write_traces(&Places::find(), &mut noted)?;
        let counts = self.counts;
        if let Some(path) = self.skipped {
            output::write_file(path, noted.skipped.as_bytes())?;
        }
        let summarised = Summarised {
            read: counts.read,
            valid: counts.valid,
            incomplete: counts.incomplete,
            skipped: counts.skipped,
            unique: counts.groups.len() as u64,
            summary: counts.groups.summary(),
            thresholds: *self.thresholds,
        };
        let page = corpus_page(&summarised, &noted.shortlist);
        output::write_file(&self.into.join("report.html"), page.as_bytes())?;
        output::write_file(&self.into.join("summary.json"), format!("{:#}\n", summarised.json()).as_bytes())?;
        Ok(summarised)
    }

    /// Writes `traces.parquet`, and notes some of them on the way.
    fn write_traces(&self, places: &Places, noted: &mut Noted) -> Result<(), Failure> {
        let path = self.into.join("traces.parquet");
        let failed = |error| Failure::store(&path, error);
        let mut writer = Writer::new(AtomicFile::create(&path)?, &TRACES).map_err(failed)?;
        let mut finished =
            self.pieces.iter().map(|piece| finished(piece, places, &self.counts.groups, noted));
        if self.threads == 1 {
            finished.try_for_each(|rows| writer.take(&mut rows?).map_err(failed))?;
            return writer.finish().map_err(failed)?.finish();
        }
        // One thread decodes pieces while the other encodes.
        let (sender, receiver) = mpsc::sync_channel::<Rows>(2);
        std::thread::scope(|scope| {
            let writing = scope.spawn(move || {
                receiver.into_iter().try_for_each(|mut rows| writer.take(&mut rows))?;
                writer.finish()
            });
            // A send fails when writing has, which then says why.
            let read = finished.try_for_each(|rows| rows.map(|rows| drop(sender.send(rows))));
            drop(sender);
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            read?;
            written.map_err(failed)?.finish()
        })
    }
}

/// What is noted while traces are written.
#[derive(Default)]
struct Noted {
    /// Rows so far.
    rows: u64,
    /// Traces that the page lists.
    shortlist: Shortlist,
    /// A line per log that was skipped.
    skipped: String,
}

/// The rows of a piece, with what only all rows together tell.
fn finished(piece: &Path, places: &Places, groups: &Groups, noted: &mut Noted) -> Result<Rows, Failure> {
    let mut rows = Rows::new(&TRACES);
    let read = read_file(piece, &TRACES, &|_| true, &mut |cells| {
        let mut cells = cells.to_vec();
        if word(&cells, places.status) != VALID {
            let (input, problem) = (word(&cells, places.input), word(&cells, places.problem));
            noted.skipped.push_str(&format!("{input}\t{problem}\n"));
        } else if let Some((heaviest, runs)) = groups.heaviest(&places.application(&cells)) {
            let stands = heaviest == noted.rows;
            set(&mut cells, places.heaviest, i64::from(stands).into());
            set(&mut cells, places.runs, runs.into());
            if stands {
                list(&mut noted.shortlist, places, &cells, runs);
            }
        }
        noted.rows += 1;
        rows.push(&cells);
    });
    read.map_err(|error| Failure::store(piece, error))?;
    Ok(rows)
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
