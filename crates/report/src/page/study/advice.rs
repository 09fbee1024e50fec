//! Findings, and changes since the previous period.

use marigraph_analysis::study::{Choice, Comparison, FindingSum, Measured, Study};

use super::super::html::{self, Cell, TableColumn, escape};
use super::cells::{UNKNOWN, digits, number, seconds as seconds_cell, tall, word};
use crate::findings::advice;
use crate::page::draw::ticks::day;
use crate::study::arrowed;
use crate::units::{bytes, count, percent, rate};

pub fn findings(study: &Study, _: &Choice) -> String {
    let columns = [
        TableColumn::Fixed("severity"),
        TableColumn::Words("what"),
        TableColumn::Words("what to do"),
        TableColumn::Number("runs"),
        TableColumn::Number("time at stake"),
        TableColumn::Words("projects (runs)"),
        TableColumn::Number("worst job"),
    ];
    let line = |one: &FindingSum| -> Vec<Cell> {
        let projects = one.projects.iter().map(|(name, runs)| format!("{name} ({})", count(*runs)));
        vec![
            word(&one.severity),
            (one.title.clone(), None),
            (advice(&one.code).unwrap_or_default().to_string(), None),
            number(one.runs as f64),
            seconds_cell(Some(one.seconds_at_stake)),
            (projects.collect::<Vec<_>>().join(", "), None),
            (one.worst_job.to_string(), Some(one.worst_job as f64)),
        ]
    };
    let rows: Vec<Vec<Cell>> = study.findings.iter().map(line).collect();
    let note = "By rule, largest time at stake first: upper bound in seconds per process, summed over runs. The worst job has the most time at stake, and the severity is its own; marigraph report LOG shows details. Projects: the three with the most such runs.";
    tall(&html::sortable(&columns, &rows, "plain sortable")) + &html::note(note)
}

enum Written {
    Count,
    Bytes,
    Rate,
    Share,
    Three,
}

fn meaning(name: &str) -> (&str, Written) {
    match name {
        "runs" => ("recorded runs", Written::Count),
        "batch_jobs" => ("jobs in the scheduler log", Written::Count),
        "core_hours" => ("core-hours", Written::Count),
        "bytes_read" => ("bytes read by recorded runs", Written::Bytes),
        "bytes_written" => ("bytes written by recorded runs", Written::Bytes),
        "median_mib_per_s_per_node" => ("MiB/s per compute node, median of runs", Written::Three),
        "metadata_share" => ("share of I/O time in metadata calls, mean of runs", Written::Share),
        "device_mean" => ("mean throughput of devices", Written::Rate),
        "device_peak" => ("peak minute of devices", Written::Rate),
        "idle_share" => ("idle share of observed time", Written::Share),
        "findings" => ("findings", Written::Count),
        other => (other, Written::Three),
    }
}

fn written(value: Option<f64>, how: &Written) -> String {
    let Some(value) = value.filter(|value| value.is_finite()) else { return UNKNOWN.to_string() };
    match how {
        Written::Count => count(value.round() as u64),
        Written::Bytes => bytes(value),
        Written::Rate => rate(value),
        Written::Share => percent(value),
        Written::Three => digits(value),
    }
}

pub fn change(one: &Measured) -> Option<f64> {
    let (before, after) = (one.before?, one.after?);
    Some(after / before - 1.0).filter(|change| change.is_finite())
}

pub fn comparison(study: &Study, _: &Choice) -> String {
    let Some(comparison) = &study.comparison else { return String::new() };
    let line = |one: &Measured| {
        let (words, how) = meaning(one.name);
        let (class, shown) = match change(one) {
            Some(change) => (direction(change), arrowed(change)),
            None => ("", UNKNOWN.to_string()),
        };
        format!(
            "<tr><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"num {class}\">{}</td></tr>\n",
            escape(words),
            escape(&written(one.before, &how)),
            escape(&written(one.after, &how)),
            escape(&shown)
        )
    };
    let rows: String = comparison.measured.iter().map(line).collect();
    let head = "<tr><th>what</th><th class=\"num\">before</th><th class=\"num\">this period</th><th class=\"num\">change</th></tr>";
    format!(
        "<div class=\"scroll\"><table class=\"plain\"><thead>{head}</thead><tbody>\n{rows}</tbody></table></div>\n"
    ) + &html::note(&compared(comparison))
}

/// More is neither good nor bad. Changes below 5 % are not coloured.
fn direction(change: f64) -> &'static str {
    match change {
        c if c >= 0.05 => "more",
        c if c <= -0.05 => "less",
        _ => "",
    }
}

fn compared(comparison: &Comparison) -> String {
    let span = |(from, to): (f64, f64)| format!("{} to {}", day(from), day(to));
    format!(
        "This period: {}; before: {}, of the same length. Without --from, the second half is compared with the first. Whether more is better depends on the figure.",
        span(comparison.after_s),
        span(comparison.before_s)
    )
}
