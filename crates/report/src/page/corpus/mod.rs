//! The page of a corpus: tables, bars and the matrix of MOSAIC's paper. A label links to its
//! traces.

mod bars;
mod funnel;
mod matrix;

use marigraph_analysis::category::Label;
use marigraph_analysis::category::corpus::{LabelSet, Pairs, Standing};
use marigraph_analysis::valid::Invalid;

use super::document;
use super::html::{self, Cell, TableColumn, escape};
use crate::corpus::{Listed, Shortlist, Summarised};
use crate::table::shorten;
use crate::units::{bytes, count, percent, seconds};

pub fn corpus_page(corpus: &Summarised, shortlist: &Shortlist) -> String {
    let sections = [
        ("overview", "Overview", overview(corpus)),
        ("skipped", "Skipped logs", skipped(corpus)),
        ("temporality", "When jobs read and write", of_labels(corpus, &is_temporal)),
        ("periodicity", "Periodic activity", of_labels(corpus, &is_periodic)),
        ("metadata", "Load of the metadata servers", of_labels(corpus, &is_metadata)),
        ("together", "Labels that occur together", matrix::figure(&corpus.summary.single_run)),
        ("given", "How often one label implies another", conditionals(&corpus.summary.single_run)),
        ("agreement", "Agreement between runs", agreement(corpus)),
    ];
    let shown = || sections.iter().filter(|(_, _, body)| !body.is_empty());
    let links: String =
        shown().map(|(id, title, _)| format!("<a href=\"#{id}\">{}</a>", escape(title))).collect();
    let mut body: String = shown().map(|(id, title, body)| html::section(id, title, body)).collect();
    let present = Label::ALL.into_iter().filter(|&label| corpus.summary.all_runs.count(label) > 0);
    body.extend(present.map(|label| traces(label, corpus, shortlist.of(label))));
    document("Corpus", &format!("{} logs", count(corpus.read)), &links, &body)
}

fn anchor(label: Label) -> String {
    format!("label-{}", label.name())
}

fn overview(corpus: &Summarised) -> String {
    let skipped: u64 = corpus.skipped.values().sum();
    let mut cards = vec![
        (count(corpus.read), "logs"),
        (count(corpus.valid), "valid"),
        (count(skipped), "passed over"),
        (count(corpus.unique), "applications"),
    ];
    if let Some(share) = corpus.summary.agreement.share() {
        cards.push((percent(share), "of repeated runs match the heaviest"));
    }
    let mut note = "An application is a user and a program; its heaviest run represents it. Shares over applications show what programs do, shares over runs what the file system sees. Select a label to list its logs."
        .to_string();
    if corpus.incomplete > 0 {
        note.push_str(&format!(" {} logs are marked as incomplete.", count(corpus.incomplete)));
    }
    html::cards(&cards) + &funnel::figure(corpus) + &html::note(&note)
}

fn skipped(corpus: &Summarised) -> String {
    if corpus.skipped.is_empty() {
        return String::new();
    }
    let meaning = |code: &str| {
        let known = Invalid::ALL.into_iter().find(|reason| reason.code() == code);
        known.map_or("It could not be opened as a log.", Invalid::meaning)
    };
    let row = |(reason, number): (&String, &u64)| {
        let share = percent(*number as f64 / corpus.read.max(1) as f64);
        vec![reason.clone(), count(*number), share, meaning(reason).to_string()]
    };
    let columns = [
        TableColumn::Fixed("reason"),
        TableColumn::Number("logs"),
        TableColumn::Number("share"),
        TableColumn::Words("meaning"),
    ];
    html::table(&columns, &corpus.skipped.iter().map(row).collect::<Vec<_>>())
}

fn is_periodic(label: Label) -> bool {
    label.name().contains("_periodic")
}

fn is_metadata(label: Label) -> bool {
    label.name().starts_with("metadata_")
}

fn is_temporal(label: Label) -> bool {
    !is_periodic(label) && !is_metadata(label)
}

fn of_labels(corpus: &Summarised, wanted: &dyn Fn(Label) -> bool) -> String {
    let labels: Vec<Label> = Label::ALL.into_iter().filter(|&label| wanted(label)).collect();
    let (single, all) = (&corpus.summary.single_run, &corpus.summary.all_runs);
    let rows: String = labels
        .iter()
        .map(|&label| {
            let cells = |pairs: &Pairs| {
                format!(
                    "<td class=\"num\">{}</td><td class=\"num\">{}</td>",
                    count(pairs.count(label)),
                    percent(pairs.share(label))
                )
            };
            format!(
                "<tr><td class=\"fixed\">{}</td>{}{}<td>{}</td></tr>\n",
                link(label, all),
                cells(single),
                cells(all),
                escape(label.meaning())
            )
        })
        .collect();
    let head = "<tr><th class=\"fixed\">label</th><th class=\"num\">applications</th><th class=\"num\">share</th>\
                <th class=\"num\">runs</th><th class=\"num\">share</th><th>meaning</th></tr>";
    format!(
        "<div class=\"chart wide\">{}</div>\n<details><summary>As a table</summary><div class=\"scroll\"><table class=\"plain\"><thead>{head}</thead><tbody>\n{rows}</tbody></table></div></details>\n",
        bars::figure(&labels, single, all)
    )
}

fn link(label: Label, all: &Pairs) -> String {
    if all.count(label) == 0 {
        return label.name().to_string();
    }
    format!("<a href=\"#{}\">{}</a>", anchor(label), label.name())
}

const MAX_CONDITIONALS: usize = 40;

