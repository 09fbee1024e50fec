//! Whether a series of numbers, such as the distances of phases, has moved to another level.
//!
//! The newest few are compared with those before on a logarithmic scale, by their medians: a change is
//! a step that is large in itself, large against the spread on both sides, and larger still where few
//! numbers tell the spread. In 40 numbers without a change, the chance to see one is below 1 % where
//! they vary by 20 %, and a few per cent where they are as irregular as they can be.

use crate::quantile::median;

/// The factor by which a new level of distances differs from the old one at least.
pub const OTHER_PERIOD: f64 = 1.25;
/// The same for volumes.
pub const OTHER_VOLUME: f64 = 1.5;
/// How many of the newest may make a new level.
const NEWEST: [usize; 6] = [2, 3, 4, 6, 8, 12];
/// Numbers before them that count.
const BEFORE: usize = 24;
/// Standard errors that a step must have, and how many more when one number alone tells the spread.
const CLEAR: f64 = 5.0;
const UNSURE: f64 = 5.0;
/// No number is known better than this, relative to itself.
const FINEST: f64 = 0.02;
/// Relative to the step, the newest may differ among themselves by this.
const AGREE: f64 = 0.3;
/// The same where a single number comes before, of which nothing tells how usual it is.
const AGREE_CLOSELY: f64 = 0.2;

/// Where a new level begins, if the newest values have one that is higher or lower by the factor `ratio`
/// at least, and `fewest` of them at least show it.
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
    // For a normal distribution the standard deviation is 1.25 times the mean distance.
    let deviation = 1.25 * (off_before + off_newest) / free + FINEST;
    let error = deviation * (1.0 / before.len() as f64 + 1.0 / newest.len() as f64).sqrt();
    height >= least
        && off_newest <= AGREE * height * newest.len() as f64
        && height > (CLEAR + UNSURE / free) * error
}

/// Whether the first of some values is unlike the two or three others, which are like one another. Jobs
/// often need longer for their first phase: that is a beginning and not a change.
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

/// Whether two periods are clearly not the same.
pub fn differ(one: f64, another: f64) -> bool {
    one > OTHER_PERIOD * another || another > OTHER_PERIOD * one
}
