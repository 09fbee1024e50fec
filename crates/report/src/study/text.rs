//! A study as text: overview, heaviest projects, devices, file system, findings, missing items.

use marigraph_analysis::study::{Choice, FileSystem, Study};

use super::overview::{arrowed, idle_share, key_figures, looked_at};
use super::{ITEMS, problems};
use crate::show::printable;
use crate::table::{Align, Table, shorten};
use crate::units::{bytes, count, moment, percent, rate, seconds};

const MOST: usize = 10;
const MAX_FINDINGS: usize = 8;
/// Narrower terminals get lines of this width.
const NARROWEST: usize = 40;

/// The text, no wider than `width` where possible.
pub fn text(study: &Study, choice: &Choice, width: usize) -> String {
    let parts = [
        ("Scope", pairs(&looked_at(study, choice), width)),
        ("Key figures", pairs(&key_figures(study), width)),
        ("Projects with most bytes", projects(study, width)),
        ("Storage devices", pairs(&devices(study), width)),
        ("File system", pairs(&contents(study), width)),
        ("Findings", findings(study, width)),
        ("Missing", missing(study, width)),
        ("Problems", problems(study).iter().map(|problem| format!("{problem}\n")).collect()),
    ];
    let known = parts.iter().filter(|(_, body)| !body.is_empty());
    known.map(|(title, body)| format!("{title}\n{}", indented(body))).collect::<Vec<_>>().join("\n")
}

fn indented(body: &str) -> String {
    body.lines().map(|line| format!("  {line}\n")).collect()
}

fn pairs(pairs: &[(&str, String)], width: usize) -> String {
    let widest = pairs.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let room = width.max(NARROWEST).saturating_sub(widest + 4).max(12);
    let line =
        |(label, value): &(&str, String)| format!("{label:<widest$}  {}\n", shorten(&printable(value), room));
    pairs.iter().map(line).collect()
}

fn rendered(table: &Table, width: usize) -> String {
    if table.is_empty() { String::new() } else { table.render(width.saturating_sub(2)) }
}

fn projects(study: &Study, width: usize) -> String {
    let columns =
        [("project", Align::Left), ("runs", Align::Right), ("read", Align::Right), ("written", Align::Right)];
    let mut table = Table::new(&columns);
    for project in study.projects.iter().take(MOST) {
        table.row([
            printable(&project.project),
            count(project.runs),
            bytes(project.read as f64),
            bytes(project.written as f64),
        ]);
    }
    rendered(&table, width)
}

fn devices(study: &Study) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(timeline) = &study.timeline {
        let span = timeline.span_s.1 - timeline.span_s.0;
        let share = percent(timeline.observed_s / span.max(1.0));
        lines.push(("observed", format!("{}, {share} of the time", seconds(timeline.observed_s))));
        let moved = format!("{} read, {} written", bytes(timeline.read), bytes(timeline.written));
        lines.push(("moved", moved));
    }
    if let Some(known) = &study.burstiness {
        lines.push(("mean, peak minute", format!("{}, {}", rate(known.mean), rate(known.peak))));
        lines.push(("below a third of it", format!("{} of minutes", percent(known.below_third))));
    }
    if let Some(idle) = &study.idle {
        let minutes = count(idle.observed);
        let words = format!(
            "{} of {minutes} observed minutes, below {}",
            percent(idle_share(idle)),
            rate(idle.threshold)
        );
        lines.push(("idle", words));
        lines.push((
            "longest idle period",
            seconds(idle.longest as f64 * marigraph_analysis::minutes::MINUTE),
        ));
    }
    lines
}

fn contents(study: &Study) -> Vec<(&'static str, String)> {
    study.file_systems.iter().flat_map(holds).collect()
}

fn holds(one: &FileSystem) -> Vec<(&'static str, String)> {
    let FileSystem { roots, sizes, growth, .. } = one;
    let mut lines = vec![
        ("trees", format!("{roots} on {}", moment(sizes.taken_s as i64))),
        ("files", format!("{}, {}", count(sizes.files), bytes(sizes.bytes as f64))),
        ("below 1 MiB", format!("{} of files", percent(sizes.below[0].files))),
    ];
    let Some(growth) = growth else { return lines };
    let changed = |(before, after): (u64, u64)| match before {
        0 => "new".to_string(),
        before => arrowed(after as f64 / before as f64 - 1.0),
    };
    if let Some(all) = growth.rows.first() {
        let time = seconds(growth.taken_s.1 - growth.taken_s.0);
        lines.push((
            "growth",
            format!("bytes {}, files {} in {time}", changed(all.bytes), changed(all.files)),
        ));
    }
    if let Some((at, limit)) = growth.files_limit {
        lines.push(("files reach", format!("{} on {}", count(limit as u64), moment(at as i64))));
    }
    if let Some((at, limit)) = growth.bytes_limit {
        lines.push(("bytes reach", format!("{} on {}", bytes(limit), moment(at as i64))));
    }
    lines
}

fn findings(study: &Study, width: usize) -> String {
    let columns = [
        ("severity", Align::Left),
        ("runs", Align::Right),
        ("at stake", Align::Right),
        ("what", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for one in study.findings.iter().take(MAX_FINDINGS) {
        table.row([
            printable(&one.severity),
            count(one.runs),
            seconds(one.seconds_at_stake),
            printable(&one.title),
        ]);
    }
    rendered(&table, width)
}

/// Items missing for the same reason are listed together.
fn missing(study: &Study, width: usize) -> String {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for item in ITEMS {
        let Some(why) = item.missing(study) else { continue };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(item.name),
            None => reasons.push((why, vec![item.name])),
        }
    }
    let line = |(why, names): &(String, Vec<&str>)| {
        wrapped(&format!("{}: {why}", names.join(", ")), width.max(NARROWEST) - 2)
    };
    reasons.iter().map(line).collect()
}

/// Wraps at words; lines after the first are indented.
fn wrapped(words: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        if line > 2 && line + 1 + word.chars().count() > width {
            lines.push(format!("  {word}"));
        } else if let Some(last) = lines.last_mut() {
            last.push_str(if last.is_empty() { "" } else { " " });
            last.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_and_lines_short() {
        assert_eq!(wrapped("one two three four", 9), "one two\n  three\n  four\n");
    }
}
