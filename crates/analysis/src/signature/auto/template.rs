//! The model of an application: gaps and bursts in turn.

use super::curve::Curve;
use crate::quantile;

/// One burst and the gap before it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// Seconds from the end of the previous burst, or from the start of the run.
    pub gap_s: f64,
    /// Without other jobs.
    pub length_s: f64,
    pub bytes: f64,
}

/// The bursts in order of time.
pub type Template = Vec<Phase>;

/// Traffic below this share of the common height is not a burst.
const PART: f64 = 0.2;
/// Longest gap within one burst.
const BRIDGE_S: f64 = 5.0;
/// Share of runs that may lack traffic at a moment that counts as common.
const LOW: f64 = 0.3;
/// How far runs may drift apart: a share of the time since their start, and seconds.
pub const DRIFT: (f64, f64) = (0.03, 6.0);

pub fn common_height(curves: &[Curve]) -> f64 {
    let shortest = curves.iter().map(|curve| curve.duration_s).fold(f64::INFINITY, f64::min);
    let step = 4.0f64.max(curves.first().map_or(4.0, |curve| curve.interval_s));
    let widened: Vec<Vec<f64>> = curves.iter().map(|curve| widened(curve, step, shortest)).collect();
    let len = widened.iter().map(Vec::len).min().unwrap_or(0);
    let common = |at: usize| {
        let mut heights: Vec<f64> = widened.iter().map(|heights| heights[at]).collect();
        quantile::between(&mut heights, LOW)
    };
    (0..len).map(common).fold(0.0, f64::max)
}

fn widened(curve: &Curve, step: f64, until: f64) -> Vec<f64> {
    // Takes two intervals together: a spike of one interval is not a burst.
    let pairs: Vec<f64> = curve.rates.windows(2).map(|pair| pair[0].min(pair[1])).collect();
    let highest = |second: f64| {
        let reach = DRIFT.0 * second + DRIFT.1;
        let (from, to) = (curve.interval((second - reach).max(0.0)), curve.interval(second + reach));
        let around = pairs.get(from..to.saturating_sub(1).max(from)).unwrap_or(&[]);
        around.iter().fold(0.0, |most: f64, &pair| if pair > most { pair } else { most })
    };
    (0..(until / step).max(0.0) as usize).map(|at| highest(at as f64 * step)).collect()
}

/// Returns the bursts of one run; some may belong to other jobs.
pub fn of_run(curve: &Curve, height: f64) -> Template {
    let threshold = PART * height;
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let bridge = (BRIDGE_S / curve.interval_s) as usize;
    for at in (0..curve.len()).filter(|&at| curve.rates[at] > threshold) {
        match spans.last_mut().filter(|span| at - span.1 <= bridge) {
            Some(span) => span.1 = at + 1,
            None => spans.push((at, at + 1)),
        }
    }
    let mut template = Template::new();
    let mut before = 0.0;
    for (from, to) in spans {
        let (start, end) = (curve.second(from).max(0.0), curve.second(to).min(curve.duration_s));
        let bytes = curve.bytes_until(end) - curve.bytes_until(start);
        // A short spike holds too few bytes to rely on.
        if end > start && bytes > height * 2.0 {
            template.push(Phase { gap_s: start - before, length_s: end - start, bytes });
            before = end;
        }
    }
    template
}

/// Removes a burst; later ones keep their times.
pub fn without(template: &mut Template, at: usize) {
    let phase = template.remove(at);
    if let Some(next) = template.get_mut(at) {
        next.gap_s += phase.gap_s + phase.length_s;
    }
}

/// Merges bursts with short gaps between them: other jobs made one look like two. Returns whether
/// there were any.
pub fn join_close(template: &mut Template) -> bool {
    let before = template.len();
    template.dedup_by(|next, one| {
        let close = next.gap_s < BRIDGE_S;
        if close {
            one.length_s += next.gap_s + next.length_s;
            one.bytes += next.bytes;
        }
        close
    });
    template.len() < before
}
