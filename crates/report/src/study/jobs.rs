//! Numbers about jobs: interfaces, sharing, projects, coverage, files.

use marigraph_analysis::asked::Interface;
use marigraph_analysis::study::{CoverageRow, InterfaceBin, StrategyBin, Study};
use serde_json::{Map, Value, json};

use super::share;

/// Number of projects in the published figure.
const TOP: usize = 10;
/// Interfaces in the order of the published table, highest first.
const LETTERS: [Interface; 6] = [
    Interface::Hdf5,
    Interface::MpiIo,
    Interface::Pnetcdf,
    Interface::Daos,
    Interface::Stdio,
    Interface::Posix,
];
/// File sharing, in the order of the results.
pub(crate) const WAYS: [&str; 3] = ["unique", "partial", "shared"];

/// Parts as shares of a whole, by name, without empty ones.
fn shares<'n>(names: impl Iterator<Item = &'n str>, parts: &[u64], whole: u64) -> Value {
    let named = names.zip(parts).filter(|(_, part)| **part > 0);
    named
        .map(|(name, &part)| (name.to_string(), share(part as f64, whole as f64)))
        .collect::<Map<_, _>>()
        .into()
}

fn sum(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
}

pub fn interfaces(study: &Study) -> Value {
    let names = || Interface::ALL.iter().map(|interface| interface.name());
    let bin = |bin: &InterfaceBin| {
        let (read, written) = (sum(&bin.read), sum(&bin.written));
        json!({
            "low": bin.bin.low,
            "high": bin.bin.high,
            "runs": bin.runs,
            "runs_using": shares(names(), &bin.used, bin.runs),
            "bytes_read": read,
            "bytes_written": written,
            "read_share": shares(names(), &bin.read, read),
            "written_share": shares(names(), &bin.written, written),
        })
    };
    json!({ "bins": study.interfaces.iter().map(bin).collect::<Vec<_>>() })
}

pub fn strategies(study: &Study) -> Value {
    let bin = |bin: &StrategyBin| {
        let (read, written) = (sum(&bin.read), sum(&bin.written));
        let ways = || WAYS.into_iter();
        json!({
            "low": bin.bin.low,
            "high": bin.bin.high,
            "runs": bin.runs,
            "runs_by": shares(ways().chain(["none"]), &bin.strategy, bin.runs),
            "bytes_read": read,
            "bytes_written": written,
            "read_share": shares(ways(), &bin.read, read),
            "written_share": shares(ways(), &bin.written, written),
        })
    };
    json!({ "bins": study.strategies.iter().map(bin).collect::<Vec<_>>() })
}

pub fn projects(study: &Study) -> Value {
    let top = study.projects.iter().take(TOP).map(|project| {
        json!({
            "project": project.project,
            "bytes_read": project.read,
            "bytes_written": project.written,
            "runs": project.runs,
        })
    });
    json!({ "projects": top.collect::<Vec<_>>(), "projects_all": study.projects.len() })
}

pub(crate) fn letters(row: &CoverageRow) -> String {
    let used = LETTERS.iter().filter(|interface| row.interfaces.contains(interface));
    used.map(|interface| interface.letter().to_string()).collect::<Vec<_>>().join(",")
}

pub fn coverage(study: &Study) -> Value {
    let Some(coverage) = &study.coverage else { return Value::Null };
    let row = |row: &CoverageRow| {
        json!({
            "project": row.project,
            "jobs_instrumented": row.totals.jobs_recorded,
            "jobs": row.totals.jobs,
            "core_hours_instrumented": row.totals.core_hours_recorded,
            "core_hours": row.totals.core_hours,
            "apis": letters(row),
        })
    };
    let totals = coverage.totals;
    json!({
        "rows": coverage.rows.iter().map(row).collect::<Vec<_>>(),
        "total": {
            "jobs_instrumented": totals.jobs_recorded,
            "jobs": totals.jobs,
            "core_hours_instrumented": totals.core_hours_recorded,
            "core_hours": totals.core_hours,
            "projects_instrumented": coverage.projects_recorded,
            "projects": coverage.projects,
            "job_share": share(totals.jobs_recorded as f64, totals.jobs as f64),
            "core_hour_share": share(totals.core_hours_recorded, totals.core_hours),
        },
    })
}

pub fn files(study: &Study) -> Value {
    let points = study.files_per_run.points.iter().map(|point| {
        json!({ "project": point.project, "processes": point.processes, "files": point.files, "runs": point.runs })
    });
    json!({ "points": points.collect::<Vec<_>>(), "zero_file_runs": study.files_per_run.without })
}
