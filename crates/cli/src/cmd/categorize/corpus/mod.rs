//! `marigraph categorize --into`: the categories of a whole corpus.
//!
//! ```text
//! DIR/pieces/*.parquet   rows of some hundred logs each; exist completely or not at all
//! DIR/traces.parquet     one row per log
//! DIR/report.html        the summary as a page
//! DIR/summary.json       the summary as JSON; written last
//! ```
//!
//! Logs are cut into pieces by their names. A piece is reused if it was made of the same unchanged
//! logs with the same thresholds: so a killed run continues, and a run over a grown corpus reads
//! only what is new.

mod assemble;
mod count;
mod piece;
mod row;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use marigraph_analysis::category::Thresholds;
use marigraph_report::corpus::Summarised;

use crate::args::{CategorizeArgs, ReadArgs};
use crate::error::{Failure, complain};
use crate::progress::Progress;
use crate::{input, output, parallel};
use assemble::Assembly;
use count::Counts;
use piece::{Cut, Piece};

pub fn run(args: &CategorizeArgs, into: &Path, thresholds: Thresholds) -> Result<(), Failure> {
    input::all_exist(&args.read.logs)?;
    let pieces_folder = into.join("pieces");
    fs::create_dir_all(&pieces_folder)
        .map_err(|error| Failure::write(&pieces_folder.display().to_string(), error))?;
    let found = input::find_beside(&args.read.logs, Some(into));
    let mut paths = found.paths;
    if args.read.logs.len() > 1 {
        // Sorted and without duplicates, whatever the order of arguments; those below one folder
        // already are.
        paths.sort_unstable();
        paths.dedup();
    }
    if paths.is_empty() {
        return Err(input::nothing_in(&args.read.logs));
    }
    let work = Work::new(args, &pieces_folder, thresholds);
    let pieces = work.all(&piece::cut(&paths), paths.len() as u64)?;
    let mut counts = Counts::of(&pieces)?;
    if !found.unreadable.is_empty() {
        counts.skipped.insert("unreadable_folder".to_string(), found.unreadable.len() as u64);
        found.unreadable.iter().for_each(|failure| complain(failure));
    }
    let assembly = Assembly {
        pieces: &pieces,
        counts,
        into,
        thresholds: &thresholds,
        skipped: args.read.skipped.as_deref(),
        threads: parallel::threads(args.read.threads),
    };
    let summarised = assembly.write()?;
    piece::sweep(&pieces_folder, &pieces);
    tell(&summarised, into, args)
}

struct Work<'a> {
    args: &'a CategorizeArgs,
    each: ReadArgs,
    thresholds: Thresholds,
    folder: &'a Path,
}

impl<'a> Work<'a> {
    fn new(args: &'a CategorizeArgs, folder: &'a Path, thresholds: Thresholds) -> Work<'a> {
        // Each thread reads a log of its own: reading ahead would only take time from the others.
        let each = ReadArgs { threads: Some(1), ..args.read.clone() };
        Work { args, each, thresholds, folder }
    }

    fn all(&self, cuts: &[Cut<'_>], logs: u64) -> Result<Vec<PathBuf>, Failure> {
        let mut progress = Progress::new(logs, self.args.read.quiet);
        let (failed, again) = (AtomicBool::new(false), AtomicU64::new(0));
        let make = |cut: &Cut<'_>| {
            // If one piece cannot be written, no other can.
            if failed.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let made = self.piece(cut, &again);
            failed.fetch_or(made.is_err(), Ordering::Relaxed);
            made.map(Some)
        };
        let mut done = |at: usize| progress.add(cuts.get(at).map_or(0, |cut| cut.paths.len() as u64));
        let threads = parallel::threads(self.args.read.threads);
        let made = parallel::map(cuts, threads, &mut done, &make);
        drop(progress);
        let files = made.into_iter().filter_map(Result::transpose).collect();
        let again = again.into_inner();
        if again > 0 && !self.args.read.quiet {
            complain(&format!("{again} of {logs} logs are unchanged and are not read again"));
        }
        files
    }

    fn piece(&self, cut: &Cut<'_>, again: &AtomicU64) -> Result<PathBuf, Failure> {
        let piece = Piece::new(cut.paths, &self.thresholds, &self.each, self.folder);
        if piece.is_there() {
            again.fetch_add(cut.paths.len() as u64, Ordering::Relaxed);
            return Ok(piece.file);
        }
        piece.make(&self.thresholds, &self.each)?;
        Ok(piece.file)
    }
}

fn tell(summarised: &Summarised, into: &Path, args: &CategorizeArgs) -> Result<(), Failure> {
    if args.json {
        output::print(&format!("{}\n", summarised.json()))?;
    } else {
        output::print(&summarised.text())?;
        if !args.read.quiet {
            let files = ["report.html", "summary.json", "traces.parquet"];
            let names: Vec<String> = files.iter().map(|name| into.join(name).display().to_string()).collect();
            complain(&format!("written: {}", names.join(", ")));
        }
    }
    let skipped = summarised.skipped.values().sum::<u64>();
    if args.read.strict && skipped > 0 {
        return Err(Failure::Skipped(usize::try_from(skipped).unwrap_or(usize::MAX)));
    }
    Ok(())
}
