//! The study of a whole system: the numbers behind every figure and table, and what they lack.
//!
//! [`ITEMS`] declares all figures and tables once, those of the published study under their names
//! there. The JSON and the page (`page/study`) follow it.

mod contents;
mod devices;
mod jobs;
mod missing;
mod overview;
mod performance;
mod text;
mod trends;

use marigraph_analysis::study::{Choice, Study};
use serde_json::{Map, Value, json};

pub(crate) use jobs::letters;
pub(crate) use overview::{arrowed, idle_share, key_figures, looked_at};
pub use text::text;

use crate::page::study as drawn;

/// One figure or table.
pub struct Item {
    /// The name in the published study, or our own.
    pub name: &'static str,
    pub title: &'static str,
    missing: fn(&Study) -> Option<String>,
    /// Null if there are none.
    numbers: fn(&Study) -> Value,
    html: fn(&Study, &Choice) -> String,
}

impl Item {
    /// Why there is nothing to show, and how to get it; `None` if there is something.
    pub fn missing(&self, study: &Study) -> Option<String> {
        (self.missing)(study)
    }

    /// The section of the page. Call only if nothing is missing.
    pub(crate) fn html(&self, study: &Study, choice: &Choice) -> String {
        (self.html)(study, choice)
    }
}

const fn item(
    name: &'static str,
    title: &'static str,
    missing: fn(&Study) -> Option<String>,
    numbers: fn(&Study) -> Value,
    html: fn(&Study, &Choice) -> String,
) -> Item {
    Item { name, title, missing, numbers, html }
}

fn nothing(_: &Study) -> Value {
    Value::Null
}

fn blank(_: &Study, _: &Choice) -> String {
    String::new()
}

/// In the order of the page.
pub static ITEMS: &[Item] = &[
    item("Fig 1", "Time to write a log, by job size", missing::shutdown, nothing, blank),
    item("Table I", "The performance metric against IOR", missing::benchmark, nothing, blank),
    item("Fig 2", "Interfaces by job size", missing::runs, jobs::interfaces, drawn::jobs::interfaces),
    item("Fig 3", "File sharing by job size", missing::runs, jobs::strategies, drawn::jobs::strategies),
    item(
        "Fig 4",
        "Bytes moved by the ten heaviest projects",
        missing::runs,
        jobs::projects,
        drawn::projects::heaviest,
    ),
    item(
        "Table II",
        "Coverage and interfaces of each project",
        missing::joblog,
        jobs::coverage,
        drawn::projects::coverage,
    ),
    item("Fig 5", "Files against processes of each run", missing::runs, jobs::files, drawn::files::scatter),
    item(
        "Fig 6",
        "Throughput of all storage devices",
        missing::devices,
        devices::timeline,
        drawn::devices::throughput,
    ),
    item(
        "Fig 7",
        "Distribution of throughput over minutes",
        missing::devices,
        devices::burstiness,
        drawn::idle::distribution,
    ),
    item("Table III", "Idle periods of storage", missing::devices, devices::idle, drawn::idle::periods),
    item(
        "Fig 8",
        "Sizes of files, with and without one project",
        missing::snapshot,
        contents::sizes,
        drawn::contents::sizes,
    ),
    item(
        "Table IV",
        "Growth of the file system",
        missing::two_snapshots,
        contents::growth,
        drawn::contents::growth,
    ),
    item(
        "Fig 9",
        "Ages of files by access and modification",
        missing::snapshot,
        contents::ages,
        drawn::contents::ages,
    ),
    item(
        "Fig 10",
        "Sizes of accesses per project",
        missing::large_runs,
        performance::sizes,
        drawn::access::sizes,
    ),
    item(
        "Fig 11",
        "MiB/s per compute node and project",
        missing::metric,
        performance::boxes,
        drawn::boxes::performance,
    ),
    item(
        "Table V",
        "How projects access storage",
        missing::large_runs,
        performance::characteristics,
        drawn::boxes::characteristics,
    ),
    item(
        "Table VI",
        "One project, run by run",
        missing::large_runs,
        performance::by_run,
        drawn::boxes::by_run,
    ),
    item(
        "Table VII",
        "One project, by compute nodes",
        missing::metric,
        performance::by_nodes,
        drawn::boxes::by_nodes,
    ),
    item("Fig 12", "Before and after tuning", missing::reruns, nothing, blank),
    item(
        "Overwrites",
        "Files that were new when written",
        missing::sizes_at_open,
        trends::overwrites,
        drawn::trends::overwrites,
    ),
    item(
        "Categories",
        "Kinds of I/O, week by week",
        missing::labels,
        trends::categories,
        drawn::trends::categories,
    ),
    item("Periods", "Periods of I/O phases", missing::runs, trends::periods, drawn::trends::periods),
    item(
        "Signatures",
        "Signatures of the heaviest applications",
        missing::signatures,
        trends::signatures,
        drawn::signatures::heaviest,
    ),
    item(
        "Findings",
        "Findings by time at stake",
        missing::findings,
        trends::findings,
        drawn::advice::findings,
    ),
    item(
        "Comparison",
        "This period against the one before",
        missing::comparison,
        trends::comparison,
        drawn::advice::comparison,
    ),
];

