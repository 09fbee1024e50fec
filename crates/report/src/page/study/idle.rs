//! Burstiness and idle periods of storage: figure 7 and Table III.

use marigraph_analysis::minutes::MINUTE;
use marigraph_analysis::study::{Choice, Idle, IdleRow, Study};

use super::super::html::{self, Cell, TableColumn};
use super::cells::{number, share, word};
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::plot::{self, Plot};
use crate::page::draw::ticks;
use crate::study::idle_share;
use crate::units::{count, percent, rate, seconds};

const TOP: f64 = 30.0;
const HEIGHT: f64 = 230.0;
/// The share of the peak that the published study reports.
const THIRD: f64 = 0.33;

pub fn distribution(study: &Study, _: &Choice) -> String {
    let Some(known) = &study.burstiness else { return String::new() };
    let bottom = TOP + HEIGHT;
    let plot =
        Plot { across: Scale::across([0.0, known.peak]), up: Scale::linear([0.0, 1.0], [bottom, TOP]) };
    let unit = frame::rate_unit(known.peak);
    let side = "cumulative share of minutes";
    let mut out = plot.side(&ticks::shares(), side);
    out += &plot
        .foot(&ticks::even(&plot.across, 10, unit), &format!("read and written together, {}", unit.name));
    let hint = format!("distribution of {} minutes", count(known.intervals as u64));
    let first = known.cdf.first().map(|&(rate, _)| (rate, 0.0));
    let points: Vec<(f64, f64)> = first.into_iter().chain(known.cdf.iter().copied()).collect();
    out += &plot.curve("c0", &points, &hint);
    let third = format!("33 % of the peak: {} of minutes are below", percent(known.below_third));
    out += &plot.upright("marked", THIRD * known.peak, &third, side);
    let mean = known.mean / known.peak.max(f64::MIN_POSITIVE);
    out += &plot.dot("dot answer", (THIRD * known.peak, known.below_third), 4.0, &third);
    let caption = format!(
        "Of {} observed minutes of all devices together. Mean {} ({} of the peak), peak {}, {} of minutes below 33 % of the peak.",
        count(known.intervals as u64),
        rate(known.mean),
        percent(mean),
        rate(known.peak),
        percent(known.below_third)
    );
    plot::figure("Distribution of throughput over minutes", bottom + 46.0, &out, &[], &caption)
}

pub fn periods(study: &Study, _: &Choice) -> String {
    let Some(idle) = &study.idle else { return String::new() };
    let columns = [
        TableColumn::Fixed("length in minutes"),
        TableColumn::Number("periods"),
        TableColumn::Number("minutes"),
        TableColumn::Number("share of observed time"),
    ];
    let rows: Vec<Vec<Cell>> = idle.rows.iter().map(|row| line(row, idle)).collect();
    let caption = format!(
        "A minute is idle if all devices together move less than 5 % of the observed peak: less than {} of {}. Shares are of the {} observed minutes. A gap in the readings ends a period.",
        rate(idle.threshold),
        rate(idle.peak),
        count(idle.observed)
    );
    facts(idle) + &html::sortable(&columns, &rows, "plain") + &html::note(&caption)
}

fn of_observed(minutes: u64, idle: &Idle) -> f64 {
    minutes as f64 / idle.observed.max(1) as f64
}

fn facts(idle: &Idle) -> String {
    html::facts(&[
        ("idle", format!("{} of {} observed minutes", percent(idle_share(idle)), count(idle.observed))),
        (
            "without any traffic",
            format!("{} minutes ({})", count(idle.strict), percent(of_observed(idle.strict, idle))),
        ),
        ("longest idle period", seconds(idle.longest as f64 * MINUTE)),
    ])
}

fn line(row: &IdleRow, idle: &Idle) -> Vec<Cell> {
    let length = match row.high {
        Some(high) if high == row.low => high.to_string(),
        Some(high) => format!("{} – {high}", row.low),
        None => format!("{} and more", row.low),
    };
    vec![
        word(&length),
        number(row.count as f64),
        number(row.minutes as f64),
        share(Some(of_observed(row.minutes, idle))),
    ]
}
