//! What an operation does, derived from its row.

use super::{Layer, Op, Role};

/// Which way data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// From storage into memory.
    Read,
    /// From memory to storage.
    Write,
}

/// What a row says beside roles.
#[derive(Clone, Copy)]
#[repr(u16)]
pub(super) enum Trait {
    /// Content goes from storage to memory.
    Reads = 1,
    /// Content goes from memory to storage.
    Writes = 1 << 1,
    /// Makes `slot`; of the open file `a` if that is a slot.
    Opens = 1 << 2,
    /// Closes `slot`.
    Closes = 1 << 3,
    /// Makes `a` a copy of `slot`.
    Copies = 1 << 4,
    /// The process held `slot` from its start.
    Holds = 1 << 5,
    /// Works on no open file, though it names none.
    NoSlot = 1 << 6,
    /// All processes of the communicator make the call.
    Collective = 1 << 7,
    /// Collective, and taken as a point where they wait for each other.
    Meets = 1 << 8,
    /// At the file pointer that processes share.
    Shared = 1 << 9,
    /// Returns before it is done, with a request.
    Begins = 1 << 10,
    /// Returns before it is done; a second call ends it.
    Split = 1 << 11,
    /// Goes through a ring and is recorded when it is done.
    Ring = 1 << 12,
    /// A replay leaves it out: links and devices could lead out of its root, locks could wait for
    /// ever, owners are a matter of rights, and the others need what a trace does not have.
    NotReplayed = 1 << 13,
}

/// What the table says of an operation.
pub(super) struct Row {
    pub(super) layer: Layer,
    pub(super) name: &'static str,
    pub(super) roles: [Role; 3],
    pub(super) more: [Role; 3],
    pub(super) traits: u16,
}

/// What a call does to the slot of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It has none.
    None,
    /// Makes it.
    Opens,
    /// Closes it.
    Closes,
    /// Makes another one of it.
    Copies,
    /// Notes that the process held it from its start.
    Holds,
    /// Works on it.
    Uses,
}

/// When a call is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// When it returns.
    Returns,
    /// Before it is recorded; the program did not wait for it.
    Ring,
    /// When the program takes the result of request `c`.
    Request,
    /// When the program waits for the request in the `More` record after it.
    MoreRequest,
    /// At the end of the split collective of its slot.
    Split,
}

/// Where an access lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// At the position of the open file.
    Position,
    /// At the first argument.
    Offset,
    /// At the pointer that all processes share.
    Shared,
}

impl Op {
    #[inline]
    const fn has(self, wanted: Trait) -> bool {
        self.row().traits & wanted as u16 != 0
    }

    /// Its name, as in a program text.
    #[inline]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Whose call it is.
    #[inline]
    pub const fn layer(self) -> Layer {
        self.row().layer
    }

    /// What its arguments are.
    #[inline]
    pub const fn roles(self) -> [Role; 3] {
        self.row().roles
    }

    /// What the arguments in its first `More` record are.
    pub const fn more_roles(self) -> [Role; 3] {
        self.row().more
    }

    /// The arguments (a, b) that are ids of names.
    #[inline]
    pub const fn names(self) -> [bool; 2] {
        let [a, b, _] = self.roles();
        [matches!(a, Role::Name), matches!(b, Role::Name)]
    }

    /// The argument that is another open file than the slot of the call, by its place.
    pub const fn other_slot(self) -> Option<usize> {
        match self.roles() {
            [Role::Slot, ..] => Some(0),
            [_, _, Role::Slot] => Some(2),
            _ => None,
        }
    }

    /// Whether it reads content.
    #[inline]
    pub const fn reads(self) -> bool {
        self.has(Trait::Reads)
    }

    /// Whether it writes content.
    #[inline]
    pub const fn writes(self) -> bool {
        self.has(Trait::Writes)
    }

    /// Which way it moves data; `None` if it moves none, or both ways.
    #[inline]
    pub const fn direction(self) -> Option<Direction> {
        match (self.reads(), self.writes()) {
            (true, false) => Some(Direction::Read),
            (false, true) => Some(Direction::Write),
            _ => None,
        }
    }

    /// Where an access lies, if it is one.
    pub const fn place(self) -> Place {
        match self.roles() {
            _ if self.has(Trait::Shared) => Place::Shared,
            [Role::Offset, ..] => Place::Offset,
            _ => Place::Position,
        }
    }

    /// When it is done.
    pub const fn ending(self) -> Ending {
        match self.more_roles() {
            _ if self.has(Trait::Ring) => Ending::Ring,
            _ if self.has(Trait::Split) => Ending::Split,
            _ if !self.has(Trait::Begins) => Ending::Returns,
            [Role::Request, ..] => Ending::MoreRequest,
            _ => Ending::Request,
        }
    }

    /// What it does to the slot of its record. Calls that name files work on none.
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

    /// Which slot becomes the same open file as which other: (from, to) for a call that makes an
    /// alias, given its slot and first argument.
    pub fn alias<T>(self, slot: T, a: T) -> Option<(T, T)> {
        match self.roles() {
            [Role::Slot, ..] if self.has(Trait::Copies) => Some((slot, a)),
            [Role::Slot, ..] => Some((a, slot)),
            _ => None,
        }
    }

    /// Whether all processes of a communicator make the call.
    pub const fn is_collective(self) -> bool {
        self.has(Trait::Collective) || self.has(Trait::Meets)
    }

    /// Whether they wait for each other in it.
    pub const fn meets(self) -> bool {
        self.has(Trait::Meets)
    }

    /// Whether a replay can perform it; calls of MPI only with an MPI library.
    pub const fn is_replayable(self) -> bool {
        let layer = matches!(self.layer(), Layer::Posix | Layer::Stdio | Layer::Mpi);
        layer && !self.has(Trait::NotReplayed)
    }
}
