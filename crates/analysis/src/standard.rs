//! Standard streams of a traced process, which are terminal I/O and not storage I/O.

use std::collections::HashSet;

use marigraph_wire::op::{Effect, Op};

/// Slots of standard streams and of descriptors open from the start.
#[derive(Debug, Default)]
pub(crate) struct Standard {
    slots: HashSet<u32>,
}

impl Standard {
    /// Returns whether a call works on one of them; also registers new ones.
    pub(crate) fn takes(&mut self, op: Op, slot: u32, args: [i64; 3]) -> bool {
        if op.effect() == Effect::Holds {
            self.slots.insert(slot);
        }
        // A copy counts too, and so does the stream of a descriptor or the reverse.
        if let Some((from, to)) = op.alias(slot, args[0] as u32)
            && self.slots.contains(&from)
        {
            self.slots.insert(to);
        }
        slot != 0 && self.slots.contains(&slot)
    }
}
