//! Finds outlier runs by the local outlier factor (Breunig et al. 2000).

/// Minimum number of neighbours.
const MIN: usize = 2;
/// Keeps densities finite where points coincide.
const SMALL: f64 = 1e-10;

/// Returns which runs are not outliers by duration and bytes. The threshold is the mean of all
/// factors, as published. At least three runs, and half of them, are kept.
pub fn like_the_others(points: &[[f64; 2]]) -> Vec<bool> {
    let factors = local_outlier_factors(&scaled(points), (points.len() / 2).max(MIN));
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

/// Computes how much sparser the surroundings of each point are than those of its neighbours; about
/// 1 for inliers.
pub fn local_outlier_factors(points: &[[f64; 2]], neighbours: usize) -> Vec<f64> {
    let count = neighbours.min(points.len().saturating_sub(1));
    if count == 0 {
        return vec![1.0; points.len()];
    }
    let distance = |one: usize, other: usize| {
        let apart = [0, 1].map(|axis: usize| points[one][axis] - points[other][axis]);
        (apart[0] * apart[0] + apart[1] * apart[1]).sqrt()
    };
    let nearest: Vec<Vec<(f64, usize)>> = (0..points.len())
        .map(|one| {
            let mut others: Vec<(f64, usize)> = (0..points.len())
                .filter(|&other| other != one)
                .map(|other| (distance(one, other), other))
                .collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            others.truncate(count);
            others
        })
        .collect();
    let reach = |of: usize| nearest[of].last().map_or(0.0, |farthest| farthest.0);
    let density = |one: &Vec<(f64, usize)>| {
        let sum: f64 = one.iter().map(|&(apart, other)| apart.max(reach(other))).sum();
        1.0 / (sum / count as f64 + SMALL)
    };
    let densities: Vec<f64> = nearest.iter().map(density).collect();
    let factor = |(one, others): (usize, &Vec<(f64, usize)>)| {
        others.iter().map(|&(_, other)| densities[other]).sum::<f64>() / count as f64 / densities[one]
    };
    nearest.iter().enumerate().map(factor).collect()
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
