//! Standard streams of a traced process: the terminal's affair, not storage's.

use std::collections::HashSet;

use marigraph_wire::op::{Effect, Op};

/// Slots that are standard streams, or were held from the start.
#[derive(Debug, Default)]
pub(crate) struct Standard {
    slots: HashSet<u32>,
}

impl Standard {
    /// Whether the next call works on one; takes note of those that begin.
    pub(crate) fn takes(&mut self, op: Op, slot: u32, args: [i64; 3]) -> bool {
        if op.effect() == Effect::Holds {
            self.slots.insert(slot);
        }
        // Copies of one, and its descriptor or stream, are the same.
        if let Some((from, to)) = op.alias(slot, args[0] as u32)
            && self.slots.contains(&from)
        {
            self.slots.insert(to);
        }
        slot != 0 && self.slots.contains(&slot)
    }
}
