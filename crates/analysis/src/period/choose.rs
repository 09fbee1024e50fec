//! Chooses between hypotheses: judges each by its evidence and puts the most credible first.

use super::figures::{figures, inner};
use super::hypothesis::{Hypothesis, Way, distances, mean, period, spread};
use super::judge;
use super::outcome::Phase;
use super::propose::{Evidence, propose, propose_repetition};
use super::runs::Binned;
use crate::quantile::median;

/// At this confidence the search stops.
const CONVINCED: f64 = 0.9;
/// Periods that differ by less agree.
const AGREE: f64 = 0.02;
/// Periods that differ by less nearly agree.
const NEARLY: f64 = 0.05;
/// A hypothesis is sharper than another if its distances spread by less than this share of the
/// other's.
const SHARPER: f64 = 0.9;
/// Hypotheses with this share of the maximum number of phases see most phases.
const MAX_OF: f64 = 0.8;
/// As `SHARPER`, for a hypothesis with fewer regimes.
const AS_SHARP: f64 = 1.5;
/// A hypothesis is finer than another if its period is below this share of the other's.
const FINER: f64 = 0.7;
/// Phases within a larger one are a pattern if their positions deviate by less than this share of
/// the deviation of their distances.
const PATTERN: f64 = 0.5;
/// Share of the larger phases that must show the pattern.
const MOSTLY: f64 = 0.7;
/// A rhythm: minimum number of distances, maximum spread of these, and minimum share of bytes in
/// the phases.
const RHYTHM: usize = 10;
const STEADIEST: f64 = 0.03;
const MAX_BYTES: f64 = 0.7;
/// Rounds that are phases: their minimum number, minimum share of ranks with one burst each,
/// maximum spread of volumes and of distances, and minimum share of bytes. Bursts at random moments
/// have distances that spread by about 1.
const ROUNDS: usize = 10;
const ALL_RANKS: f64 = 0.85;
const ALIKE: f64 = 0.15;
const IN_TURN: f64 = 0.4;
const ALL_BYTES: f64 = 0.9;
/// Maximum spread of the distances of a regime.
const STEADY: f64 = 0.15;
/// A hypothesis explains the time in which its phases come within this share of its period; if it
/// explains this share of the run, nothing changed.
const IN_RHYTHM: f64 = 0.25;
const EXPLAINED: f64 = 0.85;
pub const SAME: f64 = 0.05;
const COMPARED: usize = 4096;

/// A hypothesis and the probability that its period is right.
#[derive(Debug, Clone)]
pub struct Judged {
    pub hypothesis: Hypothesis,
    pub confidence: f64,
}

/// How much to spend on the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Tries volumes, and repetition if nothing else convinces.
    Thorough,
    Light,
}

/// All hypotheses, the most credible first.
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
    prefer_steady(&mut judged, evidence.bytes);
    prefer_finer(&mut judged);
    prefer_rounds(&mut judged, evidence.bytes);
    sharpen(&mut judged);
    prefer_regimes(&mut judged);
    judged
}

/// Sorts hypotheses by score. All hypotheses with the same period support it; the confidence of
/// those after the best decreases with their score.
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

/// Prefers a hypothesis with the same period for part of the run and another steady one for the
/// rest, where the best lumps the rest into one phase or leaves it out.
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

/// Prefers a very steady rhythm of most bytes to an irregular best: the learned weights hold for
/// hypotheses like those of the training set, and odd ones can differ from all of them.
fn prefer_steady(judged: &mut [Judged], bytes: f64) {
    let Some(best) = judged.first().map(|best| best.hypothesis.clone()) else { return };
    let is_steady = |other: &Hypothesis| {
        let moved: f64 = other.phases.iter().map(|phase| phase.bytes).sum();
        other.regimes.len() == 1
            && other.distances.len() >= RHYTHM
            && spread(&other.distances) < STEADIEST
            && moved >= MAX_BYTES * bytes
    };
    if spread(&best.distances) < STEADY && best.regimes.len() == 1 {
        return;
    }
    if let Some(at) = judged.iter().position(|other| is_steady(&other.hypothesis)) {
        put_first(judged, at);
    }
}

/// Prefers rounds of the ranks to a best that does not convince. Where ranks are far out of step,
/// the application's signal is unlike the training set, but every rank still has one burst per
/// phase.
fn prefer_rounds(judged: &mut [Judged], bytes: f64) {
    if judged.first().is_none_or(|best| best.confidence >= CONVINCED) {
        return;
    }
    let are_rounds = |other: &Hypothesis| {
        let volumes: Vec<f64> = inner(&other.phases).iter().map(|phase| phase.bytes).collect();
        let moved: f64 = other.phases.iter().map(|phase| phase.bytes).sum();
        other.way == Way::Ranks
            && other.fit >= ALL_RANKS
            && other.regimes.len() == 1
            && other.distances.len() >= ROUNDS
            && spread(&other.distances) < IN_TURN
            && spread(&volumes) < ALIKE
            && moved >= ALL_BYTES * bytes
    };
    let rounds = (0..judged.len()).filter(|&at| are_rounds(&judged[at].hypothesis));
    let blur = |at: &usize| spread(&judged[*at].hypothesis.distances);
    if let Some(at) = rounds.min_by(|a, b| blur(a).total_cmp(&blur(b))) {
        judged[at].confidence = CONVINCED;
        judged.swap(0, at);
    }
}

