//! The page over many logs.

use super::document;
use super::html;
use crate::show::LogLine;
use crate::units::{bytes, count, moment, rate, seconds};

/// Rows shown at most; a page is for looking, `show --json` for all of them.
const MOST_ROWS: usize = 5000;

/// A table over logs with their sums.
pub fn logs_page(logs: &[LogLine]) -> String {
    let sum = |value: fn(&LogLine) -> u64| logs.iter().map(value).fold(0u64, u64::saturating_add);
    let cards = html::cards(&[
        (count(logs.len() as u64), "logs"),
        (bytes(sum(|line| line.read_bytes) as f64), "read"),
        (bytes(sum(|line| line.written_bytes) as f64), "written"),
        (count(sum(|line| line.metadata_ops)), "metadata calls"),
        (count(logs.iter().filter(|line| line.problems > 0).count() as u64), "logs with problems"),
    ]);
    let columns = [
        ("start (UTC)", false),
        ("program", false),
        ("job", true),
        ("processes", true),
        ("run time", true),
        ("files", true),
        ("read", true),
        ("written", true),
        ("metadata", true),
        ("speed", true),
        ("problems", true),
        ("input", false),
    ];
    let mut sorted: Vec<&LogLine> = logs.iter().collect();
    sorted.sort_by_key(|line| std::cmp::Reverse(line.read_bytes.saturating_add(line.written_bytes)));
    let rows: Vec<Vec<String>> = sorted.iter().take(MOST_ROWS).map(|line| row(line)).collect();
    let cut = if logs.len() > MOST_ROWS {
        html::note(&format!(
            "The {} logs that moved most bytes; use show --json for all.",
            count(MOST_ROWS as u64)
        ))
    } else {
        String::new()
    };
    let by_program = html::section("programs", "Programs", &programs(logs));
    let table = html::section("logs", "Logs", &(html::table(&columns, &rows) + &cut));
    let overview = html::section("overview", "Overview", &cards);
    let links =
        "<a href=\"#overview\">Overview</a><a href=\"#programs\">Programs</a><a href=\"#logs\">Logs</a>";
    document("Logs", &format!("{} logs", count(logs.len() as u64)), links, &(overview + &by_program + &table))
}

fn row(line: &LogLine) -> Vec<String> {
    vec![
        moment(line.start),
        line.program.clone(),
        line.job.to_string(),
        count(line.nprocs),
        seconds(line.runtime_s),
        count(line.files),
        bytes(line.read_bytes as f64),
        bytes(line.written_bytes as f64),
        count(line.metadata_ops),
        line.speed.map(rate).unwrap_or_default(),
        if line.problems == 0 { String::new() } else { line.problems.to_string() },
        line.input.clone(),
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
    let columns =
        [("program", false), ("logs", true), ("read", true), ("written", true), ("process hours", true)];
    html::table(&columns, &rows)
}
