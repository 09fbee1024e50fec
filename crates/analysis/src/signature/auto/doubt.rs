//! What speaks against a signature: how much it depends on the choice of runs, and on what the logs
//! leave open.

use super::estimate::Runs;
use super::pace::Paced;
use super::template::Phase;
use super::timing::timed;
use crate::quantile;
use crate::signature::score::pearson;

/// Likenesses are correlation coefficients with what another choice gives; 1 if it does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Doubt {
    /// Of the signatures of every second run, and of the other runs.
    pub halves: f64,
    /// If delays by others are left in, or taken out after all.
    pub delays: f64,
    /// Of the shortest and the mean distances between bursts.
    pub pace: f64,
    /// Spread over runs of when the last burst begins, in lengths of bursts.
    pub spread: f64,
}

/// `spreads` are those of the gaps before each burst.
pub fn doubt(runs: &Runs<'_>, paced: &Paced, spreads: &[f64]) -> Doubt {
    let drawn = boxes(&paced.template);
    let like = |other: &[Phase]| likeness(&drawn, &boxes(other));
    let [one, other] = [0, 1].map(|first| half(runs, first, &paced.template));
    let mut lengths: Vec<f64> = paced.template.iter().map(|phase| phase.length_s).collect();
    let all: f64 = spreads.iter().map(|spread| spread * spread).sum();
    Doubt {
        halves: likeness(&boxes(&one), &boxes(&other)),
        delays: like(&paced.otherwise_delayed),
        pace: likeness(&boxes(&paced.fastest), &boxes(&paced.usual)),
        spread: all.sqrt() / quantile::between(&mut lengths, 0.5).max(f64::MIN_POSITIVE),
    }
}

/// The template as every second run has it.
fn half(runs: &Runs<'_>, first: usize, template: &[Phase]) -> Vec<Phase> {
    let curves: Vec<_> = runs.curves.iter().skip(first).step_by(2).copied().collect();
    let seen: Vec<_> = runs.seen.iter().skip(first).step_by(2).cloned().collect();
    if curves.is_empty() {
        return Vec::new();
    }
    let half = Runs { curves: &curves, seen: &seen };
    let known: Vec<Phase> = half.template();
    debug_assert_eq!(known.len(), template.len());
    timed(&half, &known).template
}

/// Bursts as boxes, in bytes per second.
fn boxes(template: &[Phase]) -> Vec<f64> {
    let mut rates = Vec::new();
    let mut now = 0.0f64;
    for phase in template {
        let from = now + phase.gap_s;
        now = from + phase.length_s;
        rates.resize(rates.len().max(now.ceil().clamp(0.0, 1e9) as usize), 0.0);
        let rate = phase.bytes / phase.length_s.max(f64::MIN_POSITIVE);
        for (second, sum) in rates.iter_mut().enumerate().skip(from.max(0.0) as usize) {
            let second = second as f64;
            *sum += rate * (now.min(second + 1.0) - from.max(second)).max(0.0);
        }
    }
    rates
}

fn likeness(one: &[f64], other: &[f64]) -> f64 {
    let len = one.len().max(other.len());
    let padded = |rates: &[f64]| -> Vec<f64> {
        rates.iter().copied().chain(std::iter::repeat(0.0)).take(len).collect()
    };
    pearson(&padded(one), &padded(other))
}
