//! Applies the finder of `period` to a window of bursts.

use super::{Burst, Found};
use crate::period::{Activity, auto};

/// Minimum confidence. A scheduler wants a guess after three phases, so this is below the limit of
/// `period`, which sees the whole run.
const MIN: f64 = 0.1;

/// Finds the period of bursts within a window, as `period` does with a whole log.
pub fn by_period(bursts: &[Burst], window_s: [f64; 2]) -> Found {
    let mut activity = Activity::new(Some(window_s));
    for burst in bursts {
        activity.add(burst.rank, burst.start_s, burst.end_s, burst.bytes);
    }
    let verdict = auto::verdict(&mut activity, window_s);
    match verdict.guess().filter(|guess| guess.confidence >= MIN) {
        Some(guess) => Found {
            period_s: Some(guess.hypothesis.period_s),
            confidence: guess.confidence,
            phases: guess.hypothesis.phases.clone(),
        },
        None => Found { period_s: None, confidence: 0.0, phases: Vec::new() },
    }
}
