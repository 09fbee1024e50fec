//! Peaks of a curve, as in SciPy's `find_peaks`.

/// Local maxima of at least `height`: a flat top is one peak at its middle (the earlier of two), and
/// neither end is a peak. Values closer than `resolution` are equal; 0 takes them as they are.
pub fn peaks(values: &[f64], height: f64, resolution: f64) -> Vec<usize> {
    let level = |value: &f64| if resolution > 0.0 { (value / resolution).round() } else { *value };
    let level = |at: usize| values.get(at).map(level);
    let mut found = Vec::new();
    let mut top = 0;
    // `top` is where the current level was reached; `rising` whether from below.
    let mut rising = false;
    for at in 1..values.len() {
        let (before, now) = (level(at - 1), level(at));
        if now == before {
            continue;
        }
        if now < before && rising && values.get(top).is_some_and(|&value| value >= height) {
            found.push((top + at - 1) / 2);
        }
        rising = now > before;
        top = at;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_those_of_scipy() {
        // scipy.signal.find_peaks([...], height=0.15) gives 2, 6 and 11.
        let values = [1.0, 0.2, 0.5, 0.1, 0.3, 0.4, 0.4, 0.4, 0.2, 0.1, 0.0, 0.3, 0.3, 0.2, 0.14, 0.13, 0.9];
        for resolution in [0.0, 1e-9] {
            assert_eq!(peaks(&values, 0.15, resolution), [2, 6, 11]);
            assert_eq!(peaks(&[0.0, 0.14, 0.0, 0.5, 0.5], 0.15, resolution), [0usize; 0]);
            assert!(peaks(&[], 0.15, resolution).is_empty());
        }
    }

    #[test]
    fn noise_on_a_flat_top_is_no_peak_within_the_resolution() {
        let values = [0.0, 0.5, 0.5 - 1e-12, 0.5 + 1e-12, 0.5, 0.0];
        assert_eq!(peaks(&values, 0.1, 1e-9), [2]);
        assert_eq!(peaks(&values, 0.1, 0.0), [1, 3]);
    }
}
