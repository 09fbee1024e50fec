//! From single operations to counter records and heat maps: the profile of a trace.
//!
//! Counters that operations cannot tell (opens, stats, alignment) stay missing.

use std::collections::{BTreeMap, HashMap};

use marigraph_model::counters::{FloatIdx, FloatKind, IntIdx, IntKind, posix};
use marigraph_model::{
    CommonSlots, Count, Direction, Event, Events, Extra, FileId, Measure, Module, ModuleInfo, Rank, Records,
    Scope, Series, Sink, Trace,
};

use crate::aggregate::share;
use crate::grid::{Grid, whole};
use crate::usage::{SIZE_BINS, size_bin};

/// Width of a heat map's first bins, and how many there are at most: those of Darshan.
const BIN_S: f64 = 0.1;
const MOST_BINS: usize = 200;

/// One direction of one file and rank.
#[derive(Debug, Clone, Default)]
struct Way {
    calls: i64,
    bytes: u64,
    sizes: [i64; SIZE_BINS],
    first: Option<f64>,
    last: f64,
    seconds: f64,
    slowest: (f64, u64),
    highest: Option<u64>,
    next_offset: Option<u64>,
    consecutive: i64,
    sequential: i64,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    read: Way,
    write: Way,
    sizes: HashMap<u64, i64>,
    strides: HashMap<u64, i64>,
    last_op: Option<Direction>,
    switches: i64,
}

impl Entry {
    fn add(&mut self, event: &Event) {
        let way = if event.direction == Direction::Read { &mut self.read } else { &mut self.write };
        let (start, end) = (event.start.as_job_seconds(), event.end.as_job_seconds());
        way.calls += 1;
        way.bytes = way.bytes.saturating_add(event.bytes);
        way.sizes[size_bin(event.bytes)] += 1;
        way.first = Some(way.first.map_or(start, |first| first.min(start)));
        // Overlapping calls of one file count once.
        way.seconds += (end - start.max(way.last)).max(0.0);
        way.last = way.last.max(end);
        if end - start > way.slowest.0 {
            way.slowest = (end - start, event.bytes);
        }
        if let Some(offset) = event.offset {
            // As in Darshan, where a file's first access counts as sequential unless it is at its start.
            match way.next_offset {
                Some(expected) => {
                    way.consecutive += i64::from(offset == expected);
                    way.sequential += i64::from(offset >= expected);
                    if offset > expected {
                        *self.strides.entry(offset - expected).or_default() += 1;
                    }
                }
                None => way.sequential += i64::from(offset > 0),
            }
            way.next_offset = Some(offset.saturating_add(event.bytes));
            if event.bytes > 0 {
                way.highest = way.highest.max(Some(offset.saturating_add(event.bytes - 1)));
            }
        }
        if event.bytes > 0 {
            *self.sizes.entry(event.bytes).or_default() += 1;
        }
        self.switches += i64::from(self.last_op.is_some_and(|last| last != event.direction));
        self.last_op = Some(event.direction);
    }
}

/// Collects the profile of a stream of operations.
#[derive(Debug, Default)]
pub struct Profile {
    entries: BTreeMap<(Module, FileId, Rank), Entry>,
    heat: BTreeMap<(Module, Rank), Grid>,
    end: f64,
}

impl Sink for Profile {
    fn events(&mut self, block: &Events) {
        for event in
            block.iter().filter(|event| matches!(event.direction, Direction::Read | Direction::Write))
        {
            self.entries.entry((event.interface, event.file, event.rank)).or_default().add(&event);
            let (start, end) = (event.start.as_job_seconds().max(0.0), event.end.as_job_seconds().max(0.0));
            self.end = self.end.max(end);
            let direction =
                if event.direction == Direction::Read { Direction::Read } else { Direction::Write };
            self.heat
                .entry((event.interface, event.rank))
                .or_insert_with(|| Grid::new(1, MOST_BINS, BIN_S * MOST_BINS as f64))
                .add(0, start, end, event.bytes as f64, direction);
        }
    }
}

