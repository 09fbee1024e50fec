//! Bursts of a signature.

use super::auto;
use crate::quantile;

/// One burst of a signature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst {
    /// Seconds from the start of the run.
    pub start_s: f64,
    pub end_s: f64,
    /// Highest rate, bytes per second.
    pub peak: f64,
    pub bytes: f64,
    pub support: usize,
    /// Interquartile range over runs of its time.
    pub spread_s: f64,
}

pub fn burst_of(found: &auto::Found, rates: &[f64]) -> Burst {
    let part = rates
        .iter()
        .skip(found.start_s.max(0.0) as usize)
        .take((found.end_s - found.start_s).ceil() as usize + 1);
    Burst {
        start_s: found.start_s,
        end_s: found.end_s,
        peak: part.fold(0.0, |most, rate| most.max(*rate)),
        bytes: found.bytes,
        support: found.support,
        spread_s: found.spread_s,
    }
}

/// Traffic below this share of the maximum separates bursts.
const BETWEEN: f64 = 0.05;

/// Splits rates into bursts, and takes support and spread from the crests of the samples.
pub fn stretches(rates: &[f64], crests: &[Vec<f64>]) -> Vec<Burst> {
    let highest = rates.iter().fold(0.0f64, |most, rate| most.max(*rate));
    let mut bursts: Vec<Burst> = Vec::new();
    for (at, &rate) in rates.iter().enumerate().filter(|(_, rate)| **rate > BETWEEN * highest) {
        let at = at as f64;
        match bursts.last_mut().filter(|burst| burst.end_s + 3.0 > at) {
            Some(burst) => {
                (burst.end_s, burst.bytes, burst.peak) = (at + 1.0, burst.bytes + rate, burst.peak.max(rate));
            }
            None => bursts.push(Burst {
                start_s: at,
                end_s: at + 1.0,
                peak: rate,
                bytes: rate,
                support: 0,
                spread_s: 0.0,
            }),
        }
    }
    for burst in &mut bursts {
        let within = |crests: &&Vec<f64>| {
            let mean = crests.iter().sum::<f64>() / crests.len().max(1) as f64;
            (burst.start_s..=burst.end_s).contains(&mean)
        };
        if let Some(crests) = crests.iter().find(within) {
            burst.support = crests.len();
            let mut sorted = crests.clone();
            burst.spread_s = quantile::between(&mut sorted, 0.75) - quantile::between(&mut sorted, 0.25);
        }
    }
    bursts
}

/// Maximum coefficient of variation of regular distances.
const REGULAR: f64 = 0.1;

pub fn period(bursts: &[Burst]) -> Option<f64> {
    let distances: Vec<f64> = bursts.windows(2).map(|pair| pair[1].start_s - pair[0].start_s).collect();
    if distances.len() < 2 {
        return None;
    }
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    let variance =
        distances.iter().map(|distance| (distance - mean).powi(2)).sum::<f64>() / distances.len() as f64;
    (variance.sqrt() < REGULAR * mean).then_some(mean)
}
