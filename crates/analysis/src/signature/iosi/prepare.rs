//! Makes samples comparable, as published.

/// From one point per interval to one per second: longer intervals are interpolated linearly, as
/// published; shorter ones, which the paper does not have, are averaged.
pub fn refined(points: &[f64], interval_s: f64) -> Vec<f64> {
    let Some(last) = points.len().checked_sub(1).filter(|_| interval_s > 0.0) else { return Vec::new() };
    if interval_s < 1.0 {
        return averaged(points, interval_s);
    }
    // A last second that only rounding takes away is kept.
    let seconds = (last as f64 * interval_s + 1e-6).floor() as usize;
    let at = |second: usize| {
        let place = second as f64 / interval_s;
        let before = (place.floor() as usize).min(last);
        let next = points[(before + 1).min(last)];
        points[before] + (next - points[before]) * (place - before as f64)
    };
    (0..=seconds).map(at).collect()
}

/// The mean over each second, of rates over intervals shorter than a second.
fn averaged(points: &[f64], interval_s: f64) -> Vec<f64> {
    let seconds = (points.len() as f64 * interval_s - 1e-6).ceil().max(1.0) as usize;
    let mut means = vec![0.0; seconds];
    for (number, rate) in points.iter().enumerate() {
        let (from, to) = (number as f64 * interval_s, (number + 1) as f64 * interval_s);
        // An interval shorter than a second lies in one second or in two.
        let border = (from.floor() + 1.0).min(to);
        for (second, share) in [(from, border - from), (border, to - border)] {
            if let Some(mean) = means.get_mut(second.floor() as usize) {
                *mean += rate * share;
            }
        }
    }
    means
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
        assert_eq!(refined(&[1.0, 4.0, 1.0], 1.5), [1.0, 3.0, 3.0, 1.0]);
        let long: Vec<f64> = (0..104).map(f64::from).collect();
        let short = shortened(&long, 100);
        assert_eq!(short.len(), 100);
        assert!([0.0, 26.0, 52.0, 78.0].iter().all(|gone| !short.contains(gone)));
        assert_eq!(shortened(&long, 200), long);
    }

    /// A log of half seconds once gave twice the length, period and volume.
    #[test]
    fn intervals_below_a_second_keep_length_and_volume() {
        assert_eq!(refined(&[1.0, 3.0, 2.0, 2.0, 8.0], 0.5), [2.0, 2.0, 4.0]);
        for interval in [0.1, 0.25, 0.3, 0.4, 0.7] {
            let points: Vec<f64> = (0..1000).map(|n| f64::from(n % 17)).collect();
            let seconds = refined(&points, interval);
            let (before, after) = (points.iter().sum::<f64>() * interval, seconds.iter().sum::<f64>());
            assert!((before - after).abs() < 1e-6 * before, "{interval}: {before} {after}");
            assert_eq!(seconds.len(), (1000.0 * interval) as usize, "{interval}");
        }
        assert_eq!(refined(&[1.0], 0.0), []);
    }

    #[test]
    fn background_is_the_mean_of_the_low_points() {
        let mut samples = vec![vec![1.0, 3.0, 100.0], vec![2.0, 2.0, 0.0]];
        without_background(&mut samples);
        assert_eq!(samples[0], [0.0, 1.4, 98.4]);
        assert_eq!(samples[1][2], 0.0);
    }
}