impl Profile {
    /// Counter records, one per interface, file and rank.
    pub fn records(&self) -> BTreeMap<Module, Records> {
        let mut out = BTreeMap::new();
        for (&(module, file, rank), entry) in &self.entries {
            let mut row = Row::new(module);
            row.fill(entry);
            out.entry(module).or_insert_with(|| Records::new(module)).push(
                file,
                Scope::Rank(rank),
                row.ints,
                row.floats,
                Extra::None,
            );
        }
        out
    }

    /// Heat maps, one per interface and rank, all with the same bins.
    pub fn series(&self) -> Vec<Series> {
        let bin_s = self.heat.values().map(Grid::bin_s).fold(BIN_S, f64::max);
        let bins = ((self.end / bin_s).ceil() as usize).clamp(1, MOST_BINS);
        let one = |(&(interface, rank), grid): (&(Module, Rank), &Grid)| {
            let mut grid = grid.clone();
            grid.widen(bin_s);
            let bytes = |direction| whole(&grid.row(0, direction)[..bins]);
            Series { interface, rank, bin_s, read: bytes(Direction::Read), written: bytes(Direction::Write) }
        };
        self.heat.iter().map(one).collect()
    }
}

/// The events by their start: logs store writes before reads, but counters follow from the order in time.
fn in_time(events: &Events) -> Events {
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|&at| events.starts()[at]);
    let mut sorted = Events::default();
    order.into_iter().filter_map(|at| events.get(at)).for_each(|event| sorted.push(event));
    sorted
}

/// Adds to the counters of a record of a module.
pub type Dress<'a> = dyn FnMut(Module, &mut Vec<Count>, &mut Vec<Measure>) + 'a;

/// Gives a trace of operations the counters and heat maps that follow from them, and from further
/// operations that are counted but not kept. Files that all ranks used become shared records, as a
/// recorder would have made them. `dress` may add to each record before that.
pub fn complete(trace: &mut Trace, more: &Events, dress: &mut Dress<'_>) {
    let mut profile = Profile::default();
    profile.events(&in_time(&trace.events));
    profile.events(&in_time(more));
    trace.series = profile.series();
    for (module, records) in profile.records() {
        let mut dressed = Records::new(module);
        for record in records.iter() {
            let (mut ints, mut floats) = (record.ints.to_vec(), record.floats.to_vec());
            dress(module, &mut ints, &mut floats);
            dressed.push(record.file, record.scope, ints, floats, Extra::None);
        }
        trace.records.insert(module, share(&dressed, trace.job.nprocs));
        trace.modules.push(ModuleInfo { module, version: 1, partial: false });
    }
    if !trace.series.is_empty() {
        trace.modules.push(ModuleInfo { module: Module::Heatmap, version: 1, partial: false });
    }
}

/// A record under construction.
struct Row {
    module: Module,
    ints: Vec<Count>,
    floats: Vec<Measure>,
}

impl Row {
    fn new(module: Module) -> Row {
        Row {
            module,
            ints: vec![Count::MISSING; module.ints().len()],
            floats: vec![Measure::MISSING; module.floats().len()],
        }
    }

    fn int(&mut self, idx: IntIdx, value: i64) {
        self.ints[idx.at()] = Count::new(value);
    }

    fn float(&mut self, idx: Option<FloatIdx>, value: f64) {
        if let Some(idx) = idx {
            self.floats[idx.at()] = Measure::new(value);
        }
    }

    fn amount(&mut self, idx: Option<IntIdx>, value: u64) {
        if let Some(idx) = idx {
            self.int(idx, i64::try_from(value).unwrap_or(i64::MAX));
        }
    }

    fn kind(&mut self, kind: IntKind, value: u64) {
        let at = self.module.ints().iter().position(|def| def.kind == kind);
        self.amount(at.map(|at| IntIdx(at as u16)), value);
    }

