//! The page of many logs.

use super::html::{self, Cell, TableColumn};
use super::{document, findings};
use crate::findings::{Tally, Worded};
use crate::show::LogLine;
use crate::table::shorten;
use crate::units::{bytes, count, moment, rate, seconds};

/// Maximum number of rows; `show --json` has all of them.
const MAX_ROWS: usize = 5000;

/// The summary of many logs.
#[derive(Default)]
pub struct Logs {
    pub lines: Vec<LogLine>,
    pub tally: Tally,
    /// Findings over several jobs of an application: the application, the run time of the job
    /// concerned, the finding.
    pub across: Vec<(String, f64, Worded)>,
}

pub fn logs_page(logs: &Logs) -> String {
    let advice = advice(logs);
    let logs = &logs.lines[..];
    let sum = |value: fn(&LogLine) -> u64| logs.iter().map(value).fold(0u64, u64::saturating_add);
    let cards = html::cards(&[
        (count(logs.len() as u64), "logs"),
        (bytes(sum(|line| line.read_bytes) as f64), "read"),
        (bytes(sum(|line| line.written_bytes) as f64), "written"),
        (count(sum(|line| line.metadata_ops)), "metadata calls"),
        (count(logs.iter().filter(|line| line.problems > 0).count() as u64), "logs with problems"),
    ]);
    let columns = [
        TableColumn::Fixed("start (UTC)"),
        TableColumn::Words("program"),
        TableColumn::Number("job"),
        TableColumn::Number("processes"),
        TableColumn::Number("run time"),
        TableColumn::Number("files"),
        TableColumn::Number("read"),
        TableColumn::Number("written"),
        TableColumn::Number("metadata"),
        TableColumn::Number("speed"),
        TableColumn::Number("problems"),
        TableColumn::Words("input"),
    ];
    let mut sorted: Vec<&LogLine> = logs.iter().collect();
    sorted.sort_by_key(|line| std::cmp::Reverse(line.read_bytes.saturating_add(line.written_bytes)));
    let rows: Vec<Vec<Cell>> = sorted.iter().take(MAX_ROWS).map(|line| row(line)).collect();
    let cut = if logs.len() > MAX_ROWS {
        html::note(&format!(
            "The {} logs with the most bytes; show --json prints all.",
            count(MAX_ROWS as u64)
        ))
    } else {
        String::new()
    };
    let by_program = html::section("programs", "Programs", &programs(logs));
    let table = html::section("logs", "Logs", &(html::sortable(&columns, &rows, "plain sortable") + &cut));
    let overview = html::section("overview", "Overview", &cards);
    let links = "<a href=\"#overview\">Overview</a><a href=\"#findings\">Findings</a>\
                 <a href=\"#programs\">Programs</a><a href=\"#logs\">Logs</a>";
    let body = overview + &advice + &by_program + &table;
    document("Logs", &format!("{} logs", count(logs.len() as u64)), links, &body)
}

fn advice(logs: &Logs) -> String {
    let mut body = findings::over_logs(&logs.tally);
    let mut shown = Vec::new();
    for (application, runtime_s, finding) in &logs.across {
        body.push_str(&format!("<h3>{}</h3>\n", html::escape(application)));
        body.push_str(&findings::cards(&[finding], *runtime_s, &mut shown));
    }
    html::section("findings", "Findings", &body)
}

fn row(line: &LogLine) -> Vec<Cell> {
    let whole = |value: u64| (count(value), Some(value as f64));
    let size = |value: u64| (bytes(value as f64), Some(value as f64));
    vec![
        (moment(line.start), Some(line.start as f64)),
        (line.program.clone(), None),
        (line.job.to_string(), Some(line.job as f64)),
        whole(line.nprocs),
        (seconds(line.runtime_s), Some(line.runtime_s)),
        whole(line.files),
        size(line.read_bytes),
        size(line.written_bytes),
        whole(line.metadata_ops),
        (line.speed.map(rate).unwrap_or_default(), Some(line.speed.unwrap_or(0.0))),
        (
            if line.problems == 0 { String::new() } else { line.problems.to_string() },
            Some(line.problems as f64),
        ),
        (shorten(&line.input, 56), None),
    ]
}

/// Runs, bytes and time per program, heaviest first.
fn programs(logs: &[LogLine]) -> String {
    let mut by: std::collections::BTreeMap<&str, (u64, u64, u64, f64)> = std::collections::BTreeMap::new();
    for line in logs {
        let sums = by.entry(&line.program).or_default();
        *sums = (
            sums.0 + 1,
            sums.1.saturating_add(line.read_bytes),
            sums.2.saturating_add(line.written_bytes),
            sums.3 + line.runtime_s * line.nprocs as f64 / 3600.0,
        );
    }
    let mut sorted: Vec<_> = by.into_iter().collect();
    sorted.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.1.saturating_add(sums.2)));
    let rows: Vec<Vec<String>> = sorted
        .iter()
        .take(50)
        .map(|(name, (runs, read, written, hours))| {
            vec![
                name.to_string(),
                count(*runs),
                bytes(*read as f64),
                bytes(*written as f64),
                format!("{hours:.1}"),
            ]
        })
        .collect();
    let columns = [
        TableColumn::Words("program"),
        TableColumn::Number("logs"),
        TableColumn::Number("read"),
        TableColumn::Number("written"),
        TableColumn::Number("process hours"),
    ];
    html::table(&columns, &rows)
}
