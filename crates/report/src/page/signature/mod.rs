//! The page of `signature`: server traffic during the runs of an application, and its own share.

mod bursts;
mod runs;
mod samples;

use marigraph_analysis::signature::{Sample, Scaling, Signature};

use super::document;
use super::html::{self, Cell, TableColumn, escape};
use crate::page::draw::columns::Series;
use crate::page::draw::frame::Scale;
use crate::page::draw::panel::figure;
use crate::scaling;
use crate::signature::{BURST_HEADS, HEADS, NOTHING, Signed, burst_row, method_name, sure};
use crate::table::shorten;
use crate::units::{bytes, count, seconds};

/// Maximum number of applications drawn; the table has all.
const MAX_DRAWN: usize = 50;
/// Longer tables of bursts are folded.
const MANY_BURSTS: usize = 12;
const MAX_ROWS: usize = 1000;

/// The page of all signatures, sorted heaviest first.
pub fn signature_page(all: &[Signed<'_>]) -> String {
    let drawn = &all[..all.len().min(MAX_DRAWN)];
    let anchor = |at: usize| format!("app{}", at + 1);
    let link = |(at, signed): (usize, &Signed<'_>)| {
        let name = shorten(&signed.signature.application.app, 28);
        format!("<a href=\"#{}\">{}</a>", anchor(at), escape(&name))
    };
    let mut links: String = drawn.iter().enumerate().map(link).collect();
    let mut body = String::new();
    if all.len() > 1 {
        links.insert_str(0, "<a href=\"#all\">All</a>");
        body += &html::section("all", "All applications", &overview(all, drawn.len()));
    }
    body.extend(
        drawn
            .iter()
            .enumerate()
            .map(|(at, signed)| html::section(&anchor(at), &signed.name(), &part(signed))),
    );
    let many = match all {
        [one] => one.name(),
        all => format!("{} applications", count(all.len() as u64)),
    };
    document("Signatures of applications", &many, &links, &body)
}

fn overview(all: &[Signed<'_>], drawn: usize) -> String {
    let column = |(at, head)| if at < 2 { TableColumn::Words(head) } else { TableColumn::Number(head) };
    let columns: Vec<TableColumn> = HEADS.into_iter().enumerate().map(column).collect();
    let rows: Vec<Vec<Cell>> = all.iter().map(|signed| line(signed)).collect();
    let table = html::sortable(&columns, &rows, "plain sortable");
    if drawn == all.len() {
        return table;
    }
    table + &html::note(&format!("The heaviest {drawn} are drawn below; --app draws any other."))
}

fn line(signed: &Signed<'_>) -> Vec<Cell> {
    let signature = signed.signature;
    let values = [
        None,
        None,
        Some(signature.application.nodes.unwrap_or(0) as f64),
        Some(signature.used.len() as f64),
        Some(signature.write.len() as f64),
        Some(signature.write.iter().sum()),
        Some(signature.read.iter().sum()),
        Some(signature.bursts.len() as f64),
        Some(signature.period_s.unwrap_or(0.0)),
        Some(signature.confidence.unwrap_or(0.0)),
    ];
    signed.row().into_iter().zip(values).collect()
}

fn part(signed: &Signed<'_>) -> String {
    let signature = signed.signature;
    let across = Scale::across([0.0, longest(signature)]);
    let mut out = cards(signature);
    if signature.bursts.is_empty() {
        out += &html::absent(&format!("No bursts: {NOTHING}."));
    }
    out += &figure("Signature with its bursts", &bursts::panel(signature, &across));
    out += &figure("Server traffic during the runs", &samples::panel(signature, &across));
    out += &figure("Individual runs", &runs::panel(signature, &across));
    out += &notes(signed);
    out += &table(signature);
    out += &signed.scaling.map_or_else(String::new, nodes);
    out + &left_out(signature)
}

/// Length of the time axis in seconds; every used run fits.
fn longest(signature: &Signature) -> f64 {
    let runs = signature.used.iter().map(|used| used.sample.duration_s);
    runs.fold(signature.write.len() as f64, f64::max)
}

fn series(sample: &Sample) -> Series<'_> {
    Series { values: &sample.rates, hertz: 1.0 / sample.interval_s, origin_s: -sample.offset_s }
}

fn cards(signature: &Signature) -> String {
    let mut cards = vec![
        (count(signature.used.len() as u64), "runs used"),
        (sure(signature.confidence), "confidence"),
        (bytes(signature.write.iter().sum()), "written"),
        (bytes(signature.read.iter().sum()), "read"),
        (count(signature.bursts.len() as u64), "bursts"),
    ];
    cards.extend(signature.period_s.map(|period| (seconds(period), "from burst to burst")));
    html::cards(&cards)
}

fn notes(signed: &Signed<'_>) -> String {
    let mut words = format!("Found by the method {}.", method_name(signed.method));
    if signed.signature.used.iter().any(|used| used.sample.mended.contains(&true)) {
        words += " Traffic explained by other applications' signatures is subtracted.";
    }
    html::note(&words)
}

fn table(signature: &Signature) -> String {
    let found = &signature.bursts;
    if found.is_empty() {
        return String::new();
    }
    let row = |(at, burst)| burst_row(at, burst).to_vec();
    let rows: Vec<Vec<String>> = found.iter().enumerate().take(MAX_ROWS).map(row).collect();
    let table = html::table(&BURST_HEADS.map(TableColumn::Number), &rows);
    if found.len() <= MANY_BURSTS {
        return table;
    }
    let first = if found.len() > MAX_ROWS { format!(", the first {MAX_ROWS}") } else { String::new() };
    format!("<details><summary>{} bursts{first}</summary>{table}</details>\n", count(found.len() as u64))
}

fn nodes(scaling: &Scaling) -> String {
    let table = html::table(&scaling::HEADS.map(TableColumn::Number), &scaling::rows(scaling));
    format!("<h3>On other node counts</h3>\n{}{table}", html::note(&scaling::told(scaling)))
}

fn left_out(signature: &Signature) -> String {
    if signature.dropped.is_empty() {
        return String::new();
    }
    let row = |dropped: &marigraph_analysis::signature::Dropped| {
        vec![(dropped.job.clone(), None), (dropped.why.reason().to_string(), None)]
    };
    let rows: Vec<Vec<Cell>> = signature.dropped.iter().take(MAX_ROWS).map(row).collect();
    let columns = [TableColumn::Fixed("job left out"), TableColumn::Words("because")];
    html::sortable(&columns, &rows, "plain left-out")
}
