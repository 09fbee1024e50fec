//! The local outlier factor (Breunig, Kriegel, Ng, Sander, "LOF: identifying density-based local
//! outliers", SIGMOD 2000).

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::near::Sorted;

/// Keeps densities finite where points coincide.
const SMALL: f64 = 1e-10;

/// Local outlier factors of points, each in two ways.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Factors {
    /// How much sparser the surroundings of a point are than those of its neighbours; about 1 for
    /// inliers.
    pub own: Vec<f64>,
    /// The same if the point were a new one, which finds itself among its neighbours
    /// (`LocalOutlierFactor` with `novelty`).
    pub as_new: Vec<f64>,
}

/// Computes the factors with this number of neighbours, or all others if they are fewer.
pub fn factors(points: &[[f64; 2]], neighbours: usize) -> Factors {
    let count = neighbours.min(points.len().saturating_sub(1));
    if count == 0 {
        return Factors { own: vec![1.0; points.len()], as_new: vec![1.0; points.len()] };
    }
    let sorted = Sorted::new(points);
    // The neighbours are searched three times: kept, they would need twenty times the memory.
    let all = || (0..points.len()).map(|of| nearest(&sorted, of, count));
    let reach: Vec<f64> = all().map(|near| near.last().map_or(0.0, |farthest| farthest.0)).collect();
    let density = |near: &[Near]| {
        let sum: f64 = near.iter().map(|one| one.0.max(reach[one.1])).sum();
        1.0 / (sum / near.len() as f64 + SMALL)
    };
    let densities: Vec<f64> = all().map(|near| density(&near)).collect();
    let factor = |near: &[Near]| {
        let around = near.iter().map(|one| densities[one.1]).sum::<f64>() / near.len() as f64;
        around / density(near)
    };
    let both = |(of, mut near): (usize, Vec<Near>)| {
        let own = factor(&near);
        near.pop();
        near.push(Near(0.0, of));
        (own, factor(&near))
    };
    let (own, as_new) = all().enumerate().map(both).unzip();
    Factors { own, as_new }
}

/// Distance and index of a neighbour.
#[derive(Debug, Clone, Copy)]
struct Near(f64, usize);

impl Ord for Near {
    fn cmp(&self, other: &Near) -> Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Near) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Near) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Near {}

/// The nearest others, by distance and then by index.
fn nearest(sorted: &Sorted<'_>, of: usize, count: usize) -> Vec<Near> {
    let mut best: BinaryHeap<Near> = BinaryHeap::with_capacity(count + 1);
    for (across, distance, other) in sorted.around(of) {
        if best.len() == count && best.peek().is_some_and(|worst| across > worst.0) {
            break;
        }
        best.push(Near(distance, other));
        if best.len() > count {
            best.pop();
        }
    }
    best.into_sorted_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_apart_has_a_large_factor() {
        let mut points: Vec<[f64; 2]> = (0..40).map(|at| [f64::from(at) / 40.0, 0.001]).collect();
        points[20][1] = 0.5;
        let found = factors(&points, 5);
        for factors in [&found.own, &found.as_new] {
            assert!(factors[20] > 5.0, "{}", factors[20]);
            assert!(factors.iter().enumerate().all(|(at, factor)| at == 20 || *factor < 1.7), "{factors:?}");
        }
    }

    #[test]
    fn three_points_by_hand() {
        // On a line at 0, 1 and 3 with one neighbour: reach 1, 1, 2; densities 1, 1, 1/2.
        let found = factors(&[[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]], 1);
        for (factor, expected) in found.own.iter().zip([1.0, 1.0, 2.0]) {
            assert!((factor - expected).abs() < 1e-6, "{factor} {expected}");
        }
        // As a new point each finds itself, so its density is that of its reach.
        for factor in found.as_new {
            assert!((factor - 1.0).abs() < 1e-6, "{factor}");
        }
    }

    #[test]
    fn few_points_are_inliers() {
        assert_eq!(factors(&[], 20), Factors::default());
        assert_eq!(factors(&[[1.0, 2.0]], 20).own, [1.0]);
        assert!(factors(&[[1.0, 2.0]; 9], 3).own.iter().all(|factor| *factor == 1.0));
    }
}
