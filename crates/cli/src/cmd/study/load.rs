//! The content of a study in the form of the analysis.

use std::collections::BTreeMap;

use marigraph_analysis::study::{BatchRun, SignatureFacts, System};
use marigraph_store::tables::{InvalidRow, JoblogRow, SignatureRow};
use marigraph_store::{Error, Snapshot};

use super::{devices, runs, snapshots};

pub fn system(study: &Snapshot) -> Result<System, Error> {
    let (runs, findings) = runs::load(study)?;
    Ok(System {
        runs,
        findings,
        batch: batch(study)?,
        minutes: devices::load(study)?,
        snapshots: snapshots::load(study)?,
        signatures: signatures(study)?,
        annotations: Vec::new(),
        invalid: invalid(study)?,
    })
}

marigraph_store::view! {
    struct Refused<'a> of InvalidRow { reason: &'a str }
}

fn invalid(study: &Snapshot) -> Result<BTreeMap<String, u64>, Error> {
    let mut by_reason = BTreeMap::new();
    study.read::<Refused>(|row| *by_reason.entry(row.reason.to_string()).or_default() += 1)?;
    Ok(by_reason)
}

marigraph_store::view! {
    /// What a job of the scheduler took.
    struct Taken<'a> of JoblogRow {
        job_id: Option<u64>, account: &'a str, nodes: Option<u64>, core_hours: Option<f64>,
        start_s: Option<f64>, end_s: Option<f64>,
    }
}

fn batch(study: &Snapshot) -> Result<Vec<BatchRun>, Error> {
    let mut jobs = Vec::new();
    study.read::<Taken>(|job| {
        let (Some(start_s), Some(end_s)) = (job.start_s, job.end_s) else { return };
        jobs.push(BatchRun {
            number: job.job_id,
            project: job.account.to_string(),
            nodes: job.nodes,
            core_hours: job.core_hours.unwrap_or(0.0),
            start_s,
            end_s,
        });
    })?;
    // Parts come in any order; results do not depend on it.
    jobs.sort_by(|one: &BatchRun, two| {
        one.start_s.total_cmp(&two.start_s).then_with(|| one.number.cmp(&two.number))
    });
    Ok(jobs)
}

fn signatures(study: &Snapshot) -> Result<Vec<SignatureFacts>, Error> {
    let mut all = Vec::new();
    let rates = |list: &str| serde_json::from_str(list).unwrap_or_default();
    study.read::<SignatureRow>(|row| {
        all.push(SignatureFacts {
            app: row.app.unwrap_or_default().to_string(),
            user: row.user.unwrap_or_default().to_string(),
            nodes: row.nodes,
            runs: row.runs.unwrap_or(0),
            duration_s: row.duration_s.unwrap_or(0.0),
            bytes_read: row.bytes_read.unwrap_or(0.0),
            bytes_written: row.bytes_written.unwrap_or(0.0),
            bursts: row.bursts.unwrap_or(0),
            period_s: row.period_s,
            confidence: row.confidence,
            step_s: row.step_s.unwrap_or(1.0),
            read: rates(row.read_rates),
            written: rates(row.write_rates),
        });
    })?;
    let weight = |one: &SignatureFacts| one.bytes_read + one.bytes_written;
    all.sort_by(|one, two| weight(two).total_cmp(&weight(one)).then_with(|| one.app.cmp(&two.app)));
    Ok(all)
}