    fn fill(&mut self, entry: &Entry) {
        let roles = self.module.roles();
        for (ways, calls) in [(roles.reads, entry.read.calls), (roles.writes, entry.write.calls)] {
            ways.iter().for_each(|&idx| self.int(idx, 0));
            ways.iter().take(1).for_each(|&idx| self.int(idx, calls));
        }
        self.amount(roles.bytes_read, entry.read.bytes);
        self.amount(roles.bytes_written, entry.write.bytes);
        if let Some(first) = roles.size_bins {
            for bin in 0..SIZE_BINS {
                self.int(first.plus(bin), entry.read.sizes[bin]);
                self.int(first.plus(SIZE_BINS + bin), entry.write.sizes[bin]);
            }
        }
        if let Some((read, written)) = roles.max_byte {
            self.amount(Some(read), entry.read.highest.unwrap_or(0));
            self.amount(Some(written), entry.write.highest.unwrap_or(0));
        }
        self.common(roles.access, &entry.sizes);
        self.common(roles.stride, &entry.strides);
        self.times(entry);
        if self.module == Module::Posix {
            self.int(posix::CONSEC_READS, entry.read.consecutive);
            self.int(posix::CONSEC_WRITES, entry.write.consecutive);
            self.int(posix::SEQ_READS, entry.read.sequential);
            self.int(posix::SEQ_WRITES, entry.write.sequential);
            self.int(posix::RW_SWITCHES, entry.switches);
            self.int(posix::RENAMED_FROM, 0);
        }
    }

    fn times(&mut self, entry: &Entry) {
        let roles = self.module.roles();
        self.float(roles.read_time, entry.read.seconds);
        self.float(roles.write_time, entry.write.seconds);
        for (span, way) in [(roles.read_span, &entry.read), (roles.write_span, &entry.write)] {
            self.float(span.map(|(start, _)| start), way.first.unwrap_or(0.0));
            self.float(span.map(|(_, end)| end), way.last);
        }
        for (at, def) in self.module.floats().iter().enumerate() {
            let value = match def.kind {
                FloatKind::SlowestRead => entry.read.slowest.0,
                FloatKind::SlowestWrite => entry.write.slowest.0,
                FloatKind::FastestTime | FloatKind::SlowestTime => 0.0,
                FloatKind::TimeVariance | FloatKind::BytesVariance => 0.0,
                _ => continue,
            };
            self.floats[at] = Measure::new(value);
        }
        self.kind(IntKind::SlowestReadSize, entry.read.slowest.1);
        self.kind(IntKind::SlowestWriteSize, entry.write.slowest.1);
        for kind in [IntKind::FastestRank, IntKind::FastestBytes, IntKind::SlowestRank, IntKind::SlowestBytes]
        {
            self.kind(kind, 0);
        }
    }

