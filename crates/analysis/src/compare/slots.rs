//! Matches the open files of one trace with those of the other.
//!
//! A process numbers its opens, including those of calls that are not compared. The numbers may
//! therefore differ between runs of the same program; only a consistent mapping matters.

use std::collections::HashMap;

use super::Side;
use super::step::Step;
use crate::standard::Standard;

#[derive(Debug, Default)]
pub(super) struct Slots {
    process: (u32, u32),
    to_b: HashMap<u32, u32>,
    to_a: HashMap<u32, u32>,
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
    pub(super) fn is_standard(&mut self, side: Side, step: &Step) -> bool {
        self.standard[side as usize].takes(step.op, step.slot, step.args)
    }

    pub(super) fn differ(&mut self, a: &Step, b: &Step) -> Option<&'static str> {
        if !self.belong(a.slot, b.slot) {
            return Some("open file");
        }
        let other = a.op.other_slot().map(|at| (a.args[at] as u32, b.args[at] as u32));
        other.is_some_and(|(one, other)| !self.belong(one, other)).then_some("other open file")
    }

    fn belong(&mut self, a: u32, b: u32) -> bool {
        if a == 0 || b == 0 {
            return a == b;
        }
        let (to_b, to_a) = (*self.to_b.entry(a).or_insert(b), *self.to_a.entry(b).or_insert(a));
        to_b == b && to_a == a
    }
}
