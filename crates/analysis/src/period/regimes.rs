//! Where a job changes its rhythm.

use std::ops::Range;

use super::hypothesis::mean;
use crate::quantile::median;

const MIN: usize = 3;
/// Periods that differ by less are one regime that drifts.
const RATIO: f64 = 1.27;
/// Minimum height of a step in its standard errors.
const CLEAR: f64 = 6.5;
/// Lower limit of the relative uncertainty of distances.
const FINEST: f64 = 0.01;

/// Maximum number of distances examined one by one; of more, neighbours are merged.
const MOST: usize = 64;
/// Cost of a further regime, in variances of the distances.
const PENALTY: f64 = 12.0;

/// Stretches of distances around one level each; one stretch if the level never changes clearly.
pub fn regimes(distances: &[f64]) -> Vec<Range<usize>> {
    let together = distances.len().div_ceil(MOST).max(1);
    let levels: Vec<f64> =
        distances.chunks(together).map(|d| median(d.to_vec()).max(f64::MIN_POSITIVE).ln()).collect();
    let mut borders = best_borders(&levels);
    while let Some(weak) = weakest(&levels, &borders) {
        borders.remove(weak);
    }
    if follows_a_line(&levels, &borders) {
        borders.clear();
    }
    let inner = borders.into_iter().map(|border| border * together);
    let all: Vec<usize> = [0].into_iter().chain(inner).chain([distances.len()]).collect();
    all.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Cuts that minimize the squares within stretches plus the cost of the cuts.
fn best_borders(levels: &[f64]) -> Vec<usize> {
    let (mut sums, mut squares) = (vec![0.0], vec![0.0]);
    for (at, x) in levels.iter().enumerate() {
        sums.push(sums[at] + x);
        squares.push(squares[at] + x * x);
    }
    let within = |from: usize, to: usize| {
        let sum = sums[to] - sums[from];
        (squares[to] - squares[from] - sum * sum / (to - from) as f64).max(0.0)
    };
    let price = PENALTY * noise(levels).powi(2);
    // For every end: the least cost up to it, and the start of its last stretch.
    let mut best: Vec<(f64, usize)> = vec![(0.0, 0)];
    for end in 1..=levels.len() {
        let cost = |from: usize| best[from].0 + within(from, end) + if from > 0 { price } else { 0.0 };
        let starts = (0..=end.saturating_sub(MIN)).filter(|&from| from == 0 || from >= MIN);
        let costs = starts.map(|from| (cost(from), from));
        best.push(costs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_else(|| (cost(0), 0)));
    }
    let mut borders = Vec::new();
    let mut at = best[levels.len()].1;
    while at > 0 {
        borders.push(at);
        at = best[at].1;
    }
    borders.reverse();
    borders
}

/// Typical difference of neighbours; changes of level are rare among them.
fn noise(levels: &[f64]) -> f64 {
    let steps: Vec<f64> = levels.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    (median(steps) / 0.954).max(FINEST)
}

/// Whether a linear trend fits the distances better than the levels between the borders.
fn follows_a_line(levels: &[f64], borders: &[usize]) -> bool {
    if borders.is_empty() {
        return false;
    }
    let distances: Vec<f64> = levels.iter().map(|level| level.exp()).collect();
    let ends = [0].into_iter().chain(borders.iter().copied()).chain([distances.len()]);
    let ends: Vec<usize> = ends.collect();
    let off_levels: f64 = ends.windows(2).map(|pair| off_median(&distances[pair[0]..pair[1]])).sum();
    off_median(&without_trend(&distances)) < off_levels
}

fn off_median(values: &[f64]) -> f64 {
    let middle = median(values.to_vec());
    values.iter().map(|value| (value - middle).abs()).sum()
}

/// Removes the linear trend by the median slope of pairs (Theil 1950, Sen 1968).
pub fn without_trend(distances: &[f64]) -> Vec<f64> {
    // With very many distances, the pairs of some suffice.
    let apart = distances.len().div_ceil(MOST).max(1);
    let some: Vec<(f64, f64)> = (0..).map(f64::from).zip(distances.iter().copied()).step_by(apart).collect();
    let mut slopes = Vec::with_capacity(some.len() * some.len() / 2);
    for (at, one) in some.iter().enumerate() {
        slopes.extend(some[at + 1..].iter().map(|other| (other.1 - one.1) / (other.0 - one.0)));
    }
    let (slope, centre) = (median(slopes), (distances.len() as f64 - 1.0) / 2.0);
    (0..).map(f64::from).zip(distances).map(|(n, distance)| distance - slope * (n - centre)).collect()
}

/// The border with the least clear change of level, if it is not clear enough.
fn weakest(levels: &[f64], borders: &[usize]) -> Option<usize> {
    let clearness = |at: usize| {
        let from = at.checked_sub(1).map_or(0, |before| borders[before]);
        let to = borders.get(at + 1).copied().unwrap_or(levels.len());
        clearness(&levels[from..borders[at]], &levels[borders[at]..to])
    };
    let weakest = (0..borders.len()).map(|at| (clearness(at), at)).min_by(|a, b| a.0.total_cmp(&b.0))?;
    (weakest.0 < 1.0).then_some(weakest.1)
}

/// How clear a change of level is; it counts from 1.
fn clearness(before: &[f64], after: &[f64]) -> f64 {
    let (low, high) = (median(before.to_vec()), median(after.to_vec()));
    let off = before.iter().map(|x| (x - low).abs()).chain(after.iter().map(|x| (x - high).abs()));
    let deviation = 1.25 * mean(&off.collect::<Vec<_>>()) + FINEST;
    let error = deviation * (1.0 / before.len() as f64 + 1.0 / after.len() as f64).sqrt();
    let height = (high - low).abs();
    (height / RATIO.ln()).min(height / (CLEAR * error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Random;

    #[test]
    fn a_change_of_period_is_found_where_it_is() {
        let mut distances = vec![30.0; 8];
        distances.extend([12.0, 12.3, 11.9, 12.1]);
        assert_eq!(regimes(&distances), [0..8, 8..12]);
        distances.extend([40.0; 5]);
        assert_eq!(regimes(&distances), [0..8, 8..12, 12..17]);
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // one regime is a list of one
    fn neither_drift_nor_jitter_is_a_change() {
        let drift: Vec<f64> = (0..40).map(|n| 10.0 + 0.1 * f64::from(n)).collect();
        assert_eq!(regimes(&drift), [0..40]);
        let growth: Vec<f64> = (0..40).map(|n| 10.0 + 0.7 * f64::from(n)).collect();
        assert_eq!(regimes(&growth), [0..40]);
        let mut random = Random::new(7);
        let changes = (0..500).filter(|_| {
            let jittered: Vec<f64> = (0..20).map(|_| random.between(5.0, 40.0)).collect();
            regimes(&jittered).len() > 1
        });
        assert!(changes.count() < 5);
        assert_eq!(regimes(&[]), [0..0]);
    }
}
