//! Candidates for the dominant frequency: outliers of the spectrum by their Z-score, without
//! harmonics, with the published confidence (sections II-B2 and II-C).

use super::Rules;
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

/// The candidates of a spectrum without their harmonics, strongest first.
pub(super) fn dominant(power: &[f64], rules: &Rules, multiples: Multiples) -> Vec<Line> {
    let Some(mut scores) = scores(power) else { return Vec::new() };
    if rules.as_ftio {
        scores.iter_mut().for_each(|z| *z = z.abs());
    }
    let reaches = |value: f64, bound: f64| if rules.as_ftio { value > bound } else { value >= bound };
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let is_outlier = |z: f64| reaches(z, OUTLIER);
    let is_near = |z: f64| reaches(z / largest, rules.tolerance);
    let is_candidate = |&at: &usize| scores.get(at).is_some_and(|&z| is_outlier(z) && is_near(z));
    let (kept, harmonics) =
        without_harmonics((0..scores.len()).filter(is_candidate), scores.len(), multiples);
    // Harmonics that were not candidates stay in the sets of the confidence.
    let sum = |is_in: &dyn Fn(f64) -> bool| -> f64 {
        let all: f64 = scores.iter().copied().filter(|&z| is_in(z)).sum();
        all - harmonics.iter().filter_map(|&at| scores.get(at)).filter(|&&z| is_in(z)).sum::<f64>()
    };
    let (outliers, near) = (sum(&is_outlier), sum(&is_near));
    let line = |place: usize| {
        let z = *scores.get(place)?;
        Some(Line { bin: place + 1, z, confidence: (z / outliers + z / near) / 2.0 })
    };
    let mut lines: Vec<Line> = kept.into_iter().filter_map(line).collect();
    lines.sort_by(|a, b| b.z.total_cmp(&a.z));
    lines
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