/// All numbers, by the names of [`ITEMS`], and the scope.
pub fn json(study: &Study, choice: &Choice) -> Value {
    let mut document = Map::new();
    document.insert("study".to_string(), looked(study, choice));
    for item in ITEMS {
        let missing = item.missing(study);
        let mut object = Map::new();
        object.insert("title".to_string(), json!(item.title));
        object.insert("missing".to_string(), json!(missing));
        if let (None, Value::Object(numbers)) = (missing, (item.numbers)(study)) {
            object.extend(numbers);
        }
        document.insert(item.name.to_string(), Value::Object(object));
    }
    document.insert("problems".to_string(), problems_json(study));
    Value::Object(document)
}

fn problems_json(study: &Study) -> Value {
    let told = |message: &String| json!({ "kind": "not_recorded", "message": message, "where": "jobs" });
    problems(study).iter().map(told).collect()
}

fn looked(study: &Study, choice: &Choice) -> Value {
    let looked = &study.looked;
    json!({
        "from": choice.from_s.or(looked.span_s.map(|span| span.0)),
        "to": choice.to_s.or(looked.span_s.map(|span| span.1)),
        "project": choice.project,
        "min_procs": choice.min_procs,
        "min_bytes": choice.min_bytes,
        "node_limit": choice.node_limit,
        "runs": looked.runs,
        "batch_jobs": looked.batch,
        "matched_runs": looked.matched,
        "unmatched_runs": looked.runs - looked.matched,
        "invalid": looked.invalid,
        "problems": problems_json(study),
    })
}

pub fn problems(study: &Study) -> Vec<String> {
    let old = study.looked.without_interfaces;
    let told = format!(
        "{old} runs were added by an older marigraph without interfaces and sharing: Fig 2 and Fig 3 lack them. Rebuild the study: marigraph ingest LOGS --into ANOTHER"
    );
    (old > 0).then_some(told).into_iter().chain(invalid(study)).collect()
}

fn invalid(study: &Study) -> Option<String> {
    let invalid = &study.looked.invalid;
    let reasons: Vec<String> = invalid.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    let all: u64 = invalid.values().sum();
    (all > 0).then(|| {
        format!(
            "{all} logs cannot be trusted and are in no figure ({}). They are in the table invalid: marigraph sql STUDY 'select source, reason from invalid'",
            reasons.join(", ")
        )
    })
}

/// A part as a share of a whole; null if the whole is zero.
fn share(part: f64, whole: f64) -> Value {
    if whole > 0.0 { json!(part / whole) } else { Value::Null }
}
