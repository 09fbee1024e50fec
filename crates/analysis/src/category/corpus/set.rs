//! Some labels, as one number.

use crate::category::label::{Label, Labelled};

/// Some labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LabelSet(u32);

// One bit per label.
const _: () = assert!(Label::ALL.len() <= 32);

impl LabelSet {
    /// Those of a trace.
    pub fn of(labels: &[Labelled]) -> LabelSet {
        labels.iter().map(|labelled| labelled.label).collect()
    }

    /// Whether a label is in it.
    pub fn has(self, label: Label) -> bool {
        self.0 >> (label as u32) & 1 == 1
    }

    /// All that are in it, in the order of [`Label::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Label> {
        Label::ALL.into_iter().filter(move |&label| self.has(label))
    }
}

impl FromIterator<Label> for LabelSet {
    fn from_iter<I: IntoIterator<Item = Label>>(labels: I) -> LabelSet {
        LabelSet(labels.into_iter().fold(0, |bits, label| bits | 1 << label as u32))
    }
}
