//! Finds operations that recur at equal distances.

use super::cluster::mean_shift;
use super::merge::{Operation, merge};
use super::thresholds::Thresholds;

/// The time from the start of one operation to the start of the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Seconds from the start of the run.
    pub start_s: f64,
    pub duration_s: f64,
    pub bytes: u64,
    /// Index of the periodic activity that it belongs to.
    pub activity: Option<usize>,
}

/// One periodic activity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Periodic {
    pub period_s: f64,
    pub count: u64,
    /// Per operation.
    pub bytes: f64,
    /// Share of the period in which bytes move.
    pub busy: f64,
    /// Deviation of operations from the period, as a share of it.
    pub residual: f64,
    /// Start of the first operation, in seconds from the start of the run.
    pub first_s: f64,
    /// Width of the bins in which it was seen; 0 if times are exact.
    pub bin_s: f64,
}

impl Periodic {
    /// All its bytes.
    pub fn total(&self) -> f64 {
        self.bytes * self.count as f64
    }
}

/// The periodic activity in the operations of one direction.
#[derive(Debug, Clone, Default)]
pub struct Found {
    pub merged: Vec<Operation>,
    pub segments: Vec<Segment>,
    pub activities: Vec<Periodic>,
    /// Bytes that the activities account for.
    pub explained: f64,
}

impl Found {
    /// Replaces the activities; segments lose theirs.
    pub fn explained_by(mut self, activities: Vec<Periodic>, explained: f64) -> Found {
        self.segments.iter_mut().for_each(|segment| segment.activity = None);
        Found { activities, explained, ..self }
    }
}

/// Minimum share of beats that must be present.
const FULL: f64 = 1.0 / 3.0;
/// How close a distance must be to a multiple of a known period to count as the same activity with
/// missed beats.
const MULTIPLE: f64 = 0.15;

pub fn find(operations: Vec<Operation>, runtime_s: f64, thresholds: &Thresholds) -> Found {
    let merged = merge(operations, runtime_s, thresholds);
    let segment = |pair: &[Operation]| Segment {
        start_s: pair[0].start_s,
        duration_s: pair[1].start_s - pair[0].start_s,
        bytes: pair[0].bytes,
        activity: None,
    };
    let segments: Vec<Segment> = merged.windows(2).map(segment).collect();
    let mut found = Found { merged, segments, ..Found::default() };
    if (found.segments.len() as f64) < thresholds.periodic_members {
        return found;
    }
    let mut clusters = clusters(&found.segments, thresholds);
    clusters.sort_by_key(|members| std::cmp::Reverse(members.len()));
    for members in clusters {
        if (members.len() as f64) < thresholds.periodic_members {
            continue;
        }
        let activity = activity(&found, &members, thresholds);
        if let Some(activity) =
            activity.filter(|new| !found.activities.iter().any(|known| is_missed(known, new)))
        {
            members.iter().for_each(|&at| found.segments[at].activity = Some(found.activities.len()));
            found.explained += activity.total();
            found.activities.push(activity);
        }
    }
    found
}

fn clusters(segments: &[Segment], thresholds: &Thresholds) -> Vec<Vec<usize>> {
    let scale = |ratio: f64| ratio.max(1.0 + 1e-9).ln();
    let (time, volume) = (scale(thresholds.cluster_duration_ratio), scale(thresholds.cluster_bytes_ratio));
    let point = |segment: &Segment| {
        [segment.duration_s.max(1e-9).ln() / time, (segment.bytes.max(1) as f64).ln() / volume]
    };
    mean_shift(&segments.iter().map(point).collect::<Vec<_>>())
}

fn activity(found: &Found, members: &[usize], thresholds: &Thresholds) -> Option<Periodic> {
    let mean = |value: &dyn Fn(usize) -> f64| {
        members.iter().map(|&at| value(at)).sum::<f64>() / members.len() as f64
    };
    let length = mean(&|at| found.segments[at].duration_s);
    let starts: Vec<f64> = members.iter().map(|&at| found.segments[at].start_s).collect();
    let (period_s, residual) = beat(&starts, length, thresholds.comb_residual)?;
    let bytes = mean(&|at| found.segments[at].bytes as f64);
    let active = mean(&|at| found.merged[at].active_s);
    Some(Periodic {
        period_s,
        count: members.len() as u64 + u64::from(last_belongs(found, &starts, bytes, period_s, thresholds)),
        bytes,
        busy: (active / period_s).min(1.0),
        residual,
        first_s: starts.first().copied().unwrap_or(0.0),
        bin_s: 0.0,
    })
}

/// Returns whether the last operation, which has no successor, belongs to an activity by volume and
/// time.
fn last_belongs(found: &Found, starts: &[f64], bytes: f64, period_s: f64, thresholds: &Thresholds) -> bool {
    let (Some(last), Some(before)) = (found.merged.last(), starts.last()) else { return false };
    let ratio = (last.bytes.max(1) as f64 / bytes.max(1.0)).ln().abs();
    let turns = ((last.start_s - before) / period_s).round().max(1.0);
    let off = (last.start_s - before - turns * period_s).abs() / period_s;
    ratio <= thresholds.cluster_bytes_ratio.max(1.0).ln() && off <= thresholds.comb_residual
}

fn is_missed(known: &Periodic, new: &Periodic) -> bool {
    let turns = (new.period_s / known.period_s).round();
    let like = (new.bytes / known.bytes).ln().abs() < 2.0f64.ln();
    turns >= 2.0
        && (new.period_s / known.period_s - turns).abs() < MULTIPLE
        && new.count < known.count
        && like
}

/// Returns the period of starts that keep one, and their deviation from it.
fn beat(starts: &[f64], length_s: f64, most: f64) -> Option<(f64, f64)> {
    let distances: Vec<f64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if distances.is_empty() || length_s <= 0.0 {
        return None;
    }
    let teeth: f64 = distances.iter().map(|distance| (distance / length_s).round().max(1.0)).sum();
    let residual = residual(&distances, length_s);
    (residual < most && distances.len() as f64 / teeth >= FULL).then_some((length_s, residual))
}

/// Returns the RMS deviation of distances from multiples of the period, as a share of it.
fn residual(distances: &[f64], period: f64) -> f64 {
    let off = |distance: &f64| {
        let turns = (distance / period).round().max(1.0);
        ((distance - turns * period) / period).powi(2)
    };
    (distances.iter().map(off).sum::<f64>() / distances.len().max(1) as f64).sqrt()
}
