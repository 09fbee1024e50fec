//! HDF5: files and datasets.
//!
//! Rows of `More` after a dataset's opening give the sizes of its dimensions and then, if it is
//! chunked, those of a chunk; after a read or write of a regular hyperslab the lengths per dimension
//! and then the strides. Three numbers to a row, slowest dimension first.

use marigraph_model::counters::{h5d as at, h5f};
use marigraph_model::{Call, Direction, Module};
use marigraph_wire::op::{Op, Role};

use super::process::{Pending, Process};
use super::row::{Row, stamps};
use super::slots::{Open, OpenFile};
use super::tally::{At, Common, Flow, Meta, Moves, Turns};
use super::usage::Sums;

/// Dimensions a record has room for.
pub(super) const DIMS: usize = 5;
/// A size with its shape: lengths and strides.
pub(super) type Shape = [i64; 1 + 2 * DIMS];
/// Bytes of a dataset's name that Darshan keeps; longer names share a record.
const LONGEST_NAME: usize = 255;

#[derive(Debug, Default)]
pub(super) struct File {
    opens: i64,
    flushes: i64,
    parallel: bool,
    meta: Meta,
}

#[derive(Debug, Default)]
pub(super) struct Dataset {
    parent: Option<u32>,
    opens: i64,
    flushes: i64,
    reads: i64,
    writes: i64,
    /// By points, by regular and by irregular hyperslabs.
    selects: [i64; 3],
    read: Flow,
    write: Flow,
    turns: Turns,
    shapes: Common<{ 1 + 2 * DIMS }>,
    element: i64,
    dims: i64,
    points: i64,
    chunk: [i64; DIMS],
    collective: bool,
    meta: Meta,
}

impl File {
    pub(super) fn above_mpi() -> File {
        File { parallel: true, ..File::default() }
    }

    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::H5f);
        row.int(h5f::OPENS, self.opens);
        row.int(h5f::FLUSHES, self.flushes);
        row.int(h5f::USE_MPIIO, i64::from(self.parallel));
        row.meta(&self.meta, &stamps!(h5f));
        row
    }
}

impl Dataset {
    pub(super) fn parent(&self) -> Option<u32> {
        self.parent
    }

    pub(super) fn accessed(&mut self, shape: Shape) {
        self.shapes.add(shape);
    }

    /// Counts calls, but not what they moved.
    fn called(&mut self, way: Direction, times: i64) -> &mut Flow {
        self.turns.add(way);
        let (calls, flow) = match way {
            Direction::Read => (&mut self.reads, &mut self.read),
            Direction::Write => (&mut self.writes, &mut self.write),
        };
        *calls += times;
        flow
    }

    /// The number that comes after `seen` others in the rows after its opening. Of more than five
    /// chunk dimensions Darshan has the first five, and turns them round.
    pub(super) fn described(&mut self, seen: usize, value: i64) {
        let dims = usize::try_from(self.dims).unwrap_or(0);
        if seen < dims {
            self.points = self.points.saturating_mul(value);
        } else if let Some(slot) =
            dims.min(DIMS).checked_sub(1 + seen - dims).and_then(|at| self.chunk.get_mut(at))
        {
            *slot = value;
        }
    }

    pub(super) fn dims(&self) -> usize {
        usize::try_from(self.dims).unwrap_or(0)
    }

    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::H5d);
        for (idx, value) in [
            (at::OPENS, self.opens),
            (at::READS, self.reads),
            (at::WRITES, self.writes),
            (at::FLUSHES, self.flushes),
            (at::RW_SWITCHES, self.turns.count),
            (at::POINT_SELECTS, self.selects[0]),
            (at::REGULAR_HYPERSLAB_SELECTS, self.selects[1]),
            (at::IRREGULAR_HYPERSLAB_SELECTS, self.selects[2]),
            (at::DATASPACE_NDIMS, self.dims),
            (at::DATASPACE_NPOINTS, self.points),
            (at::DATATYPE_SIZE, self.element),
            (at::USE_MPIIO_COLLECTIVE, i64::from(self.collective)),
        ] {
            row.int(idx, value);
        }
        self.chunk.iter().enumerate().for_each(|(n, &size)| row.int(at::CHUNK_SIZE_D1.plus(n), size));
        row.flow(Direction::Read, &self.read);
        row.flow(Direction::Write, &self.write);
        row.common(Module::H5d.roles().access, &self.shapes.top());
        row.meta(&self.meta, &stamps!(at));
        row
    }
}

impl Sums for File {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        (&mut self.opens, &mut self.meta)
    }
}

impl Sums for Dataset {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        (&mut self.opens, &mut self.meta)
    }

    fn moved_times(&mut self, moves: &Moves) {
        let Moves { way, bytes, times, .. } = *moves;
        self.called(way, times.count).add_times(bytes, &times);
        self.shapes.add_times(shapeless(bytes), times.count);
    }
}

