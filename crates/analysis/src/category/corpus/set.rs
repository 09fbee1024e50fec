//! A set of labels as a bit mask.

use crate::category::label::{Label, Labelled};

/// A set of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LabelSet(u32);

// One bit per label.
const _: () = assert!(Label::ALL.len() <= 32);

impl LabelSet {
    pub fn of(labels: &[Labelled]) -> LabelSet {
        labels.iter().map(|labelled| labelled.label).collect()
    }

    pub fn has(self, label: Label) -> bool {
        self.0 >> (label as u32) & 1 == 1
    }

    /// In the order of [`Label::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Label> {
        Label::ALL.into_iter().filter(move |&label| self.has(label))
    }
}

impl FromIterator<Label> for LabelSet {
    fn from_iter<I: IntoIterator<Item = Label>>(labels: I) -> LabelSet {
        LabelSet(labels.into_iter().fold(0, |bits, label| bits | 1 << label as u32))
    }
}
