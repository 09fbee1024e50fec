//! The best answer that can be given: every way to see the trace as phases is proposed, each is judged
//! by what speaks for it, and the most credible one is the answer.

use super::activity::Activity;
use super::dft;
use super::figures::figures;
use super::hypothesis::{Hypothesis, distances, period, spread};
use super::judge;
use super::metrics;
use super::outcome::{Candidate, Outcome, Phase, Segment};
use super::propose::{Evidence, propose, propose_repetition};
use super::runs::Binned;
use super::samples::Signal;
use crate::parallel::both;

/// Bins in which the signal is compared with itself, and in which it is transformed.
const COMPARED: usize = 4096;
const SAMPLES: usize = 4096;
/// From this confidence on no further ways are tried.
const CONVINCED: f64 = 0.9;
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
/// Candidates that are told.
const CANDIDATES: usize = 5;
/// Periods closer than this are the same.
const SAME: f64 = 0.05;
/// Tolerance of the published method, whose measures are told beside our own.
pub const TOLERANCE: f64 = 0.8;
/// A rank with less than this share of its bytes in the phases does something else.
const TAKES_PART: f64 = 0.8;
/// Fewest bursts of something else that is looked at.
const FEWEST_OTHERS: u64 = 4;
/// Most ranks with something else that are looked at.
const MOST_RANKS: usize = 64;

/// A hypothesis and the probability that its period is right.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The way to see the trace.
    pub hypothesis: Hypothesis,
    /// How far to trust it.
    pub confidence: f64,
}

/// What was found in one view of a job.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// Everything that was thought of, the most credible first.
    judged: Vec<Judged>,
    /// What goes on beside the phases.
    others: Option<Judged>,
    window_s: [f64; 2],
}

impl Verdict {
    fn best(&self) -> Option<&Judged> {
        self.judged.first().filter(|best| judge::is_answer(best.confidence, &best.hypothesis.phases))
    }

    /// The period, if there is one.
    pub fn period_s(&self) -> Option<f64> {
        self.best().map(|best| best.hypothesis.period_s)
    }

    /// The phases of the best that was found, if it is credible.
    fn phases(&self) -> &[Phase] {
        self.best().map_or(&[], |best| &best.hypothesis.phases)
    }

    /// The most credible of all, even if it is too weak for an answer.
    pub fn guess(&self) -> Option<&Judged> {
        self.judged.first()
    }

    /// When the first phase begins.
    pub fn first_start_s(&self) -> f64 {
        self.phases().first().map_or(f64::INFINITY, |phase| phase.start_s)
    }

    /// How far to trust the best that was found.
    pub fn confidence(&self) -> f64 {
        self.judged.first().map_or(0.0, |best| best.confidence)
    }

    /// The same with what another view says behind it.
    pub fn before(mut self, other: Verdict) -> Verdict {
        self.judged.extend(other.judged.into_iter().chain(other.others));
        self
    }
}

/// How hard to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// Repetition is looked for if nothing else convinces.
    Thorough,
    /// Only what costs little.
    Light,
}

/// What one view of a job says, as part of a window.
pub fn verdict(activity: &mut Activity, window_s: [f64; 2]) -> Verdict {
    let evidence = Evidence::new(activity);
    Verdict { judged: judged(&evidence, Effort::Thorough), others: None, window_s }
}

/// The same, with what goes on beside the phases.
pub fn full_verdict(evidence: &Evidence<'_>, window_s: [f64; 2]) -> Verdict {
    let verdict = Verdict { judged: judged(evidence, Effort::Thorough), others: None, window_s };
    Verdict { others: something_else(evidence, verdict.phases()), ..verdict }
}

/// Finds the period of what was collected.
pub fn analyse(mut activity: Activity) -> Outcome {
    let source_bin_s = activity.source_bin_s();
    if activity.requests() == 0 {
        return Outcome { window_s: activity.window_s(), ..Outcome::default() };
    }
    let evidence = Evidence::new(&mut activity);
    let window_s = evidence.window_s;
    let signal = sampled(&evidence.signal, window_s, source_bin_s);
    let (verdict, published) =
        both(|| full_verdict(&evidence, window_s), || dft::analyse(&signal, TOLERANCE));
    conclude(verdict, published)
}

/// The outcome with this verdict, of a signal that was analysed by the published method.
pub fn conclude(verdict: Verdict, published: Outcome) -> Outcome {
    let mut outcome = published;
    let [from_s, to_s] = outcome.window_s;
    outcome.period_s = verdict.period_s();
    outcome.metrics = metrics::measure(&outcome.picture.signal, outcome.sampling_hz, outcome.period_s);
    if let Some(Judged { hypothesis, confidence }) = verdict.best() {
        outcome.confidence = *confidence;
        outcome.segments = segments(hypothesis, *confidence, verdict.window_s);
        outcome.phases = hypothesis.phases.clone();
    } else {
        outcome.confidence = 0.0;
        outcome.segments = vec![Segment { from_s, to_s, ..Segment::default() }];
    }
    let told: Vec<Judged> = verdict.judged.into_iter().chain(verdict.others).collect();
    outcome.candidates = candidates(&told, &outcome);
    outcome
}

