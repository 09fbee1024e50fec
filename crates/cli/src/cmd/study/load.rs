//! What a study holds, as the analysis wants it.

use marigraph_analysis::study::{BatchRun, SignatureFacts, System};
use marigraph_store::tables::{JOBLOG, SIGNATURES};
use marigraph_store::{Cell, Error, Snapshot};

use super::{devices, runs, snapshots};

/// Everything.
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
    })
}

/// A number that is not negative.
pub fn count(cell: Cell<'_>) -> Option<u64> {
    match cell {
        Cell::Int(value) => u64::try_from(value).ok(),
        _ => None,
    }
}

/// A number.
pub fn number(cell: Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Int(value) => Some(value as f64),
        Cell::Float(value) => Some(value),
        _ => None,
    }
}

/// A word, empty where there is none.
pub fn word(cell: Cell<'_>) -> &str {
    match cell {
        Cell::Text(text) => text,
        _ => "",
    }
}

fn batch(study: &Snapshot) -> Result<Vec<BatchRun>, Error> {
    let mut jobs = Vec::new();
    let columns = ["job_id", "account", "nodes", "core_hours", "start_s", "end_s"];
    study.read(&JOBLOG, &columns, &mut |cells| {
        let &[id, account, nodes, hours, start, end] = cells else { return };
        let (Some(start_s), Some(end_s)) = (number(start), number(end)) else { return };
        jobs.push(BatchRun {
            number: count(id),
            project: word(account).to_string(),
            nodes: count(nodes),
            core_hours: number(hours).unwrap_or(0.0),
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
    let columns = [
        "app",
        "user",
        "nodes",
        "runs",
        "duration_s",
        "bytes_read",
        "bytes_written",
        "bursts",
        "period_s",
        "confidence",
        "step_s",
        "read_rates",
        "write_rates",
    ];
    study.read(&SIGNATURES, &columns, &mut |cells| {
        let &[
            app,
            user,
            nodes,
            runs,
            duration,
            read,
            written,
            bursts,
            period,
            confidence,
            step,
            reads,
            writes,
        ] = cells
        else {
            return;
        };
        all.push(SignatureFacts {
            app: word(app).to_string(),
            user: word(user).to_string(),
            nodes: count(nodes),
            runs: count(runs).unwrap_or(0),
            duration_s: number(duration).unwrap_or(0.0),
            bytes_read: number(read).unwrap_or(0.0),
            bytes_written: number(written).unwrap_or(0.0),
            bursts: count(bursts).unwrap_or(0),
            period_s: number(period),
            confidence: number(confidence),
            step_s: number(step).unwrap_or(1.0),
            read: rates(reads),
            written: rates(writes),
        });
    })?;
    let weight = |one: &SignatureFacts| one.bytes_read + one.bytes_written;
    all.sort_by(|one, two| weight(two).total_cmp(&weight(one)).then_with(|| one.app.cmp(&two.app)));
    Ok(all)
}

fn rates(cell: Cell<'_>) -> Vec<f64> {
    serde_json::from_str(word(cell)).unwrap_or_default()
}
