//! Properties of an operation, derived from its row.

use super::{Layer, Op, Role};

/// Direction of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    Read,
    Write,
}

#[derive(Clone, Copy)]
#[repr(u16)]
pub(super) enum Trait {
    Reads = 1,
    Writes = 1 << 1,
    /// Makes `slot`; from the open file `a` if that is a slot.
    Opens = 1 << 2,
    Closes = 1 << 3,
    /// Makes `a` a copy of `slot`.
    Copies = 1 << 4,
    /// The process held `slot` from its start.
    Holds = 1 << 5,
    /// Works on no open file, although it names none either.
    NoSlot = 1 << 6,
    /// All processes of the communicator make the call.
    Collective = 1 << 7,
    /// Collective, and treated as a point where they wait for each other.
    Meets = 1 << 8,
    /// At the shared file pointer.
    Shared = 1 << 9,
    /// Returns before it completes, with a request.
    Begins = 1 << 10,
    /// Returns before it completes; a second call ends it.
    Split = 1 << 11,
    /// Submitted through a ring: its result may never be seen.
    Ring = 1 << 12,
    /// A replay skips it: links and devices could lead out of its root, locks could wait forever,
    /// owners need privileges, and the others need what a trace does not have.
    NotReplayed = 1 << 13,
    /// Makes, removes or alters a file or folder itself, not only bytes of an open file.
    Changes = 1 << 14,
}

pub(super) struct Row {
    pub(super) layer: Layer,
    pub(super) name: &'static str,
    pub(super) roles: [Role; 3],
    pub(super) more: [Role; 3],
    pub(super) traits: u16,
}

/// Effect of a call on the slot of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    None,
    Opens,
    Closes,
    /// Makes an alias of it.
    Copies,
    /// The process held it from its start.
    Holds,
    Uses,
}

/// When a call completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// When it returns.
    Returns,
    /// When the program collects the result of request `c`.
    Request,
    /// When the program waits for the request in the `More` record that follows.
    MoreRequest,
    /// At the end of the split collective on its slot.
    Split,
}

/// Position of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Position,
    /// At the first argument.
    Offset,
    Shared,
}

impl Op {
    #[inline]
    const fn has(self, wanted: Trait) -> bool {
        self.row().traits & wanted as u16 != 0
    }

    #[inline]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    #[inline]
    pub const fn layer(self) -> Layer {
        self.row().layer
    }

    #[inline]
    pub const fn roles(self) -> [Role; 3] {
        self.row().roles
    }

    /// Roles of the arguments in its first `More` record.
    pub const fn more_roles(self) -> [Role; 3] {
        self.row().more
    }

    /// Whether `a` and `b` are ids of names.
    #[inline]
    pub const fn names(self) -> [bool; 2] {
        let [a, b, _] = self.roles();
        [matches!(a, Role::Name), matches!(b, Role::Name)]
    }

    /// Index of the argument that is another slot than that of the call.
    pub const fn other_slot(self) -> Option<usize> {
        match self.roles() {
            [Role::Slot, ..] => Some(0),
            [_, _, Role::Slot] => Some(2),
            _ => None,
        }
    }

    #[inline]
    pub const fn reads(self) -> bool {
        self.has(Trait::Reads)
    }

    #[inline]
    pub const fn writes(self) -> bool {
        self.has(Trait::Writes)
    }

    /// `None` if it moves no data, or both ways.
    #[inline]
    pub const fn direction(self) -> Option<Direction> {
        match (self.reads(), self.writes()) {
            (true, false) => Some(Direction::Read),
            (false, true) => Some(Direction::Write),
            _ => None,
        }
    }

    /// Meaningful for accesses only.
    pub const fn place(self) -> Place {
        match self.roles() {
            _ if self.has(Trait::Shared) => Place::Shared,
            [Role::Offset, ..] => Place::Offset,
            _ => Place::Position,
        }
    }

    pub const fn is_in_ring(self) -> bool {
        self.has(Trait::Ring)
    }

    pub const fn ending(self) -> Ending {
        match self.more_roles() {
            _ if self.has(Trait::Split) => Ending::Split,
            _ if !self.has(Trait::Begins) => Ending::Returns,
            [Role::Request, ..] => Ending::MoreRequest,
            _ => Ending::Request,
        }
    }

    /// Calls that name files have no slot.
    pub const fn effect(self) -> Effect {
        match self.roles() {
            _ if self.has(Trait::Opens) => Effect::Opens,
            _ if self.has(Trait::Closes) => Effect::Closes,
            _ if self.has(Trait::Copies) => Effect::Copies,
            _ if self.has(Trait::Holds) => Effect::Holds,
            [Role::Name, ..] => Effect::None,
            _ if self.has(Trait::NoSlot) => Effect::None,
            _ => Effect::Uses,
        }
    }

    /// For a call that makes an alias, (from, to): the slots that share an open file, given the
    /// call's slot and first argument.
    pub fn alias<T>(self, slot: T, a: T) -> Option<(T, T)> {
        match self.roles() {
            [Role::Slot, ..] if self.has(Trait::Copies) => Some((slot, a)),
            [Role::Slot, ..] => Some((a, slot)),
            _ => None,
        }
    }

    pub const fn is_collective(self) -> bool {
        self.has(Trait::Collective) || self.has(Trait::Meets)
    }

    pub const fn meets(self) -> bool {
        self.has(Trait::Meets)
    }

    /// Whether it makes, removes or alters a file or folder itself. Opens do if their flags say so.
    pub const fn changes(self) -> bool {
        self.has(Trait::Changes)
    }

    /// Whether a replay can perform it; MPI calls need an MPI library.
    pub const fn is_replayable(self) -> bool {
        let layer = matches!(self.layer(), Layer::Posix | Layer::Stdio | Layer::Mpi);
        layer && !self.has(Trait::NotReplayed)
    }
}
