//! Standard streams of a traced process, which are terminal I/O and not storage I/O.

use std::collections::HashSet;

use marigraph_model::{Call, Slot};
use marigraph_wire::op::Effect;

/// Slots of standard streams and of descriptors open from the start.
#[derive(Debug, Default)]
pub(crate) struct Standard {
    slots: HashSet<Slot>,
}

impl Standard {
    /// Returns whether a call works on one of them; also registers new ones.
    pub(crate) fn takes(&mut self, call: &Call) -> bool {
        if call.op.effect() == Effect::Holds {
            self.slots.insert(call.slot);
        }
        // A copy counts too, and so does the stream of a descriptor or the reverse.
        if let Some((from, to)) = call.alias()
            && self.slots.contains(&from)
        {
            self.slots.insert(to);
        }
        call.slot != Slot::NONE && self.slots.contains(&call.slot)
    }
}
