//! Makes samples comparable, as published.

/// Interpolates linearly from one point per interval to one per second.
pub fn refined(points: &[f64], interval_s: f64) -> Vec<f64> {
    let steps = interval_s.round().max(1.0) as usize;
    let Some(last) = points.last() else { return Vec::new() };
    let between = points.windows(2).flat_map(|pair| {
        let (one, next) = (pair[0], pair[1]);
        (0..steps).map(move |at| one + (next - one) * at as f64 / steps as f64)
    });
    between.chain([*last]).collect()
}

/// Shortens by leaving out evenly spaced points.
pub fn shortened(points: &[f64], wanted: usize) -> Vec<f64> {
    let surplus = points.len().saturating_sub(wanted);
    let left_out = |number: usize| number * points.len() / surplus.max(1);
    let mut next = 0;
    let mut kept = Vec::with_capacity(wanted);
    for (at, &point) in points.iter().enumerate() {
        if next < surplus && at == left_out(next) {
            next += 1;
        } else {
            kept.push(point);
        }
    }
    kept
}

/// Subtracts the background: the mean of the points below the overall mean.
pub fn without_background(samples: &mut [Vec<f64>]) {
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
        if count == 0 { 0.0 } else { sum / count as f64 }
    };
    let overall = mean(&mut samples.iter().flatten().copied());
    let level = mean(&mut samples.iter().flatten().copied().filter(|&value| value < overall));
    samples.iter_mut().flatten().for_each(|value| *value = (*value - level).max(0.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refining_doubles_and_shortening_removes_evenly() {
        assert_eq!(refined(&[1.0, 3.0, 2.0], 2.0), [1.0, 2.0, 3.0, 2.5, 2.0]);
        assert_eq!(refined(&[1.0, 3.0], 1.0), [1.0, 3.0]);
        let long: Vec<f64> = (0..104).map(f64::from).collect();
        let short = shortened(&long, 100);
        assert_eq!(short.len(), 100);
        assert!([0.0, 26.0, 52.0, 78.0].iter().all(|gone| !short.contains(gone)));
        assert_eq!(shortened(&long, 200), long);
    }

    #[test]
    fn background_is_the_mean_of_the_low_points() {
        let mut samples = vec![vec![1.0, 3.0, 100.0], vec![2.0, 2.0, 0.0]];
        without_background(&mut samples);
        assert_eq!(samples[0], [0.0, 1.4, 98.4]);
        assert_eq!(samples[1][2], 0.0);
    }
}
