//! When bytes move: the four quarters of the run.

use super::label::DirectionLabel;
use super::thresholds::Thresholds;

/// Labels of a direction by its quarters.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    pub kinds: Vec<DirectionLabel>,
    /// Distance from the nearest threshold: 0 on it, 1 far away.
    pub margin: f64,
}

/// Relative distance from a threshold that counts as far.
const CLEAR: f64 = 0.2;

pub fn when(bytes: f64, quarters: [f64; 4], thresholds: &Thresholds) -> When {
    let far = |value: f64, cut: f64| ((value - cut).abs() / cut.max(f64::MIN_POSITIVE) / CLEAR).min(1.0);
    if bytes < thresholds.insignificant_bytes {
        let margin = far(bytes, thresholds.insignificant_bytes);
        return When { kinds: vec![DirectionLabel::Insignificant], margin };
    }
    let margin = far(bytes, thresholds.insignificant_bytes);
    let cv = variation(quarters);
    if cv < thresholds.steady_cv {
        return When {
            kinds: vec![DirectionLabel::Steady],
            margin: margin.min(far(cv, thresholds.steady_cv)),
        };
    }
    let cut = quarters.iter().fold(0.0, |top: f64, &bytes| top.max(bytes)) * thresholds.chunk_share;
    let high = quarters.map(|bytes| bytes > cut);
    let clear = quarters.iter().map(|&bytes| far(bytes, cut)).fold(1.0, f64::min);
    let clear = clear.min(far(cv, thresholds.steady_cv));
    // Four high quarters that are not steady fit none of the labels.
    let doubt = if high == [true; 4] { 0.2 } else { 1.0 };
    When { kinds: kinds(high), margin: margin.min(clear) * doubt }
}

/// Coefficient of variation of the whole population.
pub fn variation(quarters: [f64; 4]) -> f64 {
    let mean = quarters.iter().sum::<f64>() / 4.0;
    if mean <= 0.0 {
        return 0.0;
    }
    (quarters.iter().map(|bytes| (bytes - mean).powi(2)).sum::<f64>() / 4.0).sqrt() / mean
}

fn kinds(high: [bool; 4]) -> Vec<DirectionLabel> {
    match high {
        [false, true, true, false] => vec![DirectionLabel::AfterStartBeforeEnd],
        [false, true, true, true] => vec![DirectionLabel::AfterStart],
        [true, true, true, false] => vec![DirectionLabel::BeforeEnd],
        [true, true, true, true] => vec![DirectionLabel::Steady],
        _ => {
            let single = [
                DirectionLabel::OnStart,
                DirectionLabel::AfterStart,
                DirectionLabel::BeforeEnd,
                DirectionLabel::OnEnd,
            ];
            single.into_iter().zip(high).filter(|(_, high)| *high).map(|(kind, _)| kind).collect()
        }
    }
}
