//! Writes the results of a corpus: a last pass over the rows, now that all groups are known.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use marigraph_analysis::category::{Label, Thresholds};
use marigraph_report::corpus::{Listed, Shortlist, Summarised};
use marigraph_report::page::corpus_page;
use marigraph_store::tables::{TRACES, TraceRow};
use marigraph_store::{Rows, Writer, read_file};

use super::count::{Counted, Counts};
use super::row::{SAME_RUN, VALID, confidence};
use crate::error::Failure;
use crate::output::{self, AtomicFile};

/// Inputs and destination of the results.
pub struct Assembly<'a> {
    pub pieces: &'a [PathBuf],
    pub counts: Counts,
    pub into: &'a Path,
    pub thresholds: &'a Thresholds,
    pub skipped: Option<&'a Path>,
    pub threads: usize,
}

impl Assembly<'_> {
    pub fn write(self) -> Result<Summarised, Failure> {
        let mut noted = Noted::default();
        self.write_traces(&mut noted)?;
        let counts = self.counts;
        if let Some(path) = self.skipped {
            output::write_file(path, noted.skipped.as_bytes())?;
        }
        let summarised = Summarised {
            read: counts.read,
            valid: counts.valid,
            incomplete: counts.incomplete,
            skipped: counts.skipped,
            same_run: counts.same_run.len() as u64,
            unique: counts.groups.len() as u64,
            summary: counts.groups.summary(),
            thresholds: *self.thresholds,
        };
        let page = corpus_page(&summarised, &noted.shortlist);
        output::write_file(&self.into.join("report.html"), page.as_bytes())?;
        output::write_file(&self.into.join("summary.json"), format!("{:#}\n", summarised.json()).as_bytes())?;
        Ok(summarised)
    }

    fn write_traces(&self, noted: &mut Noted) -> Result<(), Failure> {
        let path = self.into.join("traces.parquet");
        let failed = |error| Failure::store(&path, error);
        let mut writer = Writer::new(AtomicFile::create(&path)?, &TRACES).map_err(failed)?;
        let mut finished = self.pieces.iter().map(|piece| finished(piece, &self.counts, noted));
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
            // A send fails only if writing has failed, which then reports why.
            let read = finished.try_for_each(|rows| rows.map(|rows| drop(sender.send(rows))));
            drop(sender);
            let written = writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            read?;
            written.map_err(failed)?.finish()
        })
    }
}

#[derive(Default)]
struct Noted {
    rows: u64,
    shortlist: Shortlist,
    skipped: String,
}

fn finished(piece: &Path, counts: &Counts, noted: &mut Noted) -> Result<Rows, Failure> {
    let mut rows = Rows::default();
    let read = read_file::<TraceRow>(piece, |mut row| {
        let counted = Counted::from(row);
        if counts.same_run.contains_key(&noted.rows) {
            (row.status, row.problem) = (SAME_RUN, Some("another log tells of the same run"));
        }
        if row.status != VALID {
            noted.skipped.push_str(&format!("{}\t{}\n", row.input, row.problem.unwrap_or_default()));
        } else if let Some((heaviest, runs)) = counts.groups.heaviest(&counted.application()) {
            let stands = heaviest == noted.rows;
            (row.heaviest, row.runs) = (Some(stands), Some(runs));
            if stands {
                list(&mut noted.shortlist, &mut row, &counted, runs);
            }
        }
        noted.rows += 1;
        rows.push(row);
    });
    read.map_err(|error| Failure::store(piece, error))?;
    Ok(rows)
}

fn list(shortlist: &mut Shortlist, row: &mut TraceRow<'_>, counted: &Counted<'_>, runs: u64) {
    for label in Label::ALL {
        let Some(confidence) = *confidence(row, label) else { continue };
        shortlist.offer(label, counted.bytes(), &|| Listed {
            input: row.input.to_string(),
            exe: row.exe.unwrap_or_default().to_string(),
            uid: row.uid.unwrap_or(0),
            nprocs: row.nprocs.unwrap_or(0),
            runtime_s: row.runtime_s.unwrap_or(0.0),
            bytes: counted.bytes(),
            runs,
            confidence,
            labels: counted.labels(),
        });
    }
}
