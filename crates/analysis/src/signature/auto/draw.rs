//! Draws a signature second by second.

use super::estimate::Runs;
use super::template::{Phase, Template};
use crate::quantile;

/// Samples per second of a burst's shape.
const STEPS: f64 = 4.0;
const MARGIN_S: f64 = 4.0;
/// Quantile over runs of the traffic at the same moment of a burst.
const LOW: f64 = 0.4;

/// Returns the bytes per second in each second; the run ends `after_s` after the last burst.
pub fn draw(runs: &Runs<'_>, template: &Template, after_s: f64) -> Vec<f64> {
    let ends: f64 = template.iter().map(|phase| phase.gap_s + phase.length_s).sum();
    let mut rates = vec![0.0; (ends + after_s).round().max(0.0) as usize];
    let mut start = 0.0;
    for (at, phase) in template.iter().enumerate() {
        start += phase.gap_s;
        let shape = shape(runs, at, phase);
        let sum: f64 = shape.iter().sum();
        for (step, height) in shape.iter().enumerate() {
            let second = start - MARGIN_S + (step as f64 + 0.5) / STEPS;
            if second >= 0.0
                && sum > 0.0
                && let Some(rate) = rates.get_mut(second as usize)
            {
                *rate += height / sum * phase.bytes;
            }
        }
        start += phase.length_s;
    }
    rates
}

/// Returns the shape of a burst: a low quantile over runs, each scaled to the burst's length.
fn shape(runs: &Runs<'_>, at: usize, phase: &Phase) -> Vec<f64> {
    let steps = ((phase.length_s + 2.0 * MARGIN_S) * STEPS).ceil() as usize;
    let spread = |run: usize| -> Option<Vec<f64>> {
        let (curve, seen) = (runs.curves.get(run)?, runs.seen.get(run)?.get(at)?);
        let stretch = seen.length_s() / phase.length_s.max(0.5);
        let moment = |step: usize| seen.start_s + (step as f64 / STEPS - MARGIN_S) * stretch;
        let bytes = |step: usize| curve.bytes_until(moment(step + 1)) - curve.bytes_until(moment(step));
        Some((0..steps).map(|step| bytes(step).max(0.0)).collect())
    };
    let all: Vec<Vec<f64>> = runs.clean(at, phase.bytes).into_iter().filter_map(spread).collect();
    let low =
        |step: usize| quantile::between(&mut all.iter().map(|bytes| bytes[step]).collect::<Vec<_>>(), LOW);
    (0..steps).map(low).collect()
}
