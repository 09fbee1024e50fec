//! Compares a period with the one before it.

use super::{Choice, Five, Joined, System, devices};
use crate::quantile::mean;

/// One metric in the two periods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    pub name: &'static str,
    pub before: Option<f64>,
    pub after: Option<f64>,
}

/// Two consecutive periods of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Start and end, seconds since 1970.
    pub before_s: (f64, f64),
    pub after_s: (f64, f64),
    pub measured: Vec<Measured>,
}

/// Compares the chosen period with the period of equal length before it. Without a chosen start it
/// compares the second half of the time span with the first.
pub fn compare(system: &System, choice: &Choice) -> Option<Comparison> {
    let whole = Joined::new(system, &Choice { from_s: None, ..choice.clone() });
    let minutes = devices::within(&system.minutes, &Choice { from_s: None, ..choice.clone() });
    let span = whole.looked(minutes).span_s?;
    let end = choice.to_s.unwrap_or(span.1);
    let middle = choice.from_s.unwrap_or((span.0 + end) / 2.0);
    let length = end - middle;
    // At least half of the earlier period must hold data, or the two are not comparable.
    if length <= 0.0 || middle - length < span.0 - length / 2.0 {
        return None;
    }
    let (before_s, after_s) = ((middle - length, middle), (middle, end));
    let of = |(from, to): (f64, f64)| {
        measure(system, &Choice { from_s: Some(from), to_s: Some(to), ..choice.clone() })
    };
    let (before, after) = (of(before_s), of(after_s));
    let measured = NAMES.into_iter().zip(before).zip(after);
    Some(Comparison {
        before_s,
        after_s,
        measured: measured.map(|((name, before), after)| Measured { name, before, after }).collect(),
    })
}

const NAMES: [&str; 11] = [
    "runs",
    "batch_jobs",
    "core_hours",
    "bytes_read",
    "bytes_written",
    "median_mib_per_s_per_node",
    "metadata_share",
    "device_mean",
    "device_peak",
    "idle_share",
    "findings",
];

fn measure(system: &System, choice: &Choice) -> [Option<f64>; NAMES.len()] {
    let joined = Joined::new(system, choice);
    let minutes = devices::within(&system.minutes, choice);
    let (runs, batch) = (!joined.runs.is_empty(), !joined.batch.is_empty());
    let sum =
        |of: &dyn Fn(&super::RecordedRun) -> f64| joined.runs.iter().map(|(_, run, _)| of(run)).sum::<f64>();
    let per_node: Vec<f64> = joined
        .runs
        .iter()
        .filter_map(|(_, run, job)| Some(run.mib_per_s? / joined.nodes(run, *job)? as f64))
        .collect();
    let metadata = joined.runs.iter().filter_map(|(_, run, _)| {
        let all: f64 = run.times_s.iter().sum();
        (all > 0.0).then(|| run.times_s[2] / all)
    });
    let burstiness = devices::burstiness(minutes);
    let idle = devices::idle(minutes);
    let idle_share = idle.map(|idle| {
        idle.rows.iter().map(|row| row.minutes).sum::<u64>() as f64 / idle.observed.max(1) as f64
    });
    let own: std::collections::HashSet<usize> = joined.runs.iter().map(|(at, _, _)| *at).collect();
    let findings = system.findings.iter().filter(|finding| own.contains(&finding.run)).count() as f64;
    [
        runs.then_some(joined.runs.len() as f64),
        batch.then_some(joined.batch.len() as f64),
        batch.then(|| joined.batch.iter().map(|job| job.core_hours).sum()),
        runs.then(|| sum(&|run| run.bytes_read as f64)),
        runs.then(|| sum(&|run| run.bytes_written as f64)),
        Five::of(per_node).map(|five| five.median),
        mean(metadata),
        burstiness.as_ref().map(|known| known.mean),
        burstiness.as_ref().map(|known| known.peak),
        idle_share,
        (runs && !system.findings.is_empty()).then_some(findings),
    ]
}
