//! The true labels of a synthetic job, computed naively.
//!
//! This is the specification (`category.md`, section 2), implemented a second time, slowly and from
//! the exact events, as a reference for `category`; the two share no code. Where the specification
//! leaves a choice: I/O that is insignificant has no period; families of files are looked at apart,
//! and together only if none of them has a period.
//!
//! Each label comes with its doubts: the thresholds that change it when they move a little.

mod cuts;
mod evidence;
mod metadata;
mod periodicity;
mod temporality;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

pub use evidence::{Evidence, Operation, happened, shown};
pub use metadata::Requests;
pub use periodicity::Rhythm;

use cuts::{Cut, Cuts};
use metadata::Seconds;
use periodicity::Families;
use temporality::Volume;

/// The truth about one direction.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Direction {
    pub bytes: f64,
    /// In each quarter of the run.
    pub chunks: [f64; 4],
    pub periodic: Vec<Rhythm>,
}

/// A label that depends on where a threshold is.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// Holds now and not after the move, or the reverse.
    pub label: String,
    pub threshold: &'static str,
    /// Smallest move tried that changes the label, as a share of the threshold.
    pub moved: f64,
}

/// Labels and the values behind them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Prefixed with the name of their axis, in alphabetical order.
    pub labels: Vec<String>,
    pub read: Direction,
    pub write: Direction,
    pub metadata: Requests,
    pub doubts: Vec<Doubt>,
}

/// A case is clear if no label changes when any threshold moves by this share.
const CLEAR: f64 = 0.1;
/// Moves that are tried, by size.
const MOVES: [f64; 4] = [0.02, 0.05, CLEAR, 0.2];

impl Verdict {
    pub fn is_clear(&self) -> bool {
        self.doubts.iter().all(|doubt| doubt.moved.abs() > CLEAR)
    }
}

pub fn judge(evidence: &Evidence) -> Verdict {
    let (measured, cuts) = (Measured::new(evidence), Cuts::default());
    let labels = measured.labels(&cuts, None);
    let requests = measured.requests(&cuts);
    let [read, write] = measured.sides.each_ref().map(|side| Direction {
        bytes: side.volume.total,
        chunks: side.volume.chunks,
        periodic: if side.volume.is_insignificant(&cuts) { Vec::new() } else { side.usual.clone() },
    });
    let doubts = measured.doubts(&labels);
    Verdict { labels: labels.into_iter().collect(), read, write, metadata: requests, doubts }
}

/// What the thresholds are applied to.
struct Measured {
    sides: [Side; 2],
    seconds: Seconds,
    runtime_s: f64,
    nprocs: u64,
}

struct Side {
    volume: Volume,
    families: Families,
    /// Rhythms at the thresholds of the specification.
    usual: Vec<Rhythm>,
}

impl Measured {
    fn new(evidence: &Evidence) -> Measured {
        let runtime_s = evidence.runtime_s;
        let sides = evidence.sides.each_ref().map(|side| {
            let families = Families::new(&side.families, runtime_s);
            let usual = families.rhythms(&Cuts::default());
            Side { volume: Volume::new(&side.operations, runtime_s), families, usual }
        });
        let seconds = Seconds::new(&evidence.calls, runtime_s);
        Measured { sides, seconds, runtime_s, nprocs: evidence.nprocs }
    }

    fn requests(&self, cuts: &Cuts) -> Requests {
        self.seconds.summed(cuts, self.runtime_s, self.nprocs)
    }

    /// `moved` is the threshold that is not where the specification has it.
    fn labels(&self, cuts: &Cuts, moved: Option<Cut>) -> BTreeSet<String> {
        let mut labels = BTreeSet::new();
        for (side, prefix) in self.sides.iter().zip(["read_", "write_"]) {
            labels.extend(side.labels(cuts, moved).into_iter().map(|label| format!("{prefix}{label}")));
        }
        labels.extend(self.requests(cuts).labels(cuts).into_iter().map(|label| format!("metadata_{label}")));
        labels
    }

    fn doubts(&self, labels: &BTreeSet<String>) -> Vec<Doubt> {
        let mut doubts: Vec<Doubt> = Vec::new();
        for &cut in Cut::ALL {
            let changed = |by: f64| -> Vec<String> {
                let moved = self.labels(&Cuts::default().moved(cut, by), Some(cut));
                moved.symmetric_difference(labels).cloned().collect()
            };
            // What the larger moves leave alone, the smaller ones do too, or nearly always.
            let [_, _, clear, far] = MOVES;
            for sign in [-1.0, 1.0] {
                let found: Vec<f64> =
                    if changed(sign * clear).is_empty() { vec![far] } else { MOVES.to_vec() };
                for by in found.into_iter().map(|size| sign * size) {
                    for label in changed(by) {
                        if !doubts.iter().any(|known| known.label == label && known.threshold == cut.name()) {
                            doubts.push(Doubt { label, threshold: cut.name(), moved: by });
                        }
                    }
                }
            }
        }
        doubts
    }
}

impl Side {
    fn labels(&self, cuts: &Cuts, moved: Option<Cut>) -> Vec<&'static str> {
        let mut labels = self.volume.labels(cuts);
        if !self.volume.is_insignificant(cuts) {
            let found = moved.filter(|cut| cut.finds_rhythms()).map(|_| self.families.rhythms(cuts));
            labels.extend(periodicity::labels(found.as_ref().unwrap_or(&self.usual), cuts));
        }
        labels
    }
}
