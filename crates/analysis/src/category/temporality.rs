//! When bytes move: the four quarters of the run.

use super::confidence::beyond;
use super::label::DirectionLabel;
use super::thresholds::Thresholds;

/// Labels of a direction by its quarters.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    pub kinds: Vec<DirectionLabel>,
    /// Distance of the quarters from the nearest threshold: 0 on it, 1 far away; `None` where the
    /// sum decides.
    pub margin: Option<f64>,
}

pub fn when(bytes: f64, quarters: [f64; 4], thresholds: &Thresholds) -> When {
    if bytes < thresholds.insignificant_bytes {
        return When { kinds: vec![DirectionLabel::Insignificant], margin: None };
    }
    let cv = variation(quarters);
    let evenness = beyond(cv, thresholds.steady_cv);
    if cv < thresholds.steady_cv {
        return When { kinds: vec![DirectionLabel::Steady], margin: Some(evenness) };
    }
    let cut = quarters.iter().fold(0.0, |top: f64, &bytes| top.max(bytes)) * thresholds.chunk_share;
    let high = quarters.map(|bytes| bytes > cut);
    let margin = quarters.iter().map(|&bytes| beyond(bytes, cut)).fold(evenness, f64::min);
    When { kinds: kinds(high), margin: Some(margin) }
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
