//! Periodic operations of a direction (sections 2.4 and 2.5).

use super::cuts::{Cut, Cuts};
use super::evidence::{Family, Operation};

/// Share of the beats of a period that must be present.
const PRESENT: f64 = 1.0 / 3.0;

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

#[derive(Debug, Clone, Copy, PartialEq)]
struct Merged {
    start_s: f64,
    end_s: f64,
    active_s: f64,
    bytes: f64,
}

/// Operations of each family of files, those that overlap merged.
pub struct Families {
    /// Each with the width of its bins.
    apart: Vec<(Vec<Merged>, f64)>,
    together: (Vec<Merged>, f64),
    runtime_s: f64,
}

impl Families {
    pub fn new(families: &[Family], runtime_s: f64) -> Families {
        let joined = |operations: &[Operation]| {
            let mut merged: Vec<Merged> = operations
                .iter()
                .map(|op| Merged {
                    start_s: op.start_s,
                    end_s: op.end_s,
                    active_s: op.end_s - op.start_s,
                    bytes: op.bytes,
                })
                .collect();
            merged.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then(a.end_s.total_cmp(&b.end_s)));
            swept(merged, |_| 0.0)
        };
        let apart = families.iter().map(|family| (joined(&family.operations), family.bin_s)).collect();
        let all: Vec<Operation> = families.iter().flat_map(|family| family.operations.clone()).collect();
        let widest = families.iter().map(|family| family.bin_s).fold(0.0, f64::max);
        Families { apart, together: (joined(&all), widest), runtime_s }
    }

    /// The rhythms of the families; where none has one, those of all files together.
    pub fn rhythms(&self, cuts: &Cuts) -> Vec<Rhythm> {
        let of = |(operations, bin_s): &(Vec<Merged>, f64)| {
            rhythms(&merge(operations, self.runtime_s, cuts), *bin_s, cuts)
        };
        let apart: Vec<Rhythm> = self.apart.iter().flat_map(of).collect();
        if apart.is_empty() { of(&self.together) } else { apart }
    }
}

/// Merges operations that nearly touch, until nothing changes.
fn merge(operations: &[Merged], runtime_s: f64, cuts: &Cuts) -> Vec<Merged> {
    let mut merged = operations.to_vec();
    loop {
        let before = merged.len();
        merged = swept(merged, |longer_s| {
            (cuts.of(Cut::GapOfRun) * runtime_s).max(cuts.of(Cut::GapOfOperation) * longer_s)
        });
        if merged.len() == before {
            return merged;
        }
    }
}

/// Merges neighbours closer than a limit, which may depend on the longer of the two.
fn swept(sorted: Vec<Merged>, limit_s: impl Fn(f64) -> f64) -> Vec<Merged> {
    let mut out: Vec<Merged> = Vec::with_capacity(sorted.len());
    for next in sorted {
        let joins = |last: &Merged| {
            let gap_s = next.start_s - last.end_s;
            let longer_s = (last.end_s - last.start_s).max(next.end_s - next.start_s);
            gap_s <= 0.0 || gap_s < limit_s(longer_s)
        };
        match out.last_mut() {
            Some(last) if joins(last) => {
                let overlap = (last.end_s - next.start_s).clamp(0.0, next.end_s - next.start_s);
                last.active_s += next.active_s - overlap.min(next.active_s);
                last.end_s = last.end_s.max(next.end_s);
                last.bytes += next.bytes;
            }
            _ => out.push(next),
        }
    }
    out
}

fn rhythms(operations: &[Merged], bin_s: f64, cuts: &Cuts) -> Vec<Rhythm> {
    let lengths: Vec<f64> = operations.windows(2).map(|pair| pair[1].start_s - pair[0].start_s).collect();
    let point = |(length, operation): (&f64, &Merged)| {
        let (time, volume) = (cuts.of(Cut::LengthRatio).ln(), cuts.of(Cut::BytesRatio).ln());
        [length.ln() / time, operation.bytes.max(1.0).ln() / volume]
    };
    let points: Vec<[f64; 2]> = lengths.iter().zip(operations).map(point).collect();
    let enough = |members: &Vec<usize>| members.len() as f64 >= cuts.of(Cut::Members);
    let clusters = cluster(&points).into_iter().filter(enough);
    clusters.filter_map(|members| rhythm(operations, &lengths, (&members, bin_s), cuts)).collect()
}

