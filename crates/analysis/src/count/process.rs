//! One process while its calls come in: who gets which call, and calls that need several rows.

use std::collections::{BTreeSet, HashMap};

use marigraph_model::{Call, Events, Module, NameId, Names, Rank, Sink, Slot};
use marigraph_wire::op::{Ending, Layer, Op, Place};
use marigraph_wire::record::Record;

use super::file::Moved;
use super::heat::Heat;
use super::row::Row;
use super::slots::{Files, Open, OpenFile, Slots, Table};
use super::tally::At;
use super::{Counter, file, h5, mpiio, pnetcdf, posix, stdio};

/// A call that is not complete before the rows after it are known.
#[derive(Debug)]
pub(super) enum Pending {
    Nothing,
    /// A copy: where in the target.
    Copy {
        target: Slot,
        write: Moved,
    },
    /// An MPI open or view: whether an info object came with it.
    Hints {
        slot: Slot,
        timed: Option<At>,
        seen: usize,
    },
    Dataset {
        row: u32,
        seen: usize,
    },
    Variable {
        row: u32,
        seen: usize,
    },
    Access {
        module: Module,
        row: u32,
        shape: h5::Shape,
        seen: usize,
    },
}

/// A descriptor or stream that a process holds from its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub path: Vec<u8>,
    pub stream: bool,
    /// Where the next read or write goes.
    pub position: i64,
    pub append: bool,
}

/// One process while its calls come in.
pub struct Process<'a> {
    pub(super) counter: &'a mut Counter,
    pub(super) rank: Rank,
    pub(super) names: HashMap<NameId, Vec<u8>>,
    pub(super) block_size: &'a dyn Fn(&[u8]) -> i64,
    pub(super) files: Files,
    pub(super) slots: Slots,
    pub(super) posix: Table<file::File>,
    pub(super) stdio: Table<stdio::File>,
    pub(super) mpiio: Table<mpiio::File>,
    pub(super) h5f: Table<h5::File>,
    pub(super) h5d: Table<h5::Dataset>,
    pub(super) ncfile: Table<pnetcdf::File>,
    pub(super) ncvar: Table<pnetcdf::Variable>,
    pub(super) posix_heat: Heat,
    pub(super) stdio_heat: Heat,
    pub(super) mpiio_heat: Heat,
    pub(super) requests: HashMap<i64, posix::Request>,
    /// Requests that wait in a ring, by slot: each close looks for its own.
    pub(super) rings: BTreeSet<(Slot, i64)>,
    pub(super) mpi: mpiio::Mpi,
    pub(super) standard: bool,
    pub(super) streams: bool,
    pub(super) pending: Pending,
}

impl<'a> Process<'a> {
    pub(super) fn new(
        counter: &'a mut Counter,
        rank: Rank,
        block_size: &'a dyn Fn(&[u8]) -> i64,
    ) -> Process<'a> {
        Process {
            counter,
            rank,
            names: HashMap::new(),
            block_size,
            files: Files::default(),
            slots: Slots::new(),
            posix: Table::default(),
            stdio: Table::default(),
            mpiio: Table::default(),
            h5f: Table::default(),
            h5d: Table::default(),
            ncfile: Table::default(),
            ncvar: Table::default(),
            posix_heat: Heat::default(),
            stdio_heat: Heat::default(),
            mpiio_heat: Heat::default(),
            requests: HashMap::new(),
            rings: BTreeSet::new(),
            mpi: mpiio::Mpi::default(),
            standard: false,
            streams: false,
            pending: Pending::Nothing,
        }
    }
}

