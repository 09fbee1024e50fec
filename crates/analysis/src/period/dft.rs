//! The published method (Tarraf et al., "Capturing Periodic I/O Using Frequency Techniques", IPDPS
//! 2024) to the letter: outliers of the spectrum, refined by the autocorrelation.
//!
//! `docs/explanation/published-period.md` lists each stage with the sentence of the paper, our
//! function and the test that holds it, and item by item what FTIO 0.0.9 does otherwise
//! ([`Rules::as_ftio`]).

mod candidates;
mod finders;
mod merge;
mod rules;

use super::outcome::{Outcome, Picture, Segment};
use super::samples::Signal;
use super::{acf, metrics, spectrum};

pub(super) use candidates::scores;
pub use finders::{Finder, Finders};
pub use rules::Rules;

/// With more candidates, the signal is not periodic.
const MAX_CANDIDATES: usize = 2;

/// Finds the period of a signal by the rules of the paper. Powers whose score is at least
/// `tolerance` (published: 0.8) of the largest are candidates.
pub fn analyse(signal: &Signal, tolerance: f64) -> Outcome {
    follow(signal, &Rules { tolerance, ..Rules::PUBLISHED })
}

/// Finds the period of a signal by these rules. The outcome's confidence is the published one in
/// the dominant frequency.
pub fn follow(signal: &Signal, rules: &Rules) -> Outcome {
    let (samples, sampling_hz) = (&signal.samples, signal.sampling_hz);
    let picture = Picture {
        signal: samples.clone(),
        spectrum: spectrum::power(samples),
        autocorrelation: if rules.autocorrelation { acf::autocorrelation(samples) } else { Vec::new() },
    };
    let mut candidates = candidates::find(&picture.spectrum, samples.len(), sampling_hz, rules);
    let dominant = if candidates.len() <= MAX_CANDIDATES { &candidates[..] } else { &[] };
    let weights = if rules.as_ftio { acf::Weights::Differences } else { acf::Weights::Heights };
    let repeats = acf::estimate(&picture.autocorrelation, sampling_hz, weights);
    let dft_confidence = dominant.first().map(|best| best.confidence);
    let verdict = merge::merge(dominant, repeats.as_ref(), rules);
    candidates.splice(0..0, verdict.added);
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
        dft_confidence,
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

#[cfg(test)]
mod tests;