/// Prefers a hypothesis that splits the same run further, into phases of equal volume, if it is
/// credible by itself or if the best merges iterations of a loop that have nothing else in common.
fn prefer_finer(judged: &mut [Judged]) {
    let Some(best) = judged.first().map(|best| best.hypothesis.clone()) else { return };
    let is_finer = |other: &Judged| {
        let Judged { hypothesis, confidence } = other;
        hypothesis.period_s < FINER * best.period_s
            && judge::are_equal(&hypothesis.phases)
            && (*confidence >= CONVINCED || !repeats(&best, hypothesis))
    };
    if let Some(at) = judged.iter().position(is_finer) {
        judged[at].confidence = judged[at].confidence.max(judged[0].confidence.min(CONVINCED));
        judged.swap(0, at);
    }
}

/// Whether each phase of `coarse` is the same pattern of phases of `fine`: equal in number and in
/// distances from the first.
fn repeats(coarse: &Hypothesis, fine: &Hypothesis) -> bool {
    let early_s = 0.5 * fine.period_s;
    let within = |pair: &[Phase]| -> Vec<f64> {
        let inside = fine.phases.iter().map(|phase| phase.start_s - pair[0].start_s);
        inside
            .filter(|&after| after > -early_s && after < pair[1].start_s - pair[0].start_s - early_s)
            .collect()
    };
    let patterns: Vec<Vec<f64>> = coarse.phases.windows(2).map(within).collect();
    let usual = median(patterns.iter().map(|pattern| pattern.len() as f64).collect()).max(1.0) as usize;
    // A missed phase merges two patterns.
    let alike: Vec<&Vec<f64>> = patterns
        .iter()
        .filter(|pattern| !pattern.is_empty() && pattern.len().is_multiple_of(usual))
        .collect();
    if (alike.len() as f64) < MOSTLY * patterns.len() as f64 {
        return false;
    }
    let varies_s = spread(&fine.distances) * fine.period_s;
    let deviation = |at: usize| {
        let times: Vec<f64> = alike.iter().filter_map(|pattern| pattern.get(at).copied()).collect();
        let mean = mean(&times);
        (times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / times.len().max(1) as f64).sqrt()
    };
    (1..usual).all(|at| deviation(at) < PATTERN * varies_s)
}

/// Prefers the sharpest of the hypotheses that nearly agree with the best: noise attached to phases
/// blurs their starts in some views only, and missed phases produce regimes that the job does not
/// have. Keeps the confidence of the best.
fn sharpen(judged: &mut [Judged]) {
    see_most(judged);
    let Some(best) = judged.first().map(|best| best.hypothesis.clone()) else { return };
    let blur = spread(&best.distances);
    let is_sharper = |other: &Hypothesis| {
        let as_simple = other.regimes.len() <= best.regimes.len();
        let factor = if other.regimes.len() < best.regimes.len() { AS_SHARP } else { SHARPER };
        as_simple
            && nearly_same(other, &best)
            && other.turns() > best.turns() - 1.5
            && seen(other) as f64 >= MAX_OF * seen(&best) as f64
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
        put_first(judged, at);
    }
}

/// Prefers, among hypotheses that nearly agree with the best, one that sees most phases: a few of
/// many phases can agree by chance.
fn see_most(judged: &mut [Judged]) {
    let Some(best) = judged.first().map(|best| best.hypothesis.clone()) else { return };
    let same = || judged.iter().map(|other| &other.hypothesis).filter(|other| nearly_same(other, &best));
    let most = same().map(seen).max().unwrap_or(0);
    let sees_most = |other: &Hypothesis| seen(other) as f64 >= MAX_OF * most as f64;
    let first = judged.iter().position(|other| {
        let other = &other.hypothesis;
        nearly_same(other, &best) && sees_most(other)
    });
    if let Some(at) = first {
        put_first(judged, at);
    }
}

/// Number of phases, at most what the period allows: noise is not a phase.
fn seen(hypothesis: &Hypothesis) -> usize {
    let lasts_s: f64 = distances(&hypothesis.phases).iter().sum();
    hypothesis.phases.len().min((lasts_s / hypothesis.period_s).round() as usize + 1)
}

pub fn nearly_same(one: &Hypothesis, other: &Hypothesis) -> bool {
    (one.period_s / other.period_s - 1.0).abs() < NEARLY
}

fn put_first(judged: &mut [Judged], at: usize) {
    judged[at].confidence = judged[0].confidence;
    judged.swap(0, at);
}
