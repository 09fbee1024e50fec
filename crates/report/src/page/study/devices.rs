//! Throughput of storage devices over time: figure 6.

use marigraph_analysis::study::{Annotation, Choice, Day, Point, Study, Timeline};

use super::super::html::escape;
use crate::page::draw::frame::{self, Scale};
use crate::page::draw::plot::{self, Key, Plot};
use crate::page::draw::svg::{rect, text};
use crate::page::draw::ticks;
use crate::units::{bytes, count, moment, percent, rate, seconds};

/// Leaves room for two rows of flags and the title of the axis.
const TOP: f64 = 68.0;
const HEIGHT: f64 = 150.0;
/// Distance between the panels of reads and writes.
const BETWEEN: f64 = 40.0;
const DAYS_HEIGHT: f64 = 120.0;
const DAY_S: f64 = 86_400.0;
const MAX_FLAGS: usize = 40;
const MAX_DAYS: usize = 1500;

type Rates = fn(&Point) -> (f64, f64);

pub fn throughput(study: &Study, _: &Choice) -> String {
    let Some(timeline) = &study.timeline else { return String::new() };
    let across = Scale::across([timeline.span_s.0, timeline.span_s.1]);
    curves(timeline, &across) + &flags_told(timeline) + &days(timeline, &across)
}

fn curves(timeline: &Timeline, across: &Scale) -> String {
    let panels: [(&str, &str, Rates, f64); 2] = [
        ("read", "read", |point| point.read, timeline.peak_read),
        ("write", "written", |point| point.written, timeline.peak_written),
    ];
    let mut out = HATCH.to_string();
    let mut bottom = TOP;
    for (at, (class, word, rates, peak)) in panels.into_iter().enumerate() {
        let top = TOP + (HEIGHT + BETWEEN) * at as f64;
        bottom = top + HEIGHT;
        let plot = Plot { across: *across, up: Scale::linear([0.0, peak * 1.04], [bottom, top]) };
        let unit = frame::rate_unit(peak);
        out += &gaps(timeline, &plot);
        out += &plot.side(&ticks::even(&plot.up, 4, unit), &format!("{word}, {}", unit.name));
        out += &curve(timeline, &plot, class, rates);
    }
    out += &flags(timeline, across, bottom);
    out += &hovers(timeline, across, bottom);
    let whole = Plot { across: *across, up: Scale::linear([0.0, 1.0], [bottom, TOP]) };
    out += &whole.foot(&ticks::dates(across.values(), 9), "date (UTC)");
    let keys = [
        ("read", "read, mean"),
        ("read soft", "read, peak minute"),
        ("write", "written, mean"),
        ("write soft", "written, peak minute"),
        ("hatched", "not observed"),
    ];
    let keys: Vec<Key> = keys.iter().map(|(class, name)| (class.to_string(), name.to_string())).collect();
    plot::figure(
        "Throughput of all storage devices over time",
        bottom + 46.0,
        &out,
        &keys,
        &caption(timeline),
    )
}

fn caption(timeline: &Timeline) -> String {
    let span = timeline.span_s.1 - timeline.span_s.0;
    let moved = timeline.read + timeline.written;
    let per_day = |amount: f64| bytes(amount / timeline.observed_s.max(1.0) * DAY_S);
    format!(
        "Sum of all devices by minute; each point covers {}: its mean (dark) and its peak minute (pale). {} minutes were observed, {} of the {} from the first to the last; gaps are not filled. {} read and {} written ({} reads), {} and {} per observed day; peak minutes: {} read, {} written.",
        seconds(timeline.point_s),
        count(timeline.intervals as u64),
        percent(timeline.observed_s / span.max(1.0)),
        seconds(span),
        bytes(timeline.read),
        bytes(timeline.written),
        percent(if moved > 0.0 { timeline.read / moved } else { 0.0 }),
        per_day(timeline.read),
        per_day(timeline.written),
        rate(timeline.peak_read),
        rate(timeline.peak_written)
    )
}

/// The pattern of intervals that were not observed.
const HATCH: &str = "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
                     <line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\"/></pattern></defs>";

fn gaps(timeline: &Timeline, plot: &Plot) -> String {
    let [bottom, top] = plot.up.places();
    let gap = |&(from, to): &(f64, f64)| {
        let (x1, x2) = (plot.across.inside(from), plot.across.inside(to));
        let hint = format!("not observed: {} to {}", moment(from as i64), moment(to as i64));
        rect(x1, top, (x2 - x1).max(1.0), bottom - top, "gap", &hint)
    };
    timeline.gaps.iter().map(gap).collect()
}

