//! The power spectrum around the candidates.

use super::marks::{self, Mark};
use crate::page::draw::frame::{self, COLUMNS, Scale, Unit};
use crate::page::draw::panel::{Panel, Readout};
use crate::page::draw::svg::text;
use crate::period::Periods;

const PLOT: f64 = 170.0;
/// The axis extends beyond the marks by this factor.
const ROOM: f64 = 6.0;
/// Frequency ratio above which the axis is logarithmic.
const WIDE: f64 = 12.0;

pub fn panel(periods: &Periods) -> Panel {
    let marks = marks::of(periods, width(periods));
    let across = axis(periods, &marks);
    let heights = heights(periods, &across);
    let marks: Vec<Mark> = marks.into_iter().filter(|mark| across.holds(mark.frequency)).collect();
    let lanes = marks::lanes(&marks, &across);
    let top = 46.0 + lanes.iter().map(|lane| lane + 1).max().unwrap_or(0) as f64 * marks::LANE;
    let bottom = top + PLOT;
    let powers = marks.iter().map(|mark| mark.power);
    let highest = heights.iter().copied().chain(powers).fold(0.0, f64::max);
    let up = Scale::linear([0.0, if highest > 0.0 { highest * 1.06 } else { 1.0 }], [bottom, top]);
    let mut out = frame::heading("Power spectrum", "dots: candidates, with confidence and z-score");
    out += &frame::side_axis(&up, 4, Unit { size: 0.01, name: "% of power" });
    out += &curve(&heights, &across, &up);
    out += &marks.iter().zip(lanes).map(|(mark, lane)| mark.draw(lane, &across, &up)).collect::<String>();
    out += &foot(&across, bottom);
    Panel {
        content: out,
        height: bottom + 42.0,
        readout: Some(Readout { kind: "power", across, values: heights }),
    }
}

/// Frequency resolution in hertz.
fn width(periods: &Periods) -> f64 {
    let outcome = &periods.outcome;
    let width = outcome.sampling_hz / outcome.samples.max(1) as f64;
    if width.is_finite() && width > 0.0 { width } else { 1.0 }
}

/// A linear axis if all marks can be distinguished on it, else a logarithmic one.
fn axis(periods: &Periods, marks: &[Mark]) -> Scale {
    let width = width(periods);
    let last = width * (periods.outcome.picture.spectrum.len().max(2) as f64 + 0.5);
    // Frequencies above the Nyquist limit are not in the spectrum.
    let wanted: Vec<f64> = marks.iter().map(|mark| mark.frequency).filter(|each| *each <= last).collect();
    let low = wanted.iter().copied().fold(f64::INFINITY, f64::min);
    let high = wanted.iter().copied().fold(0.0, f64::max);
    if wanted.is_empty() {
        return Scale::across_powers([width * 0.5, last]);
    }
    // The label of the last candidate stands to its right.
    let far = (high * ROOM).min(last).max(high * 1.25);
    if high / low <= WIDE {
        return Scale::across([0.0, far]);
    }
    let near = (low / ROOM).max(width * 0.5).min(low * 0.8);
    Scale::across_powers([near, far.max(high * (high / near).powf(0.2))])
}

fn heights(periods: &Periods, across: &Scale) -> Vec<f64> {
    let width = width(periods);
    let [from, to] = across.places();
    let mut heights = vec![0.0f64; COLUMNS];
    let column = |frequency: f64| (across.at(frequency) - from) / (to - from) * COLUMNS as f64;
    for (at, &power) in periods.outcome.picture.spectrum.iter().enumerate() {
        let middle = (at + 1) as f64 * width;
        if middle - width / 2.0 > across.values()[1] {
            break;
        }
        let (first, last) = (column(middle - width / 2.0).max(0.0), column(middle + width / 2.0));
        if last < 0.0 {
            continue;
        }
        let (first, last) = (first as usize, (last.ceil() as usize).min(COLUMNS));
        heights.iter_mut().take(last).skip(first).for_each(|height| *height = height.max(power));
    }
    heights
}

fn curve(heights: &[f64], across: &Scale, up: &Scale) -> String {
    let [from, to] = across.places();
    let x = |column: usize| from + (to - from) * column as f64 / heights.len() as f64;
    let step = |(at, &height): (usize, &f64)| (x(at), x(at + 1), up.at(0.0), up.at(height));
    frame::steps("curve", &heights.iter().enumerate().map(step).collect::<Vec<_>>())
}

fn foot(across: &Scale, y: f64) -> String {
    let unit = frame::frequency_unit(across.values()[1]);
    let mut out = frame::foot_axis(across, y, unit, "");
    let [from, to] = across.places();
    out += &text(from - 10.0, y + 18.0, "axis", "end", unit.name);
    out += &text(from - 10.0, y + 34.0, "axis", "end", "period");
    let mut end = from - 12.0;
    for frequency in across.ticks(12, unit.size).into_iter().filter(|frequency| *frequency > 0.0) {
        let period = crate::units::seconds(1.0 / frequency);
        let half = period.chars().count() as f64 * 3.2;
        let x = across.at(frequency);
        if x - half > end + 8.0 && x + half < to + 20.0 {
            out += &text(x, y + 34.0, "axis", "middle", &period);
            end = x + half;
        }
    }
    out
}
