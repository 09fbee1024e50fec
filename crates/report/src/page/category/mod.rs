//! The section on categories: the labels, and the picture behind them.

mod picture;

use marigraph_analysis::category::{Categories, Labelled, Periodic};

use super::JobPage;
use super::html::{self, TableColumn};
use crate::units::{bytes, count, percent, precise_seconds};

/// The section of the page about a job.
pub fn section(page: &JobPage<'_>) -> String {
    match page.categories {
        Ok(categories) => body(categories),
        Err(reason) => html::absent(&format!(
            "The log contradicts itself, so it is not categorised. {}",
            reason.meaning()
        )),
    }
}

fn body(categories: &Categories) -> String {
    let mut notes = "Labels as in MOSAIC (PDSW 2024). Darshan keeps one interval per file, so what happens while a file is open \
                     is known only from traces and heat maps."
        .to_string();
    if categories.incomplete {
        notes.push_str(" The log does not hold everything: what it lacks could change these labels.");
    }
    if categories.read.folded || categories.write.folded {
        notes.push_str(" Operations that lie very close were taken together.");
    }
    format!(
        "{}{}{}{}",
        labels(categories),
        picture::figure(categories),
        periods(categories),
        html::note(&notes)
    )
}

fn labels(categories: &Categories) -> String {
    let row = |labelled: &Labelled| {
        vec![
            labelled.label.name().to_string(),
            labelled.label.meaning().to_string(),
            percent(labelled.confidence),
            labelled.evidence.name().to_string(),
        ]
    };
    let columns = [
        TableColumn::Fixed("label"),
        TableColumn::Words("meaning"),
        TableColumn::Number("confidence"),
        TableColumn::Fixed("evidence"),
    ];
    html::table(&columns, &categories.labels.iter().map(row).collect::<Vec<_>>())
}

fn periods(categories: &Categories) -> String {
    let row = |name: &str, periodic: &Periodic| {
        vec![
            name.to_string(),
            precise_seconds(periodic.period_s),
            count(periodic.count),
            bytes(periodic.bytes),
            percent(periodic.busy),
        ]
    };
    let of = |name: &'static str, all: &[Periodic]| {
        all.iter().take(20).map(|one| row(name, one)).collect::<Vec<_>>()
    };
    let rows = [of("read", &categories.read.periodic), of("write", &categories.write.periodic)].concat();
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        TableColumn::Fixed("periodic"),
        TableColumn::Number("period"),
        TableColumn::Number("operations"),
        TableColumn::Number("bytes each"),
        TableColumn::Number("busy"),
    ];
    html::table(&columns, &rows)
}
