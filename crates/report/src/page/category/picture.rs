//! The evidence of categories on one time axis: operations before and after merging, segments,
//! quarters, and metadata requests.

use marigraph_analysis::category::{Categories, Direction, Operation, Thresholds};

use super::super::html::escape;
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::svg::{rect, text};
use crate::units::{bytes, percent, seconds};

/// Heights of a lane, of the quarters' bars, and of the curve of requests.
const LANE: f64 = 16.0;
const BARS: f64 = 64.0;
const CURVE: f64 = 80.0;
const STEP: f64 = 24.0;

pub fn figure(categories: &Categories) -> String {
    let across = Scale::across([0.0, categories.runtime_s]);
    let mut y = 0.0;
    let mut content = String::new();
    for (name, class, direction) in
        [("Reads", "read", &categories.read), ("Writes", "write", &categories.write)]
    {
        if direction.bytes > 0 {
            content += &format!(
                "<g transform=\"translate(0 {y:.1})\">{}</g>\n",
                panel(name, class, direction, &across)
            );
            y += 3.0 * STEP + BARS + 60.0;
        }
    }
    content += &format!("<g transform=\"translate(0 {y:.1})\">{}</g>\n", requests(categories, &across));
    let height = y + CURVE + 84.0;
    format!(
        "<figure class=\"chart wide\"><svg viewBox=\"0 0 {:.0} {height:.0}\" role=\"img\" aria-label=\"{}\">{content}</svg></figure>\n",
        frame::WIDTH,
        escape(
            "Operations before and after merging, segments, quarters of the run, and metadata requests over time"
        ),
    )
}

fn panel(name: &str, class: &str, direction: &Direction, across: &Scale) -> String {
    let aside = format!("{} in all", bytes(direction.bytes as f64));
    let mut out = frame::heading(name, &aside);
    let lanes = [("all", &direction.operations), ("merged", &direction.merged)];
    for (at, (label, operations)) in lanes.into_iter().enumerate() {
        let y = 26.0 + STEP * at as f64;
        out += &lane_label(label, y, across);
        out += &boxes(operations, y, class, across);
    }
    let y = 26.0 + 2.0 * STEP;
    out += &lane_label("segments", y, across);
    for (at, segment) in direction.segments.iter().enumerate() {
        let hint = format!(
            "{} from {}, {}{}",
            seconds(segment.duration_s),
            seconds(segment.start_s),
            bytes(segment.bytes as f64),
            if segment.activity.is_some() { ", periodic" } else { "" }
        );
        let (from, to) =
            (across.inside(segment.start_s), across.inside(segment.start_s + segment.duration_s));
        // Neighbours alternate between two heights, so that their borders are visible.
        let lift = if at % 2 == 0 { 0.0 } else { LANE / 2.0 };
        let class = if segment.activity.is_some() { "phase" } else { "none" };
        out += &rect(from, y + lift, (to - from).max(1.0), LANE / 2.0, class, &hint);
    }
    out + &quarters(direction, class, 26.0 + 3.0 * STEP + 16.0, across)
}

fn lane_label(label: &str, y: f64, across: &Scale) -> String {
    text(across.places()[0] - 10.0, y + 12.0, "axis", "end", label)
}

/// Operations as boxes; neighbours too close to distinguish share one.
fn boxes(operations: &[Operation], y: f64, class: &str, across: &Scale) -> String {
    let mut drawn: Vec<(f64, f64, u64, u64)> = Vec::new();
    for operation in operations {
        let (from, to) = (
            across.inside(operation.start_s),
            across.inside(operation.end_s).max(across.inside(operation.start_s) + 1.0),
        );
        match drawn.last_mut() {
            Some(last) if from <= last.1 + 0.3 => {
                *last = (last.0, last.1.max(to), last.2 + 1, last.3.saturating_add(operation.bytes));
            }
            _ => drawn.push((from, to, 1, operation.bytes)),
        }
    }
    let shown = |&(from, to, count, all): &(f64, f64, u64, u64)| {
        let hint =
            if count == 1 { bytes(all as f64) } else { format!("{count} operations, {}", bytes(all as f64)) };
        rect(from, y, to - from, LANE, class, &hint)
    };
    drawn.iter().map(shown).collect()
}

fn quarters(direction: &Direction, class: &str, y: f64, across: &Scale) -> String {
    let total: f64 = direction.chunks.iter().sum();
    let most = direction.chunks.iter().fold(f64::MIN_POSITIVE, |most, &bytes| most.max(bytes));
    let [left, right] = across.places();
    let width = (right - left) / 4.0;
    let mut out = lane_label("quarters", y + BARS - LANE, across);
    for (at, &moved) in direction.chunks.iter().enumerate() {
        let (x, height) = (left + width * at as f64, BARS * (moved / most).clamp(0.0, 1.0));
        let share = percent(if total > 0.0 { moved / total } else { 0.0 });
        let height = if moved > 0.0 { height.max(1.0) } else { 0.0 };
        out += &rect(
            x + 2.0,
            y + BARS - height,
            width - 4.0,
            height,
            class,
            &format!("quarter {}: {}", at + 1, bytes(moved)),
        );
        let label = format!("{} ({share})", bytes(moved));
        out += &text(x + width / 2.0, y + BARS - height - 5.0, "value", "middle", &label);
    }
    out + &frame::line("axis", [left, y + BARS], [right, y + BARS])
}

fn requests(categories: &Categories, across: &Scale) -> String {
    let metadata = &categories.metadata;
    let aside = if metadata.known {
        format!("{:.0} in the busiest second", metadata.peak_per_s)
    } else {
        "not in this log".to_string()
    };
    let mut out = frame::heading("Metadata requests per second", &aside);
    let thresholds = Thresholds::default();
    let (top, foot) = (34.0, 34.0 + CURVE);
    let up = Scale::linear([0.0, metadata.peak_per_s.max(10.0) * 1.05], [foot, top]);
    let mut last = 0.0;
    for value in up.ticks(4, 1.0) {
        out += &frame::line("grid", [across.places()[0], up.at(value)], [across.places()[1], up.at(value)]);
        out += &text(across.places()[0] - 10.0, up.at(value) + 4.0, "axis", "end", &frame::short(value, 1.0));
    }
    let mut columns = Vec::new();
    for &(from, to, per_s) in &metadata.picture {
        if from > last {
            columns.push((across.inside(last), across.inside(from), foot, foot));
        }
        columns.push((
            across.inside(from),
            across.inside(to).max(across.inside(from) + 1.0),
            foot,
            up.inside(per_s),
        ));
        last = to;
    }
    out += &frame::steps("meta", &columns);
    for (cut, words) in
        [(thresholds.spike_requests, "a spike"), (thresholds.high_spike_requests, "a high spike")]
    {
        if up.holds(cut) {
            let places = across.places();
            out += &frame::told_line("comb", [places[0], up.at(cut)], [places[1], up.at(cut)], words);
        }
    }
    out + &frame::foot_axis(
        across,
        foot,
        frame::time_unit(categories.runtime_s),
        "time since the start of the job",
    )
}
