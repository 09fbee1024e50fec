//! The power spectrum around the frequencies that matter, with the candidates in it.

use marigraph_analysis::period::Candidate;

use super::super::html::escape;
use super::super::svg::text;
use super::Panel;
use super::frame::{self, COLUMNS, Scale, Unit, line};
use crate::period::Periods;
use crate::units::{percent, precise_seconds};

const PLOT: f64 = 170.0;
/// Candidates that are drawn.
const MOST_CANDIDATES: usize = 6;
/// Height of a row of labels, and width of a letter in it.
const LANE: f64 = 17.0;
const LETTER: f64 = 6.4;
/// Room on both sides of what matters: this many times its frequency.
const ROOM: f64 = 6.0;
/// Candidates further apart than this are only seen together on an axis by powers.
const WIDE: f64 = 12.0;

/// The panel.
pub fn panel(periods: &Periods) -> Panel {
    let across = axis(periods);
    let heights = heights(periods, &across);
    let candidates = shown(periods, &across);
    let lanes = lanes(periods, &candidates, &across);
    let top = 46.0 + lanes.iter().map(|lane| lane + 1).max().unwrap_or(0) as f64 * LANE;
    let bottom = top + PLOT;
    let powers = candidates.iter().map(|candidate| candidate.power);
    let highest = heights.iter().copied().chain(powers).fold(0.0, f64::max);
    let up = Scale::linear([0.0, if highest > 0.0 { highest * 1.06 } else { 1.0 }], [bottom, top]);
    let mut out = frame::heading("Power spectrum", "dots: candidates, with confidence and z-score");
    out += &frame::side_axis(&up, 4, Unit { size: 0.01, name: "% of power" });
    out += &curve(&heights, &across, &up);
    for (candidate, lane) in candidates.iter().zip(&lanes) {
        out += &mark(periods, candidate, *lane, &across, &up);
    }
    out += &foot(&across, bottom);
    Panel { content: out, height: bottom + 42.0 }
}

fn frequencies(periods: &Periods) -> Vec<f64> {
    let candidates = periods.credible().take(MOST_CANDIDATES).map(|found| found.period_s);
    let all = candidates.chain(periods.outcome.period_s).chain(periods.outcome.autocorrelation.map(|a| a.0));
    all.filter(|period| period.is_finite() && *period > 0.0).map(|period| 1.0 / period).collect()
}

/// Hertz from one value of the spectrum to the next.
fn width(periods: &Periods) -> f64 {
    let outcome = &periods.outcome;
    let width = outcome.sampling_hz / outcome.samples.max(1) as f64;
    if width.is_finite() && width > 0.0 { width } else { 1.0 }
}

/// An even axis if all that matters can be told apart on it, else one by powers of ten.
fn axis(periods: &Periods) -> Scale {
    let width = width(periods);
    let last = width * (periods.outcome.picture.spectrum.len().max(2) as f64 + 0.5);
    let wanted = frequencies(periods);
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

/// The greatest share of power in each column.
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

/// Candidates in view, by frequency.
fn shown<'a>(periods: &'a Periods, across: &Scale) -> Vec<&'a Candidate> {
    let mut shown: Vec<&Candidate> = periods
        .credible()
        .take(MOST_CANDIDATES)
        .filter(|candidate| across.holds(1.0 / candidate.period_s))
        .collect();
    shown.sort_by(|a, b| b.period_s.total_cmp(&a.period_s));
    shown
}

fn words(periods: &Periods, candidate: &Candidate) -> String {
    let (period, sure) = (precise_seconds(candidate.period_s), periods.sure(candidate.confidence));
    format!("{period} · {sure} · z {:.1}", candidate.z)
}

/// The row of each candidate's label, from the plot upwards. Labels stand to the right of their lines,
/// so a label must be higher than every line that it passes over: then none is crossed.
fn lanes(periods: &Periods, candidates: &[&Candidate], across: &Scale) -> Vec<usize> {
    let places: Vec<f64> = candidates.iter().map(|candidate| across.at(1.0 / candidate.period_s)).collect();
    let mut lanes = vec![0; candidates.len()];
    for at in (0..candidates.len()).rev() {
        let end = places[at] + LETTER * words(periods, candidates[at]).chars().count() as f64 + 16.0;
        let below = (at + 1..candidates.len()).filter(|&other| places[other] < end);
        lanes[at] = below.map(|other| lanes[other] + 1).max().unwrap_or(0);
    }
    lanes
}

/// A dot at the candidate's power, a line up to its label.
fn mark(periods: &Periods, candidate: &Candidate, lane: usize, across: &Scale, up: &Scale) -> String {
    let class = if periods.is_answer(candidate) { "answer" } else { "other" };
    let (x, y) = (across.at(1.0 / candidate.period_s), up.inside(candidate.power));
    let base = up.inside(f64::MAX) - 12.0 - lane as f64 * LANE;
    let mut out = line(&format!("leader {class}"), [x, y], [x, base - 9.0]);
    out += &text(x + 5.0, base, &format!("value {class}"), "start", &words(periods, candidate));
    let hint = format!(
        "{}: confidence {}, {} of the power, z {:.1}",
        precise_seconds(candidate.period_s),
        periods.sure(candidate.confidence),
        percent(candidate.power),
        candidate.z
    );
    out + &format!(
        "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"><title>{}</title></circle>",
        escape(&hint)
    )
}

/// Frequencies, and below them the periods that they are.
fn foot(across: &Scale, y: f64) -> String {
    let unit = frame::frequency_unit(across.values()[1]);
    let mut out = frame::foot_axis(across, y, unit, "");
    let [from, to] = across.places();
    out += &text(from - 10.0, y + 18.0, "axis", "end", unit.name);
    out += &text(from - 10.0, y + 34.0, "axis", "end", "period");
    let mut end = from - 30.0;
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
