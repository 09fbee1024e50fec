//! `marigraph ingest`: adds logs to a study.
//!
//! Inputs are recognised by content ([`kind`]): logs of jobs ([`job`]), and data of the system
//! around them, one module per kind. Every source yields [`Rows`]; keys exclude what the study
//! already has.

mod devices;
mod job;
mod joblog;
mod kind;
mod records;
mod signatures;
mod snapshot;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use marigraph_formats::server::{UnknownZone, Zone};
use marigraph_store::{Error, Ingest, JobKey, Rows};
use serde_json::json;

use crate::args::IngestArgs;
use crate::error::{Failure, complain};
use crate::input::Input;
use crate::{input, many, output};
use devices::Devices;
use job::Gathered;
use kind::InputKind;

struct Run<'a> {
    args: &'a IngestArgs,
    ingest: Ingest,
    zone: Zone,
    devices: Devices,
    /// Inputs whose rows are being added: some may be in the batch while others are not.
    under_way: AtomicUsize,
}

/// What became of one input.
enum Outcome {
    Rows(Rows),
    Log(Box<Gathered>),
    AlreadyThere,
    /// It is of a known kind but has nothing to add.
    Empty(&'static str),
}

pub fn run(args: &IngestArgs) -> Result<(), Failure> {
    let failed = |error| Failure::store(&args.into, error);
    let zone = Zone::named(&args.tz)
        .map_err(|error| Failure::Usage(format!("{error}\nhint: {}", UnknownZone::HINT)))?;
    input::all_exist(&args.read.logs)?;
    let run = Run {
        args,
        ingest: Ingest::begin(&args.into).map_err(failed)?,
        zone,
        devices: Devices::new(args),
        under_way: AtomicUsize::new(0),
    };
    let mut told = Told::default();
    let mut inputs = input::find(&args.read.logs);
    // The log of a run that tells most of it usually comes first then, and the others add no rows
    // that would be left out later.
    inputs.paths.sort_by_key(|path| path.extension().is_none_or(|ending| ending != "mari"));
    let skipped = many::visit(&args.read, inputs, &|path| run.look(path), &mut |path, outcome| {
        let added = match outcome {
            Outcome::Rows(mut rows) => run.ingest.add(&mut rows).map(|()| told.added += 1),
            Outcome::Log(log) => run.add_log(*log, path, &mut told),
            Outcome::AlreadyThere => {
                told.already_there += 1;
                return Ok(());
            }
            Outcome::Empty(what) => {
                *told.empty.entry(what).or_default() += 1;
                return Ok(());
            }
        };
        added.map_err(failed)?;
        // A job must be complete in one batch, or a kill could leave a part of it.
        let left = run.under_way.fetch_sub(1, Ordering::Relaxed);
        if left == 1 { run.ingest.commit_if_full().map_err(failed) } else { Ok(()) }
    })?;
    run.ingest.commit().map_err(failed)?;
    told.tell(&run, &skipped)?;
    skipped.finish(&args.read)
}

impl Run<'_> {
    fn look(&self, path: &Path) -> Result<Outcome, Failure> {
        input::with_input(path, &self.args.read, |input| {
            let outcome = match InputKind::of(input.content) {
                InputKind::Log => self.log(&input)?,
                InputKind::Jobs => joblog::gather(&input, &self.zone, &self.ingest)?,
                InputKind::Throughput => self.devices.gather(&input, &self.zone)?,
                InputKind::Snapshot => snapshot::gather(&input, &self.ingest)?.into(),
                InputKind::Signatures => signatures::gather(&input, &self.ingest)?.into(),
            };
            match &outcome {
                Outcome::Rows(_) | Outcome::Log(_) => {
                    self.under_way.fetch_add(1, Ordering::Relaxed);
                }
                Outcome::Empty(what) => remark(&input, what),
                Outcome::AlreadyThere => {}
            }
            Ok(outcome)
        })
    }

    fn log(&self, input: &Input<'_>) -> Result<Outcome, Failure> {
        let reader = input.reader()?;
        let key = JobKey::of(input.content);
        if !self.ingest.claim(key) {
            return Ok(Outcome::AlreadyThere);
        }
        let gathered = job::gather(reader.as_ref(), input, key, &self.ingest);
        let gathered = gathered.map_err(|error| Failure::store(&self.args.into, error))?;
        Ok(Outcome::Log(Box::new(gathered)))
    }

    fn add_log(&self, mut log: Gathered, path: &Path, told: &mut Told) -> Result<(), Error> {
        let mut rows = std::mem::take(&mut log.rows);
        if let Some(reason) = log.invalid {
            *told.invalid.entry(reason.code()).or_default() += 1;
            return self.ingest.add(&mut rows);
        }
        if self.ingest.add_log(&mut rows, &log.source(&path.display().to_string()))? {
            told.added += 1;
        } else {
            told.same_run += 1;
        }
        Ok(())
    }
}

impl From<Option<Rows>> for Outcome {
    fn from(rows: Option<Rows>) -> Outcome {
        rows.map_or(Outcome::AlreadyThere, Outcome::Rows)
    }
}

/// What became of all inputs.
#[derive(Default)]
struct Told {
    added: u64,
    already_there: u64,
    /// Further logs of runs that the study has.
    same_run: u64,
    /// Logs that cannot be trusted, by reason.
    invalid: BTreeMap<&'static str, u64>,
    /// Inputs without rows, by what they are.
    empty: BTreeMap<&'static str, u64>,
}

impl Told {
    fn tell(&self, run: &Run<'_>, skipped: &many::Skipped) -> Result<(), Failure> {
        if run.args.json {
            let document = json!({
                "added": self.added,
                "already_there": self.already_there,
                "same_run": self.same_run,
                "invalid": self.invalid,
                "empty": self.empty,
                "skipped": skipped.by_reason(),
                "rows": run.ingest.added(),
                "problems": skipped.problems(),
            });
            return output::print(&format!("{document}\n"));
        }
        let mut line = format!("added {}, already there {}", self.added, self.already_there);
        if self.same_run > 0 {
            line.push_str(&format!(", further logs of known runs {}", self.same_run));
        }
        complain(&line);
        for (reason, count) in &self.invalid {
            complain(&format!("left out {count} invalid: {reason} (table invalid)"));
        }
        for (what, count) in &self.empty {
            complain(&format!("nothing to add from {count}: {what}"));
        }
        Ok(())
    }
}

fn remark(input: &Input<'_>, what: &str) {
    complain(&format!("{}: {what}", input.name));
}
