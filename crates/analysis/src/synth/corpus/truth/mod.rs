//! The true labels of a synthetic job, computed naively.
//!
//! This is the specification (`category.md`, section 2) written down once more, slowly and from the
//! exact events, so that `category` can be held against it; the two share no code. Beside the labels
//! it tells whether they are beyond doubt: where the specification leaves a case open, or where a value lies so
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

/// What is true of one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    /// Bytes moved.
    pub bytes: f64,
    /// Bytes in each quarter of the run.
    pub chunks: [f64; 4],
    /// Periodic operations.
    pub periodic: Vec<Rhythm>,
}

/// Labels and the values behind them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Labels with the name of their axis, in alphabetical order.
    pub labels: Vec<String>,
    /// Reading.
    pub read: Direction,
    /// Writing.
    pub write: Direction,
    /// Metadata requests.
    pub metadata: Requests,
    /// Some value lies within 20 % of a threshold.
    pub near_threshold: bool,
    /// The specification does not settle every label.
    pub doubtful: bool,
}

/// Whether a value lies within a share of a threshold.
fn near(value: f64, threshold: f64, share: f64) -> bool {
    (value - threshold).abs() <= share * threshold
}

/// The labels of what is known.
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
        // Whether little I/O can be periodic is left open.
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
