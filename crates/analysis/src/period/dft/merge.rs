//! The answers of the transform and of the autocorrelation together (section II-C).

use super::Rules;
use crate::period::acf;
use crate::period::outcome::Candidate;

/// FTIO drops a period with a lower refined confidence.
const FTIO_LEAST: f64 = 0.2;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Verdict {
    pub period_s: Option<f64>,
    pub confidence: f64,
    pub refined: Option<f64>,
    /// An answer that is none of the transform's candidates.
    pub added: Option<Candidate>,
}

/// The verdict from at most two dominant frequencies, strongest first.
pub(super) fn merge(dominant: &[Candidate], repeats: Option<&acf::Estimate>, rules: &Rules) -> Verdict {
    match (dominant.first(), repeats) {
        (Some(best), Some(estimate)) if !rules.as_ftio => {
            let similar = similarity(&estimate.distances_s, best.period_s);
            let refined = Some((best.confidence + estimate.confidence + similar) / 3.0);
            Verdict { refined, ..plain(best) }
        }
        (Some(best), None) => plain(best),
        (Some(_), Some(estimate)) => as_ftio(dominant, estimate),
        (None, Some(estimate)) if rules.as_ftio => alone(estimate),
        (None, _) => Verdict::default(),
    }
}

fn plain(best: &Candidate) -> Verdict {
    Verdict { period_s: Some(best.period_s), confidence: best.confidence, ..Verdict::default() }
}

/// FTIO loses the distances on the way, so that every frequency seems wholly similar to none of
/// them, and takes the first of equals: the lowest.
fn as_ftio(dominant: &[Candidate], estimate: &acf::Estimate) -> Verdict {
    let Some(lowest) = dominant.iter().max_by(|a, b| a.period_s.total_cmp(&b.period_s)) else {
        return Verdict::default();
    };
    let refined = (lowest.confidence + estimate.confidence + 1.0) / 3.0;
    let verdict = Verdict { refined: Some(refined), ..Verdict::default() };
    if refined < FTIO_LEAST {
        return verdict;
    }
    Verdict { period_s: Some(lowest.period_s), confidence: refined, ..verdict }
}

/// Without a dominant frequency FTIO trusts the autocorrelation by a third.
fn alone(estimate: &acf::Estimate) -> Verdict {
    let (period_s, confidence) = (estimate.period_s, estimate.confidence / 3.0);
    let added = Candidate { period_s, confidence, ..Candidate::default() };
    Verdict { period_s: Some(period_s), confidence, refined: Some(confidence), added: Some(added) }
}

/// 1 minus the coefficient of variation of the distances and the period together, at least 0.
fn similarity(distances: &[f64], period: f64) -> f64 {
    let all = || distances.iter().copied().chain([period]);
    let count = (distances.len() + 1) as f64;
    let mean = all().sum::<f64>() / count;
    let variance = all().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (1.0 - variance.sqrt() / mean).max(0.0)
}
