//! Periodic operations of a direction (sections 2.4 and 2.5).

use super::evidence::Operation;
use super::near;

/// Shorter gaps, as a share of the run, do not separate operations.
const GAP_OF_RUN: f64 = 0.001;
/// Shorter gaps, as a share of the longer neighbour, do not separate operations.
const GAP_OF_OPERATION: f64 = 0.01;
/// Upper ends of the magnitudes second, minute and hour.
const CUTS: [f64; 3] = [60.0, 3600.0, 86_400.0];
/// Busy time is high from here on.
const BUSY: f64 = 0.25;

/// A periodic operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rhythm {
    pub period_s: f64,
    /// Operations that are followed by another.
    pub count: usize,
    /// Mean per operation.
    pub bytes: f64,
    /// Share of the period spent in the operation.
    pub busy: f64,
}

/// All rhythms of a direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rhythms {
    pub found: Vec<Rhythm>,
    pub doubtful: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Merged {
    start_s: f64,
    end_s: f64,
    active_s: f64,
    bytes: f64,
}

pub fn find(families: &[Vec<Operation>], runtime_s: f64) -> Rhythms {
    let mut rhythms = Rhythms::default();
    for family in families {
        let (merged, close) = merge(family, runtime_s);
        rhythms.doubtful |= close;
        rhythms.add(&merged);
    }
    // Families that only together make a rhythm are a matter of opinion.
    if rhythms.found.is_empty() && families.len() > 1 {
        let mut together = Rhythms::default();
        together.add(&merge(&families.concat(), runtime_s).0);
        rhythms.doubtful |= !together.found.is_empty();
    }
    rhythms
}

/// Merges operations that overlap or nearly touch, until nothing changes. Also returns whether a
/// gap lies within 3 % of the separating one.
fn merge(operations: &[Operation], runtime_s: f64) -> (Vec<Merged>, bool) {
    let mut sorted: Vec<Merged> = operations
        .iter()
        .map(|op| Merged {
            start_s: op.start_s,
            end_s: op.end_s,
            active_s: op.end_s - op.start_s,
            bytes: op.bytes,
        })
        .collect();
    sorted.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then(a.end_s.total_cmp(&b.end_s)));
    let mut close = false;
    loop {
        let before = sorted.len();
        let mut out: Vec<Merged> = Vec::with_capacity(before);
        for next in sorted {
            match out.last_mut() {
                Some(last) if joins(last, &next, runtime_s, &mut close) => {
                    let overlap = (last.end_s - next.start_s).clamp(0.0, next.end_s - next.start_s);
                    last.active_s += next.active_s - overlap.min(next.active_s);
                    last.end_s = last.end_s.max(next.end_s);
                    last.bytes += next.bytes;
                }
                _ => out.push(next),
            }
        }
        if out.len() == before {
            return (out, close);
        }
        sorted = out;
    }
}

fn joins(last: &Merged, next: &Merged, runtime_s: f64, close: &mut bool) -> bool {
    let gap = next.start_s - last.end_s;
    if gap <= 0.0 {
        return true;
    }
    let longer = (last.end_s - last.start_s).max(next.end_s - next.start_s);
    let limit = (GAP_OF_RUN * runtime_s).max(GAP_OF_OPERATION * longer);
    *close |= near(gap, limit, 0.03);
    gap < limit
}

impl Rhythms {
    fn add(&mut self, operations: &[Merged]) {
        let segments: Vec<(usize, f64)> = operations
            .windows(2)
            .enumerate()
            .map(|(at, pair)| (at, pair[1].start_s - pair[0].start_s))
            .collect();
        let points: Vec<[f64; 2]> = segments
            .iter()
            .map(|&(at, length)| {
                [length.ln() / 1.25f64.ln(), operations[at].bytes.max(1.0).ln() / 1.5f64.ln()]
            })
            .collect();
        let (clusters, vague) = cluster(&points);
        self.doubtful |= vague;
        for members in clusters {
            // The third member may be the last operation, which has no successor.
            self.doubtful |= members.len() == 2;
            if members.len() >= 3 {
                self.add_cluster(operations, &members.iter().map(|&at| segments[at]).collect::<Vec<_>>());
            }
        }
    }

