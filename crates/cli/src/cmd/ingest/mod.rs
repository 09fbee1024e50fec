//! `marigraph ingest`: logs into a study.

mod job;
mod records;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use marigraph_store::{Ingest, JobKey};
use serde_json::json;

use crate::args::IngestArgs;
use crate::error::{Failure, complain};
use crate::{input, many, output};

/// Adds logs to a study.
pub fn run(args: &IngestArgs) -> Result<(), Failure> {
    let failed = |error| Failure::store(&args.into, error);
    let ingest = Ingest::begin(&args.into).map_err(failed)?;
    // Logs whose rows are on their way: some may be in the batch while others are not.
    let under_way = AtomicUsize::new(0);
    let (mut added, mut already_there) = (0_u64, 0_u64);
    let look = |path: &Path| {
        input::with_input(path, &args.read, |input| {
            let reader = input.reader()?;
            let key = JobKey::of(input.content);
            if !ingest.claim(key) {
                return Ok(None);
            }
            under_way.fetch_add(1, Ordering::Relaxed);
            job::gather(reader.as_ref(), &input, key, &ingest).map(Some).map_err(failed)
        })
    };
    let skipped = many::visit(&args.read, &look, &mut |_, gathered| {
        let Some(mut tables) = gathered else {
            already_there += 1;
            return Ok(());
        };
        added += 1;
        for (table, rows) in &mut tables {
            ingest.add(table, rows).map_err(failed)?;
        }
        // A job is whole in one batch, or a kill could leave a part of it.
        let left = under_way.fetch_sub(1, Ordering::Relaxed);
        if left == 1 { ingest.commit_if_full().map_err(failed) } else { Ok(()) }
    })?;
    ingest.commit().map_err(failed)?;
    if args.json {
        let reasons = skipped.by_reason();
        let document = json!({ "added": added, "already_there": already_there, "skipped": reasons });
        output::print(&format!("{document}\n"))?;
    } else {
        complain(&format!("added {added}, already there {already_there}"));
    }
    skipped.finish(&args.read)
}
