//! Candidates for the dominant frequency: outliers of the spectrum by their Z-score, without
//! harmonics, with the published confidence (sections II-B2 and II-C).

use super::Rules;
use super::finders::{Opinion, ask};
use crate::period::outcome::Candidate;
use crate::period::spectrum;

/// A power at least this many standard deviations above the mean is an outlier.
const OUTLIER: f64 = 3.0;

/// Spectra whose powers differ by less are flat, such as that of a single pulse.
const ROUNDING: f64 = 1e-9;

/// FTIO takes a frequency for a harmonic if the remainder of the division is below this many hertz.
const FTIO_REMAINDER_HZ: f64 = 1e-5;

/// The candidates of a spectrum, strongest first; the number of samples gives the bins their periods.
pub(super) fn find(power: &[f64], samples: usize, sampling_hz: f64, rules: &Rules) -> Vec<Candidate> {
    let candidate = |line: Line| Candidate {
        period_s: spectrum::period_s(line.bin, samples, sampling_hz),
        power: power.get(line.bin - 1).copied().unwrap_or(0.0),
        z: line.z,
        confidence: line.confidence,
    };
    let multiples = Multiples { sampling_hz, samples, as_ftio: rules.as_ftio };
    dominant(power, rules, multiples).into_iter().map(candidate).collect()
}

/// Which bins are harmonics of another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Multiples {
    pub sampling_hz: f64,
    pub samples: usize,
    pub as_ftio: bool,
}

impl Multiples {
    /// Marks the harmonics of a bin. In the paper these are its multiples of two. FTIO divides
    /// frequencies and looks at the remainder, so that it takes every multiple that is not rounded
    /// to just below, and bins shortly above one.
    fn mark(self, bin: usize, marks: &mut [bool]) {
        if !self.as_ftio {
            marks.iter_mut().skip(2 * bin).step_by(2 * bin).for_each(|mark| *mark = true);
            return;
        }
        let frequency = |bin: usize| self.sampling_hz * bin as f64 / self.samples as f64;
        let above = ((FTIO_REMAINDER_HZ / frequency(1)).ceil() as usize).min(bin - 1);
        for multiple in (bin..marks.len()).step_by(bin) {
            for at in (multiple..=multiple + above).filter(|at| *at != bin) {
                if let Some(mark) = marks.get_mut(at) {
                    *mark |= frequency(at) % frequency(bin) < FTIO_REMAINDER_HZ;
                }
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// From 1.
    pub bin: usize,
    pub z: f64,
    pub confidence: f64,
}

/// The candidates of a spectrum without their harmonics, strongest first. Several finders vote: a
/// candidate is what more than half of them name, and its confidence is the mean of theirs, 0 from
/// a finder that does not name it.
pub(super) fn dominant(power: &[f64], rules: &Rules, multiples: Multiples) -> Vec<Line> {
    let Some(mut scores) = scores(power) else { return Vec::new() };
    if rules.as_ftio {
        scores.iter_mut().for_each(|z| *z = z.abs());
    }
    let by_score = ByScore::new(&scores, rules);
    let ask = |finder| ask(finder, power, rules.tolerance);
    let opinions: Vec<Option<Opinion>> = rules.finders.iter().map(ask).collect();
    let names = |opinion: &Option<Opinion>, place: usize| match opinion {
        Some(opinion) => opinion.is_outlier.get(place) == Some(&true),
        None => by_score.is_candidate(place),
    };
    let is_candidate =
        |&place: &usize| 2 * opinions.iter().filter(|one| names(one, place)).count() > opinions.len();
    let candidates = (0..scores.len()).filter(is_candidate);
    let (kept, harmonics) = without_harmonics(candidates, scores.len(), multiples);
    let by_score_without = by_score.sums_without(&harmonics);
    let line = |place: usize| {
        let z = *scores.get(place)?;
        let of = |opinion: &Option<Opinion>| match opinion {
            _ if !names(opinion, place) => 0.0,
            Some(opinion) => opinion.confidence.get(place).copied().unwrap_or(0.0),
            None => by_score_without.iter().map(|sum| z / sum).sum::<f64>() / 2.0,
        };
        let confidence = opinions.iter().map(of).sum::<f64>() / opinions.len() as f64;
        Some(Line { bin: place + 1, z, confidence })
    };
    let mut lines: Vec<Line> = kept.into_iter().filter_map(line).collect();
    lines.sort_by(|a, b| b.z.total_cmp(&a.z));
    lines
}

/// The rule of the Z-score.
struct ByScore<'a> {
    scores: &'a [f64],
    largest: f64,
    rules: &'a Rules,
}

impl ByScore<'_> {
    fn new<'a>(scores: &'a [f64], rules: &'a Rules) -> ByScore<'a> {
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        ByScore { scores, largest, rules }
    }

    fn reaches(&self, value: f64, bound: f64) -> bool {
        if self.rules.as_ftio { value > bound } else { value >= bound }
    }

    fn is_outlier(&self, z: f64) -> bool {
        self.reaches(z, OUTLIER)
    }

    fn is_near(&self, z: f64) -> bool {
        self.reaches(z / self.largest, self.rules.tolerance)
    }

    fn is_candidate(&self, place: usize) -> bool {
        self.scores.get(place).is_some_and(|&z| self.is_outlier(z) && self.is_near(z))
    }

    /// Sums of the scores of all outliers, and of all scores near the largest, without harmonics of
    /// candidates. Other harmonics stay.
    fn sums_without(&self, harmonics: &[usize]) -> [f64; 2] {
        let sum = |is_in: &dyn Fn(f64) -> bool| -> f64 {
            let all: f64 = self.scores.iter().copied().filter(|&z| is_in(z)).sum();
            let dropped = harmonics.iter().filter_map(|&at| self.scores.get(at)).copied();
            all - dropped.filter(|&z| is_in(z)).sum::<f64>()
        };
        [sum(&|z| self.is_outlier(z)), sum(&|z| self.is_near(z))]
    }
}

/// Number of standard deviations of each power above the mean; `None` for a flat or empty spectrum.
pub(in crate::period) fn scores(power: &[f64]) -> Option<Vec<f64>> {
    let count = power.len() as f64;
    let mean = power.iter().sum::<f64>() / count;
    let variance = power.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt();
    (deviation > ROUNDING * mean).then(|| power.iter().map(|share| (share - mean) / deviation).collect())
}

/// Splits candidates, given as rising indices (bin - 1), into kept ones and harmonics of those.
pub(super) fn without_harmonics(
    places: impl Iterator<Item = usize>,
    bins: usize,
    multiples: Multiples,
) -> (Vec<usize>, Vec<usize>) {
    let mut marks = vec![false; bins + 1];
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    for place in places {
        if marks.get(place + 1) == Some(&true) {
            dropped.push(place);
        } else {
            multiples.mark(place + 1, &mut marks);
            kept.push(place);
        }
    }
    (kept, dropped)
}
