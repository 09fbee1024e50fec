//! The isolation forest (Liu, Ting, Zhou, "Isolation Forest", ICDM 2008), as in scikit-learn.

use crate::synth::Random;

/// Trees, and points of which each is grown (section 5 of the publication).
const TREES: usize = 100;
const SAMPLE: usize = 256;

/// Scores between 0 and 1 of how soon a point is alone: about a half for inliers, near 1 for
/// outliers. The same seed gives the same scores.
pub fn scores(points: &[[f64; 2]], seed: u64) -> Vec<f64> {
    let sample = SAMPLE.min(points.len());
    if sample < 2 {
        return vec![0.5; points.len()];
    }
    let deepest = usize::BITS - (sample - 1).leading_zeros();
    let mut random = Random::new(seed);
    let mut places: Vec<usize> = (0..points.len()).collect();
    let mut grow = |_| {
        for at in 0..sample {
            let other = at + random.index(places.len() - at);
            places.swap(at, other);
        }
        let mut chosen: Vec<[f64; 2]> = places[..sample].iter().map(|&at| points[at]).collect();
        Node::grow(&mut chosen, deepest, &mut random)
    };
    let trees: Vec<Node> = (0..TREES).map(&mut grow).collect();
    let usual = usual_length(sample);
    let score = |point: &[f64; 2]| {
        let mean = trees.iter().map(|tree| tree.length(point)).sum::<f64>() / TREES as f64;
        (-mean / usual).exp2()
    };
    points.iter().map(score).collect()
}

/// Mean length of an unsuccessful search in a binary search tree of this number of points, to which
/// lengths of paths are related (equation 1 of the publication).
pub fn usual_length(points: usize) -> f64 {
    const EULER_GAMMA: f64 = 0.577_215_664_901_532_9;
    match points {
        0 | 1 => 0.0,
        2 => 1.0,
        _ => {
            let others = points as f64 - 1.0;
            2.0 * (others.ln() + EULER_GAMMA) - 2.0 * others / points as f64
        }
    }
}

enum Node {
    /// Number of points that were not separated.
    Leaf(usize),
    Cut {
        axis: usize,
        at: f64,
        sides: Box<[Node; 2]>,
    },
}

impl Node {
    /// Cuts at a random place of a random axis on which the points differ.
    fn grow(points: &mut [[f64; 2]], depth: u32, random: &mut Random) -> Node {
        let extent = |axis: usize| {
            let values = points.iter().map(|point| point[axis]);
            let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
            (axis, low, high)
        };
        let apart: Vec<(usize, f64, f64)> =
            [0, 1].map(extent).into_iter().filter(|(_, low, high)| low < high).collect();
        let Some(&(axis, low, high)) = apart.get(random.index(apart.len())).filter(|_| depth > 0) else {
            return Node::Leaf(points.len());
        };
        // Below the largest value, so that no side is empty.
        let at = random.between(low, high).min(high.next_down());
        points.sort_by(|a, b| a[axis].total_cmp(&b[axis]));
        let (left, right) = points.split_at_mut(points.partition_point(|point| point[axis] <= at));
        let sides = Box::new([Node::grow(left, depth - 1, random), Node::grow(right, depth - 1, random)]);
        Node::Cut { axis, at, sides }
    }

    fn length(&self, point: &[f64; 2]) -> f64 {
        let (mut node, mut length) = (self, 0.0);
        loop {
            match node {
                Node::Leaf(points) => return length + usual_length(*points),
                Node::Cut { axis, at, sides } => {
                    node = &sides[usize::from(point[*axis] > *at)];
                    length += 1.0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_lengths_are_as_published() {
        // c(3) = 2 (ln 2 + 0.57722) - 4/3
        for (points, expected) in [(0, 0.0), (1, 0.0), (2, 1.0), (3, 1.207_392_357), (256, 10.244_770_920)] {
            assert!((usual_length(points) - expected).abs() < 1e-8, "{points}");
        }
    }

    #[test]
    fn a_point_apart_is_soon_alone() {
        // No more points than a tree is grown of: trees without the point cannot see it.
        let mut points: Vec<[f64; 2]> = (0..250).map(|at| [f64::from(at) / 250.0, 1e-4]).collect();
        points[60][1] = 0.7;
        for seed in 0..5 {
            let scores = scores(&points, seed);
            let second = scores.iter().enumerate().filter(|(at, _)| *at != 60).map(|(_, score)| *score);
            assert!(scores[60] > second.fold(0.0, f64::max), "{seed}");
            assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
        }
        assert_eq!(scores(&points, 3), scores(&points, 3));
    }

    #[test]
    fn equal_points_are_equal() {
        assert!(scores(&[], 1).is_empty());
        assert_eq!(scores(&[[1.0, 1.0]], 1), [0.5]);
        let equal = scores(&[[1.0, 2.0]; 300], 1);
        assert!(equal.iter().all(|score| (score - 0.5).abs() < 1e-12), "{}", equal[0]);
    }
}