impl Process<'_> {
    /// Calls that failed do not count, closes among them.
    pub(super) fn hdf5(&mut self, call: &Call) {
        if call.ret < 0 {
            return;
        }
        let at = At::of(call);
        match call.op {
            Op::FileCreate | Op::FileOpenH5 => self.h5_open(call),
            Op::FileFlush | Op::FileCloseH5 => {
                let row = self.slots.get(call.slot).and_then(|opened| opened.made_by(Module::H5f));
                let Some(file) = self.h5f.get(row) else { return };
                if call.op == Op::FileFlush {
                    file.flushes += 1;
                    file.meta.other(at);
                } else {
                    file.meta.closed(at);
                    self.slots.close(call.slot);
                }
            }
            Op::DatasetCreate | Op::DatasetOpen => self.dataset_open(call),
            Op::DatasetRead | Op::DatasetWrite => self.dataset_data(call),
            Op::DatasetFlush | Op::DatasetClose => {
                let row = self.slots.get(call.slot).and_then(|opened| opened.made_by(Module::H5d));
                let Some(dataset) = self.h5d.get(row) else { return };
                if call.op == Op::DatasetFlush {
                    dataset.flushes += 1;
                    dataset.meta.other(at);
                } else {
                    dataset.meta.closed(at);
                    self.slots.close(call.slot);
                }
            }
            _ => {}
        }
    }

    fn h5_open(&mut self, call: &Call) {
        let row = self.file_of(call.names().next()).map(|file| self.h5f.row(file, File::default));
        if let Some(file) = self.h5f.get(row) {
            file.parallel = call.arg(Role::Switch) == Some(1);
            file.opens += 1;
            file.meta.opened(At::of(call));
        }
        self.slots.open(call.slot, OpenFile::of(Module::H5f, row), Open::default());
    }

    fn dataset_open(&mut self, call: &Call) {
        let [_, element, dims] = call.args;
        let row = call.names().next().and_then(|name| self.names.get(&name)).and_then(|name| {
            let name = name.get(..LONGEST_NAME).unwrap_or(name);
            let file = self.files.path(name, &self.counter.options)?;
            Some((file, self.h5d.row(file, Dataset::default)))
        });
        let parent = row.and_then(|(file, _)| self.part_of(file, |process, file| process.h5f.find(file)));
        let row = row.map(|(_, row)| row);
        if let Some(dataset) = self.h5d.get(row) {
            dataset.opens += 1;
            dataset.meta.opened(At::of(call));
            (dataset.element, dataset.dims, dataset.points) = (element, dims, 1);
            dataset.parent = parent;
        }
        self.slots.open(call.slot, OpenFile::of(Module::H5d, row), Open::default());
        if let Some(row) = row {
            self.wait_for(Pending::Dataset { row, seen: 0 });
        }
    }

    fn dataset_data(&mut self, call: &Call) {
        let [selection, bytes, collective] = call.args;
        let (at, bytes) = (At::of(call), bytes.max(0));
        let Some(row) = self.slots.get(call.slot).and_then(|opened| opened.made_by(Module::H5d)) else {
            return;
        };
        let Some(dataset) = self.h5d.get(Some(row)) else { return };
        let way = if call.op == Op::DatasetRead { Direction::Read } else { Direction::Write };
        dataset.called(way, 1).add(bytes, at.start, at.end);
        let kind = usize::try_from(selection).ok().and_then(|kind| kind.checked_sub(1));
        if let Some(count) = kind.and_then(|kind| dataset.selects.get_mut(kind)) {
            *count += 1;
        }
        dataset.collective |= collective == 1;
        let shape = shapeless(bytes);
        self.wait_for(Pending::Access { module: Module::H5d, row, shape, seen: 0 });
    }

    /// The file that a name of the form `file:object` is part of: one that is known, or what stands
    /// before the last colon.
    pub(super) fn part_of(&mut self, object: u32, known: impl Fn(&Self, u32) -> Option<u32>) -> Option<u32> {
        let (_, name) = self.files.get(object)?;
        let name = name.to_vec();
        let colons: Vec<usize> =
            name.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at).collect();
        let mut last = None;
        for at in colons {
            let Some(file) = name.get(..at).and_then(|path| self.files.path(path, &self.counter.options))
            else {
                continue;
            };
            last = Some(file);
            if known(self, file).is_some() {
                break;
            }
        }
        last
    }
}

/// A size with unknown lengths and strides.
pub(super) fn shapeless(bytes: i64) -> Shape {
    let mut shape = [0; 1 + 2 * DIMS];
    shape[0] = bytes;
    shape
}

/// Puts a number of a shape in its place: `seen` others came before it. HDF5's dimensions are stored
/// from the last place backwards, PnetCDF's last five from the first place on.
pub(super) fn place(shape: &mut Shape, module: Module, dims: usize, seen: usize, value: i64) {
    let Some(dim) = seen.checked_rem(dims) else { return };
    let at = if module == Module::H5d {
        (DIMS - 1).checked_sub(dim)
    } else {
        dim.checked_sub(dims.saturating_sub(DIMS))
    };
    let strides = if seen >= dims { DIMS } else { 0 };
    if let Some(slot) = at.and_then(|at| shape.get_mut(1 + strides + at)).filter(|_| seen < 2 * dims) {
        *slot = value;
    }
}
