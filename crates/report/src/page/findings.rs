//! Findings: the cards on the page of a job, and the table over many logs.

use marigraph_analysis::advice::Severity;

use super::JobPage;
use super::html::{self, Cell, TableColumn, escape};
use crate::findings::{Example, Tally, Worded, severity};
use crate::units::{count, percent, seconds};

const MAX_FILES: usize = 5;

/// Findings, most costly first; minor ones, facts and good practices are folded.
pub fn section(page: &JobPage<'_>) -> String {
    let of = |wanted: fn(Severity) -> bool| {
        page.findings.iter().filter(|finding| wanted(finding.severity)).collect::<Vec<&Worded>>()
    };
    let costly = of(|severity| severity >= Severity::Medium);
    let minor = of(|severity| severity == Severity::Low);
    let notes = of(|severity| severity < Severity::Low);
    let runtime_s = page.shown.job.runtime_s();
    let mut shown: Vec<&Example> = Vec::new();
    let mut out = match (costly.is_empty(), minor.is_empty()) {
        (true, true) => html::absent("No findings: no rule found anything to improve."),
        (true, false) => html::absent("No finding costs more than 1 % of the run time."),
        _ => cards(&costly, runtime_s, &mut shown),
    };
    if !minor.is_empty() {
        out.push_str(&format!(
            "<details class=\"minor\"><summary>{} below 1 % of the run time</summary>{}</details>\n",
            findings(minor.len()),
            cards(&minor, runtime_s, &mut shown)
        ));
    }
    if !notes.is_empty() {
        let items: String = notes.iter().map(|note| item(note)).collect();
        out.push_str(&format!(
            "<details class=\"minor\"><summary>{}</summary><ul class=\"notes\">{items}</ul></details>\n",
            facts(notes.len())
        ));
    }
    out
}

fn findings(n: usize) -> String {
    if n == 1 { "1 finding".to_string() } else { format!("{} findings", count(n as u64)) }
}

fn facts(n: usize) -> String {
    if n == 1 {
        "1 fact or good practice".to_string()
    } else {
        format!("{} facts and good practices", count(n as u64))
    }
}

fn item(note: &Worded) -> String {
    format!(
        "<li class=\"{}\"><b>{}</b> {}</li>\n",
        severity(note.severity),
        escape(note.title),
        escape(&note.evidence)
    )
}

/// One card per finding; an example appears where it is first needed.
pub fn cards<'a>(findings: &[&'a Worded], runtime_s: f64, shown: &mut Vec<&'a Example>) -> String {
    findings.iter().map(|finding| card(finding, runtime_s, shown)).collect()
}

fn card<'a>(finding: &'a Worded, runtime_s: f64, shown: &mut Vec<&'a Example>) -> String {
    let stake = if finding.estimate.is_empty() {
        String::new()
    } else {
        format!(
            "<span class=\"stake\" title=\"{}\">up to {} · {} of the run</span>",
            escape(&finding.estimate),
            seconds(finding.seconds_at_stake),
            percent(finding.seconds_at_stake / runtime_s.max(f64::MIN_POSITIVE))
        )
    };
    format!(
        "<div class=\"finding {}\"><h3>{}</h3>{stake}<p class=\"evidence\">{}</p>{}<p class=\"advice\">{}</p>{}{}</div>\n",
        severity(finding.severity),
        escape(finding.title),
        escape(&finding.evidence),
        concerned(finding),
        escape(finding.advice),
        finding.example.map_or(String::new(), |example| example_of(example, finding.severity, shown)),
        reasoning(finding),
    )
}

fn concerned(finding: &Worded) -> String {
    let mut parts: Vec<String> = finding
        .files
        .iter()
        .take(MAX_FILES)
        .map(|file| format!("<code>{}</code> {}", escape(&file.path), escape(&file.amount())))
        .collect();
    let more = finding.files_concerned.saturating_sub(parts.len() as u64);
    if more > 0 && !parts.is_empty() {
        parts.push(format!("{} more", count(more)));
    }
    if !finding.ranks.is_empty() {
        let ranks: Vec<String> = finding.ranks.iter().map(u32::to_string).collect();
        parts.push(format!("{} {}", if ranks.len() == 1 { "rank" } else { "ranks" }, ranks.join(", ")));
    }
    if parts.is_empty() { String::new() } else { format!("<p class=\"where\">{}</p>", parts.join(" · ")) }
}

/// Shows an example unfolded for severe findings, and each example only once.
fn example_of<'a>(example: &'a Example, severity: Severity, shown: &mut Vec<&'a Example>) -> String {
    if shown.contains(&example) {
        return format!("<p class=\"where\">Example: {}, see above.</p>", escape(example.title));
    }
    shown.push(example);
    let open = if severity == Severity::High { " open" } else { "" };
    format!(
        "<details class=\"example\"{open}><summary>Example: {}</summary><pre><code class=\"{}\">{}</code></pre></details>",
        escape(example.title),
        example.language,
        escape(example.text)
    )
}

fn reasoning(finding: &Worded) -> String {
    let drishti = finding.drishti.map_or(String::new(), |code| format!(" · Drishti {code}"));
    let estimate = if finding.estimate.is_empty() {
        String::new()
    } else {
        format!("At stake: {} ", escape(&finding.estimate))
    };
    format!("<p class=\"basis\">{estimate}<span>{}{drishti}</span></p>", finding.code)
}

pub fn over_logs(tally: &Tally) -> String {
    if tally.is_empty() {
        return html::absent("No findings: no rule found anything to improve in any log.");
    }
    let columns = [
        TableColumn::Words("finding"),
        TableColumn::Number("logs"),
        TableColumn::Number("high"),
        TableColumn::Number("medium"),
        TableColumn::Number("seconds at stake"),
        TableColumn::Words("what to do"),
    ];
    let whole = |n: u64| (count(n), Some(n as f64));
    let rows: Vec<Vec<Cell>> = tally
        .rows()
        .into_iter()
        .map(|row| {
            vec![
                (row.title.to_string(), None),
                whole(row.logs),
                whole(row.high),
                whole(row.medium),
                (seconds(row.seconds), Some(row.seconds)),
                (row.advice.to_string(), None),
            ]
        })
        .collect();
    html::sortable(&columns, &rows, "plain sortable")
}