impl Process<'_> {
    /// Counts a call, whose names are ids of `names`. An id must mean the same in all calls.
    #[inline]
    pub fn call(&mut self, call: &Call, names: &dyn Names) {
        if !matches!(self.pending, Pending::Nothing) && call.op != Op::More {
            self.settle();
        }
        self.counter.end = self.counter.end.max(call.end.0);
        // System calls that move data and are done.
        let done = call.op.layer() == Layer::Posix && call.op.ending() != Ending::Request;
        let Some(way) = call.op.direction().filter(|_| done) else { return self.other(call, names) };
        let moved = Moved {
            way,
            offset: Some(call.args[0]).filter(|&at| call.op.place() == Place::Offset && at >= 0),
            bytes: call.ret,
            unaligned: call.flags & Record::UNALIGNED != 0,
            at: At::of(call),
        };
        self.transfer(call.slot, &moved);
    }

    fn other(&mut self, call: &Call, names: &dyn Names) {
        for id in call.names() {
            if let Some(name) = names.name(id).filter(|_| !self.names.contains_key(&id)) {
                self.names.insert(id, name.to_vec());
            }
        }
        match call.op.layer() {
            Layer::Note if matches!(call.op, Op::Inherit | Op::Held) => self.holds(call, names),
            Layer::Note if call.op == Op::More => call.args.into_iter().for_each(|value| self.more(value)),
            Layer::Note => {}
            Layer::Posix => self.posix(call),
            Layer::Stdio => self.stdio(call),
            Layer::Mpi => self.mpi(call),
            Layer::Hdf5 => self.hdf5(call),
            Layer::Pnetcdf => self.pnetcdf(call),
        }
    }

    fn holds(&mut self, call: &Call, names: &dyn Names) {
        const APPEND: i64 = 0o2000;
        // Readers give `Inherit` other arguments than it was recorded with.
        let [name, flags, last] = call.args;
        let Some(path) = names.name(NameId(name)) else { return };
        let (stream, position) = if call.op == Op::Held {
            (false, last)
        } else {
            // Where in the file the parent stood is not known; the last argument is how it was opened.
            let op = u16::try_from(last).ok().and_then(Op::from_code);
            (op.is_some_and(|op| op.layer() == Layer::Stdio), 0)
        };
        let held = Held { path: path.to_vec(), stream, position, append: flags & APPEND != 0 };
        self.inherit(call.slot, &held);
    }

    /// Gives the process a descriptor or stream from its parent. No open is counted for it; Darshan
    /// does not follow such descriptors at all.
    pub fn inherit(&mut self, slot: Slot, held: &Held) {
        let Some(file) = self.files.path(&held.path, &self.counter.options) else { return };
        let rows = if held.stream {
            OpenFile { stdio: Some(self.stdio.row(file, Default::default)), ..OpenFile::default() }
        } else {
            OpenFile { posix: self.posix_file(file), ..OpenFile::default() }
        };
        let open = Open { position: held.position, append: held.append, ..Open::default() };
        self.slots.open(slot, rows, open);
    }

    /// Hands on the operations collected so far, when they fill a block.
    pub fn drain(&mut self, sink: &mut dyn Sink) {
        self.counter.trail.drain(Events::BLOCK, sink);
    }

    /// What the process holds in a slot now, for a child to inherit.
    pub fn held(&mut self, slot: Slot) -> Option<Held> {
        let held = self.slots.get(slot)?;
        let stream = held.posix.is_none();
        let file = if stream { self.stdio.file(held.stdio) } else { self.posix.file(held.posix) };
        let path = self.files.get(file?)?.1.to_vec();
        let open = *self.slots.description(&held)?;
        Some(Held { path, stream, position: open.position, append: open.append })
    }

    pub(super) fn file_of(&mut self, name: Option<NameId>) -> Option<u32> {
        self.files.named(name?, &self.names, &self.counter.options)
    }

    pub(super) fn wait_for(&mut self, pending: Pending) {
        self.pending = pending;
    }

    fn more(&mut self, value: i64) {
        match &mut self.pending {
            Pending::Nothing => {}
            // The first number only.
            Pending::Copy { write, .. } => {
                write.offset = (value >= 0).then_some(value);
                self.settle();
            }
            // An open has a row only with hints; a view has them second, or -1.
            Pending::Hints { slot, timed, seen } => {
                *seen += 1;
                let open = timed.is_none();
                if (open && *seen == 1) || (!open && *seen == 2 && value >= 0) {
                    let (slot, timed) = (*slot, *timed);
                    self.hinted(slot, timed);
                }
            }
            Pending::Dataset { row, seen } => {
                if let Some(dataset) = self.h5d.get(Some(*row)) {
                    dataset.described(*seen, value);
                }
                *seen += 1;
            }
            Pending::Variable { row, seen } => {
                if let Some(variable) = self.ncvar.get(Some(*row)) {
                    variable.described(*seen, value);
                }
                *seen += 1;
            }
            Pending::Access { module, row, shape, seen } => {
                let dims = match module {
                    Module::H5d => self.h5d.get(Some(*row)).map_or(0, |dataset| dataset.dims()),
                    _ => self.ncvar.get(Some(*row)).map_or(0, |variable| variable.dims()),
                };
                h5::place(shape, *module, dims, *seen, value);
                *seen += 1;
            }
        }
    }

    /// Completes a call as no more rows follow.
    fn settle(&mut self) {
        match std::mem::replace(&mut self.pending, Pending::Nothing) {
            Pending::Copy { target, write } => self.transfer(target, &write),
            Pending::Access { module: Module::H5d, row, shape, .. } => {
                self.h5d.get(Some(row)).into_iter().for_each(|dataset| dataset.accessed(shape));
            }
            Pending::Access { row, shape, .. } => {
                self.ncvar.get(Some(row)).into_iter().for_each(|variable| variable.accessed(shape));
            }
            _ => {}
        }
    }

    fn keep(&mut self, module: Module, file: u32, row: Row) {
        if let Some((id, path)) = self.files.get(file) {
            self.counter.names.entry(id).or_insert_with(|| path.to_vec());
            self.counter.add(module, id, self.rank, row);
        }
    }

    fn keep_part(&mut self, module: Module, file: u32, parent: Option<u32>, mut row: Row) {
        if let Some((id, _)) = parent.and_then(|parent| self.files.get(parent)) {
            row.parent(id);
        }
        self.keep(module, file, row);
    }
}

impl Drop for Process<'_> {
    fn drop(&mut self) {
        self.settle();
        self.end_rings(Slot(0)..=Slot(u32::MAX));
        self.posix.take().iter().for_each(|(file, sums)| self.keep(Module::Posix, *file, sums.row()));
        if self.streams {
            self.stdio.take().iter().for_each(|(file, sums)| self.keep(Module::Stdio, *file, sums.row()));
        }
        self.mpiio.take().iter().for_each(|(file, sums)| self.keep(Module::MpiIo, *file, sums.row()));
        self.h5f.take().iter().for_each(|(file, sums)| self.keep(Module::H5f, *file, sums.row()));
        for (file, sums) in self.h5d.take() {
            self.keep_part(Module::H5d, file, sums.parent(), sums.row());
        }
        self.ncfile.take().iter().for_each(|(file, sums)| self.keep(Module::PnetcdfFile, *file, sums.row()));
        for (file, sums) in self.ncvar.take() {
            self.keep_part(Module::PnetcdfVar, file, sums.parent(), sums.row());
        }
        for (module, heat) in [
            (Module::Posix, std::mem::take(&mut self.posix_heat)),
            (Module::Stdio, std::mem::take(&mut self.stdio_heat)),
            (Module::MpiIo, std::mem::take(&mut self.mpiio_heat)),
        ] {
            self.counter.heats.entry((module, self.rank)).or_default().merge(heat);
        }
    }
}
