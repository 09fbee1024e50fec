//! Credibility of a hypothesis, learned from traces with known truth.

use super::figures::FIGURES;
use super::hypothesis::{mean, spread};
use super::outcome::Phase;
use super::weights::{CURVE, DECISION, RANKING};

const MIN: f64 = 0.5;
/// The same where at least this many phases move the same volume to this precision: they may well
/// be iterations of a loop, however irregular.
const MIN_OF_EQUALS: f64 = 0.3;
const EQUALS: usize = 15;
const EQUAL: f64 = 0.001;

/// Whether a hypothesis of this confidence is an answer; `equal` if its phases are.
pub fn is_answer(confidence: f64, equal: bool) -> bool {
    confidence >= if equal { MIN_OF_EQUALS } else { MIN }
}

/// Whether there are many phases and all but the first and last move the same volume.
pub fn are_equal(phases: &[Phase]) -> bool {
    let inner = phases.get(1..phases.len().saturating_sub(1)).unwrap_or(&[]);
    let volumes: Vec<f64> = inner.iter().map(|phase| phase.bytes).collect();
    volumes.len() >= EQUALS && spread(&volumes) < EQUAL
}

/// Figures are clamped to this many standard deviations from their mean.
const FAR: f64 = 3.0;

/// Learned weights of the figures.
#[derive(Debug)]
pub struct Weights {
    /// Score with all figures at their means.
    pub constant: f64,
    /// Mean, standard deviation and weight of each figure.
    pub figures: [(f64, f64, f64); FIGURES],
    /// Weights of the products of two figures, row by row: each with itself and those after it.
    pub products: [f64; FIGURES * (FIGURES + 1) / 2],
}

impl Weights {
    fn score(&self, figures: &[f64; FIGURES]) -> f64 {
        let mut scaled = *figures;
        for (figure, (mean, deviation, _)) in scaled.iter_mut().zip(&self.figures) {
            let far = (*figure - mean) / deviation;
            *figure = if far.is_nan() { 0.0 } else { far.clamp(-FAR, FAR) };
        }
        let alone: f64 =
            scaled.iter().zip(&self.figures).map(|(figure, (_, _, weight))| figure * weight).sum();
        let mut weights = self.products.iter();
        let mut products = 0.0;
        for (at, one) in scaled.iter().enumerate() {
            for (other, weight) in scaled[at..].iter().zip(&mut weights) {
                products += one * other * weight;
            }
        }
        self.constant + alone + products
    }
}

/// Ranks the hypotheses of a trace; the highest score is the best.
pub fn score(figures: &[f64; FIGURES]) -> f64 {
    RANKING.score(figures)
}

/// Evidence for a period found in one way.
pub fn conviction(figures: &[f64; FIGURES]) -> f64 {
    DECISION.score(figures)
}

/// Probability that the period of the best hypothesis is within 10 % of the true one, given the
/// evidence of all ways that found it.
pub fn confidence(convictions: &[f64]) -> f64 {
    share_right(mean(convictions))
}

/// Slope of the log-odds in addition to the curve, and the score at which it adds nothing: where
/// the curve is flat, no probabilities were learned, but a higher score still favours an answer.
const TILT: f64 = 0.01;
const LEVEL: f64 = 5.0;

fn share_right(score: f64) -> f64 {
    let share = of_curve(score);
    let odds = share / (1.0 - share) * (TILT * (score - LEVEL)).exp();
    odds / (1.0 + odds)
}

fn of_curve(score: f64) -> f64 {
    let above = CURVE.partition_point(|point| point.0 <= score);
    let (Some(low), Some(high)) = (above.checked_sub(1).and_then(|at| CURVE.get(at)), CURVE.get(above))
    else {
        let end = if above == 0 { CURVE.first() } else { CURVE.last() };
        return end.map_or(0.0, |point| point.1);
    };
    low.1 + (high.1 - low.1) * (score - low.0) / (high.0 - low.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_rises_with_the_score_and_stays_a_probability() {
        let all: Vec<f64> = (-400..400).map(|n| share_right(f64::from(n) / 10.0)).collect();
        assert!(all.is_sorted_by(|one, next| one < next), "also where the curve is flat");
        let apart = |n: i32| (share_right(f64::from(n)) - of_curve(f64::from(n))).abs();
        assert!((-20..20).all(|n| apart(n) < 0.02), "it stays what was learned");
        assert!(all.iter().all(|p| (0.0..=1.0).contains(p)));
        assert!(all[0] < 0.2 && all[all.len() - 1] > 0.95, "{} {}", all[0], all[all.len() - 1]);
    }
}
