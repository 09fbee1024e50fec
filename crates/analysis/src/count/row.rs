//! A record while it is put together, and several processes of a rank as one.

use marigraph_model::counters::{FloatIdx, FloatKind, IntIdx, IntKind, mpiio};
use marigraph_model::{CommonSlots, Count, Direction, Extra, FileId, Measure, Module, Rank, Record, Scope};

use super::tally::{Flow, Meta};
use crate::Aggregate;

/// What one rank did to one object through one interface.
#[derive(Debug, Clone)]
pub(super) struct Row {
    module: Module,
    ints: Vec<Count>,
    floats: Vec<Measure>,
    extra: Extra,
    /// Opens by the communicator of all: whether that is one process is known when the job ends.
    by_all: i64,
}

/// The four time stamps of opens and closes, in the order of a module's table.
pub(super) struct Stamps {
    pub(super) open: (FloatIdx, FloatIdx),
    pub(super) close: (FloatIdx, FloatIdx),
}

/// The time stamps of a module's table of counters, which all tables name alike.
macro_rules! stamps {
    ($table:ident) => {
        $crate::count::row::Stamps {
            open: ($table::F_OPEN_START_TIMESTAMP, $table::F_OPEN_END_TIMESTAMP),
            close: ($table::F_CLOSE_START_TIMESTAMP, $table::F_CLOSE_END_TIMESTAMP),
        }
    };
}
pub(super) use stamps;

impl Row {
    pub(super) fn new(module: Module) -> Row {
        Row::filled(module, Count::new(0), Measure::new(0.0))
    }

    pub(super) fn unknown(module: Module) -> Row {
        Row::filled(module, Count::MISSING, Measure::MISSING)
    }

    fn filled(module: Module, int: Count, float: Measure) -> Row {
        let (ints, floats) = (vec![int; module.ints().len()], vec![float; module.floats().len()]);
        Row { module, ints, floats, extra: Extra::None, by_all: 0 }
    }

    /// Sets a counter. Darshan says "not measured" by -1; the model has a mark of its own for it.
    pub(super) fn int(&mut self, idx: IntIdx, value: i64) {
        let is_id = self.module.ints().get(idx.at()).is_some_and(|def| def.kind == IntKind::Id);
        if let Some(cell) = self.ints.get_mut(idx.at()) {
            *cell = if value == -1 && !is_id { Count::MISSING } else { Count::new(value) };
        }
    }

    pub(super) fn seconds(&mut self, idx: FloatIdx, nanos: i64) {
        if let Some(cell) = self.floats.get_mut(idx.at()) {
            *cell = Measure::new(nanos as f64 / 1e9);
        }
    }

    pub(super) fn parent(&mut self, file: FileId) {
        self.extra = Extra::Parent(file);
    }

    /// What a record of one rank says of the fastest and the slowest one.
    pub(super) fn no_extremes(&mut self) {
        let ints = self.ints.iter_mut().zip(self.module.ints()).filter(|(_, def)| is_of_ranks(def.kind));
        ints.for_each(|(cell, _)| *cell = Count::new(0));
        let floats = self.floats.iter_mut().zip(self.module.floats());
        floats.filter(|(_, def)| is_over_ranks(def.kind)).for_each(|(cell, _)| *cell = Measure::new(0.0));
    }

    pub(super) fn by_all(&mut self, opens: i64) {
        self.by_all = opens;
    }

    /// Decides what opens by the communicator of all were: collective, unless one process is all.
    pub(super) fn settle(&mut self, nprocs: u32) {
        let kind = if nprocs > 1 { mpiio::COLL_OPENS } else { mpiio::INDEP_OPENS };
        if self.by_all > 0 {
            self.int(kind, self.get(kind).saturating_add(self.by_all));
            self.by_all = 0;
        }
    }