fn rhythm(
    operations: &[Merged],
    lengths: &[f64],
    (members, bin_s): (&[usize], f64),
    cuts: &Cuts,
) -> Option<Rhythm> {
    let count = members.len() as f64;
    let mean = |of: &dyn Fn(usize) -> f64| members.iter().map(|&at| of(at)).sum::<f64>() / count;
    let period_s = mean(&|at| lengths[at]);
    let starts_s: Vec<f64> = members.iter().map(|&at| operations[at].start_s).collect();
    if !keeps_beat(&starts_s, period_s, cuts) {
        return None;
    }
    let busy = ((mean(&|at| operations[at].active_s) - bin_s) / period_s).max(0.0);
    Some(Rhythm { period_s, count: members.len(), bytes: mean(&|at| operations[at].bytes), busy })
}

/// Whether starts follow each other after whole periods, most of them after a single one. Their
/// distances count, not their distance from a fixed comb: a delay shifts all that follows.
fn keeps_beat(starts_s: &[f64], period_s: f64, cuts: &Cuts) -> bool {
    let (mut beats, mut square, mut count) = (0.0, 0.0, 0.0);
    for pair in starts_s.windows(2) {
        let turns = (pair[1] - pair[0]) / period_s;
        let whole = turns.round().max(1.0);
        beats += whole;
        square += (turns - whole) * (turns - whole);
        count += 1.0;
    }
    count > 0.0 && (square / count).sqrt() < cuts.of(Cut::Comb) && count / beats >= PRESENT
}

pub fn labels(rhythms: &[Rhythm], cuts: &Cuts) -> Vec<&'static str> {
    const MAGNITUDES: [&str; 4] =
        ["periodic_second", "periodic_minute", "periodic_hour", "periodic_day_or_more"];
    let mut labels = Vec::new();
    for rhythm in rhythms {
        let from = [Cut::Minute, Cut::Hour, Cut::Day];
        let magnitude = from.into_iter().filter(|&cut| rhythm.period_s >= cuts.of(cut)).count();
        let low = rhythm.busy < cuts.of(Cut::Busy);
        let busy = if low { "periodic_low_busy_time" } else { "periodic_high_busy_time" };
        labels.extend(["periodic", MAGNITUDES[magnitude], busy]);
    }
    labels
}

/// Mean shift with a flat kernel of radius 1: a mode within the radius of a denser one is none, and
/// a point belongs to the nearest mode. Returns the members of each cluster.
fn cluster(points: &[[f64; 2]]) -> Vec<Vec<usize>> {
    let distance = |a: &[f64; 2], b: &[f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    let mut modes: Vec<([f64; 2], usize)> = points.iter().map(|point| shifted(*point, points)).collect();
    modes.sort_by(|a, b| b.1.cmp(&a.1).then(b.0[0].total_cmp(&a.0[0])).then(b.0[1].total_cmp(&a.0[1])));
    let mut clusters: Vec<([f64; 2], Vec<usize>)> = Vec::new();
    for (mode, _) in modes {
        if clusters.iter().all(|(known, _)| distance(known, &mode) > 1.0) {
            clusters.push((mode, Vec::new()));
        }
    }
    for (at, point) in points.iter().enumerate() {
        let nearest = clusters
            .iter_mut()
            .min_by(|one, other| distance(&one.0, point).total_cmp(&distance(&other.0, point)));
        if let Some((_, members)) = nearest {
            members.push(at);
        }
    }
    clusters.into_iter().map(|(_, members)| members).collect()
}

/// Moves a point to the mean of its neighbourhood until it rests. Returns the place, and the number
/// of points around it.
fn shifted(mut at: [f64; 2], points: &[[f64; 2]]) -> ([f64; 2], usize) {
    let mut members = 0;
    for _ in 0..100 {
        let around: Vec<&[f64; 2]> =
            points.iter().filter(|point| (point[0] - at[0]).hypot(point[1] - at[1]) <= 1.0).collect();
        members = around.len();
        let count = members.max(1) as f64;
        let mean = [0, 1].map(|axis| around.iter().map(|point| point[axis]).sum::<f64>() / count);
        let step = (mean[0] - at[0]).hypot(mean[1] - at[1]);
        at = mean;
        if step < 1e-9 {
            break;
        }
    }
    (at, members)
}
