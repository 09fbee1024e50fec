//! Which way to see a trace stands: every one is judged by what speaks for it, and the most credible comes first.

use super::figures::figures;
use super::hypothesis::{Hypothesis, distances, period, spread};
use super::judge;
use super::propose::{Evidence, propose, propose_repetition};
use super::runs::Binned;

/// From this confidence on no further ways are tried.
const CONVINCED: f64 = 0.9;
/// Hypotheses whose periods differ by less tell the same.
const AGREE: f64 = 0.02;
/// Hypotheses whose periods differ by less say nearly the same.
const NEARLY: f64 = 0.05;
/// One is sharper than another if its distances spread by less than this part of the other's.
const SHARPER: f64 = 0.9;
/// One with fewer regimes need only be about as sharp.
const AS_SHARP: f64 = 1.5;
/// One is finer than another if its period is shorter than this part of the other's.
const FINER: f64 = 0.7;
/// Distances of a regime spread by less than this.
const STEADY: f64 = 0.15;
/// A hypothesis explains the time in which its phases come within this part of its period; where it explains
/// this share of the run, nothing changed.
const IN_RHYTHM: f64 = 0.25;
const EXPLAINED: f64 = 0.85;
/// Periods closer than this are the same.
pub const SAME: f64 = 0.05;
/// Bins in which the signal is compared with itself.
const COMPARED: usize = 4096;

/// A hypothesis and the probability that its period is right.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The way to see the trace.
    pub hypothesis: Hypothesis,
    /// How far to trust it.
    pub confidence: f64,
}

/// How hard to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Repetition is looked for if nothing else convinces.
    Thorough,
    /// Only what costs little.
    Light,
}

/// All hypotheses, the most credible first. Repetition is looked for only if nothing else convinces.
pub fn judged(evidence: &Evidence<'_>, effort: Effort) -> Vec<Judged> {
    let signal = evidence.signal.coarser(COMPARED);
    let mut judged = by_score(propose(evidence, effort == Effort::Thorough), &signal, evidence.bytes);
    let convinced = judged.first().is_some_and(|best| best.confidence >= CONVINCED);
    if effort == Effort::Thorough && !convinced {
        let repeated = propose_repetition(evidence);
        if !repeated.is_empty() {
            let proposed = judged.into_iter().map(|judged| judged.hypothesis).chain(repeated);
            judged = by_score(proposed.collect(), &signal, evidence.bytes);
        }
    }
    prefer_finer(&mut judged);
    sharpen(&mut judged);
    prefer_regimes(&mut judged);
    judged
}

/// Hypotheses by their scores. All that tell the same period speak for it; others than the best are as much
/// less credible as their scores are lower.
fn by_score(proposed: Vec<Hypothesis>, signal: &Binned, bytes: f64) -> Vec<Judged> {
    let figures = figures(&proposed, signal, bytes);
    let scores: Vec<f64> = figures.iter().map(judge::score).collect();
    let convictions: Vec<(f64, f64)> =
        proposed.iter().map(|one| one.period_s).zip(figures.iter().map(judge::conviction)).collect();
    let confidence = |period_s: f64| {
        let agree = convictions.iter().filter(|(other_s, _)| (other_s / period_s - 1.0).abs() < AGREE);
        judge::confidence(&agree.map(|(_, conviction)| *conviction).collect::<Vec<f64>>())
    };
    let mut all: Vec<(f64, Judged)> = proposed
        .into_iter()
        .zip(scores)
        .map(|(hypothesis, score)| {
            (score, Judged { confidence: confidence(hypothesis.period_s), hypothesis })
        })
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let Some(&(highest, Judged { confidence: surest, .. })) = all.first() else { return Vec::new() };
    let judge = |(score, Judged { hypothesis, confidence }): (f64, Judged)| Judged {
        hypothesis,
        confidence: confidence.min(surest) * (score - highest).exp(),
    };
    all.into_iter().map(judge).collect()
}

/// Puts a hypothesis first that tells the same period for a part of the run and a steady other one for
/// the rest, where the best lumps that rest into one phase or leaves it out.
fn prefer_regimes(judged: &mut [Judged]) {
    let Some(best) = judged.first().cloned() else { return };
    let steady = |hypothesis: &Hypothesis| {
        let distances = distances(&hypothesis.phases);
        let (mut all_steady, mut tells_the_same) = (true, false);
        for range in &hypothesis.regimes {
            let part = &distances[range.clone()];
            all_steady &= spread(part) < STEADY;
            tells_the_same |= (period(part) / best.hypothesis.period_s - 1.0).abs() < SAME;
        }
        hypothesis.regimes.len() > 1 && all_steady && tells_the_same
    };
    let period_s = best.hypothesis.period_s;
    let in_rhythm = |distance_s: &f64| (distance_s / period_s - 1.0).abs() < IN_RHYTHM;
    let explained_s: f64 = distances(&best.hypothesis.phases).into_iter().filter(in_rhythm).sum();
    let more = |other: &Hypothesis| {
        let there_s = distances(&other.phases).iter().sum::<f64>();
        other.phases.len() > best.hypothesis.phases.len() && explained_s < EXPLAINED * there_s
    };
    let found = judged.iter().position(|other| more(&other.hypothesis) && steady(&other.hypothesis));
    if let Some(at) = found.filter(|_| best.hypothesis.regimes.len() == 1) {
        judged[at].confidence = best.confidence;
        judged.swap(0, at);
    }
}

/// Puts a hypothesis first that is as credible as the best and parts the same run further, into phases that all
/// move the same volume: the best takes several turns of a loop as one.
fn prefer_finer(judged: &mut [Judged]) {
    let Some(most) = judged.first().map(|best| FINER * best.hypothesis.period_s) else { return };
    let is_finer = |other: &Judged| {
        let Judged { hypothesis, confidence } = other;
        *confidence >= CONVINCED && hypothesis.period_s < most && judge::are_equal(&hypothesis.phases)
    };
    if let Some(at) = judged.iter().position(is_finer) {
        judged.swap(0, at);
    }
}

/// Puts the sharpest of those that say nearly the same as the best first: noise that hangs on to phases
/// blurs their beginnings in some views and not in others, and where phases are missed there are regimes that
/// the job does not have. The confidence stays that of the best.
fn sharpen(judged: &mut [Judged]) {
    let Some(best) = judged.first().map(|best| best.hypothesis.clone()) else { return };
    let blur = spread(&best.distances);
    let is_sharper = |other: &Hypothesis| {
        let as_simple = other.regimes.len() <= best.regimes.len();
        let factor = if other.regimes.len() < best.regimes.len() { AS_SHARP } else { SHARPER };
        let the_same = (other.period_s / best.period_s - 1.0).abs() < NEARLY;
        as_simple
            && the_same
            && other.turns() > best.turns() - 1.5
            && spread(&other.distances) < factor * blur
    };
    let sharpness = |at: &usize| {
        let Hypothesis { regimes, distances, .. } = &judged[*at].hypothesis;
        (regimes.len(), spread(distances))
    };
    let sharper = (1..judged.len()).filter(|&at| is_sharper(&judged[at].hypothesis));
    let by_sharpness = |a: &usize, b: &usize| {
        let (a, b) = (sharpness(a), sharpness(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    if let Some(at) = sharper.min_by(by_sharpness) {
        judged[at].confidence = judged[0].confidence;
        judged.swap(0, at);
    }
}
