//! Quantiles by the two definitions that analyses use, and the mean.
//!
//! [`nearest`] returns an observed value; [`between`] interpolates linearly between the two nearest
//! values (type 7 of Hyndman and Fan 1996).

/// Returns the value at a share of the sorted values; 0 if there are none.
pub fn nearest(mut values: Vec<f64>, share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let at = ((values.len() - 1) as f64 * share).round() as usize;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The median; of an even number the upper one.
pub fn median(values: Vec<f64>) -> f64 {
    nearest(values, 0.5)
}

/// Returns an interpolated quantile; 0 if there are no values. Sorts the values.
pub fn between(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    between_sorted(values, share)
}

fn between_sorted(sorted: &[f64], share: f64) -> f64 {
    if sorted.is_empty() {
        return 0.0;
    }
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, part) = (place as usize, place.fract());
    let next = sorted.get(below + 1).unwrap_or(&sorted[below]);
    sorted[below] + (next - sorted[below]) * part
}

/// A five-number summary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Five {
    pub min: f64,
    pub q1: f64,
    pub median: f64,
    pub q3: f64,
    pub max: f64,
}

impl Five {
    /// Summarizes the finite values; `None` if there are none.
    pub fn of(mut values: Vec<f64>) -> Option<Five> {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        let at = |share: f64| between_sorted(&values, share);
        Some(Five { min, q1: at(0.25), median: at(0.5), q3: at(0.75), max })
    }
}

/// `None` if there are no values.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u64), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / count as f64)
}

#[cfg(test)]
mod tests {
    use super::{Five, between, mean, median, nearest};

    #[test]
    fn quartiles_are_interpolated() {
        let five = Five::of(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!(five, Some(Five { min: 1.0, q1: 1.75, median: 2.5, q3: 3.25, max: 4.0 }));
        let one = Five::of(vec![7.0, f64::NAN]);
        assert_eq!(one, Some(Five { min: 7.0, q1: 7.0, median: 7.0, q3: 7.0, max: 7.0 }));
        assert_eq!(Five::of(vec![]), None);
        assert_eq!((between(&mut [4.0, 1.0, 3.0, 2.0], 0.25), between(&mut [], 0.5)), (1.75, 0.0));
        assert_eq!(
            (median(vec![4.0, 1.0, 3.0, 2.0]), nearest(vec![5.0, 1.0], 0.0), median(vec![])),
            (3.0, 1.0, 0.0)
        );
        assert_eq!(mean([1.0, 2.0].into_iter()), Some(1.5));
        assert_eq!(mean(std::iter::empty()), None);
    }
}
