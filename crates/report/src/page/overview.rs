//! The job at a glance, and what the log lacks.

use marigraph_analysis::timeline::Evidence;
use marigraph_model::Module;

use super::JobPage;
use super::html::{self, TableColumn, escape};
use crate::show::Shown;
use crate::units::{bytes, count, moment, rate, seconds};

pub fn subtitle(shown: &Shown) -> String {
    let job = &shown.job;
    let processes =
        if job.nprocs == 1 { "1 process".to_string() } else { format!("{} processes", count(job.nprocs)) };
    format!("job {} · {processes} · {} · {} UTC", job.id, seconds(job.runtime_s()), moment(job.start.seconds))
}

pub fn overview(page: &JobPage<'_>) -> String {
    let (shown, job) = (page.shown, &page.shown.job);
    let totals = shown.totals();
    let mut cards = vec![
        (bytes(totals.read_bytes as f64), "read"),
        (bytes(totals.written_bytes as f64), "written"),
        (count(shown.files), "files"),
        (count(totals.reads + totals.writes), "reads and writes"),
        (count(totals.metadata_ops), "metadata calls"),
    ];
    let performance = shown.performance();
    if let Some((_, estimate)) = &performance {
        cards.push((rate(estimate.bytes_per_s()), "estimated speed"));
    }
    let mut facts = vec![
        ("Command", job.exe.clone()),
        ("Job", job.id.to_string()),
        ("User", job.uid.to_string()),
        ("Processes", count(job.nprocs)),
        ("Nodes", shown.nnodes.map_or("not in the log".to_string(), count)),
        ("Start", format!("{} UTC", moment(job.start.seconds))),
        ("End", format!("{} UTC", moment(job.end.seconds))),
        ("Run time", seconds(job.runtime_s())),
        ("Log", format!("{} {}", shown.format, shown.version)),
    ];
    if let Some((module, estimate)) = performance {
        let speed = estimate.bytes_per_s();
        let per_node =
            shown.nnodes.filter(|&n| n > 0).map(|n| format!(", {} per node", rate(speed / n as f64)));
        let how = format!("{} through {}{}", rate(speed), module.name(), per_node.unwrap_or_default());
        facts.push(("Speed (slowest path)", how));
    }
    facts.extend(job.metadata.iter().map(|(key, value)| (metadata_label(key, value), value.clone())));
    html::cards(&cards) + &html::facts(&facts) + &modules(shown)
}

fn metadata_label<'a>(key: &'a str, value: &str) -> &'a str {
    match key {
        "lib_ver" if value.starts_with("marigraph") => "Recorded by",
        "lib_ver" => "Recorded by Darshan",
        "h" => "Log hints",
        "fork_parent" => "Forked from process",
        other => other,
    }
}

fn modules(shown: &Shown) -> String {
    let row = |line: &crate::show::ModuleLine| {
        let note = if line.partial { "incomplete" } else { "" };
        vec![line.module.name().to_string(), line.version.to_string(), count(line.records), note.to_string()]
    };
    let rows: Vec<Vec<String>> = shown.modules.iter().map(row).collect();
    if rows.is_empty() {
        return html::absent("This log has no module data: no I/O was recorded.");
    }
    let columns = [
        TableColumn::Words("module"),
        TableColumn::Number("version"),
        TableColumn::Number("records"),
        TableColumn::Words(""),
    ];
    format!("<details><summary>Modules: {}</summary>{}</details>\n", rows.len(), html::table(&columns, &rows))
}

/// Problems of the log, and what was never recorded.
pub fn missing(page: &JobPage<'_>) -> String {
    let mut items: Vec<(String, String, String)> = page
        .shown
        .problems
        .iter()
        .map(|problem| {
            (problem.kind.code().replace('_', " "), problem.message.clone(), problem.place.clone())
        })
        .collect();
    items
        .extend(not_recorded(page).into_iter().map(|text| ("not recorded".to_string(), text, String::new())));
    if items.is_empty() {
        return html::absent("This log is complete.");
    }
    let item = |(kind, message, place): &(String, String, String)| {
        format!("<li><b>{}</b> {} <i>{}</i></li>\n", escape(kind), escape(message), escape(place))
    };
    format!("<ul class=\"problems\">{}</ul>\n", items.iter().map(item).collect::<String>())
}

fn not_recorded(page: &JobPage<'_>) -> Vec<String> {
    let has =
        |module: Module| page.shown.modules.iter().any(|line| line.module == module && line.records > 0);
    let evidence: Vec<Evidence> =
        page.timeline.best(&|_| false).iter().map(|(_, evidence, _)| *evidence).collect();
    let mut missing = Vec::new();
    if !page.shown.modules.iter().any(|line| line.module.is_operations() && line.records > 0) {
        let text = "Single operations: record with DXT_ENABLE_IO_TRACE=1 to see each read and write.";
        missing.push(text.to_string());
    }
    if !has(Module::Heatmap) && !evidence.contains(&Evidence::Trace) {
        let text = "Bytes over time per rank: this log has no heat map (Darshan 3.4 and later), so times are estimated from the first and last access of each file.";
        missing.push(text.to_string());
    }
    if page.shown.nnodes.is_none() {
        missing.push("The number of compute nodes: pass --nodes to see the speed per node.".to_string());
    }
    missing
}
