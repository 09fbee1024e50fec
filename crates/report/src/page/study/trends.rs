//! Overwritten files, behaviour by week, periods.

use std::collections::BTreeMap;

use marigraph_analysis::study::{Choice, PeriodicApp, Study, Week};

use super::super::html::{self, Cell, TableColumn};
use super::cells::{bytes, number, seconds as seconds_cell, word};
use crate::page::draw::frame::Scale;
use crate::page::draw::plot::{self, Plot, WIDTH};
use crate::page::draw::svg::{rect, text};
use crate::page::draw::ticks::{self, day};
use crate::table::shorten;
use crate::units::{count, percent};

/// Maximum number of labels, and of weeks (the last ones).
const MAX_LABELS: usize = 14;
const MAX_WEEKS: usize = 53;
const LEFT: f64 = 214.0;
const CELL: f64 = 24.0;
const TOP: f64 = 8.0;
/// Minimum width of a cell with a number.
const ROOMY: f64 = 28.0;
/// Width of a date below a column.
const DATE: f64 = 72.0;

pub fn overwrites(study: &Study, _: &Choice) -> String {
    let known = study.overwrites;
    let share = known.new as f64 / known.written.max(1) as f64;
    let note = format!(
        "Share of written files that were missing or empty when opened. Known for {} runs that wrote files, unknown for {}: Darshan logs since 3.0 have no size at open.",
        count(known.told),
        count(known.untold)
    );
    html::cards(&[
        (percent(share), "of written files were new or empty"),
        (count(known.new), "new or empty"),
        (count(known.written), "written"),
    ]) + &html::note(&note)
}

pub fn categories(study: &Study, _: &Choice) -> String {
    let weeks = &study.weeks[study.weeks.len().saturating_sub(MAX_WEEKS)..];
    let labels = most_frequent(weeks);
    let width = ((WIDTH - LEFT - 20.0) / weeks.len().max(1) as f64).min(90.0);
    let bottom = TOP + CELL * labels.len() as f64;
    let mut out = String::new();
    for (row, label) in labels.iter().enumerate() {
        let y = TOP + CELL * row as f64;
        out += &text(LEFT - 8.0, y + 15.0, "axis", "end", &shorten(label, 30));
        for (column, week) in weeks.iter().enumerate() {
            out += &cell(week, label, [LEFT + width * column as f64, y], width);
        }
    }
    let apart = (DATE / width).ceil().max(1.0) as usize;
    for (column, week) in weeks.iter().enumerate().step_by(apart) {
        out += &text(LEFT + width * column as f64, bottom + 16.0, "axis", "start", &day(week.start_s));
    }
    out += &text(LEFT, bottom + 34.0, "axis", "start", "week, by its first day (Thursday, UTC)");
    let all: u64 = weeks.iter().map(|week| week.runs).sum();
    let caption = format!(
        "Share of a week's runs with a label, in percent; darker is more. A run can have several labels. The {} most frequent labels of {} categorized runs{}.",
        labels.len(),
        count(all),
        if weeks.len() < study.weeks.len() { format!("; the last {MAX_WEEKS} weeks") } else { String::new() }
    );
    plot::figure("Kinds of I/O week by week", bottom + 44.0, &out, &[], &caption)
}

fn most_frequent(weeks: &[Week]) -> Vec<&str> {
    let mut all: BTreeMap<&str, u64> = BTreeMap::new();
    for (label, runs) in weeks.iter().flat_map(|week| &week.labels) {
        *all.entry(label).or_default() += runs;
    }
    let mut all: Vec<(&str, u64)> = all.into_iter().collect();
    all.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    all.into_iter().take(MAX_LABELS).map(|(label, _)| label).collect()
}

