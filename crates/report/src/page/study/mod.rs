//! The page of a whole system: every item of [`crate::study::ITEMS`], or why it is missing.

pub mod access;
pub mod advice;
pub mod boxes;
mod cells;
pub mod contents;
pub mod devices;
pub mod files;
pub mod idle;
pub mod jobs;
pub mod projects;
pub mod signatures;
pub mod trends;

use marigraph_analysis::study::{Choice, Study};

use super::html::{self, escape};
use super::styled_document;
use crate::study::{ITEMS, Item, key_figures, looked_at, problems};
use crate::units::{bytes, count};

pub fn study_page(study: &Study, choice: &Choice) -> String {
    let links: String = std::iter::once(link("overview", "Overview", ""))
        .chain(ITEMS.iter().map(|item| item_link(item, study)))
        .collect();
    let overview = html::section("overview", "Overview", &overview(study, choice));
    let items: String = ITEMS.iter().map(|item| section(item, study, choice)).collect();
    let subtitle = match &choice.project {
        Some(project) => format!("project {project} · {} runs", count(study.looked.runs as u64)),
        None => format!("{} runs", count(study.looked.runs as u64)),
    };
    let style = include_str!("../../../assets/study.css");
    styled_document(style, "System report", &subtitle, &links, &(overview + &items))
}

fn anchor(item: &Item) -> String {
    item.name.to_lowercase().replace(' ', "-")
}

fn link(anchor: &str, words: &str, class: &str) -> String {
    format!("<a{class} href=\"#{anchor}\" title=\"{0}\">{0}</a>", escape(words))
}

fn item_link(item: &Item, study: &Study) -> String {
    let class = if item.missing(study).is_some() { " class=\"absent\"" } else { "" };
    link(&anchor(item), &named(item), class)
}

fn named(item: &Item) -> String {
    format!("{}: {}", item.name, item.title)
}

fn section(item: &Item, study: &Study, choice: &Choice) -> String {
    let body = match item.missing(study) {
        Some(why) => html::absent(&why),
        None => item.html(study, choice),
    };
    html::section(&anchor(item), &named(item), &body)
}

fn overview(study: &Study, choice: &Choice) -> String {
    let figures = key_figures(study);
    let cards: Vec<(String, &str)> = figures.iter().map(|(label, value)| (value.clone(), *label)).collect();
    let cards = if cards.is_empty() {
        html::absent("The study is empty for this selection.")
    } else {
        html::cards(&cards)
    };
    let missing = ITEMS.iter().filter(|item| item.missing(study).is_some()).count();
    let note = format!(
        "Figures and tables follow P. Carns et al., Understanding and Improving Computational Science Storage Access through Continuous Characterization (2011), with their original numbers; ours come after them. {} of {} are available; each missing one says what data it needs. --json prints the numbers. Times are UTC; bytes are in binary units.",
        ITEMS.len() - missing,
        ITEMS.len()
    );
    let problems: String = problems(study).iter().map(|problem| html::absent(problem)).collect();
    problems + &cards + &html::facts(&looked_at(study, choice)) + &html::note(&note)
}

fn filtered(study: &Study, choice: &Choice) -> String {
    format!(
        "Based on {} runs of known projects with at least {} processes and {} moved.",
        count(study.performance.runs),
        count(choice.min_procs),
        bytes(choice.min_bytes as f64)
    )
}
