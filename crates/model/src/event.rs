//! Single operations, as columns.

use marigraph_wire::op::Direction;

use crate::file::FileId;
use crate::job::Rank;
use crate::module::Module;
use crate::value::Nanos;

/// One read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// [`Module::Posix`], [`Module::MpiIo`], ...
    pub interface: Module,
    pub direction: Direction,
    pub rank: Rank,
    pub file: FileId,
    pub start: Nanos,
    pub end: Nanos,
    /// `None` if unknown.
    pub offset: Option<u64>,
    pub bytes: u64,
    /// Opaque; `None` if unknown.
    pub thread: Option<u64>,
}

/// Operations as columns: a block of a stream, or a whole trace.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Events {
    interface: Vec<Module>,
    direction: Vec<Direction>,
    rank: Vec<Rank>,
    file: Vec<FileId>,
    start: Vec<Nanos>,
    end: Vec<Nanos>,
    offset: Vec<Option<u64>>,
    bytes: Vec<u64>,
    thread: Vec<Option<u64>>,
}

impl Events {
    /// Maximum events in a block of a stream; producers flush at this length. The widest column of a
    /// block has 64 KiB: from 128 KiB on, the allocator returns memory to the system at once, and every
    /// block would pay for fresh pages.
    pub const BLOCK: usize = 4096;

    pub fn push(&mut self, event: Event) {
        self.interface.push(event.interface);
        self.direction.push(event.direction);
        self.rank.push(event.rank);
        self.file.push(event.file);
        self.start.push(event.start);
        self.end.push(event.end);
        self.offset.push(event.offset);
        self.bytes.push(event.bytes);
        self.thread.push(event.thread);
    }

    pub fn append(&mut self, block: &Events) {
        self.interface.extend_from_slice(&block.interface);
        self.direction.extend_from_slice(&block.direction);
        self.rank.extend_from_slice(&block.rank);
        self.file.extend_from_slice(&block.file);
        self.start.extend_from_slice(&block.start);
        self.end.extend_from_slice(&block.end);
        self.offset.extend_from_slice(&block.offset);
        self.bytes.extend_from_slice(&block.bytes);
        self.thread.extend_from_slice(&block.thread);
    }

    /// Keeps the memory.
    pub fn clear(&mut self) {
        self.interface.clear();
        self.direction.clear();
        self.rank.clear();
        self.file.clear();
        self.start.clear();
        self.end.clear();
        self.offset.clear();
        self.bytes.clear();
        self.thread.clear();
    }

    pub fn len(&self) -> usize {
        self.direction.len()
    }

    pub fn is_empty(&self) -> bool {
        self.direction.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<Event> {
        Some(Event {
            interface: *self.interface.get(at)?,
            direction: *self.direction.get(at)?,
            rank: *self.rank.get(at)?,
            file: *self.file.get(at)?,
            start: *self.start.get(at)?,
            end: *self.end.get(at)?,
            offset: *self.offset.get(at)?,
            bytes: *self.bytes.get(at)?,
            thread: *self.thread.get(at)?,
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = Event> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    pub fn interfaces(&self) -> &[Module] {
        &self.interface
    }

    pub fn directions(&self) -> &[Direction] {
        &self.direction
    }

    pub fn ranks(&self) -> &[Rank] {
        &self.rank
    }

    pub fn bytes(&self) -> &[u64] {
        &self.bytes
    }

    pub fn starts(&self) -> &[Nanos] {
        &self.start
    }

    pub fn ends(&self) -> &[Nanos] {
        &self.end
    }
}
