//! Matches the open files of one trace with those of the other.
//!
//! A process numbers its opens, including those of calls that are not compared. The numbers may
//! therefore differ between runs of the same program; only a consistent mapping matters.

use std::collections::HashMap;

use marigraph_model::{Call, Slot};

use super::Side;
use crate::standard::Standard;

#[derive(Debug, Default)]
pub(super) struct Slots {
    process: (u32, u32),
    to_b: HashMap<Slot, Slot>,
    to_a: HashMap<Slot, Slot>,
    standard: [Standard; 2],
}

impl Slots {
    /// Keeps the mapping if the process is still the same, otherwise starts a new one.
    pub(super) fn begin(&mut self, process: (u32, u32)) {
        if self.process != process || self.to_b.is_empty() {
            *self = Slots { process, ..Slots::default() };
        }
    }

    /// Whether a call works on a standard stream; notes calls that open one.
    pub(super) fn is_standard(&mut self, side: Side, call: &Call) -> bool {
        self.standard[side as usize].takes(call)
    }

    pub(super) fn differ(&mut self, a: &Call, b: &Call) -> Option<&'static str> {
        if !self.belong(a.slot, b.slot) {
            return Some("open file");
        }
        let others = a.other_slot().zip(b.other_slot());
        others.is_some_and(|(one, other)| !self.belong(one, other)).then_some("other open file")
    }

    fn belong(&mut self, a: Slot, b: Slot) -> bool {
        if a == Slot::NONE || b == Slot::NONE {
            return a == b;
        }
        let (to_b, to_a) = (*self.to_b.entry(a).or_insert(b), *self.to_a.entry(b).or_insert(a));
        to_b == b && to_a == a
    }
}
