//! Predicts the start of the next phase, with an interval.
//!
//! The interval is a prediction interval for one new distance. With many distances it lies between
//! their quantiles: of n exchangeable distances, the next one falls between the i-th and the j-th
//! smallest with probability (j - i) / (n + 1). With few it is Student's interval for one more
//! observation.

use crate::period::hypothesis::mean;

/// Share of next starts that should fall into the interval.
const COVERAGE: f64 = 0.9;
/// Number of distances from which quantiles suffice: 1 / (n + 1) is at most (1 - COVERAGE) / 2.
const MANY: usize = 19;
/// Minimum half-width of the interval, in seconds and relative to the period: clocks, bins and
/// rounding.
const SHORTEST_S: f64 = 1e-3;
const SHORTEST: f64 = 1e-3;
/// The interval after at most one distance, and the bounds of Student's interval, relative to the
/// period.
const GUESS: [f64; 2] = [0.5, 1.75];
const WIDEST: [f64; 2] = [0.2, 4.0];
/// Quantiles of Student's distribution at 95 % for 1, 2, 3, ... degrees of freedom.
const STUDENT: [f64; 17] = [
    6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753,
    1.746, 1.740,
];

/// The start of the next phase.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Next {
    /// The most likely start, in seconds of the trace.
    pub start_s: f64,
    /// Start of the interval that holds the start with a probability of 90 %.
    pub low_s: f64,
    pub high_s: f64,
}

/// Predicts the phase after one that began at `last_s`, given the distances so far and their
/// period. An overdue phase counts as skipped.
pub fn next(distances: &[f64], period_s: f64, last_s: f64, now_s: f64) -> Next {
    let [low, high] = spread(distances, period_s);
    if now_s <= last_s + high {
        let start_s = (last_s + period_s).max(now_s);
        return Next { start_s, low_s: (last_s + low).max(now_s).min(start_s), high_s: last_s + high };
    }
    let turns = ((now_s - last_s) / period_s).ceil().max(1.0);
    let start_s = last_s + turns * period_s;
    // Independent distances: their sum varies with the square root of their number.
    let (before, after) = ((period_s - low) * turns.sqrt(), (high - period_s) * turns.sqrt());
    Next { start_s, low_s: (start_s - before).max(now_s), high_s: start_s + after }
}

fn spread(distances: &[f64], period_s: f64) -> [f64; 2] {
    let [low, high] = match distances.len() {
        0 | 1 => GUESS.map(|bound| bound * period_s),
        count if count < MANY => student(distances),
        _ => quantiles(distances),
    };
    let shortest = SHORTEST_S.max(SHORTEST * period_s);
    [low.min(period_s - shortest).max(0.0), high.max(period_s + shortest)]
}

fn student(distances: &[f64]) -> [f64; 2] {
    let count = distances.len() as f64;
    let centre = mean(distances);
    let squares: f64 = distances.iter().map(|distance| (distance - centre).powi(2)).sum();
    let quantile = STUDENT.get(distances.len().saturating_sub(2)).copied().unwrap_or(1.73);
    let reach = quantile * (squares / (count - 1.0)).sqrt() * (1.0 + 1.0 / count).sqrt();
    let [least, most] = WIDEST.map(|bound| bound * centre);
    [(centre - reach).max(least), (centre + reach).min(most)]
}

/// Returns two of the sorted distances such that the next one falls in between with probability
/// `COVERAGE`.
fn quantiles(distances: &[f64]) -> [f64; 2] {
    let mut sorted = distances.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Ranks count from 1 to n; the next distance falls below rank i with probability i / (n + 1).
    let place = (1.0 - COVERAGE) / 2.0 * (sorted.len() as f64 + 1.0);
    let at = |place: f64| {
        let below = (place.floor() as usize).clamp(1, sorted.len());
        let value = |number: usize| sorted.get(number.min(sorted.len()) - 1).copied().unwrap_or(0.0);
        value(below) + (value(below + 1) - value(below)) * (place - below as f64).clamp(0.0, 1.0)
    };
    [at(place), at(sorted.len() as f64 + 1.0 - place)]
}
