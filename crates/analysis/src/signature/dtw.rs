//! The baseline of the published study: samples warped onto each other by dynamic time warping.

/// Averages all samples, one after the other, along their warping paths.
pub fn mine(samples: &[Vec<f64>]) -> Vec<f64> {
    let mut samples = samples.iter();
    let Some(first) = samples.next() else { return Vec::new() };
    samples.fold(first.clone(), |mean, sample| averaged(&mean, sample))
}

fn averaged(one: &[f64], other: &[f64]) -> Vec<f64> {
    if one.is_empty() || other.is_empty() {
        return one.iter().chain(other).copied().collect();
    }
    let len = (one.len() + other.len()) / 2;
    let (mut sums, mut counts) = (vec![0.0; len.max(1)], vec![0.0f64; len.max(1)]);
    for (at, with) in path(one, other) {
        let moment = ((at + with) / 2).min(len.saturating_sub(1));
        sums[moment] += (one[at] + other[with]) / 2.0;
        counts[moment] += 1.0;
    }
    let mut last = 0.0;
    for (sum, count) in sums.iter_mut().zip(counts) {
        // A moment that the path skips keeps the value before it.
        last = if count > 0.0 { *sum / count } else { last };
        *sum = last;
    }
    sums
}

/// Returns the cheapest warping path: pairs of indices from first to last.
fn path(one: &[f64], other: &[f64]) -> Vec<(usize, usize)> {
    let width = other.len();
    // The predecessor of each pair: 0 is back in both, 1 in `one`, 2 in `other`.
    let mut from = vec![0u8; one.len() * width];
    let mut before = vec![f64::INFINITY; width];
    for (row, value) in one.iter().enumerate() {
        let mut costs = vec![f64::INFINITY; width];
        for (column, with) in other.iter().enumerate() {
            let left = if column > 0 { costs[column - 1] } else { f64::INFINITY };
            let both = match (row, column) {
                (0, 0) => 0.0,
                (_, 0) => f64::INFINITY,
                _ => before[column - 1],
            };
            let ways = [both, before[column], left];
            let best = (0..3).min_by(|&a, &b| ways[a].total_cmp(&ways[b])).unwrap_or(0);
            from[row * width + column] = best as u8;
            costs[column] = ways[best] + (value - with).abs();
        }
        before = costs;
    }
    let (mut row, mut column) = (one.len() - 1, width - 1);
    let mut pairs = vec![(row, column)];
    while row > 0 || column > 0 {
        match from[row * width + column] {
            0 => (row, column) = (row - 1, column - 1),
            1 => row -= 1,
            _ => column -= 1,
        }
        pairs.push((row, column));
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_samples_stay_and_shifted_ones_meet_between() {
        let mut one = vec![0.0; 60];
        one[20..25].fill(4.0);
        assert_eq!(mine(&[one.clone(), one.clone()]), one);
        let mut later = vec![0.0; 60];
        later[30..35].fill(4.0);
        let mean = mine(&[one, later]);
        assert_eq!(mean.iter().position(|value| *value > 0.0), Some(25));
        assert!(mine(&[]).is_empty());
    }
}