/// All hypotheses, the most credible first. Repetition is looked for only if nothing else convinces.
fn judged(evidence: &Evidence<'_>, effort: Effort) -> Vec<Judged> {
    let signal = evidence.signal.coarser(COMPARED);
    let mut proposed = propose(evidence, effort == Effort::Thorough);
    let mut scores = scores(&proposed, &signal, evidence.bytes);
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if effort == Effort::Thorough && judge::confidence(highest) < CONVINCED {
        let repeated = propose_repetition(evidence);
        if !repeated.is_empty() {
            proposed.extend(repeated);
            scores = self::scores(&proposed, &signal, evidence.bytes);
        }
    }
    let judge = |(hypothesis, score)| (score, Judged { hypothesis, confidence: judge::confidence(score) });
    let mut judged: Vec<(f64, Judged)> = proposed.into_iter().zip(scores).map(judge).collect();
    judged.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut judged: Vec<Judged> = judged.into_iter().map(|(_, judged)| judged).collect();
    prefer_finer(&mut judged);
    sharpen(&mut judged);
    prefer_regimes(&mut judged);
    judged
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

fn scores(proposed: &[Hypothesis], signal: &Binned, bytes: f64) -> Vec<f64> {
    figures(proposed, signal, bytes).iter().map(judge::score).collect()
}

/// The stretches of the window with one period each.
fn segments(best: &Hypothesis, confidence: f64, window_s: [f64; 2]) -> Vec<Segment> {
    let distances = distances(&best.phases);
    let border = |at: usize| best.phases.get(at).map_or(window_s[1], |phase| phase.start_s);
    let last = best.regimes.len().saturating_sub(1);
    let segment = |(at, range): (usize, &std::ops::Range<usize>)| Segment {
        from_s: if at == 0 { window_s[0] } else { border(range.start) },
        to_s: if at == last { window_s[1] } else { border(range.end) },
        period_s: Some(if last == 0 { best.period_s } else { period(&distances[range.clone()]) }),
        confidence,
    };
    best.regimes.iter().enumerate().map(segment).collect()
}

/// The signal of the whole window with exact volumes, not sampled more finely than its source.
pub fn sampled(signal: &Binned, window_s: [f64; 2], source_bin_s: Option<f64>) -> Signal {
    let [from, to] = window_s;
    let (to, finest) = (to.max(from), (to - from) / SAMPLES as f64);
    let step = finest.max(source_bin_s.unwrap_or(0.0)).max(signal.width_s);
    let count = ((to - from) / step).round().max(1.0) as usize;
    let mut samples = vec![0.0; count];
    let Binned { bins, width_s, origin_s, .. } = signal;
    for (at, &bytes) in bins.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
        let place = (origin_s + (at as f64 + 0.5) * width_s - from) / step;
        let last = count - 1;
        samples[(place.max(0.0) as usize).min(last)] += bytes / step;
    }
    Signal { samples, sampling_hz: 1.0 / step, start_s: from, end_s: to, abstraction_error: 0.0 }
}

/// What goes on beside the phases: ranks that have a rhythm of their own, and what moves in between.
fn something_else(evidence: &Evidence<'_>, phases: &[Phase]) -> Option<Judged> {
    if phases.is_empty() {
        return None;
    }
    let takes_part = |all: &&[Phase]| {
        let bytes: f64 = all.iter().map(|burst| burst.bytes).sum();
        let inside: f64 = all.iter().filter(|burst| falls_into(burst, phases)).map(|burst| burst.bytes).sum();
        inside >= TAKES_PART * bytes
    };
    let (taking_part, apart): (Vec<&[Phase]>, Vec<&[Phase]>) =
        evidence.ranks.iter().partition(|all| takes_part(all));
    // Many ranks that do something else do the same.
    let some = apart.iter().step_by(apart.len().div_ceil(MOST_RANKS).max(1));
    let mut rest = Activity::new(Some(evidence.window_s));
    let mut add = |rank: usize, burst: &Phase| rest.add(rank as u32, burst.start_s, burst.end_s, burst.bytes);
    for (rank, all) in some.enumerate() {
        all.iter().for_each(|burst| add(rank, burst));
    }
    for (rank, all) in taking_part.iter().enumerate() {
        let outside = all.iter().filter(|burst| !falls_into(burst, phases));
        outside.for_each(|burst| add(apart.len() + rank, burst));
    }
    if rest.requests() < FEWEST_OTHERS {
        return None;
    }
    judged(&Evidence::new(&mut rest), Effort::Light).into_iter().next()
}

/// Whether a burst begins within one of the phases, which are in order of time, or lies in it for the most part.
fn falls_into(burst: &Phase, phases: &[Phase]) -> bool {
    let middle_s = (burst.start_s + burst.end_s) / 2.0;
    [burst.start_s, middle_s].into_iter().any(|moment_s| {
        let next = phases.partition_point(|phase| phase.start_s <= moment_s);
        next.checked_sub(1).and_then(|at| phases.get(at)).is_some_and(|phase| moment_s <= phase.end_s)
    })
}

/// The periods that are worth telling, each once, with their place in the spectrum.
fn candidates(judged: &[Judged], outcome: &Outcome) -> Vec<Candidate> {
    let spectrum = &outcome.picture.spectrum;
    let scores = dft::scores(spectrum).unwrap_or_default();
    let mut told: Vec<Candidate> = Vec::new();
    // The answer stays first, whatever others say.
    let mut by_confidence: Vec<&Judged> = judged.iter().collect();
    if let Some(rest) = by_confidence.get_mut(usize::from(outcome.period_s.is_some())..) {
        rest.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    }
    for Judged { hypothesis, confidence } in by_confidence {
        let period_s = hypothesis.period_s;
        if told.len() >= CANDIDATES || told.iter().any(|known| (known.period_s / period_s - 1.0).abs() < SAME)
        {
            continue;
        }
        let turns = outcome.samples as f64 / outcome.sampling_hz / period_s;
        let at = (turns.round() as usize).saturating_sub(1);
        let of = |values: &[f64]| values.get(at).copied().unwrap_or(0.0);
        told.push(Candidate { period_s, power: of(spectrum), z: of(&scores), confidence: *confidence });
    }
    told
}
