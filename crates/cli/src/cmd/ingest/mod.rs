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

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use marigraph_formats::server::{UnknownZone, Zone};
use marigraph_store::{Ingest, JobKey, Rows};
use serde_json::json;

use crate::args::IngestArgs;
use crate::error::{Failure, complain};
use crate::input::Input;
use crate::{input, many, output};
use devices::Devices;
use kind::InputKind;

struct Run<'a> {
    args: &'a IngestArgs,
    ingest: Ingest,
    zone: Zone,
    devices: Devices,
    /// Inputs whose rows are being added: some may be in the batch while others are not.
    under_way: AtomicUsize,
}

#[derive(Default)]
struct Done {
    added: u64,
    already_there: u64,
}

pub fn run(args: &IngestArgs) -> Result<(), Failure> {
    let failed = |error| Failure::store(&args.into, error);
    let zone = Zone::named(&args.tz)
        .map_err(|error| Failure::Usage(format!("{error}\nhint: {}", UnknownZone::HINT)))?;
    let run = Run {
        args,
        ingest: Ingest::begin(&args.into).map_err(failed)?,
        zone,
        devices: Devices::new(args),
        under_way: AtomicUsize::new(0),
    };
    let mut done = Done::default();
    let inputs = input::find(&args.read.logs);
    let skipped = many::visit(&args.read, inputs, &|path| run.look(path), &mut |_, gathered| {
        let Some(mut rows) = gathered else {
            done.already_there += 1;
            return Ok(());
        };
        done.added += 1;
        run.ingest.add(&mut rows).map_err(failed)?;
        // A job must be complete in one batch, or a kill could leave a part of it.
        let left = run.under_way.fetch_sub(1, Ordering::Relaxed);
        if left == 1 { run.ingest.commit_if_full().map_err(failed) } else { Ok(()) }
    })?;
    run.ingest.commit().map_err(failed)?;
    done.tell(&run, &skipped)?;
    skipped.finish(&args.read)
}

impl Run<'_> {
    /// `None` if the study has all rows.
    fn look(&self, path: &Path) -> Result<Option<Rows>, Failure> {
        input::with_input(path, &self.args.read, |input| {
            let rows = match InputKind::of(input.content) {
                InputKind::Log => self.log(&input)?,
                InputKind::Jobs => joblog::gather(&input, &self.zone, &self.ingest)?,
                InputKind::Throughput => self.devices.gather(&input, &self.zone)?,
                InputKind::Snapshot => snapshot::gather(&input, &self.ingest)?,
                InputKind::Signatures => signatures::gather(&input, &self.ingest)?,
            };
            Ok(rows.inspect(|_| {
                self.under_way.fetch_add(1, Ordering::Relaxed);
            }))
        })
    }

    fn log(&self, input: &Input<'_>) -> Result<Option<Rows>, Failure> {
        let reader = input.reader()?;
        let key = JobKey::of(input.content);
        if !self.ingest.claim(key) {
            return Ok(None);
        }
        let gathered = job::gather(reader.as_ref(), input, key, &self.ingest);
        gathered.map(Some).map_err(|error| Failure::store(&self.args.into, error))
    }
}

impl Done {
    fn tell(&self, run: &Run<'_>, skipped: &many::Skipped) -> Result<(), Failure> {
        if run.args.json {
            let document = json!({
                "added": self.added,
                "already_there": self.already_there,
                "skipped": skipped.by_reason(),
                "rows": run.ingest.added(),
            });
            return output::print(&format!("{document}\n"));
        }
        complain(&format!("added {}, already there {}", self.added, self.already_there));
        Ok(())
    }
}

fn remark(input: &Input<'_>, what: &str) {
    complain(&format!("{}: {what}", input.name));
}
