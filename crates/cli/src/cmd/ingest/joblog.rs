//! A scheduler's log as rows of `joblog`.

use marigraph_formats::server::{Zone, read_jobs};
use marigraph_model::BatchJob;
use marigraph_store::tables::JoblogRow;
use marigraph_store::{Ingest, JobKey, Rows};

use super::{Outcome, remark};
use crate::error::Failure;
use crate::input::Input;

/// New jobs that have ended; the others may come with a later log.
pub fn gather(input: &Input<'_>, zone: &Zone, ingest: &Ingest) -> Result<Outcome, Failure> {
    let log = read_jobs(input.content, zone).map_err(|error| input.refused(&error))?;
    let mut rows = Rows::default();
    if log.jobs.is_empty() {
        return Ok(Outcome::Empty("a scheduler log without jobs"));
    }
    let mut unfinished = 0_u64;
    for job in &log.jobs {
        match (job.start, job.end) {
            (Some(start), Some(end)) => add(&mut rows, job, (start, end), input, ingest),
            _ => unfinished += 1,
        }
    }
    log.problems.iter().chain(&input.damage).for_each(|problem| remark(input, &problem.message));
    if unfinished > 0 {
        remark(input, &format!("{unfinished} jobs have not ended and are left for a later log"));
    }
    if unfinished == log.jobs.len() as u64 {
        return Ok(Outcome::Empty("a scheduler log without ended jobs"));
    }
    Ok(if rows.is_empty() { Outcome::AlreadyThere } else { Outcome::Rows(rows) })
}

fn add(rows: &mut Rows, job: &BatchJob, (start, end): (f64, f64), input: &Input<'_>, ingest: &Ingest) {
    // The identity of a job in any form of log: ids are reused at other times.
    let key = JobKey::of(format!("joblog\n{}\n{}\n{start}\n{end}", job.id, job.user).as_bytes());
    if !ingest.claim(key) {
        return;
    }
    let hours = (end - start) / 3600.0;
    let core_hours = job.processes.map(|processes| processes as f64 * hours);
    rows.push(JoblogRow {
        row_key: &key.to_string(),
        job_id: job.number,
        id: &job.id,
        user: &job.user,
        name: &job.name,
        account: &job.account,
        partition: &job.partition,
        state: &job.state,
        nodes: job.nodes,
        processes: job.processes,
        submit_s: job.submit,
        start_s: Some(start),
        end_s: Some(end),
        core_hours,
        source: input.name,
    });
}
