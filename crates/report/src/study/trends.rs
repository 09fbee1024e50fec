//! Numbers that the published study does not show.

use marigraph_analysis::study::Study;
use serde_json::{Value, json};

use super::share;
use crate::findings::advice;

pub fn overwrites(study: &Study) -> Value {
    let known = study.overwrites;
    json!({
        "files_written": known.written,
        "created_or_empty": known.new,
        "share": share(known.new as f64, known.written as f64),
        "runs_that_tell": known.told,
        "runs_that_do_not": known.untold,
    })
}

pub fn categories(study: &Study) -> Value {
    let weeks = study
        .weeks
        .iter()
        .map(|week| json!({ "week": week.start_s, "runs": week.runs, "labels": week.labels }));
    json!({ "weeks": weeks.collect::<Vec<_>>() })
}

pub fn periods(study: &Study) -> Value {
    let periods = &study.periods;
    let bins = periods
        .bins
        .iter()
        .map(|&(end, runs)| json!({ "up_to_s": end.is_finite().then_some(end), "runs": runs }));
    let apps = periods.apps.iter().map(|app| {
        json!({ "exe": app.exe, "runs": app.runs, "median_period_s": app.period_s, "bytes": app.bytes })
    });
    json!({
        "runs": periods.runs,
        "periodic_runs": periods.periodic,
        "bins": bins.collect::<Vec<_>>(),
        "applications": apps.collect::<Vec<_>>(),
    })
}

pub fn signatures(study: &Study) -> Value {
    let all = study.signatures.iter().map(|one| {
        json!({
            "app": one.app,
            "user": one.user,
            "nodes": one.nodes,
            "runs": one.runs,
            "duration_s": one.duration_s,
            "bytes_read": one.bytes_read,
            "bytes_written": one.bytes_written,
            "bursts": one.bursts,
            "period_s": one.period_s,
            "confidence": one.confidence,
        })
    });
    json!({ "applications": all.collect::<Vec<_>>() })
}

pub fn findings(study: &Study) -> Value {
    let all = study.findings.iter().map(|one| {
        let projects = one.projects.iter().map(|(project, runs)| json!({ "project": project, "runs": runs }));
        json!({
            "code": one.code,
            "severity": one.severity,
            "title": one.title,
            "advice": advice(&one.code),
            "runs": one.runs,
            "seconds_at_stake": one.seconds_at_stake,
            "projects": projects.collect::<Vec<_>>(),
            "worst_job": one.worst_job,
        })
    });
    json!({ "findings": all.collect::<Vec<_>>() })
}

pub fn comparison(study: &Study) -> Value {
    let Some(comparison) = &study.comparison else { return Value::Null };
    let measured = comparison
        .measured
        .iter()
        .map(|one| json!({ "name": one.name, "before": one.before, "after": one.after }));
    json!({
        "before": [comparison.before_s.0, comparison.before_s.1],
        "after": [comparison.after_s.0, comparison.after_s.1],
        "measured": measured.collect::<Vec<_>>(),
    })
}
