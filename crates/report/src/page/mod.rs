//! The page of one job: a self-contained HTML file.
//!
//! [`SECTIONS`] lists its sections in order; each is a function from the job's results to HTML.
//! Small charts are SVG made here; `assets/page.js` draws the timeline, the map of ranks and the
//! table of files in the browser from embedded data.

mod category;
mod corpus;
mod draw;
mod files;
mod findings;
mod html;
mod logs;
mod overview;
mod period;
mod plots;
mod signature;
pub(crate) mod study;
mod traffic;

use marigraph_analysis::category::Categories;
use marigraph_analysis::files::Files;
use marigraph_analysis::timeline::Timeline;
use marigraph_analysis::valid::Invalid;
use marigraph_model::{FileTable, Layout, MountTable};

use crate::findings::Worded;
use crate::period::Periods;
use crate::show::Shown;
use html::escape;

pub use corpus::corpus_page;
pub use logs::{Logs, logs_page};
pub use period::{PeriodPart, period_page, period_part, period_svg};
pub use signature::signature_page;
pub use study::study_page;

/// Everything the page shows.
pub struct JobPage<'a> {
    pub shown: &'a Shown,
    pub names: &'a FileTable,
    pub mounts: &'a MountTable,
    pub files: &'a Files,
    pub timeline: &'a Timeline,
    /// A sample of the Lustre layouts.
    pub layouts: &'a [Layout],
    /// `None` where the log has no times.
    pub periods: Option<&'a Periods>,
    pub categories: Result<&'a Categories, Invalid>,
    pub findings: &'a [Worded],
}

/// A section of the page; left out if empty.
struct Section {
    id: &'static str,
    title: &'static str,
    render: fn(&JobPage<'_>) -> String,
}

const SECTIONS: &[Section] = &[
    Section { id: "overview", title: "Overview", render: overview::overview },
    Section { id: "findings", title: "Findings", render: findings::section },
    Section { id: "timeline", title: "Bandwidth over time", render: plots::timeline },
    Section { id: "period", title: "Periods", render: period::section },
    Section { id: "categories", title: "Categories", render: category::section },
    Section { id: "ranks", title: "Ranks over time", render: plots::map },
    Section { id: "cost", title: "Where the time went", render: traffic::cost },
    Section { id: "operations", title: "Operations", render: traffic::operations },
    Section { id: "sizes", title: "Access sizes", render: traffic::sizes },
    Section { id: "order", title: "Order of accesses", render: traffic::order },
    Section { id: "filekinds", title: "Kinds of files", render: files::kinds },
    Section { id: "sharing", title: "Who shares files", render: files::sharing },
    Section { id: "mounts", title: "File systems", render: files::mounts },
    Section { id: "layout", title: "Striping", render: files::striping },
    Section { id: "files", title: "Files", render: files::table },
    Section { id: "missing", title: "What is missing, and why", render: overview::missing },
];

pub fn job_page(page: &JobPage<'_>) -> String {
    let shown = page.shown;
    let rendered: Vec<(&Section, String)> = SECTIONS
        .iter()
        .map(|section| (section, (section.render)(page)))
        .filter(|(_, body)| !body.is_empty())
        .collect();
    let links: String = rendered
        .iter()
        .map(|(section, _)| format!("<a href=\"#{}\">{}</a>", section.id, escape(section.title)))
        .collect();
    let body: String =
        rendered.iter().map(|(section, body)| html::section(section.id, section.title, body)).collect();
    let subtitle = format!("{} · {}", overview::subtitle(shown), shown.input);
    document(shown.program(), &subtitle, &links, &body)
}

fn document(title: &str, subtitle: &str, links: &str, body: &str) -> String {
    styled_document("", title, subtitle, links, body)
}

fn styled_document(own: &str, title: &str, subtitle: &str, links: &str, body: &str) -> String {
    let style = concat!(include_str!("../../assets/page.css"), include_str!("../../assets/chart.css"));
    let script = include_str!("../../assets/page.js");
    let (title, subtitle) = (escape(title), escape(subtitle));
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Marigraph</title>\n<style>\n{style}{own}</style></head>\n\
         <body><header class=\"top\"><h1>{title}</h1><p class=\"sub\">{subtitle}</p><nav>{links}</nav>\
         <button class=\"theme\" aria-label=\"switch theme\"></button></header>\n\
         <main>\n{body}</main>\n<script>\n{script}</script></body></html>\n"
    )
}
