//! MPI-IO calls.
//!
//! Bytes are those asked for. Darshan counts them in 32 bits; sizes from 2 GiB on are right here
//! and wrapped there.

use std::collections::HashMap;

use marigraph_model::counters::mpiio as at;
use marigraph_model::{Call, Direction, Module, Slot};
use marigraph_wire::op::{Ending, Op, Place};

use super::file::Moved;
use super::process::{Pending, Process};
use super::row::{Row, stamps};
use super::slots::{Open, OpenFile};
use super::tally::{At, Common, Flow, Meta, Moves, Turns};
use super::usage::Sums;

#[derive(Debug, Default)]
pub(super) struct File {
    alone_opens: i64,
    group_opens: i64,
    /// By a communicator whose size was never told: that of all.
    all_opens: i64,
    reads: [i64; 4],
    writes: [i64; 4],
    syncs: i64,
    hints: i64,
    views: i64,
    mode: i64,
    read: Flow,
    write: Flow,
    turns: Turns,
    sizes: Common<1>,
    meta: Meta,
}

/// How a call goes about it, in the order of the counters.
#[derive(Debug, Clone, Copy)]
enum Manner {
    Independent,
    Collective,
    Split,
    Nonblocking,
}

impl Manner {
    fn of(op: Op) -> Manner {
        match op.ending() {
            Ending::Split => Manner::Split,
            Ending::Returns if op.is_collective() => Manner::Collective,
            Ending::Returns => Manner::Independent,
            _ => Manner::Nonblocking,
        }
    }
}

/// What a process sees of a file, as far as it is plain: bytes from `start` on in units.
#[derive(Debug, Clone, Copy)]
struct View {
    start: i64,
    /// Bytes per unit of an offset; 0 where the view has holes or is of unknown type.
    unit: i64,
    /// The file's own pointer in bytes of the view; `None` once it was lost.
    pointer: Option<i64>,
}

/// What MPI-IO calls of a process refer to.
#[derive(Debug, Default)]
pub(super) struct Mpi {
    sizes_of_groups: HashMap<i64, i64>,
    sizes_of_types: HashMap<i64, i64>,
    views: HashMap<Slot, View>,
}

impl View {
    const WHOLE: View = View { start: 0, unit: 1, pointer: Some(0) };

    /// The byte that a call begins at, and the pointer after it.
    fn locate(&mut self, place: Place, offset: i64, bytes: i64) -> Option<i64> {
        match place {
            Place::Shared => None,
            Place::Offset if self.unit > 0 => self.start.checked_add(offset.checked_mul(self.unit)?),
            Place::Offset => None,
            Place::Position => {
                let at = self.pointer?;
                self.pointer = at.checked_add(bytes);
                if self.unit > 0 { self.start.checked_add(at) } else { None }
            }
        }
    }

    fn seek(&mut self, by: i64, from: i64) {
        let step = by.checked_mul(self.unit).filter(|_| self.unit > 0);
        // MPI's numbers of these differ between libraries; the recorder gives those of `lseek`.
        self.pointer = match (from, step, self.pointer) {
            (0, Some(step), _) => Some(step),
            (1, Some(step), Some(at)) => at.checked_add(step),
            _ => None,
        };
    }
}

impl File {
    fn moved(&mut self, manner: Manner, moved: &Moved) {
        self.called(manner, moved.way, moved.bytes, 1).add(moved.bytes, moved.at.start, moved.at.end);
    }

    /// Counts calls, but not their bytes and times.
    #[inline]
    fn called(&mut self, manner: Manner, way: Direction, bytes: i64, times: i64) -> &mut Flow {
        self.sizes.add_times([bytes], times);
        self.turns.add(way);
        let (flow, calls) = match way {
            Direction::Read => (&mut self.read, &mut self.reads),
            Direction::Write => (&mut self.write, &mut self.writes),
        };
        if let Some(calls) = calls.get_mut(manner as usize) {
            *calls += times;
        }
        flow
    }

    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::MpiIo);
        for (idx, value) in [
            (at::INDEP_OPENS, self.alone_opens),
            (at::COLL_OPENS, self.group_opens),
            (at::SYNCS, self.syncs),
            (at::HINTS, self.hints),
            (at::VIEWS, self.views),
            (at::MODE, self.mode),
            (at::RW_SWITCHES, self.turns.count),
        ] {
            row.int(idx, value);
        }
        let (reads, writes) = (Module::MpiIo.roles().reads, Module::MpiIo.roles().writes);
        for (idx, &count) in reads.iter().zip(&self.reads).chain(writes.iter().zip(&self.writes)) {
            row.int(*idx, count);
        }
        row.by_all(self.all_opens);
        row.flow(Direction::Read, &self.read);
        row.flow(Direction::Write, &self.write);
        row.common(Module::MpiIo.roles().access, &self.sizes.top());
        row.meta(&self.meta, &stamps!(at));
        row
    }
}

