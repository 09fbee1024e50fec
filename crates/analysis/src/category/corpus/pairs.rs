//! Frequencies of labels, alone and in pairs.

use super::set::LabelSet;
use crate::category::label::Label;

const LABELS: usize = Label::ALL.len();

/// Counts of traces by label and by pair of labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairs {
    pub traces: u64,
    /// Traces with both labels; on the diagonal, with one.
    counts: [[u64; LABELS]; LABELS],
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs { traces: 0, counts: [[0; LABELS]; LABELS] }
    }
}

impl Pairs {
    pub fn add(&mut self, labels: LabelSet) {
        self.traces += 1;
        for one in labels.iter() {
            for other in labels.iter() {
                self.counts[one as usize][other as usize] += 1;
            }
        }
    }

    pub fn count(&self, label: Label) -> u64 {
        self.both(label, label)
    }

    pub fn both(&self, one: Label, other: Label) -> u64 {
        self.counts[one as usize][other as usize]
    }

    pub fn share(&self, label: Label) -> f64 {
        ratio(self.count(label), self.traces)
    }

    /// Share with both labels among the traces with at least one.
    pub fn jaccard(&self, one: Label, other: Label) -> f64 {
        let both = self.both(one, other);
        ratio(both, self.count(one) + self.count(other) - both)
    }

    pub fn conditional(&self, given: Label, other: Label) -> f64 {
        ratio(self.both(given, other), self.count(given))
    }
}

/// Zero if `whole` is zero.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
