//! Recorded calls: what readers of parts and traces produce.

use marigraph_wire::op::{Op, Role};

use crate::job::Rank;
use crate::value::Nanos;

/// 1-based ordinal of an open in its process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

impl Slot {
    pub const NONE: Slot = Slot(0);
}

/// Index of a call site in a table of the reader.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

impl SiteId {
    pub const UNKNOWN: SiteId = SiteId(0);
}

/// Id of a name in the [`Names`] of its process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub i64);

/// One call of one thread; calls are in the order of their returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    pub op: Op,
    /// Open calls of outer layers.
    pub depth: u8,
    /// Of [`marigraph_wire::record::Record`].
    pub flags: u8,
    pub slot: Slot,
    /// By the roles of its [`Op`].
    pub args: [i64; 3],
    /// Negated error if the call failed.
    pub ret: i64,
    /// From the start of the job.
    pub start: Nanos,
    pub end: Nanos,
    pub site: SiteId,
}

impl Call {
    /// Its first argument of a role.
    #[inline]
    pub fn arg(&self, role: Role) -> Option<i64> {
        self.args.into_iter().zip(self.op.roles()).find(|(_, of)| *of == role).map(|(arg, _)| arg)
    }

    #[inline]
    pub fn names(&self) -> impl Iterator<Item = NameId> + use<> {
        let args = self.args.into_iter().zip(self.op.names());
        args.filter(|(_, named)| *named).map(|(id, _)| NameId(id))
    }

    /// Puts other ids in place of its names.
    pub fn map_names(&mut self, mut new: impl FnMut(NameId) -> NameId) {
        for (arg, _) in self.args.iter_mut().zip(self.op.names()).filter(|(_, named)| *named) {
            *arg = new(NameId(*arg)).0;
        }
    }

    /// The open file that it works on beside that of `slot`.
    pub fn other_slot(&self) -> Option<Slot> {
        self.arg(Role::Slot).map(|slot| Slot(u32::try_from(slot).unwrap_or(0)))
    }

    /// The slots that share an open file after it, (from, to), if it makes an alias.
    pub fn alias(&self) -> Option<(Slot, Slot)> {
        self.op.alias(self.slot, self.other_slot()?)
    }
}

/// The names of one process: absolute paths in recorded form, by id.
pub trait Names {
    fn name(&self, id: NameId) -> Option<&[u8]>;
}

impl Names for std::collections::HashMap<NameId, Vec<u8>> {
    fn name(&self, id: NameId) -> Option<&[u8]> {
        self.get(&id).map(Vec::as_slice)
    }
}

/// The calls of one process, its threads merged, in order of return. All share the ids of names.
pub trait CallStream: Names {
    fn next_call(&mut self) -> Option<Call>;
}

/// Receives the calls of a recorded run, process by process.
pub trait CallSink {
    /// Several processes may share a rank.
    fn process(&mut self, rank: Rank, calls: &mut dyn CallStream);
}
