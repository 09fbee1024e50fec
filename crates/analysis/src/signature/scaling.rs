//! Scaling of an application: volume, burst length and peak against the number of nodes.

use std::collections::BTreeMap;

use super::sign::Signature;

/// An application on one number of nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub nodes: u64,
    pub runs: usize,
    /// Of all bursts.
    pub bytes: f64,
    /// Mean burst length in seconds.
    pub burst_s: f64,
    /// Maximum bytes per second.
    pub peak: f64,
}

/// How the volume follows the number of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scales {
    Weak,
    Strong,
    Neither,
}

/// One application on several node counts. An exponent of 1 grows with the nodes, 0 stays constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Scaling {
    pub app: String,
    pub user: String,
    /// Fewest nodes first.
    pub points: Vec<Point>,
    /// Exponent of the volume.
    pub bytes: f64,
    pub burst_s: f64,
    pub peak: f64,
    pub scales: Scales,
}

/// Maximum distance of the volume's exponent from 1 or 0.
const NEAR: f64 = 0.2;

/// Fits every application with signatures on two or more node counts. Of several configurations on
/// the same number of nodes, the one with the most runs counts.
pub fn scalings<'a>(signatures: impl IntoIterator<Item = &'a Signature>) -> Vec<Scaling> {
    let mut points: BTreeMap<(&str, &str), BTreeMap<u64, Point>> = BTreeMap::new();
    for signature in signatures {
        let application = &signature.application;
        let Some(nodes) = application.nodes.filter(|&nodes| nodes > 0) else { continue };
        let Some(point) = point(signature, nodes) else { continue };
        let of_app = points.entry((&application.app, &application.user)).or_default();
        let known = of_app.entry(nodes).or_insert(point);
        if (point.runs, point.bytes) > (known.runs, known.bytes) {
            *known = point;
        }
    }
    points
        .into_iter()
        .filter(|(_, points)| points.len() > 1)
        .map(|((app, user), points)| scaling(app, user, points.into_values().collect()))
        .collect()
}

fn point(signature: &Signature, nodes: u64) -> Option<Point> {
    let bursts = &signature.bursts;
    let sum = |value: fn(&super::Burst) -> f64| bursts.iter().map(value).sum::<f64>();
    (!bursts.is_empty()).then(|| Point {
        nodes,
        runs: signature.used.len(),
        bytes: sum(|burst| burst.bytes),
        burst_s: sum(|burst| burst.end_s - burst.start_s) / bursts.len() as f64,
        peak: bursts.iter().map(|burst| burst.peak).fold(0.0, f64::max),
    })
}

fn scaling(app: &str, user: &str, points: Vec<Point>) -> Scaling {
    let of = |value: fn(&Point) -> f64| exponent(&points, value);
    let (bytes, burst_s, peak) = (of(|point| point.bytes), of(|point| point.burst_s), of(|point| point.peak));
    let scales = match bytes {
        bytes if (bytes - 1.0).abs() <= NEAR => Scales::Weak,
        bytes if bytes.abs() <= NEAR => Scales::Strong,
        _ => Scales::Neither,
    };
    Scaling { app: app.to_string(), user: user.to_string(), points, bytes, burst_s, peak, scales }
}

/// Fits a power law through all points: least squares on logarithms.
fn exponent(points: &[Point], value: fn(&Point) -> f64) -> f64 {
    let log = |point: &Point| ((point.nodes as f64).ln(), value(point).max(1e-9).ln());
    let count = points.len() as f64;
    let (sum_x, sum_y) = points.iter().map(log).fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (mut along, mut across) = (0.0, 0.0);
    for (x, y) in points.iter().map(log) {
        along += (x - mean_x) * (x - mean_x);
        across += (x - mean_x) * (y - mean_y);
    }
    across / along
}

#[cfg(test)]
mod tests {
    use super::super::{Application, Burst};
    use super::*;

    fn signature(nodes: u64, runs: usize, bytes: f64, length_s: f64) -> Signature {
        let burst = |start_s: f64| Burst {
            start_s,
            end_s: start_s + length_s,
            peak: bytes / length_s,
            bytes,
            support: runs,
            spread_s: 0.0,
        };
        let used = |job: usize| super::super::Used {
            run: super::super::ApplicationRun { job: job.to_string(), start: 0.0, end: 100.0 },
            sample: super::super::Sample {
                rates: Vec::new(),
                mended: Vec::new(),
                interval_s: 1.0,
                offset_s: 0.0,
                duration_s: 100.0,
            },
            placed: Vec::new(),
        };
        Signature {
            application: Application { app: "a".into(), user: "u".into(), nodes: Some(nodes) },
            used: (0..runs).map(used).collect(),
            dropped: Vec::new(),
            write: Vec::new(),
            read: Vec::new(),
            bursts: vec![burst(10.0), burst(50.0)],
            period_s: None,
            confidence: Some(1.0),
            evidence: None,
        }
    }

    #[test]
    fn volume_that_grows_with_nodes_is_weak_scaling() {
        let all = [signature(16, 5, 16e9, 10.0), signature(64, 5, 64e9, 10.0), signature(4, 5, 4e9, 10.0)];
        let [found] = &scalings(&all)[..] else { panic!("one application") };
        assert_eq!(found.points.iter().map(|point| point.nodes).collect::<Vec<_>>(), [4, 16, 64]);
        assert_eq!(found.scales, Scales::Weak);
        assert!(
            (found.bytes - 1.0).abs() < 1e-9 && found.burst_s.abs() < 1e-9 && (found.peak - 1.0).abs() < 1e-9
        );
    }

    #[test]
    fn volume_that_stays_is_strong_scaling_and_bursts_get_shorter() {
        let all = [signature(4, 5, 4e9, 40.0), signature(8, 5, 4e9, 20.0)];
        let found = scalings(&all).remove(0);
        assert_eq!(found.scales, Scales::Strong);
        assert!((found.burst_s + 1.0).abs() < 1e-9);
    }

    #[test]
    fn of_two_configurations_the_one_with_most_runs_counts() {
        let all = [signature(4, 3, 9e9, 40.0), signature(4, 7, 4e9, 40.0), signature(16, 5, 7e9, 40.0)];
        let found = scalings(&all).remove(0);
        assert_eq!((found.points[0].runs, found.scales), (7, Scales::Neither));
        assert!(scalings(&all[..2]).is_empty(), "one node count tells nothing");
    }
}
