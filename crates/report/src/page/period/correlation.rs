//! The autocorrelation over lag, with the period and its multiples.

use crate::page::draw::frame::{self, COLUMNS, Scale, Unit, line, told_line};
use crate::page::draw::panel::{Panel, Readout};
use crate::page::draw::svg::text;
use crate::period::Periods;
use crate::units::precise_seconds;

const PLOT: f64 = 150.0;
/// Number of periods in view.
const MULTIPLES: f64 = 8.5;

pub fn panel(periods: &Periods) -> Panel {
    let values = &periods.outcome.picture.autocorrelation;
    let across = axis(periods);
    let (top, bottom) = (56.0, 56.0 + PLOT);
    let shown = columns(periods, &across);
    let lowest = shown.iter().map(|column| column.1[0]).fold(0.0, f64::min);
    let up = Scale::linear([(lowest * 1.1).max(-1.0), 1.05], [bottom, top]);
    let alone = match periods.outcome.autocorrelation {
        Some((period, confidence)) => {
            let share = (confidence * 100.0).round();
            format!("by autocorrelation alone: {}, {share} %", precise_seconds(period))
        }
        None if values.is_empty() => "not computed".to_string(),
        None => "no period by autocorrelation alone".to_string(),
    };
    let mut out = frame::heading("Autocorrelation", &alone);
    out += &frame::side_axis(&up, 5, Unit { size: 1.0, name: "" });
    out += &line("axis", [across.places()[0], up.at(0.0)], [across.places()[1], up.at(0.0)]);
    out += &multiples(periods, &across, [top, bottom]);
    out += &curve(&shown, &across, &up);
    let unit = frame::time_unit(across.values()[1]);
    out += &frame::foot_axis(&across, bottom, unit, &format!("lag, {}", unit.name));
    let values = shown.iter().map(|column| column.1[1]).collect();
    Panel {
        content: out,
        height: bottom + 40.0,
        readout: Some(Readout { kind: "correlation", across, values }),
    }
}

fn axis(periods: &Periods) -> Scale {
    let outcome = &periods.outcome;
    let whole = outcome.picture.autocorrelation.len().max(2) as f64 / outcome.sampling_hz.max(1e-12);
    let wanted = outcome.period_s.or(outcome.autocorrelation.map(|(period, _)| period));
    Scale::across([0.0, wanted.map_or(whole / 2.0, |period| (period * MULTIPLES).min(whole))])
}

/// Start, lowest and highest correlation of each column.
fn columns(periods: &Periods, across: &Scale) -> Vec<(f64, [f64; 2])> {
    let (values, hertz) = (&periods.outcome.picture.autocorrelation, periods.outcome.sampling_hz);
    let samples = (across.values()[1] * hertz + 1.0).ceil().clamp(0.0, values.len() as f64) as usize;
    let columns = samples.min(COLUMNS);
    let one = |column: usize| {
        let (begin, end) = (samples * column / columns, samples * (column + 1) / columns);
        let part = values.get(begin..end).unwrap_or(&[]);
        let least = part.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = part.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (begin as f64 / hertz, [least, greatest])
    };
    (0..columns).map(one).collect()
}

fn curve(columns: &[(f64, [f64; 2])], across: &Scale, up: &Scale) -> String {
    let mut path = String::new();
    let mut before = 0.0;
    for &(lag, [least, greatest]) in columns.iter().filter(|column| column.1[0].is_finite()) {
        let x = across.inside(lag);
        // The nearer end first: the line then never crosses a column twice.
        let ends = if f64::abs(before - least) < f64::abs(before - greatest) {
            [least, greatest]
        } else {
            [greatest, least]
        };
        for value in ends.into_iter().take(if greatest - least < 1e-9 { 1 } else { 2 }) {
            let stroke = if path.is_empty() { 'M' } else { 'L' };
            path += &format!("{stroke}{x:.1} {:.1}", up.inside(value));
        }
        before = ends[1];
    }
    if path.is_empty() { path } else { format!("<path class=\"trace\" d=\"{path}\"/>") }
}

/// The period and its multiples; without a period, that of the autocorrelation alone.
fn multiples(periods: &Periods, across: &Scale, [top, bottom]: [f64; 2]) -> String {
    let outcome = &periods.outcome;
    let (class, period) = match (outcome.period_s, outcome.autocorrelation) {
        (Some(period), _) => ("answer", period),
        (None, Some((period, _))) => ("other", period),
        (None, None) => return String::new(),
    };
    if period.is_nan() || period <= 0.0 {
        return String::new();
    }
    // The label of a multiple at the border would be outside.
    let count = (across.values()[1] / period * 0.99).floor().min(MULTIPLES) as usize;
    let mut out = String::new();
    for number in 1..=count {
        let x = across.at(period * number as f64);
        let (words, style) = match number {
            1 => (precise_seconds(period), format!("value {class}")),
            n => (format!("× {n}"), "axis".to_string()),
        };
        let hint = format!("{number} × the period: {}", precise_seconds(period * number as f64));
        out += &told_line(&format!("comb {class}"), [x, top - 6.0], [x, bottom], &hint);
        out += &text(x, top - 10.0, &style, "middle", &words);
    }
    out
}
