//! The waves of the dominant frequencies over the signal, and their sum (figures 2, 13 and 14 of
//! Tarraf et al., IPDPS 2024).

use marigraph_analysis::period::Method;
use marigraph_analysis::period::spectrum::{Wave, wave};

use super::CLOSE;
use crate::page::draw::columns::{Series, filled, highest};
use crate::page::draw::frame::{self, COLUMNS, Scale};
use crate::page::draw::panel::Panel;
use crate::page::html::escape;
use crate::period::Periods;
use crate::units::{precise_seconds, rate};

const TOP: f64 = 44.0;
const PLOT: f64 = 190.0;
/// As many as the paper's figure 13 has.
const MAX_WAVES: usize = 3;
/// Columns that a turn of a wave needs, so that it is seen as one.
const PER_TURN: f64 = 8.0;

/// `None` for our own method, and without candidates.
pub fn panel(periods: &Periods) -> Option<Panel> {
    let outcome = &periods.outcome;
    let Method::Dft { .. } = periods.method else { return None };
    let samples = &outcome.picture.signal;
    let length_s = samples.len() as f64 / outcome.sampling_hz;
    let from_spectrum = outcome.candidates.iter().filter(|candidate| candidate.power > 0.0).take(MAX_WAVES);
    let waves: Vec<(f64, Wave)> = from_spectrum
        .map(|candidate| {
            (candidate.period_s, wave(samples, (length_s / candidate.period_s).round() as usize))
        })
        .collect();
    let shortest_s = waves.iter().map(|(period_s, _)| *period_s).reduce(f64::min)?;
    let view = view(outcome.window_s, shortest_s);
    let mean = samples.iter().sum::<f64>() / samples.len().max(1) as f64;
    let value = |wave: &Wave, moment_s: f64| {
        wave.at((moment_s - outcome.window_s[0]) * outcome.sampling_hz / samples.len() as f64)
    };
    let sum = |moment_s: f64| mean + waves.iter().map(|(_, wave)| value(wave, moment_s)).sum::<f64>();
    let columns = Series { values: samples, hertz: outcome.sampling_hz, origin_s: outcome.window_s[0] }
        .columns(view, COLUMNS);
    let reach: f64 = waves.iter().map(|(_, wave)| wave.amplitude).sum();
    let across = Scale::across(view);
    let top = highest(&columns).max(mean + reach);
    let up = Scale::linear([(mean - reach).min(0.0), top * 1.06], [TOP + PLOT, TOP]);
    let mut out =
        frame::heading("Dominant waves", "each over the mean rate; with several, their sum is thick");
    out += &frame::side_axis(&up, 5, frame::rate_unit(top));
    out += &format!("<g class=\"pale\">{}</g>", filled(&columns, &across, &up));
    for (at, (period_s, wave)) in waves.iter().enumerate() {
        let hint = format!("period {}, amplitude {}", precise_seconds(*period_s), rate(wave.amplitude));
        out += &curve(&format!("wave n{at}"), &across, &up, &hint, &|moment_s| mean + value(wave, moment_s));
    }
    if waves.len() > 1 {
        out += &curve("wave sum", &across, &up, "their sum", &sum);
    }
    let unit = frame::part_unit(view[1] - view[0], outcome.window_s[1] - outcome.window_s[0]);
    let foot = TOP + PLOT + 10.0;
    out += &frame::foot_axis(&across, foot, unit, &format!("{} since the job's start", unit.name));
    Some(Panel { content: out, height: foot + 40.0, readout: None })
}

/// The whole window, or some periods from its middle if there are too many to be seen.
fn view([from, to]: [f64; 2], shortest_s: f64) -> [f64; 2] {
    if (to - from) / shortest_s * PER_TURN <= COLUMNS as f64 {
        return [from, to];
    }
    let middle = (from + to) / 2.0;
    [middle - shortest_s * CLOSE / 2.0, middle + shortest_s * CLOSE / 2.0]
}

fn curve(class: &str, across: &Scale, up: &Scale, hint: &str, value: &dyn Fn(f64) -> f64) -> String {
    let [from, to] = across.values();
    let moment = |column: usize| from + (to - from) * column as f64 / COLUMNS as f64;
    let point = |column: usize| {
        let moment_s = moment(column);
        format!("{:.1} {:.1}", across.at(moment_s), up.inside(value(moment_s)))
    };
    let points: Vec<String> = (0..=COLUMNS).map(point).collect();
    format!("<path class=\"{class}\" d=\"M{}\"><title>{}</title></path>", points.join("L"), escape(hint))
}
