//! Estimates times at another size, by the model of the paper with the smallest error.

/// Mean nanoseconds at another size, from those at several sizes.
pub fn at_size(means: &[(u64, f64)], target: u64) -> f64 {
    let constant = |_: f64| 0.0;
    let linear = |ranks: f64| ranks;
    let inverse = |ranks: f64| 1.0 / ranks;
    let models =
        [least_squares(means, constant), least_squares(means, linear), least_squares(means, inverse)];
    let error = |model: &(f64, f64), term: fn(f64) -> f64| -> f64 {
        means.iter().map(|&(ranks, mean)| (model.0 + model.1 * term(ranks as f64) - mean).powi(2)).sum()
    };
    let terms: [fn(f64) -> f64; 3] = [constant, linear, inverse];
    let errors: Vec<f64> = models.iter().zip(terms).map(|(model, term)| error(model, term)).collect();
    // An additional term must explain most of the error that a constant leaves.
    let best = (1..3).min_by(|&one, &other| errors[one].total_cmp(&errors[other])).unwrap_or(0);
    let at = if errors[best] < EXPLAINED * errors[0] { best } else { 0 };
    let value = models[at].0 + models[at].1 * terms[at](target as f64);
    // A model that predicts a negative time is unusable.
    if value < 0.0 { models[0].0.max(0.0) } else { value }
}

/// Maximum share of the constant's error that a model with one more term may leave.
const EXPLAINED: f64 = 0.25;

fn least_squares(points: &[(u64, f64)], term: fn(f64) -> f64) -> (f64, f64) {
    let count = points.len().max(1) as f64;
    let terms = points.iter().map(|&(ranks, mean)| (term(ranks as f64), mean));
    let (sum_x, sum_y) = terms.clone().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (across, along) = terms.fold((0.0, 0.0), |sum, (x, y)| {
        (sum.0 + (x - mean_x) * (y - mean_y), sum.1 + (x - mean_x) * (x - mean_x))
    });
    let factor = if along > 0.0 { across / along } else { 0.0 };
    (mean_y - factor * mean_x, factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_that_shrink_with_ranks_are_foretold() {
        let means: Vec<(u64, f64)> = [4, 6, 9, 12].map(|n| (n, 4.8e9 / n as f64 + 1e7)).into();
        assert!((at_size(&means, 24) / (2e8 + 1e7) - 1.0).abs() < 1e-6);
        let noisy: Vec<(u64, f64)> = [(4, 1.01e6), (6, 0.98e6), (9, 1.02e6), (12, 1.0e6)].into();
        assert!((at_size(&noisy, 1000) / 1e6 - 1.0).abs() < 0.05, "noise is no trend");
    }
}
