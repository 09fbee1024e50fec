//! Noise by DBSCAN (Ester, Kriegel, Sander, Xu, KDD 1996), where two points make a cluster.

use super::near::Sorted;

/// Returns which points belong to no cluster: no other is within `reach` of them. With two points
/// per cluster, every point with a neighbour is in the core of one.
pub fn noise(points: &[[f64; 2]], reach: f64) -> Vec<bool> {
    let sorted = Sorted::new(points);
    let alone = |of: usize| {
        let near = sorted.around(of).take_while(|(across, ..)| *across <= reach);
        !{ near }.any(|(_, distance, _)| distance <= reach)
    };
    (0..points.len()).map(alone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_no_neighbour_is_noise() {
        let points = [[0.0, 0.0], [0.1, 0.0], [0.2, 1.0], [0.3, 0.0], [0.4, 0.1], [0.9, 0.0]];
        assert_eq!(noise(&points, 0.25), [false, false, true, false, false, true]);
        assert_eq!(noise(&points, 0.52), [false, false, true, false, false, false]);
        assert_eq!(noise(&points, 2.0), [false; 6]);
        assert_eq!(noise(&[[1.0, 1.0]], 5.0), [true]);
        assert!(noise(&[], 1.0).is_empty());
    }
}