    fn common(&mut self, slots: Option<CommonSlots>, counts: &HashMap<u64, i64>) {
        let Some(slots) = slots else { return };
        let mut sorted: Vec<(i64, u64)> = counts.iter().map(|(&value, &count)| (count, value)).collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        for n in 0..CommonSlots::COUNT {
            let (count, value) = sorted.get(n).copied().unwrap_or((0, 0));
            for shape in 1..slots.step {
                self.int(slots.values.plus(n * slots.step + shape), 0);
            }
            self.amount(Some(slots.values.plus(n * slots.step)), value);
            self.int(slots.counts.plus(n), count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;
    use crate::synth::{self, JobPlan, Made, Random};
    use crate::usage::JobUsage;
    use marigraph_model::Nanos;

    fn write(rank: u32, start_ms: i64, end_ms: i64, offset: u64, bytes: u64) -> Event {
        Event {
            interface: Module::Posix,
            direction: Direction::Write,
            rank: Rank(rank),
            file: FileId(1),
            start: Nanos(start_ms * 1_000_000),
            end: Nanos(end_ms * 1_000_000),
            offset: Some(offset),
            bytes,
            thread: None,
        }
    }

    fn profile(events: &[Event]) -> Profile {
        let mut block = Events::default();
        events.iter().for_each(|&event| block.push(event));
        let mut profile = Profile::default();
        profile.events(&block);
        profile
    }

    #[test]
    fn counters_follow_the_operations() {
        let read = Event { direction: Direction::Read, ..write(0, 500, 600, 0, 50) };
        let profile = profile(&[
            write(0, 0, 100, 0, 1000),
            write(0, 50, 150, 1000, 1000),
            write(0, 200, 300, 4000, 2000),
            read,
        ]);
        let records = &profile.records()[&Module::Posix];
        let record = records.get(0).expect("record");
        let int = |idx| record.int(idx).get();
        assert_eq!((int(posix::WRITES), int(posix::READS), int(posix::OPENS)), (Some(3), Some(1), None));
        assert_eq!(int(posix::BYTES_WRITTEN), Some(4000));
        assert_eq!((int(posix::CONSEC_WRITES), int(posix::SEQ_WRITES)), (Some(1), Some(2)));
        assert_eq!(record.float(posix::F_META_TIME).get(), None);
        assert_eq!((int(posix::STRIDE1_STRIDE), int(posix::STRIDE1_COUNT)), (Some(2000), Some(1)));
        assert_eq!((int(posix::ACCESS1_ACCESS), int(posix::ACCESS1_COUNT)), (Some(1000), Some(2)));
        assert_eq!(int(posix::MAX_BYTE_WRITTEN), Some(5999));
        assert_eq!((int(posix::RW_SWITCHES), int(posix::SIZE_WRITE_100_1K)), (Some(1), Some(2)));
        let seconds = record.float(posix::F_WRITE_TIME).get().expect("time");
        assert!((seconds - 0.25).abs() < 1e-9, "overlap counts once: {seconds}");
        assert_eq!(record.float(posix::F_WRITE_END_TIMESTAMP), Measure::new(0.3));
    }

    #[test]
    fn the_figures_of_a_made_up_job_are_its_truth() {
        for seed in 0..5 {
            let id_of =
                |name: &[u8]| FileId(name.iter().fold(7, |sum, &b| sum.wrapping_mul(31) ^ u64::from(b)));
            let plan = JobPlan { seed, ranks: 8, checkpoints: 3, interval_s: 30.0, result_files: 100, id_of };
            let Made { mut trace, untraced, truth } = synth::job(&plan);
            let mut random = Random::new(seed);
            complete(&mut trace, &untraced, &mut |module, ints, floats| {
                synth::dress(module, &mut random, ints, floats);
            });
            let (mut usage, mut files) = (JobUsage::default(), Files::default());
            trace.stream(&mut marigraph_model::Both(&mut usage, &mut files));
            let totals = usage.totals();
            assert_eq!((totals.read_bytes, totals.written_bytes), (truth.read_bytes, truth.written_bytes));
            assert_eq!((totals.reads, totals.writes), (truth.reads, truth.writes));
            assert_eq!(files.count(), truth.files);
            // One input and three checkpoints are shared by all ranks.
            assert_eq!(files.by_sharing(8).all.files, 4);
        }
    }

    #[test]
    fn a_call_inside_another_takes_no_time_of_its_own() {
        let profile =
            profile(&[write(0, 0, 10_000, 0, 1), write(0, 1000, 2000, 1, 1), write(0, 3000, 4000, 2, 1)]);
        let records = &profile.records()[&Module::Posix];
        assert_eq!(records.get(0).expect("record").float(posix::F_WRITE_TIME), Measure::new(10.0));
    }

    #[test]
    fn heat_maps_hold_every_byte() {
        let events: Vec<Event> = (0..100).map(|n| write(0, n * 777, n * 777 + 333, 0, 12_345)).collect();
        let series = profile(&events).series();
        assert_eq!(series.len(), 1);
        assert_eq!(series[0].written.iter().sum::<u64>(), 1_234_500);
        assert!(series[0].written.len() <= MOST_BINS);
        assert_eq!(series[0].bin_s, 0.4);
    }
}
