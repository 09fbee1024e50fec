//! The signal over time, with phases and period.

use marigraph_analysis::period::{Phase, Segment};

use super::comb;
use crate::page::draw::columns::{Series, filled, highest};
use crate::page::draw::frame::{self, COLUMNS, Scale, line, told_line};
use crate::page::draw::panel::{Panel, Readout};
use crate::page::draw::svg::{rect, text};
use crate::period::Periods;
use crate::units::{bytes, precise_seconds, rate, seconds};

/// Height of the plot and of the strips below it.
const PLOT: f64 = 190.0;
const STRIP: f64 = 15.0;
/// Maximum number of phases, and of teeth, that a panel can distinguish.
const MAX_MARKS: usize = 400;
/// Maximum number of teeth drawn through the plot.
const MAX_LINES: usize = 60;
const MAX_LABELS: usize = 40;

pub fn panel(periods: &Periods, view: [f64; 2], title: &str, aside: &str) -> Panel {
    let across = Scale::across(view);
    let segments = segments(periods, &across);
    let top = if segments.is_empty() { 44.0 } else { 66.0 };
    let bottom = top + PLOT;
    let outcome = &periods.outcome;
    let [begin, end] = outcome.window_s;
    let series = Series { values: &outcome.picture.signal, hertz: outcome.sampling_hz, origin_s: begin };
    let columns = series.columns(view, COLUMNS);
    let highest = highest(&columns);
    let up = Scale::linear([0.0, highest * 1.06], [bottom, top]);
    let foot = bottom + 2.0 * STRIP + 10.0;
    let unit = frame::part_unit(view[1] - view[0], end - begin);
    let mut out = frame::heading(title, aside) + &segments;
    out += &bands(periods, &across, [top, bottom]);
    out += &frame::side_axis(&up, 5, frame::rate_unit(highest));
    out += &filled(&columns, &across, &up);
    if highest <= 0.0 {
        let [left, right] = across.places();
        out +=
            &text((left + right) / 2.0, (top + bottom) / 2.0, "value", "middle", "no bytes in this window");
    }
    out += &strips(periods, &across, [top, bottom]);
    out += &frame::foot_axis(&across, foot, unit, &format!("{} since the job's start", unit.name));
    let values = columns.iter().map(|column| column.1[1]).collect();
    Panel { content: out, height: foot + 40.0, readout: Some(Readout { kind: "rate", across, values }) }
}

fn bands(periods: &Periods, across: &Scale, [top, bottom]: [f64; 2]) -> String {
    let shown = in_view(periods, across);
    if shown.len() > MAX_MARKS {
        return String::new();
    }
    let band = |(number, phase): &(usize, &Phase)| {
        let (from, to) = (across.inside(phase.start_s), across.inside(phase.end_s));
        rect(from, top, (to - from).max(1.0), bottom - top, "band", &told(*number, phase))
    };
    shown.iter().map(band).collect()
}

fn told(number: usize, phase: &Phase) -> String {
    let length = phase.end_s - phase.start_s;
    let speed = if length > 0.0 { format!(" at {}", rate(phase.bytes / length)) } else { String::new() };
    format!(
        "phase {}: from {} to {}, {}{speed}",
        number + 1,
        precise_seconds(phase.start_s),
        precise_seconds(phase.end_s),
        bytes(phase.bytes)
    )
}

fn in_view<'a>(periods: &'a Periods, across: &Scale) -> Vec<(usize, &'a Phase)> {
    let [from, to] = across.values();
    let shown = |(_, phase): &(usize, &Phase)| phase.end_s >= from && phase.start_s <= to;
    periods.outcome.phases.iter().enumerate().filter(shown).collect()
}

/// Strips below the plot: the phases as found, and the regular period.
fn strips(periods: &Periods, across: &Scale, [top, bottom]: [f64; 2]) -> String {
    let label = |row: f64, words: &str| {
        text(across.places()[0] - 10.0, bottom + row * STRIP + 4.0, "axis", "end", words)
    };
    let mut out = label(1.0, "phases") + &label(2.0, "period");
    let phases = in_view(periods, across);
    let too_many = |count: usize, what: &str| {
        format!("{} {what} in view: too many to show", crate::units::count(count as u64))
    };
    if phases.is_empty() {
        out += &note(across, bottom + STRIP + 4.0, "none");
    } else if phases.len() > MAX_MARKS {
        out += &note(across, bottom + STRIP + 4.0, &too_many(phases.len(), "phases"));
    } else {
        for (number, phase) in &phases {
            let (from, to) = (across.inside(phase.start_s), across.inside(phase.end_s));
            out += &rect(from, bottom + 11.0, (to - from).max(1.2), 9.0, "phase", &told(*number, phase));
        }
    }
    let teeth: Vec<f64> = comb::teeth(&periods.outcome, across.values(), 4 * MAX_MARKS);
    if teeth.is_empty() {
        return out + &note(across, bottom + 2.0 * STRIP + 4.0, "none");
    }
    if teeth.len() > MAX_MARKS {
        out += &note(across, bottom + 2.0 * STRIP + 4.0, &too_many(teeth.len(), "periods"));
        return out;
    }
    for &tooth in &teeth {
        let x = across.at(tooth);
        out += &told_line(
            "tooth",
            [x, bottom + STRIP + 9.0],
            [x, bottom + 2.0 * STRIP + 7.0],
            &format!("by the period: {}", precise_seconds(tooth)),
        );
        if teeth.len() <= MAX_LINES {
            out += &line("comb", [x, top], [x, bottom + STRIP + 9.0]);
        }
    }
    out
}

fn note(across: &Scale, y: f64, words: &str) -> String {
    text(across.places()[0] + 4.0, y, "axis", "start", words)
}

/// Segments of different behaviour, above the plot; empty if there is only one.
fn segments(periods: &Periods, across: &Scale) -> String {
    let all = &periods.outcome.segments;
    if all.len() < 2 {
        return String::new();
    }
    let [view_from, view_to] = across.values();
    let shown = all.iter().filter(|segment| segment.to_s > view_from && segment.from_s < view_to);
    shown.take(MAX_LABELS).map(|segment| stretch(periods, segment, across)).collect()
}

fn stretch(periods: &Periods, segment: &Segment, across: &Scale) -> String {
    let (from, to) = (across.inside(segment.from_s) + 1.0, across.inside(segment.to_s) - 1.0);
    let words = segment.period_s.map_or("no period".to_string(), precise_seconds);
    let certainty =
        segment.period_s.map_or(String::new(), |_| format!(", {}", periods.sure(segment.confidence)));
    let hint = format!("{} to {}: {words}{certainty}", seconds(segment.from_s), seconds(segment.to_s));
    let mut out = rect(from, 44.0, (to - from).max(1.0), 4.0, "stretch", &hint);
    // A label that does not fit would run into the next one; the tooltip still has it.
    if words.chars().count() as f64 * 6.6 < to - from {
        out += &text((from + to) / 2.0, 38.0, "value", "middle", &words);
    }
    out
}
