//! Finds outlier runs by the local outlier factor (Breunig et al. 2000).

use crate::outliers::lof;

/// Minimum number of neighbours.
const MIN: usize = 2;

/// Returns which runs are not outliers by duration and bytes. The threshold is the mean of all
/// factors, as published. At least three runs, and half of them, are kept.
pub fn like_the_others(points: &[[f64; 2]]) -> Vec<bool> {
    let factors = lof::factors(&scaled(points), (points.len() / 2).max(MIN)).own;
    let threshold = factors.iter().sum::<f64>() / factors.len().max(1) as f64;
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&one, &other| factors[one].total_cmp(&factors[other]).then(one.cmp(&other)));
    let fewest = (points.len() / 2).max(3);
    let mut kept = vec![false; points.len()];
    for (rank, at) in order.into_iter().enumerate() {
        kept[at] = rank < fewest || factors[at] <= threshold;
    }
    kept
}

/// Scales each axis to mean 0 and standard deviation 1.
pub fn scaled(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let count = points.len().max(1) as f64;
    let moments = [0, 1].map(|axis| {
        let mean = points.iter().map(|point| point[axis]).sum::<f64>() / count;
        let variance = points.iter().map(|point| (point[axis] - mean).powi(2)).sum::<f64>() / count;
        (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
    });
    let scale =
        |point: &[f64; 2]| [0, 1].map(|axis: usize| (point[axis] - moments[axis].0) / moments[axis].1);
    points.iter().map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_odd_one_is_dropped_and_equal_ones_are_kept() {
        let mut points: Vec<[f64; 2]> =
            (0..9).map(|at| [1000.0 + at as f64, 5e9 + 1e6 * at as f64]).collect();
        points.push([600.0, 2e9]);
        let kept = like_the_others(&points);
        assert_eq!(kept.iter().filter(|kept| !**kept).count(), 1);
        assert!(!kept[9]);
        assert!(like_the_others(&[[1.0, 1.0]; 6]).iter().all(|kept| *kept));
        assert_eq!(like_the_others(&[]).len(), 0);
    }
}
