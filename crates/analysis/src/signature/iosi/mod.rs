//! The published method (Liu, Gunasekaran, Ma and Vazhkudai, FAST 2014), unchanged.

mod bursts;
mod common;
pub mod outliers;
pub mod prepare;
pub mod wavelet;

use super::sample::Sample;
use bursts::{Burst, Stack, isolate};
use common::{Point, Shares, groups};

/// Parameters; the defaults are the published values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knobs {
    /// Number of detail levels to smooth away.
    pub wavelet_level: usize,
    /// Share of samples that makes a grid cell dense.
    pub gamma: f64,
    /// Share of samples that makes a burst common.
    pub kappa: f64,
    /// Whether to remove outliers, equalize durations and subtract the background.
    pub preprocess: bool,
}

impl Default for Knobs {
    fn default() -> Knobs {
        Knobs { wavelet_level: 2, gamma: 0.5, kappa: 0.9, preprocess: true }
    }
}

/// A mined signature.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mined {
    /// Bytes per second, one value per second.
    pub rates: Vec<f64>,
    /// For each burst, the seconds of its crest in the samples.
    pub crests: Vec<Vec<f64>>,
}

/// Resamples to one point per second; with `preprocess`, also to equal length and without
/// background.
pub fn prepared(samples: &[Sample], preprocess: bool) -> Vec<Vec<f64>> {
    let mut refined: Vec<Vec<f64>> =
        samples.iter().map(|sample| prepare::refined(&sample.rates, sample.interval_s)).collect();
    if preprocess {
        let shortest = refined.iter().map(Vec::len).min().unwrap_or(0);
        refined.iter_mut().for_each(|sample| *sample = prepare::shortened(sample, shortest));
        prepare::without_background(&mut refined);
    }
    refined
}

pub fn kept(samples: &[Sample]) -> Vec<bool> {
    let points: Vec<[f64; 2]> = samples.iter().map(|sample| [sample.duration_s, sample.bytes()]).collect();
    outliers::like_the_others(&points)
}

/// Mines samples from which outliers are already removed.
pub fn mine(samples: &[Sample], knobs: &Knobs) -> Mined {
    let samples = prepared(samples, knobs.preprocess);
    let bursts: Vec<Vec<Burst>> =
        samples.iter().map(|sample| isolate(&wavelet::smooth(sample, knobs.wavelet_level))).collect();
    let stack = Stack::of(bursts.iter().flatten());
    let points = points(&samples, &bursts, &stack);
    let shares = Shares { gamma: knobs.gamma, kappa: knobs.kappa };
    let found = groups(&points, samples.len(), widths(&bursts), shares);
    let seconds = samples.iter().map(Vec::len).max().unwrap_or(0);
    let mut mined = Mined { rates: vec![0.0; seconds], crests: Vec::new() };
    for group in &found {
        emit(&mut mined.rates, group, &samples, &bursts, &stack);
        mined.crests.push(group.iter().map(|point| point.time).collect());
    }
    mined
}

/// Returns the mean length of bursts and the mean distance between them.
fn widths(bursts: &[Vec<Burst>]) -> (f64, f64) {
    let lengths: Vec<f64> = bursts.iter().flatten().map(|burst| (burst.to - burst.from) as f64).collect();
    let distances = bursts.iter().flat_map(|bursts| bursts.windows(2));
    let distances: Vec<f64> = distances.map(|pair| (pair[1].crest - pair[0].crest) as f64).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let length = mean(&lengths).max(1.0);
    (length, mean(&distances).max(length))
}

fn points(samples: &[Vec<f64>], bursts: &[Vec<Burst>], stack: &Stack) -> Vec<Point> {
    let all = || {
        bursts.iter().enumerate().flat_map(|(sample, bursts)| {
            bursts.iter().enumerate().map(move |(at, burst)| (sample, at, burst))
        })
    };
    let mut mean: Vec<f64> = Vec::new();
    for (sample, _, burst) in all() {
        let laid = stack.lay(&samples[sample], burst);
        mean.resize(laid.len(), 0.0);
        mean.iter_mut().zip(laid).for_each(|(sum, value)| *sum += value);
    }
    let point = |(sample, at, burst): (usize, usize, &Burst)| Point {
        sample,
        burst: at,
        time: burst.crest as f64,
        likeness: super::score::pearson(&stack.lay(&samples[sample], burst), &mean).max(0.0),
    };
    all().map(point).collect()
}

/// Adds the mean burst of a group; where bursts overlap the larger value counts.
fn emit(rates: &mut [f64], group: &[Point], samples: &[Vec<f64>], bursts: &[Vec<Burst>], stack: &Stack) {
    let count = group.len().max(1) as f64;
    let crest = (group.iter().map(|point| point.time).sum::<f64>() / count).round() as usize;
    let mut mean: Vec<f64> = Vec::new();
    for point in group {
        let laid = stack.lay(&samples[point.sample], &bursts[point.sample][point.burst]);
        mean.resize(laid.len(), 0.0);
        mean.iter_mut().zip(laid).for_each(|(sum, value)| *sum += value / count);
    }
    for (at, value) in mean.into_iter().enumerate() {
        let place = (crest + at).checked_sub(stack.left()).and_then(|second| rates.get_mut(second));
        if let Some(rate) = place {
            *rate = rate.max(value);
        }
    }
}