/// The highest minute behind the mean, for every interval.
fn curve(timeline: &Timeline, plot: &Plot, class: &str, rates: Rates) -> String {
    let ground = plot.up.places()[0];
    let steps = |of: fn((f64, f64)) -> f64| {
        let step = |point: &Point| {
            let [from, to] =
                [point.start_s, point.start_s + timeline.point_s].map(|at| plot.across.inside(at));
            (from, to.max(from), ground, plot.up.inside(of(rates(point))))
        };
        // An interval without a reading splits the picture.
        let joined = |one: &Point, two: &Point| two.start_s <= one.start_s + timeline.point_s * 1.5;
        let parts = timeline.points.chunk_by(joined);
        parts.map(|part| part.iter().map(step).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let drawn = |class: &str, parts: Vec<Vec<(f64, f64, f64, f64)>>| -> String {
        parts.iter().map(|part| frame::steps(class, part)).collect()
    };
    drawn(&format!("{class} soft"), steps(|(_, most)| most)) + &drawn(class, steps(|(mean, _)| mean))
}

/// Sorted by start.
fn annotations(timeline: &Timeline) -> Vec<&Annotation> {
    let mut all: Vec<&Annotation> = timeline.annotations.iter().collect();
    all.sort_by(|one, two| one.from_s.total_cmp(&two.from_s));
    all
}

fn flags(timeline: &Timeline, across: &Scale, bottom: f64) -> String {
    let mut out = String::new();
    let mut free = [f64::NEG_INFINITY; 2];
    for (at, one) in annotations(timeline).into_iter().take(MAX_FLAGS).enumerate() {
        let (x1, x2) = (across.inside(one.from_s), across.inside(one.to_s));
        let words = (at + 1).to_string();
        let half = 5.0 + 3.5 * words.len() as f64;
        out += &rect(x1, TOP - 4.0, (x2 - x1).max(1.5), bottom - TOP + 4.0, "noted", &one.text);
        // Two rows of flags; where both are taken, the colour and the list must suffice.
        let Some(row) = free.iter().position(|&free| x1 - half >= free) else { continue };
        free[row] = x1 + half;
        let y = TOP - 42.0 - 18.0 * row as f64;
        out += &frame::line("flag", [x1, y + 14.0], [x1, TOP - 4.0]);
        out += &rect(x1 - half, y, 2.0 * half, 14.0, "flag", &one.text);
        out += &text(x1, y + 11.0, "flag", "middle", &words);
    }
    out
}

fn flags_told(timeline: &Timeline) -> String {
    if timeline.annotations.is_empty() {
        return String::new();
    }
    let line = |one: &Annotation| {
        let [from, to] = [one.from_s, one.to_s].map(|at| moment(at as i64));
        format!("<li>{} <small>{} to {}</small></li>", escape(&one.text), escape(&from), escape(&to))
    };
    format!("<ol class=\"flags\">{}</ol>\n", annotations(timeline).into_iter().map(line).collect::<String>())
}

fn told(day: &Day) -> String {
    format!(
        "{}: {} read, {} written; {} of the day observed; mean {} and {}",
        ticks::day(day.start_s),
        bytes(day.read),
        bytes(day.written),
        percent((day.observed_s / DAY_S).min(1.0)),
        rate(day.read / day.observed_s.max(1.0)),
        rate(day.written / day.observed_s.max(1.0))
    )
}

/// Invisible rectangles with tooltips, one per day.
fn hovers(timeline: &Timeline, across: &Scale, bottom: f64) -> String {
    let hover = |day: &Day| {
        let (x1, x2) = (across.inside(day.start_s), across.inside(day.start_s + DAY_S));
        rect(x1, TOP, x2 - x1, bottom - TOP, "hover", &told(day))
    };
    timeline.days.iter().take(MAX_DAYS).map(hover).collect()
}

fn days(timeline: &Timeline, across: &Scale) -> String {
    let most = timeline.days.iter().map(|day| day.read + day.written).fold(0.0, f64::max);
    let (top, bottom) = (44.0, 44.0 + DAYS_HEIGHT);
    let plot = Plot { across: *across, up: Scale::linear([0.0, most * 1.04], [bottom, top]) };
    let unit = ticks::byte_unit(most);
    let mut out = plot::title(0.0, "Bytes per day");
    out += &plot.side(&ticks::even(&plot.up, 4, unit), unit.name);
    for day in &timeline.days {
        let (x1, x2) = (across.inside(day.start_s), across.inside(day.start_s + DAY_S));
        let width = (0.86 * (x2 - x1)).max(0.4);
        let (middle, high) = (plot.up.inside(day.written), plot.up.inside(day.written + day.read));
        // A day that was mostly not observed is pale.
        let pale = if day.observed_s < 0.9 * DAY_S { " pale" } else { "" };
        out += &rect(x1, middle, width, bottom - middle, &format!("write{pale}"), &told(day));
        out += &rect(x1, high, width, middle - high, &format!("read{pale}"), &told(day));
    }
    out += &plot.foot(&ticks::dates(across.values(), 9), "day (UTC)");
    let keys: Vec<Key> = vec![("read".into(), "read".into()), ("write".into(), "written".into())];
    let caption = "Reads on top of writes. Days observed for less than 90 % are pale and lack the rest.";
    plot::figure("Bytes per day", bottom + 46.0, &out, &keys, caption)
}
