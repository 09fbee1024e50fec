//! The published method (Tarraf et al., "Capturing Periodic I/O Using Frequency Techniques", IPDPS
//! 2024) to the letter: outliers of the spectrum, refined by the autocorrelation.
//!
//! Our choices where the paper is silent: harmonics are candidates whose bin is a multiple of the
//! bin of a lower candidate that was kept; they leave both sets of the confidence. The period is
//! that of the transform. The autocorrelation adjusts the confidence, drops the period if too
//! little confidence remains, and provides its own period at a third of its confidence if the
//! transform has none.

use super::outcome::{Candidate, Outcome, Picture, Segment};
use super::samples::Signal;
use super::{acf, metrics, spectrum};

/// A power at least this many standard deviations above the mean is an outlier.
const OUTLIER: f64 = 3.0;

/// Spectra whose powers differ by less are flat, such as that of a single pulse.
const ROUNDING: f64 = 1e-9;

/// With more candidates, the signal is not periodic.
const MAX_CANDIDATES: usize = 2;

/// A period with a lower refined confidence is dropped.
const MIN_REFINED: f64 = 0.2;

/// Finds the period of a signal. Powers whose score is at least `tolerance` (published: 0.8) of the
/// largest are candidates. The outcome's confidence is the published one in the dominant frequency.
pub fn analyse(signal: &Signal, tolerance: f64) -> Outcome {
    let (samples, sampling_hz) = (&signal.samples, signal.sampling_hz);
    let picture = Picture {
        signal: samples.clone(),
        spectrum: spectrum::power(samples),
        autocorrelation: acf::autocorrelation(samples),
    };
    let lines = dominant(&picture.spectrum, tolerance);
    let mut candidates: Vec<Candidate> =
        lines.iter().map(|line| line.candidate(samples.len(), sampling_hz)).collect();
    let best = candidates.first().copied().filter(|_| candidates.len() <= MAX_CANDIDATES);
    let repeats = acf::estimate(&picture.autocorrelation, sampling_hz);
    let verdict = merge(best, repeats.as_ref());
    if let (None, Some(period_s)) = (best, verdict.period_s) {
        candidates.insert(0, Candidate { period_s, confidence: verdict.confidence, ..Candidate::default() });
    }
    let segment = Segment {
        from_s: signal.start_s,
        to_s: signal.end_s,
        period_s: verdict.period_s,
        confidence: verdict.confidence,
    };
    Outcome {
        period_s: verdict.period_s,
        confidence: verdict.confidence,
        candidates,
        segments: vec![segment],
        autocorrelation: repeats.map(|estimate| (estimate.period_s, estimate.confidence)),
        dft_confidence: best.map(|best| best.confidence),
        refined_confidence: verdict.refined,
        metrics: metrics::measure(samples, sampling_hz, verdict.period_s),
        sampling_hz,
        samples: samples.len(),
        window_s: [signal.start_s, signal.end_s],
        abstraction_error: signal.abstraction_error,
        phases: metrics::phases(samples, sampling_hz, signal.start_s),
        picture,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    /// From 1.
    bin: usize,
    power: f64,
    z: f64,
    confidence: f64,
}

impl Line {
    fn candidate(&self, samples: usize, sampling_hz: f64) -> Candidate {
        let Line { bin, power, z, confidence } = *self;
        Candidate { period_s: spectrum::period_s(bin, samples, sampling_hz), power, z, confidence }
    }
}

/// The candidates of a spectrum without their harmonics, strongest first.
fn dominant(power: &[f64], tolerance: f64) -> Vec<Line> {
    let Some(scores) = scores(power) else { return Vec::new() };
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let near_largest = |z: f64| z / largest >= tolerance;
    let is_candidate = |&at: &usize| scores.get(at).is_some_and(|&z| z >= OUTLIER && near_largest(z));
    let (kept, harmonics) = without_harmonics((0..scores.len()).filter(is_candidate), scores.len());
    // Harmonics that were not candidates stay in the sets of the confidence.
    let sum = |is_in: &dyn Fn(f64) -> bool| -> f64 {
        let counts = |(at, z): (usize, &f64)| (is_in(*z) && !harmonics.contains(&at)).then_some(*z);
        scores.iter().enumerate().filter_map(counts).sum()
    };
    let (outliers, near) = (sum(&|z| z >= OUTLIER), sum(&near_largest));
    let line = |at: usize| {
        let (&power, &z) = power.get(at).zip(scores.get(at))?;
        Some(Line { bin: at + 1, power, z, confidence: (z / outliers + z / near) / 2.0 })
    };
    let mut lines: Vec<Line> = kept.into_iter().filter_map(line).collect();
    lines.sort_by(|a, b| b.power.total_cmp(&a.power));
    lines
}

/// Number of standard deviations of each power above the mean; `None` for a flat or empty spectrum.
pub(super) fn scores(power: &[f64]) -> Option<Vec<f64>> {
    let count = power.len() as f64;
    let mean = power.iter().sum::<f64>() / count;
    let variance = power.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt();
    (deviation > ROUNDING * mean).then(|| power.iter().map(|share| (share - mean) / deviation).collect())
}

/// Splits candidates, given as rising indices (bin - 1), into kept and dropped ones, in order.
fn without_harmonics(places: impl Iterator<Item = usize>, bins: usize) -> (Vec<usize>, Harmonics) {
    let mut multiple = vec![false; bins];
    let (mut kept, mut dropped) = (Vec::new(), Harmonics::default());
    for place in places {
        if multiple.get(place) == Some(&true) {
            dropped.0.push(place);
            continue;
        }
        kept.push(place);
        let step = place + 1;
        multiple.iter_mut().skip(2 * step - 1).step_by(step).for_each(|marked| *marked = true);
    }
    (kept, dropped)
}

#[derive(Debug, Default)]
struct Harmonics(Vec<usize>);

impl Harmonics {
    fn contains(&self, place: &usize) -> bool {
        self.0.binary_search(place).is_ok()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Verdict {
    period_s: Option<f64>,
    confidence: f64,
    refined: Option<f64>,
}

fn merge(best: Option<Candidate>, repeats: Option<&acf::Estimate>) -> Verdict {
    match (best, repeats) {
        (None, None) => Verdict::default(),
        (None, Some(estimate)) => {
            let confidence = estimate.confidence / 3.0;
            Verdict { period_s: Some(estimate.period_s), confidence, refined: Some(confidence) }
        }
        (Some(best), None) => {
            Verdict { period_s: Some(best.period_s), confidence: best.confidence, refined: None }
        }
        (Some(best), Some(estimate)) => {
            let similarity = similarity(&estimate.distances_s, best.period_s);
            let refined = (best.confidence + estimate.confidence + similarity) / 3.0;
            let verdict = Verdict { refined: Some(refined), ..Verdict::default() };
            if refined < MIN_REFINED {
                return verdict;
            }
            Verdict { period_s: Some(best.period_s), confidence: best.confidence, ..verdict }
        }
    }
}

/// 1 minus the coefficient of variation of the distances and the period together, at least 0.
fn similarity(distances: &[f64], period: f64) -> f64 {
    let all = || distances.iter().copied().chain([period]);
    let count = (distances.len() + 1) as f64;
    let mean = all().sum::<f64>() / count;
    let variance = all().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (1.0 - variance.sqrt() / mean).max(0.0)
}

#[cfg(test)]
mod tests;