    fn add_cluster(&mut self, operations: &[Merged], members: &[(usize, f64)]) {
        let count = members.len() as f64;
        let period_s = members.iter().map(|(_, length)| length).sum::<f64>() / count;
        let stray =
            stray(&members.iter().map(|&(at, _)| operations[at].start_s).collect::<Vec<_>>(), period_s);
        self.doubtful |= (0.1..0.3).contains(&stray);
        if stray >= 0.2 {
            return;
        }
        let mean = |of: &dyn Fn(&Merged) -> f64| {
            members.iter().map(|&(at, _)| of(&operations[at])).sum::<f64>() / count
        };
        let busy = mean(&|op| op.active_s) / period_s;
        let hull = mean(&|op| op.end_s - op.start_s) / period_s;
        self.doubtful |= near(busy, BUSY, 0.03) || (busy < BUSY) != (hull < BUSY);
        self.doubtful |= CUTS.iter().any(|&cut| near(period_s, cut, 0.01));
        self.found.push(Rhythm { period_s, count: members.len(), bytes: mean(&|op| op.bytes), busy });
    }

    pub fn labels(&self) -> Vec<&'static str> {
        const MAGNITUDES: [&str; 4] =
            ["periodic_second", "periodic_minute", "periodic_hour", "periodic_day_or_more"];
        let mut labels = Vec::new();
        for rhythm in &self.found {
            let magnitude = CUTS.iter().filter(|&&cut| rhythm.period_s >= cut).count();
            let busy = if rhythm.busy < BUSY { "periodic_low_busy_time" } else { "periodic_high_busy_time" };
            labels.extend(["periodic", MAGNITUDES[magnitude], busy]);
        }
        labels
    }

    /// Whether a value lies within 20 % of its threshold.
    pub fn is_near(&self) -> bool {
        self.found.iter().any(|rhythm| {
            near(rhythm.busy, BUSY, 0.2) || CUTS.iter().any(|&cut| near(rhythm.period_s, cut, 0.2))
        })
    }
}

/// Mean shift with a flat kernel of radius 1; returns the members of each cluster. Also returns
/// whether two points lie so that the shifting order decides.
fn cluster(points: &[[f64; 2]]) -> (Vec<Vec<usize>>, bool) {
    let distance = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let vague = points
        .iter()
        .enumerate()
        .any(|(at, a)| points[..at].iter().any(|b| (0.75..1.35).contains(&distance(a, b))));
    let mut clusters: Vec<([f64; 2], Vec<usize>)> = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let mode = shifted(*point, points);
        match clusters.iter_mut().find(|(known, _)| distance(known, &mode) < 0.5) {
            Some((_, members)) => members.push(at),
            None => clusters.push((mode, vec![at])),
        }
    }
    (clusters.into_iter().map(|(_, members)| members).collect(), vague)
}

/// Moves a point to the mean of its neighbourhood until it rests.
fn shifted(mut at: [f64; 2], points: &[[f64; 2]]) -> [f64; 2] {
    for _ in 0..100 {
        let around: Vec<&[f64; 2]> =
            points.iter().filter(|point| (point[0] - at[0]).hypot(point[1] - at[1]) <= 1.0).collect();
        let count = around.len().max(1) as f64;
        let mean = [0, 1].map(|axis| around.iter().map(|point| point[axis]).sum::<f64>() / count);
        let step = (mean[0] - at[0]).hypot(mean[1] - at[1]);
        at = mean;
        if step < 1e-9 {
            break;
        }
    }
    at
}

/// Largest distance of a start to the nearest tooth of the best-fitting comb, as a share of the
/// period.
fn stray(starts_s: &[f64], period_s: f64) -> f64 {
    // The mean direction of the starts on a circle of one period gives the teeth.
    let (mut sine, mut cosine) = (0.0, 0.0);
    for start_s in starts_s {
        let angle = std::f64::consts::TAU * start_s / period_s;
        (sine, cosine) = (sine + angle.sin(), cosine + angle.cos());
    }
    let tooth = sine.atan2(cosine) / std::f64::consts::TAU;
    let off = |start_s: &f64| {
        let turns = start_s / period_s - tooth;
        (turns - turns.round()).abs()
    };
    starts_s.iter().map(off).fold(0.0, f64::max)
}
