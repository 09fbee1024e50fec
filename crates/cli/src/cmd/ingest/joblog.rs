//! A scheduler's log as rows of `joblog`.

use marigraph_formats::server::{Zone, read_jobs};
use marigraph_model::BatchJob;
use marigraph_store::tables::JOBLOG;
use marigraph_store::{Ingest, JobKey, Rows};

use super::{Tables, remark};
use crate::error::Failure;
use crate::input::Input;

/// The jobs that have run and ended and are new; the others may come with a later log.
pub fn gather(input: &Input<'_>, zone: &Zone, ingest: &Ingest) -> Result<Option<Tables>, Failure> {
    let log = read_jobs(input.content, zone).map_err(|error| input.refused(&error))?;
    let mut rows = Rows::new(&JOBLOG);
    let mut unfinished = 0_u64;
    for job in &log.jobs {
        match (job.start, job.end) {
            (Some(start), Some(end)) => add(&mut rows, job, (start, end), input, ingest),
            _ => unfinished += 1,
        }
    }
    log.problems.iter().chain(&input.damage).for_each(|problem| remark(input, &problem.message));
    if unfinished > 0 {
        remark(input, &format!("{unfinished} jobs have not run to their end and are left for a later log"));
    }
    Ok((!rows.is_empty()).then(|| vec![(&JOBLOG, rows)]))
}

fn add(rows: &mut Rows, job: &BatchJob, (start, end): (f64, f64), input: &Input<'_>, ingest: &Ingest) {
    // What makes two rows the same job, whichever form of log told of it: ids come again, at other times.
    let key = JobKey::of(format!("joblog\n{}\n{}\n{start}\n{end}", job.id, job.user).as_bytes());
    if !ingest.claim(key) {
        return;
    }
    let hours = (end - start) / 3600.0;
    let core_hours = job.processes.map(|processes| processes as f64 * hours);
    rows.push(&[
        key.to_string().as_str().into(),
        job.number.into(),
        job.id.as_str().into(),
        job.user.as_str().into(),
        job.name.as_str().into(),
        job.account.as_str().into(),
        job.partition.as_str().into(),
        job.state.as_str().into(),
        job.nodes.into(),
        job.processes.into(),
        job.submit.into(),
        start.into(),
        end.into(),
        core_hours.into(),
        input.name.into(),
    ]);
}
