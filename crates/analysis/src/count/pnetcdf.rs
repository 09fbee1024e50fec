//! Parallel netCDF: files and variables.
//!
//! Rows of `More` after a variable's definition give the sizes of its dimensions (0 for that of
//! records), after an access the counts per dimension and then the strides.

use marigraph_model::counters::{pnetcdf_file as file_at, pnetcdf_var as at};
use marigraph_model::{Call, Direction, Module};
use marigraph_wire::op::Op;

use super::h5::{DIMS, Shape, shapeless};
use super::process::{Pending, Process};
use super::row::{Row, stamps};
use super::slots::{Open, OpenFile};
use super::tally::{At, Common, Flow, Meta, Moves, Span, Timer, Turns};
use super::usage::Sums;

#[derive(Debug, Default)]
pub(super) struct File {
    creates: i64,
    opens: i64,
    redefs: i64,
    waits: i64,
    group_waits: i64,
    failed_waits: i64,
    syncs: i64,
    read: i64,
    written: i64,
    /// Moved through variables since the last close; stands in where the library's own sums at
    /// the close are not there.
    moved: (i64, i64),
    meta: Meta,
    wait_span: Span,
    wait_timer: Timer,
}

#[derive(Debug, Default)]
pub(super) struct Variable {
    parent: Option<u32>,
    opens: i64,
    /// Independent, collective, nonblocking.
    reads: [i64; 3],
    writes: [i64; 3],
    /// By kind of call, each in the order of the counters.
    put: [i64; 7],
    get: [i64; 7],
    iput: [i64; 6],
    iget: [i64; 6],
    bput: [i64; 6],
    read: Flow,
    write: Flow,
    turns: Turns,
    shapes: Common<{ 1 + 2 * DIMS }>,
    dims: i64,
    element: i64,
    points: Option<i64>,
    of_records: bool,
    meta: Meta,
}

impl File {
    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::PnetcdfFile);
        for (idx, value) in [
            (file_at::CREATES, self.creates),
            (file_at::OPENS, self.opens),
            (file_at::REDEFS, self.redefs),
            (file_at::INDEP_WAITS, self.waits),
            (file_at::COLL_WAITS, self.group_waits),
            (file_at::SYNCS, self.syncs),
            (file_at::BYTES_READ, self.read),
            (file_at::BYTES_WRITTEN, self.written),
            (file_at::WAIT_FAILURES, self.failed_waits),
        ] {
            row.int(idx, value);
        }
        row.meta(&self.meta, &stamps!(file_at));
        row.seconds(file_at::F_WAIT_START_TIMESTAMP, self.wait_span.first);
        row.seconds(file_at::F_WAIT_END_TIMESTAMP, self.wait_span.last);
        row.seconds(file_at::F_WAIT_TIME, self.wait_timer.sum);
        row
    }
}

impl Variable {
    pub(super) fn parent(&self) -> Option<u32> {
        self.parent
    }

    pub(super) fn accessed(&mut self, shape: Shape) {
        self.shapes.add(shape);
    }

    /// Counts calls, but not what they moved.
    fn called(&mut self, manner: usize, way: Direction, times: i64) -> &mut Flow {
        self.turns.add(way);
        let (calls, flow) = match way {
            Direction::Read => (&mut self.reads, &mut self.read),
            Direction::Write => (&mut self.writes, &mut self.write),
        };
        calls.get_mut(manner).into_iter().for_each(|count| *count += times);
        flow
    }

    pub(super) fn dims(&self) -> usize {
        usize::try_from(self.dims).unwrap_or(0)
    }

    /// The size of the dimension after `seen` others.
    pub(super) fn described(&mut self, seen: usize, size: i64) {
        if seen >= self.dims() {
            return;
        }
        let points = self.points.unwrap_or(1);
        if seen == 0 && size == 0 {
            self.of_records = true;
            self.points = Some(points);
        } else {
            self.points = Some(points.saturating_mul(size));
        }
    }

    pub(super) fn row(&self) -> Row {
        let mut row = Row::new(Module::PnetcdfVar);
        let families = [
            (at::PUT_VAR, &self.put[..]),
            (at::GET_VAR, &self.get[..]),
            (at::IPUT_VAR, &self.iput[..]),
            (at::IGET_VAR, &self.iget[..]),
            (at::BPUT_VAR, &self.bput[..]),
        ];
        for (first, counts) in families {
            counts.iter().enumerate().for_each(|(n, &count)| row.int(first.plus(n), count));
        }
        let (reads, writes) = (Module::PnetcdfVar.roles().reads, Module::PnetcdfVar.roles().writes);
        for (idx, &count) in reads.iter().zip(&self.reads).chain(writes.iter().zip(&self.writes)) {
            row.int(*idx, count);
        }
        for (idx, value) in [
            (at::OPENS, self.opens),
            (at::RW_SWITCHES, self.turns.count),
            (at::NDIMS, self.dims),
            (at::NPOINTS, self.points.unwrap_or(if self.dims == 0 { 1 } else { -1 })),
            (at::DATATYPE_SIZE, self.element),
            (at::IS_RECORD_VAR, i64::from(self.of_records)),
        ] {
            row.int(idx, value);
        }
        row.flow(Direction::Read, &self.read);
        row.flow(Direction::Write, &self.write);
        row.common(Module::PnetcdfVar.roles().access, &self.shapes.top());
        row.meta(&self.meta, &stamps!(at));
        row
    }
}

