//! The best available answer: proposes every way to split the trace into phases, judges each by its
//! evidence, and answers with the most credible one.

use super::activity::Activity;
use super::choose::{Effort, Judged, SAME, judged, nearly_same};
use super::hypothesis::{Hypothesis, distances, period};
use super::outcome::{Candidate, Outcome, Phase, Segment};
use super::propose::Evidence;
use super::runs::Binned;
use super::samples::Signal;
use super::{dft, judge, metrics};
use crate::parallel::both;

const SAMPLES: usize = 4096;
const CANDIDATES: usize = 5;
/// Tolerance of the published method, whose measures are reported next to our own.
pub const TOLERANCE: f64 = 0.8;
/// A rank with a smaller share of its bytes in the phases has another activity.
const TAKES_PART: f64 = 0.8;
const MIN_OTHERS: u64 = 4;
const MAX_RANKS: usize = 64;

/// The findings in one view of a job.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// All hypotheses, the most credible first.
    judged: Vec<Judged>,
    /// Activity besides the phases.
    others: Option<Judged>,
    window_s: [f64; 2],
}

impl Verdict {
    fn best(&self) -> Option<&Judged> {
        let best = self.judged.first()?;
        // One view suffices: iterations of equal volume are iterations of a loop in all of them.
        let mut same = self.judged.iter().filter(|other| nearly_same(&other.hypothesis, &best.hypothesis));
        let equal = same.any(|other| judge::are_equal(&other.hypothesis.phases));
        Some(best).filter(|best| judge::is_answer(best.confidence, equal))
    }

    pub fn period_s(&self) -> Option<f64> {
        self.best().map(|best| best.hypothesis.period_s)
    }

    /// The phases of the best hypothesis; empty if it is not credible.
    fn phases(&self) -> &[Phase] {
        self.best().map_or(&[], |best| &best.hypothesis.phases)
    }

    /// The most credible hypothesis, even if too weak for an answer.
    pub fn guess(&self) -> Option<&Judged> {
        self.judged.first()
    }

    /// Start of the first phase; infinite without phases.
    pub fn first_start_s(&self) -> f64 {
        self.phases().first().map_or(f64::INFINITY, |phase| phase.start_s)
    }

    /// Of the best hypothesis, even if too weak for an answer.
    pub fn confidence(&self) -> f64 {
        self.judged.first().map_or(0.0, |best| best.confidence)
    }

    /// Appends the hypotheses of another view.
    pub fn before(mut self, other: Verdict) -> Verdict {
        self.judged.extend(other.judged.into_iter().chain(other.others));
        self
    }
}

pub fn verdict(activity: &mut Activity, window_s: [f64; 2]) -> Verdict {
    let evidence = Evidence::new(activity);
    Verdict { judged: judged(&evidence, Effort::Thorough), others: None, window_s }
}

/// As [`verdict`], with the activity besides the phases.
pub fn full_verdict(evidence: &Evidence<'_>, window_s: [f64; 2]) -> Verdict {
    let verdict = Verdict { judged: judged(evidence, Effort::Thorough), others: None, window_s };
    Verdict { others: something_else(evidence, verdict.phases()), ..verdict }
}

pub fn analyse(mut activity: Activity) -> Outcome {
    let source_bin_s = activity.source_bin_s();
    if activity.requests() == 0 {
        return Outcome { window_s: activity.window_s(), ..Outcome::default() };
    }
    let evidence = Evidence::new(&mut activity);
    let window_s = evidence.window_s;
    let signal = sampled(&evidence.signal, window_s, source_bin_s);
    // The part that needs more memory stays on this thread: another thread would allocate and free
    // it repeatedly.
    let (published, verdict) =
        both(|| dft::analyse(&signal, TOLERANCE), || full_verdict(&evidence, window_s));
    conclude(verdict, published)
}

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

/// The signal of the whole window with exact volumes, sampled no more finely than its source.
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

/// The activity besides the phases: ranks with their own rhythm, and bytes that move between
/// phases.
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
    // Ranks with another activity mostly share it, so some suffice.
    let some = apart.iter().step_by(apart.len().div_ceil(MAX_RANKS).max(1));
    let mut rest = Activity::new(Some(evidence.window_s));
    let mut add = |rank: usize, burst: &Phase| rest.add(rank as u32, burst.start_s, burst.end_s, burst.bytes);
    for (rank, all) in some.enumerate() {
        all.iter().for_each(|burst| add(rank, burst));
    }
    for (rank, all) in taking_part.iter().enumerate() {
        let outside = all.iter().filter(|burst| !falls_into(burst, phases));
        outside.for_each(|burst| add(apart.len() + rank, burst));
    }
    if rest.requests() < MIN_OTHERS {
        return None;
    }
    judged(&Evidence::new(&mut rest), Effort::Light).into_iter().next()
}

/// Whether a burst starts in a phase, or has its middle in one; `phases` are in order of time.
fn falls_into(burst: &Phase, phases: &[Phase]) -> bool {
    let middle_s = (burst.start_s + burst.end_s) / 2.0;
    [burst.start_s, middle_s].into_iter().any(|moment_s| {
        let next = phases.partition_point(|phase| phase.start_s <= moment_s);
        next.checked_sub(1).and_then(|at| phases.get(at)).is_some_and(|phase| moment_s <= phase.end_s)
    })
}

fn candidates(judged: &[Judged], outcome: &Outcome) -> Vec<Candidate> {
    let spectrum = &outcome.picture.spectrum;
    let scores = dft::scores(spectrum).unwrap_or_default();
    let mut told: Vec<Candidate> = Vec::new();
    // The answer stays first, whatever the confidence of others.
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
