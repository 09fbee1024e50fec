//! One way to split a trace into phases, and the evidence for it.

use std::ops::Range;

use super::mend::Seen;
use super::outcome::Phase;
use super::regimes::regimes;
use crate::quantile::median;

/// How a hypothesis was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Pauses,
    /// Phases are where the rate exceeds a bound.
    Rates,
    Volume,
    /// Each rank has one burst per phase.
    Ranks,
    Repetition,
}

impl Way {
    pub const ALL: [Way; 5] = [Way::Pauses, Way::Rates, Way::Volume, Way::Ranks, Way::Repetition];
}

/// A way to split a trace into phases.
#[derive(Debug, Clone)]
pub struct Hypothesis {
    pub way: Way,
    /// In order of time.
    pub phases: Vec<Phase>,
    pub period_s: f64,
    /// Distances of the longest regime; only these count.
    pub distances: Vec<f64>,
    /// Distances of the regimes, as indices of the phases that begin them.
    pub regimes: Vec<Range<usize>>,
    /// The longest regime.
    pub main: Range<usize>,
    /// How well the way fits: by volume the share of borders with a pause, by ranks the share of
    /// ranks that take part; otherwise 1.
    pub fit: f64,
}

/// Distances within this share of the typical one agree.
const AGREE: f64 = 0.25;
/// A first or last distance is odd if it is further than this share from the typical one.
const ODD: f64 = 0.6;
/// Distances this close to the usual one agree with it.
const CLOSE: f64 = 0.1;
const MIN: usize = 2;

impl Hypothesis {
    /// `None` if there are too few phases for a period.
    pub fn new(way: Way, mut phases: Vec<Phase>, fit: f64, seen: &Seen<'_>) -> Option<Hypothesis> {
        seen.mend_first(&mut phases);
        let all = distances(&phases);
        if all.len() < MIN {
            return None;
        }
        let regimes = regimes(&all);
        let lasts = |range: &Range<usize>| all[range.clone()].iter().sum::<f64>();
        let main = regimes.iter().max_by(|a, b| lasts(a).total_cmp(&lasts(b)))?.clone();
        let distances = without_odd_ends(all[main.clone()].to_vec());
        let period_s = period(&distances);
        (period_s > 0.0 && period_s.is_finite()).then_some(Hypothesis {
            way,
            phases,
            period_s,
            distances,
            regimes,
            main,
            fit,
        })
    }
}

impl Hypothesis {
    /// Time from the end of each phase of the main regime to the start of the next.
    pub fn pauses(&self) -> Vec<f64> {
        let phases = &self.phases[self.main.start..=self.main.end];
        phases.windows(2).map(|pair| (pair[1].start_s - pair[0].end_s).max(0.0)).collect()
    }

    /// Number of periods between the first and the last phase, including missed phases.
    pub fn turns(&self) -> f64 {
        match (self.regimes.len(), self.phases.first(), self.phases.last()) {
            (1, Some(first), Some(last)) => (last.start_s - first.start_s) / self.period_s,
            _ => self.phases.len().saturating_sub(1) as f64,
        }
    }
}

pub fn period(distances: &[f64]) -> f64 {
    counted(&without_extra_starts(distances))
}

pub fn distances(phases: &[Phase]) -> Vec<f64> {
    phases.windows(2).map(|pair| pair[1].start_s - pair[0].start_s).collect()
}

/// Drops the first and last distance if they stand out from all others, which agree.
fn without_odd_ends(mut distances: Vec<f64>) -> Vec<f64> {
    for _ in 0..2 {
        distances.reverse();
        let Some((&last, rest)) = distances.split_last() else { break };
        if rest.len() < 4 {
            continue;
        }
        let typical = median(rest.to_vec());
        let largest = rest.iter().map(|d| (d - typical).abs()).fold(0.0, f64::max);
        if largest < AGREE * typical && (last - typical).abs() > (3.0 * largest).max(ODD * typical) {
            distances.pop();
        }
    }
    distances
}

/// Merges neighbouring distances that add up to the usual one, where most others agree with it:
/// something else started in between.
fn without_extra_starts(distances: &[f64]) -> Vec<f64> {
    let typical = median(distances.to_vec());
    let is_usual = |d: f64| (d / typical - 1.0).abs() < CLOSE;
    if distances.iter().filter(|&&d| is_usual(d)).count() * 10 < distances.len() * 7 {
        return distances.to_vec();
    }
    let mut kept: Vec<f64> = Vec::with_capacity(distances.len());
    for &distance in distances {
        match kept.last_mut() {
            Some(last) if !is_usual(*last) && !is_usual(distance) && is_usual(*last + distance) => {
                *last += distance
            }
            _ => kept.push(distance),
        }
    }
    kept
}

/// Mean distance. Where most distances agree and the others are multiples of them, each counts as
/// that multiple: phases were missed there. They are counted, not listed: a single wrong time may
/// claim any number of them.
fn counted(distances: &[f64]) -> f64 {
    let typical = median(distances.to_vec());
    let times = |d: f64| (d / typical).round().max(1.0);
    let near = |d: f64, times: f64| (d / typical - times).abs() < 0.1 * times.sqrt();
    let agree = distances.iter().filter(|&&d| near(d, 1.0)).count();
    let explained = distances.iter().filter(|&&d| near(d, times(d))).count();
    if agree * 10 < distances.len() * 7 || explained < distances.len() {
        return mean(distances);
    }
    distances.iter().sum::<f64>() / distances.iter().map(|&d| times(d)).sum::<f64>().max(1.0)
}

pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// Standard deviation relative to the mean.
pub fn spread(values: &[f64]) -> f64 {
    let centre = mean(values);
    let variance = mean(&values.iter().map(|value| (value - centre) * (value - centre)).collect::<Vec<_>>());
    if centre > 0.0 { variance.sqrt() / centre } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_in_between_is_no_phase() {
        let mut distances = vec![10.0; 9];
        distances.extend([4.0, 6.2, 10.1, 9.9]);
        assert!((period(&distances) - 10.0).abs() < 0.05, "{}", period(&distances));
        // A sequence of only such pairs has its own period.
        assert_eq!(period(&[4.0, 6.0, 4.0, 6.0, 4.0, 6.0]), 5.0);
    }

    /// Once, each missed phase had a place in memory, and one wrong time ended the program.
    #[test]
    fn missed_phases_are_counted_however_many_they_are() {
        let with = |last: f64| period(&[[10.0; 9].as_slice(), &[last]].concat());
        for last in [20.0, 1e6, 1e17] {
            assert!((with(last) - 10.0).abs() < 1e-9, "{last}: {}", with(last));
        }
    }
}