fn cell(week: &Week, label: &str, [x, y]: [f64; 2], width: f64) -> String {
    let runs = week.labels.get(label).copied().unwrap_or(0);
    let share = runs as f64 / week.runs.max(1) as f64;
    let hint = format!(
        "week of {}, {label}: {} of {} runs, {}",
        day(week.start_s),
        count(runs),
        count(week.runs),
        percent(share)
    );
    if runs == 0 {
        return rect(x, y, width - 1.0, CELL - 1.0, "blank", &hint);
    }
    let step = ((share * 10.0) as u32).min(9);
    let shown = rect(x, y, width - 1.0, CELL - 1.0, &format!("heat h{step}"), &hint);
    if width < ROOMY {
        return shown;
    }
    let figure = if share < 0.005 { "<1".to_string() } else { format!("{:.0}", share * 100.0) };
    shown + &text(x + width / 2.0 - 0.5, y + 15.5, "cell", "middle", &figure)
}

pub fn periods(study: &Study, _: &Choice) -> String {
    let periods = &study.periods;
    let share = periods.periodic as f64 / periods.runs.max(1) as f64;
    if periods.periodic == 0 {
        return html::absent(&format!("None of {} runs has a period.", count(periods.runs)));
    }
    let caption = format!(
        "Runs by period. {} of {} runs ({}) have a period.",
        count(periods.periodic),
        count(periods.runs),
        percent(share)
    );
    let (picture, height) = bars(&periods.bins);
    plot::figure("Periods of I/O phases", height, &picture, &[], &caption) + &applications(&periods.apps)
}

fn bars(bins: &[(f64, u64)]) -> (String, f64) {
    const TOP: f64 = 30.0;
    const BOTTOM: f64 = 180.0;
    let most = bins.iter().map(|(_, runs)| *runs).max().unwrap_or(1).max(1) as f64;
    let plot = Plot {
        across: Scale::across([0.0, bins.len().max(1) as f64]),
        up: Scale::linear([0.0, most * 1.1], [BOTTOM, TOP]),
    };
    let unit = crate::page::draw::frame::Unit { size: 1.0, name: "runs" };
    let whole: Vec<plot::Tick> =
        ticks::even(&plot.up, 4, unit).into_iter().filter(|(value, _)| value.fract() == 0.0).collect();
    let mut out = plot.side(&whole, "runs") + &plot.foot(&[], "period");
    let mut before = 0.0;
    for (at, &(end, runs)) in bins.iter().enumerate() {
        let name =
            if end.is_finite() { format!("up to {}", round(end)) } else { format!("over {}", round(before)) };
        let [x, y] = plot.place((at as f64 + 0.2, runs as f64));
        let width = 0.6 * (plot.across.at(1.0) - plot.across.at(0.0));
        let top = if runs > 0 { y.min(BOTTOM - 1.5) } else { BOTTOM };
        out += &rect(x, top, width, BOTTOM - top, "c0", &format!("{name}: {} runs", count(runs)));
        out += &text(x + width / 2.0, top - 5.0, "value", "middle", &count(runs));
        out += &text(x + width / 2.0, BOTTOM + 18.0, "axis", "middle", &name);
        before = end;
    }
    (out, BOTTOM + 46.0)
}

/// The end of a bin in the most readable unit.
fn round(end_s: f64) -> String {
    let unit = [(86_400.0, "d"), (3600.0, "h"), (60.0, "min")].into_iter().find(|(size, _)| end_s >= *size);
    unit.map_or_else(|| format!("{end_s} s"), |(size, name)| format!("{} {name}", end_s / size))
}

fn applications(apps: &[PeriodicApp]) -> String {
    let columns = [
        TableColumn::Words("program"),
        TableColumn::Number("runs with a period"),
        TableColumn::Number("median period"),
        TableColumn::Number("bytes of these runs"),
    ];
    let line = |app: &PeriodicApp| -> Vec<Cell> {
        vec![
            word(&app.exe),
            number(app.runs as f64),
            seconds_cell(Some(app.period_s)),
            bytes(Some(app.bytes as f64)),
        ]
    };
    let rows: Vec<Vec<Cell>> = apps.iter().map(line).collect();
    html::sortable(&columns, &rows, "plain sortable")
        + &html::note(&format!("The programs whose periodic runs moved most bytes, {} of them.", apps.len()))
}
