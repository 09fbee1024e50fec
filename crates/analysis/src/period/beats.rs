//! Phases by repetition: where neither pauses nor rates separate the phases, the signal may still
//! repeat after some time. Starts are then placed where the rate rises, about that time apart (by
//! dynamic programming, as in beat tracking: Ellis 2007).

use super::acf::autocorrelation;
use super::outcome::Phase;
use super::runs::Binned;

const BINS: usize = 2048;
const LAGS: usize = 4;
/// Minimum number of bins per period, and of periods.
const FINEST: usize = 6;
const MIN: f64 = 2.5;
/// Share of a period over which a rise is measured.
const RISE: f64 = 0.1;
/// Cost of a beat out of time, in rises of usual height.
const STRICTNESS: f64 = 6.0;
/// Share of a period's bytes that make up the phase; the rest trickles.
const MOSTLY: f64 = 0.9;

/// Splits a signal into phases that repeat at one distance, once for each lag.
pub fn by_repetition(signal: &Binned) -> Vec<Vec<Phase>> {
    let coarse = signal.coarser(BINS);
    lags(&coarse).into_iter().map(|lag| phases(&coarse, &beats(&coarse.bins, lag))).collect()
}

fn lags(signal: &Binned) -> Vec<usize> {
    let biased = autocorrelation(&signal.bins);
    let count = biased.len() as f64;
    let likeness: Vec<f64> =
        biased.iter().enumerate().map(|(lag, r)| r * count / (count - lag as f64)).collect();
    let last = (count / MIN) as usize;
    // A peak is measured from the lowest point before it, or from zero if that is lower.
    let mut lowest = f64::INFINITY;
    let mut peaks: Vec<(f64, usize)> = Vec::new();
    for lag in 1..last.min(likeness.len().saturating_sub(1)) {
        lowest = lowest.min(likeness[lag]);
        let is_peak = likeness[lag] > likeness[lag - 1] && likeness[lag] >= likeness[lag + 1];
        if is_peak && lag >= FINEST {
            peaks.push((likeness[lag] - lowest.min(0.0), lag));
        }
    }
    peaks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let highest = peaks.first().map_or(0.0, |peak| peak.0);
    // Multiples of a period are as high as the period: take the shortest of the high ones first.
    let mut high: Vec<usize> =
        peaks.iter().filter(|peak| peak.0 > 0.7 * highest).map(|peak| peak.1).collect();
    high.sort_unstable();
    high.truncate(LAGS);
    high
}

fn rises(bins: &[f64], span: usize) -> Vec<f64> {
    let mut sums = vec![0.0];
    for bytes in bins {
        sums.push(sums.last().copied().unwrap_or(0.0) + bytes);
    }
    let sum = |from: usize, to: usize| sums[to.min(bins.len())] - sums[from.min(bins.len())];
    (0..bins.len()).map(|at| (sum(at, at + span) - sum(at.saturating_sub(span), at)).max(0.0)).collect()
}

/// The best chain of rises that are about `period` bins apart.
fn beats(bins: &[f64], period: usize) -> Vec<usize> {
    let span = ((period as f64 * RISE) as usize).max(1);
    let rises = rises(bins, span);
    let mut highest: Vec<f64> =
        rises.chunks(period).map(|chunk| chunk.iter().copied().fold(0.0, f64::max)).collect();
    highest.sort_by(f64::total_cmp);
    let usual = highest.get(highest.len() / 2).copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
    let (nearest, farthest) = ((period as f64 * 0.55) as usize, (period as f64 * 1.7) as usize);
    let costs: Vec<f64> = (nearest..=farthest)
        .map(|distance| STRICTNESS * (distance.max(1) as f64 / period as f64).ln().powi(2))
        .collect();
    let mut worth: Vec<(f64, usize)> = Vec::with_capacity(bins.len());
    for (at, rise) in rises.iter().enumerate() {
        let mut best = (0.0, usize::MAX);
        for (distance, cost) in (nearest..=at.min(farthest)).zip(&costs) {
            let chained = worth[at - distance].0 - cost;
            if chained > best.0 {
                best = (chained, at - distance);
            }
        }
        worth.push((best.0 + (rise / usual).min(1.5), best.1));
    }
    let mut at = (0..worth.len()).max_by(|&a, &b| worth[a].0.total_cmp(&worth[b].0)).unwrap_or(usize::MAX);
    let mut chain = Vec::new();
    while at < worth.len() {
        chain.push(at);
        at = worth[at].1;
    }
    chain.reverse();
    chain
}

fn phases(signal: &Binned, beats: &[usize]) -> Vec<Phase> {
    let time = |bin: usize| signal.origin_s + bin as f64 * signal.width_s;
    let ends = beats.iter().skip(1).copied().chain([signal.bins.len()]);
    let phase = |(&from, to): (&usize, usize)| {
        let turn = &signal.bins[from..to];
        let bytes: f64 = turn.iter().sum();
        let mut moved = 0.0;
        let length = turn.iter().position(|bin| {
            moved += bin;
            moved >= MOSTLY * bytes
        });
        Phase { start_s: time(from), end_s: time(from + length.unwrap_or(0) + 1), bytes }
    };
    beats.iter().zip(ends).map(phase).collect()
}