/// The strongest statements "x % of jobs with A also have B", without trivial pairs.
fn conditionals(pairs: &Pairs) -> String {
    let present: Vec<Label> = Label::ALL.into_iter().filter(|&label| pairs.count(label) > 0).collect();
    let mut rows: Vec<(Label, Label, f64)> = Vec::new();
    for &given in &present {
        for &other in present.iter().filter(|&&other| says_more(given, other)) {
            let (share, usual) = (pairs.conditional(given, other), pairs.share(other));
            // Clearly above chance, and not just a handful.
            if pairs.both(given, other) >= 5 && share > 0.1 && share > 1.2 * usual {
                rows.push((given, other, share));
            }
        }
    }
    rows.sort_by(|one, other| other.2.total_cmp(&one.2).then((one.0, one.1).cmp(&(other.0, other.1))));
    let row = |&(given, other, share): &(Label, Label, f64)| {
        vec![
            given.name().to_string(),
            other.name().to_string(),
            percent(share),
            percent(pairs.share(other)),
            count(pairs.both(given, other)),
        ]
    };
    if rows.is_empty() {
        return String::new();
    }
    let columns = [
        TableColumn::Fixed("of applications with"),
        TableColumn::Fixed("have"),
        TableColumn::Number("share"),
        TableColumn::Number("of all"),
        TableColumn::Number("applications"),
    ];
    html::table(&columns, &rows.iter().take(MAX_CONDITIONALS).map(row).collect::<Vec<_>>())
        + &html::note(
            "The most frequent pairs that occur at least 20 % more often than by chance; summary.json has all.",
        )
}

/// Whether a pair is not trivial, such as a period of minutes being a period.
fn says_more(given: Label, other: Label) -> bool {
    let side = |label: Label| label.name().split('_').next().map(String::from);
    given != other && (side(given) != side(other) || is_periodic(given) != is_periodic(other))
}

fn agreement(corpus: &Summarised) -> String {
    let agreement = &corpus.summary.agreement;
    let Some(share) = agreement.share() else { return String::new() };
    let facts = html::facts(&[
        ("applications that ran more than once", count(agreement.groups)),
        ("all runs have the same labels", count(agreement.unanimous)),
        ("runs that match the heaviest", percent(share)),
        ("runs that match the majority", percent(agreement.as_most as f64 / agreement.runs.max(1) as f64)),
        ("groups if split by behaviour", count(agreement.behaviours)),
    ]);
    let names = |labels: LabelSet| labels.iter().map(Label::name).collect::<Vec<_>>().join(", ");
    let row = |standing: &Standing| -> Vec<Cell> {
        let alike = standing.as_heaviest as f64 / standing.runs.max(1) as f64;
        let usual = standing.behaviours.first().map(|(labels, _)| names(*labels)).unwrap_or_default();
        let whole = |value: u64| (count(value), Some(value as f64));
        vec![
            (shorten(&standing.application.exe, 48), None),
            (standing.application.uid.to_string(), Some(standing.application.uid as f64)),
            whole(standing.runs),
            (percent(alike), Some(alike)),
            whole(standing.behaviours.len() as u64),
            (usual, None),
        ]
    };
    let columns = [
        TableColumn::Words("program"),
        TableColumn::Number("user"),
        TableColumn::Number("runs"),
        TableColumn::Number("like the heaviest"),
        TableColumn::Number("behaviours"),
        TableColumn::Words("most frequent labels"),
    ];
    facts
        + &html::sortable(&columns, &agreement.largest.iter().map(row).collect::<Vec<_>>(), "plain sortable")
}

/// The traces of a label; the page shows them when the label is selected.
fn traces(label: Label, corpus: &Summarised, listed: &[Listed]) -> String {
    let columns = [
        TableColumn::Words("program"),
        TableColumn::Number("user"),
        TableColumn::Number("processes"),
        TableColumn::Number("run time"),
        TableColumn::Number("bytes"),
        TableColumn::Number("runs"),
        TableColumn::Number("confidence"),
        TableColumn::Words("other labels"),
        TableColumn::Words("log"),
    ];
    let row = |one: &Listed| -> Vec<Cell> {
        let others: Vec<&str> = one.labels.iter().filter(|&other| other != label).map(Label::name).collect();
        vec![
            (shorten(&one.exe, 40), None),
            (one.uid.to_string(), Some(one.uid as f64)),
            (count(one.nprocs), Some(one.nprocs as f64)),
            (seconds(one.runtime_s), Some(one.runtime_s)),
            (bytes(one.bytes as f64), Some(one.bytes as f64)),
            (count(one.runs), Some(one.runs as f64)),
            (percent(one.confidence), Some(one.confidence)),
            (others.join(", "), None),
            (shorten(&one.input, 56), None),
        ]
    };
    let (apps, runs) = (corpus.summary.single_run.count(label), corpus.summary.all_runs.count(label));
    let mut note = format!("{} {} applications, {} runs.", label.meaning(), count(apps), count(runs));
    if apps > listed.len() as u64 {
        note.push_str(&format!(
            " Shown: the {} heaviest, one run each; traces.parquet has all.",
            count(listed.len() as u64)
        ));
    }
    format!(
        "<section class=\"chosen\" id=\"{}\"><h2>Traces: {} <a class=\"back\" href=\"#overview\">close</a></h2>\n{}{}</section>\n",
        anchor(label),
        label.name(),
        html::note(&note),
        html::sortable(&columns, &listed.iter().map(row).collect::<Vec<_>>(), "plain sortable")
    )
}
