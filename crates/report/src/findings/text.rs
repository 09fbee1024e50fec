//! Findings as text for a terminal.

use marigraph_analysis::advice::Severity;

use super::{Worded, severity};
use crate::show::printable;
use crate::units::{count, percent, seconds};

const MAX_FILES: usize = 3;

/// Findings to improve, most costly first, then facts and good practices in one line each.
pub fn text(heading: &str, runtime_s: f64, findings: &[Worded]) -> String {
    let mut out = format!("{heading}\n");
    let (advice, notes): (Vec<&Worded>, Vec<&Worded>) =
        findings.iter().partition(|finding| finding.severity >= Severity::Low);
    if advice.is_empty() {
        out.push_str("\nNo findings: no rule found anything to improve.\n");
    }
    for finding in advice {
        out.push_str(&one(finding, runtime_s));
    }
    if !notes.is_empty() {
        out.push('\n');
    }
    for note in notes {
        out.push_str(&format!("{:<7} {}: {}\n", severity(note.severity), note.title, note.evidence));
    }
    out
}

fn one(finding: &Worded, runtime_s: f64) -> String {
    let at_stake = finding.seconds_at_stake;
    let stake = if finding.estimate.is_empty() || runtime_s <= 0.0 {
        String::new()
    } else {
        format!(": up to {} ({} of the run)", seconds(at_stake), percent(at_stake / runtime_s))
    };
    let mut out =
        format!("\n{:<7} {}{stake}  [{}]\n", severity(finding.severity), finding.title, finding.code);
    let mut line = |text: &str| out.push_str(&format!("        {text}\n"));
    line(&finding.evidence);
    if let Some(files) = files(finding) {
        line(&files);
    }
    if !finding.ranks.is_empty() {
        let ranks: Vec<String> = finding.ranks.iter().map(u32::to_string).collect();
        line(&format!("ranks: {}", ranks.join(", ")));
    }
    line(&format!("-> {}", finding.advice));
    out
}

fn files(finding: &Worded) -> Option<String> {
    let named: Vec<String> = finding
        .files
        .iter()
        .take(MAX_FILES)
        .map(|file| format!("{} ({})", crate::table::shorten(&printable(&file.path), 60), file.amount()))
        .collect();
    let more = finding.files_concerned.saturating_sub(named.len() as u64);
    let rest = if more > 0 { format!(" and {} more", count(more)) } else { String::new() };
    (!named.is_empty()).then(|| format!("files: {}{rest}", named.join(", ")))
}
