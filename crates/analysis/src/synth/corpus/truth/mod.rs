//! The true labels of a synthetic job, computed naively.
//!
//! This is the specification (`category.md`, section 2), implemented a second time, slowly and from
//! the exact events, as a reference for `category`; the two share no code. It also flags labels
//! that are not beyond doubt: where the specification leaves a case open, or where a value lies so
//! close to a threshold that rounding decides, there is no truth to compare with.

mod evidence;
mod metadata;
mod periodicity;
mod temporality;
#[cfg(test)]
mod tests;

pub use evidence::{Evidence, Operation, happened, shown};
pub use metadata::Requests;
pub use periodicity::Rhythm;

use temporality::Volume;

/// The truth about one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    pub bytes: f64,
    /// In each quarter of the run.
    pub chunks: [f64; 4],
    pub periodic: Vec<Rhythm>,
}

/// Labels and the values behind them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Prefixed with the name of their axis, in alphabetical order.
    pub labels: Vec<String>,
    pub read: Direction,
    pub write: Direction,
    pub metadata: Requests,
    /// Some value lies within 20 % of a threshold.
    pub near_threshold: bool,
    /// The specification does not settle every label.
    pub doubtful: bool,
}

fn near(value: f64, threshold: f64, share: f64) -> bool {
    (value - threshold).abs() <= share * threshold
}

pub fn judge(evidence: &Evidence) -> Verdict {
    let mut verdict = Verdict::default();
    for (write, prefix) in [(false, "read_"), (true, "write_")] {
        let side = &evidence.sides[usize::from(write)];
        let volume = Volume::new(&side.operations, evidence.runtime_s);
        let rhythms = periodicity::find(&side.families, evidence.runtime_s);
        let mut labels: Vec<&str> = volume.labels();
        labels.extend(rhythms.labels());
        verdict.labels.extend(labels.iter().map(|label| format!("{prefix}{label}")));
        verdict.near_threshold |= volume.is_near() || rhythms.is_near();
        // The specification leaves open whether insignificant I/O can be periodic.
        let trifle = volume.is_insignificant() && !rhythms.found.is_empty();
        verdict.doubtful |= volume.is_doubtful() || rhythms.doubtful || trifle || side.doubtful;
        let direction = Direction { bytes: volume.total, chunks: volume.chunks, periodic: rhythms.found };
        *(if write { &mut verdict.write } else { &mut verdict.read }) = direction;
    }
    let (requests, doubtful) = metadata::count(&evidence.calls, evidence.runtime_s, evidence.nprocs);
    verdict.labels.extend(requests.labels().into_iter().map(|label| format!("metadata_{label}")));
    verdict.near_threshold |= requests.is_near();
    verdict.doubtful |= doubtful;
    verdict.metadata = requests;
    verdict.labels.sort();
    verdict.labels.dedup();
    verdict
}
