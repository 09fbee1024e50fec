//! Records in their final form, before and after the ranks of a job become one.

use marigraph_model::counters::{FloatIdx, FloatKind, IntIdx, IntKind, mpiio};
use marigraph_model::{CommonSlots, Count, Extra, FileId, Measure, Module, Rank, Records, Scope};

use super::tally::{Flow, Meta, top};
use marigraph_model::Direction;

/// What one rank did to one object through one interface.
#[derive(Debug, Clone)]
pub(super) struct Row {
    module: Module,
    ints: Vec<i64>,
    floats: Vec<f64>,
    parent: Option<FileId>,
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
        $crate::native::profile::row::Stamps {
            open: ($table::F_OPEN_START_TIMESTAMP, $table::F_OPEN_END_TIMESTAMP),
            close: ($table::F_CLOSE_START_TIMESTAMP, $table::F_CLOSE_END_TIMESTAMP),
        }
    };
}
pub(super) use stamps;

impl Row {
    pub(super) fn new(module: Module) -> Row {
        Row {
            module,
            ints: vec![0; module.ints().len()],
            floats: vec![0.0; module.floats().len()],
            parent: None,
            by_all: 0,
        }
    }

    pub(super) fn int(&mut self, idx: IntIdx, value: i64) {
        if let Some(slot) = self.ints.get_mut(idx.at()) {
            *slot = value;
        }
    }

    pub(super) fn seconds(&mut self, idx: FloatIdx, nanos: i64) {
        if let Some(slot) = self.floats.get_mut(idx.at()) {
            *slot = nanos as f64 / 1e9;
        }
    }

