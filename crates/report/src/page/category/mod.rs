//! The section on categories: labels, and the picture of their evidence.

mod picture;

use marigraph_analysis::category::{Categories, Labelled, Periodic};

use super::JobPage;
use super::html::{self, TableColumn};
use crate::units::{bytes, count, percent, precise_seconds};

pub fn section(page: &JobPage<'_>) -> String {
    match page.categories {
        Ok(categories) => body(categories),
        Err(reason) => {
            html::absent(&format!("The log is inconsistent, so it is not categorized. {}", reason.meaning()))
        }
    }
}

fn body(categories: &Categories) -> String {
    let mut notes = "Labels as in MOSAIC (PDSW 2024). Darshan's file records keep one interval per file; only operations and heat maps show what happens while a file is open."
        .to_string();
    if categories.incomplete {
        notes.push_str(" The log is incomplete: the missing data could change these labels.");
    }
    if categories.read.folded || categories.write.folded {
        notes.push_str(" Operations that are very close were merged.");
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