    pub(super) fn flow(&mut self, way: Direction, flow: &Flow) {
        let roles = self.module.roles();
        let (bytes, time, span, bin, longest, size) = match way {
            Direction::Read => (
                roles.bytes_read,
                roles.read_time,
                roles.read_span,
                roles.size_bins,
                FloatKind::SlowestRead,
                IntKind::SlowestReadSize,
            ),
            Direction::Write => (
                roles.bytes_written,
                roles.write_time,
                roles.write_span,
                roles.size_bins.map(|first| first.plus(flow.bins.len())),
                FloatKind::SlowestWrite,
                IntKind::SlowestWriteSize,
            ),
        };
        bytes.into_iter().for_each(|idx| self.int(idx, flow.bytes));
        time.into_iter().for_each(|idx| self.seconds(idx, flow.timer.sum));
        if let Some((start, end)) = span {
            self.seconds(start, flow.span.first);
            self.seconds(end, flow.span.last);
        }
        if let Some(first) = bin {
            flow.bins.iter().enumerate().for_each(|(n, &count)| self.int(first.plus(n), count));
        }
        if let Some(idx) = self.int_of(size) {
            self.int(idx, flow.slowest_size);
        }
        if let Some(at) = self.module.floats().iter().position(|def| def.kind == longest) {
            self.seconds(FloatIdx(at as u16), flow.slowest);
        }
    }

    pub(super) fn meta(&mut self, meta: &Meta, stamps: &Stamps) {
        self.seconds(stamps.open.0, meta.open.first);
        self.seconds(stamps.open.1, meta.open.last);
        self.seconds(stamps.close.0, meta.close.first);
        self.seconds(stamps.close.1, meta.close.last);
        self.module.roles().meta_time.into_iter().for_each(|idx| self.seconds(idx, meta.timer.sum));
    }

    pub(super) fn common<const N: usize>(&mut self, slots: Option<CommonSlots>, top: &[([i64; N], i64)]) {
        let Some(slots) = slots else { return };
        for n in 0..CommonSlots::COUNT {
            let (key, count) = top.get(n).map_or((&[][..], 0), |(key, count)| (&key[..], *count));
            for part in 0..slots.step {
                self.int(slots.values.plus(n * slots.step + part), key.get(part).copied().unwrap_or(0));
            }
            self.int(slots.counts.plus(n), count);
        }
    }

    fn get(&self, idx: IntIdx) -> i64 {
        self.ints.get(idx.at()).and_then(|cell| cell.get()).unwrap_or(0)
    }

    fn int_of(&self, kind: IntKind) -> Option<IntIdx> {
        self.module.ints().iter().position(|def| def.kind == kind).map(|at| IntIdx(at as u16))
    }

    /// Whether a standard stream moved nothing: every process has all three, few use them.
    pub(super) fn idle(&self) -> bool {
        let roles = self.module.roles();
        roles.reads.iter().chain(roles.writes).all(|&idx| self.get(idx) == 0)
    }

    pub(super) fn record(&self, file: FileId, rank: Rank) -> Record<'_> {
        let Row { module, ints, floats, extra, .. } = self;
        Record { module: *module, file, scope: Scope::Rank(rank), ints, floats, extra }
    }

    pub(super) fn cells(&mut self) -> (&mut [Count], &mut [Measure]) {
        (&mut self.ints, &mut self.floats)
    }

    /// Adds what another process of the same rank did. Counters that are not
    /// sums keep the first value; those about ranks stay.
    pub(super) fn join(&mut self, file: FileId, rank: Rank, other: &Row) {
        let mut sum = Aggregate::of_ranks(self.module);
        sum.add(self.record(file, rank), 1);
        sum.add(other.record(file, rank), 1);
        for (at, def) in self.module.ints().iter().enumerate() {
            self.ints[at] = match def.kind {
                kind if is_of_ranks(kind) => self.ints[at],
                IntKind::Any | IntKind::Id if self.ints[at] != Count::new(0) => self.ints[at],
                _ => sum.ints()[at],
            };
        }
        let floats = self.floats.iter_mut().zip(sum.floats()).zip(self.module.floats());
        floats.filter(|(_, def)| !is_over_ranks(def.kind)).for_each(|((cell, sum), _)| *cell = *sum);
        if self.extra == Extra::None {
            self.extra = other.extra.clone();
        }
        self.by_all = self.by_all.saturating_add(other.by_all);
    }
}

fn is_of_ranks(kind: IntKind) -> bool {
    use IntKind::{FastestBytes, FastestRank, SlowestBytes, SlowestRank};
    matches!(kind, FastestRank | FastestBytes | SlowestRank | SlowestBytes)
}

fn is_over_ranks(kind: FloatKind) -> bool {
    use FloatKind::{BytesVariance, FastestTime, SlowestTime, TimeVariance};
    matches!(kind, FastestTime | SlowestTime | TimeVariance | BytesVariance)
}