    pub(super) fn parent(&mut self, file: FileId) {
        self.parent = Some(file);
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

    /// Bytes, sizes and times of one way.
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

    /// Opens, closes and the time around the data.
    pub(super) fn meta(&mut self, meta: &Meta, stamps: &Stamps) {
        self.seconds(stamps.open.0, meta.open.first);
        self.seconds(stamps.open.1, meta.open.last);
        self.seconds(stamps.close.0, meta.close.first);
        self.seconds(stamps.close.1, meta.close.last);
        self.module.roles().meta_time.into_iter().for_each(|idx| self.seconds(idx, meta.timer.sum));
    }

    /// The most common values with their counts.
    pub(super) fn common<const N: usize>(&mut self, slots: Option<CommonSlots>, top: &[([i64; N], i64)]) {
        let Some(slots) = slots else { return };
        for (n, (key, count)) in top.iter().enumerate().take(CommonSlots::COUNT) {
            for (part, &value) in key.iter().enumerate().take(slots.step) {
                self.int(slots.values.plus(n * slots.step + part), value);
            }
            self.int(slots.counts.plus(n), *count);
        }
    }

    fn get(&self, idx: IntIdx) -> i64 {
        self.ints.get(idx.at()).copied().unwrap_or(0)
    }

    fn int_of(&self, kind: IntKind) -> Option<IntIdx> {
        self.module.ints().iter().position(|def| def.kind == kind).map(|at| IntIdx(at as u16))
    }

    /// Whether a standard stream moved nothing: every process has all three, few use them.
    pub(super) fn idle(&self) -> bool {
        let roles = self.module.roles();
        roles.reads.iter().chain(roles.writes).all(|&idx| self.get(idx) == 0)
    }

    /// All I/O seconds and bytes, by which ranks are compared.
    fn effort(&self) -> (f64, i64) {
        let roles = self.module.roles();
        let second =
            |idx: Option<FloatIdx>| idx.and_then(|idx| self.floats.get(idx.at())).copied().unwrap_or(0.0);
        let bytes = |idx: Option<IntIdx>| idx.map_or(0, |idx| self.get(idx));
        (
            second(roles.read_time) + second(roles.write_time) + second(roles.meta_time),
            bytes(roles.bytes_read).saturating_add(bytes(roles.bytes_written)),
        )
    }

    /// Adds another record of the same object: of another rank, or of another process of the rank.
    pub(super) fn merge(&mut self, other: &Row) {
        let slower = self.merge_floats(other);
        for (at, def) in self.module.ints().iter().enumerate() {
            let (Some(a), Some(&b)) = (self.ints.get_mut(at), other.ints.get(at)) else { continue };
            *a = match def.kind {
                IntKind::Sum => a.saturating_add(b),
                IntKind::Max => (*a).max(b),
                IntKind::Flag => i64::from(*a == 1 || b == 1),
                IntKind::SlowestReadSize if slower.0 => b,
                IntKind::SlowestWriteSize if slower.1 => b,
                IntKind::Any | IntKind::Id if *a == 0 => b,
                _ => *a,
            };
        }
        let roles = self.module.roles();
        for slots in [roles.access, roles.stride].into_iter().flatten() {
            self.merge_common(other, slots);
        }
        self.parent = self.parent.or(other.parent);
        self.by_all = self.by_all.saturating_add(other.by_all);
    }

    /// Says whether the other had the slower read, and the slower write.
    fn merge_floats(&mut self, other: &Row) -> (bool, bool) {
        let mut slower = (false, false);
        for (at, def) in self.module.floats().iter().enumerate() {
            let (Some(a), Some(&b)) = (self.floats.get_mut(at), other.floats.get(at)) else { continue };
            match def.kind {
                FloatKind::Time => *a += b,
                FloatKind::Start if *a == 0.0 || (b < *a && b > 0.0) => *a = b,
                FloatKind::End => *a = a.max(b),
                FloatKind::SlowestRead if b > *a => (*a, slower.0) = (b, true),
                FloatKind::SlowestWrite if b > *a => (*a, slower.1) = (b, true),
                _ => {}
            }
        }
        slower
    }

    fn merge_common(&mut self, other: &Row, slots: CommonSlots) {
        let read = |row: &Row, n: usize| {
            let key: Vec<i64> =
                (0..slots.step).map(|part| row.get(slots.values.plus(n * slots.step + part))).collect();
            (key, row.get(slots.counts.plus(n)))
        };
        let mut all: Vec<(Vec<i64>, i64)> = (0..CommonSlots::COUNT).map(|n| read(self, n)).collect();
        for (key, count) in (0..CommonSlots::COUNT).map(|n| read(other, n)) {
            match all.iter_mut().find(|(known, _)| *known == key) {
                Some((_, sum)) => *sum = sum.saturating_add(count),
                None => all.push((key, count)),
            }
        }
        top(&mut all, |key| key.first().copied().unwrap_or(0));
        all.resize(CommonSlots::COUNT, (vec![0; slots.step], 0));
        for (n, (key, count)) in all.iter().enumerate() {
            key.iter()
                .enumerate()
                .for_each(|(part, &value)| self.int(slots.values.plus(n * slots.step + part), value));
            self.int(slots.counts.plus(n), *count);
        }
    }

    pub(super) fn push(self, file: FileId, scope: Scope, records: &mut Records) {
        let extra = self.parent.map_or(Extra::None, Extra::Parent);
        // The model says "not measured" by another mark than -1.
        let ints = self.ints.into_iter().zip(self.module.ints()).map(|(value, def)| {
            if value == -1 && def.kind != IntKind::Id { Count::MISSING } else { Count::new(value) }
        });
        records.push(file, scope, ints, self.floats.into_iter().map(Measure::new), extra);
    }
}

/// One record for all ranks: sums, the fastest and the slowest rank, and how far ranks lie apart.
pub(super) fn share(ranks: &[(Rank, Row)]) -> Option<Row> {
    let ((_, first), rest) = ranks.split_first()?;
    let mut out = first.clone();
    rest.iter().for_each(|(_, row)| out.merge(row));
    // Of what is no sum, Darshan's reduction keeps the word of the last rank.
    let (_, last) = ranks.last()?;
    for ((def, value), &word) in out.module.ints().iter().zip(&mut out.ints).zip(&last.ints) {
        if matches!(def.kind, IntKind::Any | IntKind::Id) {
            *value = word;
        }
    }
    let efforts: Vec<(Rank, f64, i64)> = ranks
        .iter()
        .map(|(rank, row)| {
            let (seconds, bytes) = row.effort();
            (*rank, seconds, bytes)
        })
        .collect();
    let fastest = efforts.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let slowest = efforts.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    for (kind, value) in [
        (IntKind::FastestRank, i64::from(fastest.0.0)),
        (IntKind::FastestBytes, fastest.2),
        (IntKind::SlowestRank, i64::from(slowest.0.0)),
        (IntKind::SlowestBytes, slowest.2),
    ] {
        if let Some(idx) = out.int_of(kind) {
            out.int(idx, value);
        }
    }
    let seconds = variance(efforts.iter().map(|effort| effort.1));
    let bytes = variance(efforts.iter().map(|effort| effort.2 as f64));
    for (def, value) in out.module.floats().iter().zip(&mut out.floats) {
        match def.kind {
            FloatKind::FastestTime => *value = fastest.1,
            FloatKind::SlowestTime => *value = slowest.1,
            FloatKind::TimeVariance => *value = seconds,
            FloatKind::BytesVariance => *value = bytes,
            _ => {}
        }
    }
    Some(out)
}

/// Of a whole population, not of a sample.
fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / n;
    values.map(|value| (value - mean).powi(2)).sum::<f64>() / n
}