impl Sums for File {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        (&mut self.opens, &mut self.meta)
    }
}

/// By independent calls.
impl Sums for Variable {
    fn opens(&mut self) -> (&mut i64, &mut Meta) {
        (&mut self.opens, &mut self.meta)
    }

    fn moved_times(&mut self, moves: &Moves) {
        let Moves { way, bytes, times, .. } = *moves;
        self.called(0, way, times.count).add_times(bytes, &times);
        self.shapes.add_times(shapeless(bytes), times.count);
    }
}

impl Process<'_> {
    pub(super) fn pnetcdf(&mut self, call: &Call) {
        if call.ret < 0 && call.op != Op::NcWait {
            return;
        }
        match call.op {
            Op::NcCreate | Op::NcOpen => {
                let row = self.file_of(call.names().next()).map(|file| self.ncfile.row(file, File::default));
                if let Some(file) = self.ncfile.get(row) {
                    *(if call.op == Op::NcCreate { &mut file.creates } else { &mut file.opens }) += 1;
                    file.meta.opened(At::of(call));
                }
                self.slots.open(call.slot, OpenFile::of(Module::PnetcdfFile, row), Open::default());
            }
            Op::NcVariable => self.variable_open(call),
            Op::NcGet | Op::NcPut => self.variable_data(call),
            _ => self.netcdf_file(call),
        }
    }

    fn netcdf_file(&mut self, call: &Call) {
        let at = At::of(call);
        let row = self.slots.get(call.slot).and_then(|opened| opened.made_by(Module::PnetcdfFile));
        let Some(file) = self.ncfile.get(row) else { return };
        match call.op {
            Op::NcEnddef => file.meta.other(at),
            Op::NcRedef => {
                file.redefs += 1;
                file.meta.other(at);
            }
            Op::NcSync => {
                file.syncs += 1;
                file.meta.other(at);
            }
            Op::NcWait => {
                let waits = match (call.ret, call.args[2]) {
                    (..0, _) => &mut file.failed_waits,
                    (_, 1) => &mut file.group_waits,
                    _ => &mut file.waits,
                };
                *waits += 1;
                file.wait_span.add(at.start, at.end);
                file.wait_timer.add(at.start, at.end);
            }
            Op::NcClose => {
                let [read, written, _] = call.args;
                let told = if (read, written) == (0, 0) { file.moved } else { (read, written) };
                file.read = file.read.saturating_add(told.0);
                file.written = file.written.saturating_add(told.1);
                file.moved = (0, 0);
                file.meta.closed(at);
                self.slots.close(call.slot);
            }
            _ => {}
        }
    }

    fn variable_open(&mut self, call: &Call) {
        let [_, element, dims] = call.args;
        let file = self.file_of(call.names().next());
        let parent = file.and_then(|file| self.part_of(file, |process, file| process.ncfile.find(file)));
        let row = file.map(|file| self.ncvar.row(file, Variable::default));
        if let Some(variable) = self.ncvar.get(row) {
            variable.opens += 1;
            variable.meta.opened(At::of(call));
            (variable.element, variable.dims, variable.points) = (element, dims, None);
            variable.parent = parent;
        }
        self.slots.open(call.slot, OpenFile::of(Module::PnetcdfVar, row), Open::default());
        if let Some(row) = row {
            self.wait_for(Pending::Variable { row, seen: 0 });
        }
    }

    fn variable_data(&mut self, call: &Call) {
        let [kind, bytes, manner] = call.args;
        let (at, bytes) = (At::of(call), bytes.max(0));
        let Some(row) = self.slots.get(call.slot).and_then(|opened| opened.made_by(Module::PnetcdfVar))
        else {
            return;
        };
        let Some(variable) = self.ncvar.get(Some(row)) else { return };
        let reads = call.op == Op::NcGet;
        let way = if reads { Direction::Read } else { Direction::Write };
        // 3: nonblocking from a buffer of the library.
        let manner_at = usize::try_from(manner.clamp(0, 2)).unwrap_or(0);
        variable.called(manner_at, way, 1).add(bytes, at.start, at.end);
        let family = match (reads, manner) {
            (true, ..2) => &mut variable.get[..],
            (true, _) => &mut variable.iget[..],
            (false, ..2) => &mut variable.put[..],
            (false, 2) => &mut variable.iput[..],
            (false, _) => &mut variable.bput[..],
        };
        let kind = usize::try_from(kind).ok().and_then(|kind| kind.checked_sub(1));
        kind.and_then(|kind| family.get_mut(kind)).into_iter().for_each(|count| *count += 1);
        let shape = shapeless(bytes);
        let parent = variable.parent.and_then(|file| self.ncfile.find(file));
        if let Some(file) = self.ncfile.get(parent) {
            let moved = if reads { &mut file.moved.0 } else { &mut file.moved.1 };
            *moved = moved.saturating_add(bytes);
        }
        self.wait_for(Pending::Access { module: Module::PnetcdfVar, row, shape, seen: 0 });
    }
}