#[derive(Debug)]
pub(super) struct Plain {
    pub(super) sums: File,
    pub(super) collective: bool,
}

impl Sums for Plain {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        let File { alone_opens, group_opens, meta, .. } = &mut self.sums;
        (if self.collective { group_opens } else { alone_opens }, meta)
    }

    fn moved_times(&mut self, moves: &Moves) {
        let Moves { way, bytes, times, .. } = *moves;
        let manner = if self.collective { Manner::Collective } else { Manner::Independent };
        self.sums.called(manner, way, bytes, times.count).add_times(bytes, &times);
    }
}

const COMM_SELF: i64 = 2;

impl Process<'_> {
    pub(super) fn mpi(&mut self, call: &Call) {
        if call.op == Op::FileClose {
            return self.mpi_close(call);
        }
        if call.ret < 0 {
            return;
        }
        let (at, [a, b, _]) = (At::of(call), call.args);
        match call.op {
            Op::Comm => {
                self.mpi.sizes_of_groups.insert(a, b);
            }
            Op::Type => {
                self.mpi.sizes_of_types.insert(a, b);
            }
            Op::FileOpen => self.mpi_open(call),
            Op::FileSync => {
                if let Some(file) = self.mpi_file(call.slot) {
                    file.syncs += 1;
                    file.write.timer.add(at.start, at.end);
                }
            }
            Op::FileSetView => self.set_view(call),
            Op::FileSeek => self.mpi.views.get_mut(&call.slot).into_iter().for_each(|view| view.seek(a, b)),
            _ => {
                if let Some(way) = call.op.direction() {
                    self.mpi_data(call, way);
                }
            }
        }
    }

    fn mpi_file(&mut self, slot: Slot) -> Option<&mut File> {
        let row = self.slots.get(slot)?.made_by(Module::MpiIo);
        self.mpiio.get(row)
    }

    fn mpi_data(&mut self, call: &Call, way: Direction) {
        let [offset, bytes, _] = call.args;
        let moved = Moved { way, offset: None, bytes: bytes.max(0), unaligned: false, at: At::of(call) };
        let Some(file) = self.mpi_file(call.slot) else { return };
        file.moved(Manner::of(call.op), &moved);
        self.mpiio_heat.add(way, moved.bytes, moved.at.start, moved.at.end);
        let truth = self
            .mpi
            .views
            .get_mut(&call.slot)
            .and_then(|view| view.locate(call.op.place(), offset, moved.bytes));
        if self.counter.trail.wanted {
            let row = self.slots.get(call.slot).and_then(|file| file.made_by(Module::MpiIo));
            let file = self.mpiio.file(row);
            self.trail(Module::MpiIo, file, truth, &moved);
        }
    }

    fn mpi_open(&mut self, call: &Call) {
        let [_, mode, group] = call.args;
        let at = At::of(call);
        let members = match group {
            COMM_SELF => Some(1),
            group => self.mpi.sizes_of_groups.get(&group).copied(),
        };
        let row = self.file_of(call.names().next()).map(|file| self.mpiio.row(file, File::default));
        if let Some(file) = self.mpiio.get(row) {
            file.mode = mode;
            let opens = match members {
                Some(1) => &mut file.alone_opens,
                Some(_) => &mut file.group_opens,
                None => &mut file.all_opens,
            };
            *opens += 1;
            file.meta.opened(at);
        }
        self.slots.open(call.slot, OpenFile::of(Module::MpiIo, row), Open::default());
        self.mpi.views.insert(call.slot, View::WHOLE);
        self.wait_for(Pending::Hints { slot: call.slot, timed: None, seen: 0 });
    }

    /// A view counts, but takes time only with hints: so Darshan has it.
    fn set_view(&mut self, call: &Call) {
        let [start, unit, kind] = call.args;
        let at = At::of(call);
        let Some(file) = self.mpi_file(call.slot) else { return };
        file.views += 1;
        let bytes = self.mpi.sizes_of_types.get(&unit).copied().unwrap_or(0);
        let unit = if unit == kind { bytes } else { 0 };
        self.mpi.views.insert(call.slot, View { start, unit, pointer: Some(0) });
        self.wait_for(Pending::Hints { slot: call.slot, timed: Some(at), seen: 0 });
    }

    /// An open or a view came with an info object.
    pub(super) fn hinted(&mut self, slot: Slot, timed: Option<At>) {
        if let Some(file) = self.mpi_file(slot) {
            file.hints += 1;
            if let Some(at) = timed {
                file.meta.other(at);
            }
        }
    }

    /// Counted whether it succeeded or not.
    fn mpi_close(&mut self, call: &Call) {
        if let Some(file) = self.mpi_file(call.slot) {
            file.meta.closed(At::of(call));
        }
        self.mpi.views.remove(&call.slot);
        self.slots.close(call.slot);
    }
}
