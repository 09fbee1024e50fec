//! Detects whether a series of numbers, such as the distances of phases, has moved to another
//! level.
//!
//! The newest few numbers are compared with those before on a logarithmic scale, by their medians.
//! A change is a step that is large in itself and large against the spread on both sides, and
//! larger still where few numbers tell the spread. In 40 numbers without a change, the false alarm
//! rate is below 1 % where they vary by 20 %, and a few percent where they are as irregular as can
//! be.

use crate::quantile::median;

/// Minimum ratio between a new level of distances and the old one.
pub const OTHER_PERIOD: f64 = 1.25;
/// The same for volumes.
pub const OTHER_VOLUME: f64 = 1.5;
/// Numbers of newest values that may form a new level.
const NEWEST: [usize; 6] = [2, 3, 4, 6, 8, 12];
/// Maximum number of values before them that count.
const BEFORE: usize = 24;
/// Minimum height of a step in standard errors, and the extra height when one value alone tells the
/// spread.
const CLEAR: f64 = 5.0;
const UNSURE: f64 = 5.0;
/// Minimum relative uncertainty of a value.
const FINEST: f64 = 0.02;
/// Maximum mean deviation of the newest values, relative to the step.
const AGREE: f64 = 0.3;
/// The same for [`odd_first`], where a single value before gives no idea of its spread.
const AGREE_CLOSELY: f64 = 0.2;

/// Returns where a new level begins, if at least `fewest` of the newest values form one that
/// differs by at least the factor `ratio`.
pub fn step(values: &[f64], ratio: f64, fewest: usize) -> Option<usize> {
    let logs: Vec<f64> = values.iter().map(|value| value.max(f64::MIN_POSITIVE).ln()).collect();
    let split = |count: &usize| {
        let at = logs.len().checked_sub(*count).filter(|&at| at >= 2 && at >= *count)?;
        let (before, newest) = logs.split_at(at);
        let before = before.get(before.len().saturating_sub(BEFORE)..)?;
        is_step(before, newest, ratio.ln()).then_some(at)
    };
    NEWEST.iter().filter(|&&count| count >= fewest).find_map(split)
}

fn is_step(before: &[f64], newest: &[f64], least: f64) -> bool {
    let (old, new) = (median(before.to_vec()), median(newest.to_vec()));
    let height = (new - old).abs();
    let off = |values: &[f64], centre: f64| values.iter().map(|value| (value - centre).abs()).sum::<f64>();
    let (off_before, off_newest) = (off(before, old), off(newest, new));
    let free = (before.len() + newest.len()).saturating_sub(2).max(1) as f64;
    // For a normal distribution the standard deviation is 1.25 times the mean absolute deviation.
    let deviation = 1.25 * (off_before + off_newest) / free + FINEST;
    let error = deviation * (1.0 / before.len() as f64 + 1.0 / newest.len() as f64).sqrt();
    height >= least
        && off_newest <= AGREE * height * newest.len() as f64
        && height > (CLEAR + UNSURE / free) * error
}

/// Returns whether the first value differs from the two or three others, which agree. Jobs often
/// take longer for their first phase: that is not a change.
pub fn odd_first(values: &[f64], ratio: f64) -> bool {
    let [first, others @ ..] = values else { return false };
    if !(2..=3).contains(&others.len()) {
        return false;
    }
    let typical = median(others.to_vec());
    let height = (first.max(f64::MIN_POSITIVE) / typical.max(f64::MIN_POSITIVE)).ln().abs();
    let agree = |value: &f64| (value / typical).ln().abs() <= AGREE_CLOSELY * height;
    height >= ratio.ln() && others.iter().all(agree)
}

pub fn differ(one: f64, another: f64) -> bool {
    one > OTHER_PERIOD * another || another > OTHER_PERIOD * one
}
