//! Aggregates records: totals over files, or one shared record over ranks.
//!
//! The kind of a counter, in the model's tables, selects its rule. The rules are those of Darshan's
//! reduction (format description, section 6). Common values are cut to four at each step, so the
//! result can depend on the order. Over ranks they are merged as Darshan's runtime merges them,
//! over files as its tools do.

use marigraph_model::counters::{FloatDef, FloatKind, IntDef, IntKind, mdhim};
use marigraph_model::{CommonSlots, Count, Extra, FileId, Measure, Module, Record, Records, Scope};

use crate::common::{join_all, merge_common, reduce_common};

/// The sum of records of one module.
#[derive(Debug, Clone)]
pub struct Aggregate {
    module: Module,
    /// Neighbouring integer counters of one kind, so that each kind's rule runs in a tight loop.
    int_runs: Vec<(IntKind, std::ops::Range<usize>)>,
    ints: Vec<Count>,
    floats: Vec<Measure>,
    file: Option<FileId>,
    one_file: bool,
    records: u64,
    spread: Spread,
    /// Whether some shared record lacks its fastest and slowest rank: then the result has none
    /// either.
    extremes_unknown: bool,
    extra: Extra,
    common: fn(&mut [Count], &[Count], CommonSlots),
}

/// Mean and variance over ranks of time and bytes, merged group by group.
#[derive(Debug, Clone, Copy, Default)]
struct Spread {
    ranks: f64,
    time: Moments,
    bytes: Moments,
}

#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Joins two groups (Chan, Golub and LeVeque, 1979).
    fn join(&mut self, n: f64, mean: f64, variance: f64, before: f64) {
        let total = before + n;
        let distance = mean - self.mean;
        self.squares += variance * n + distance * distance * before * n / total;
        self.mean += distance * n / total;
    }
}

impl Aggregate {
    /// Creates an aggregate over the ranks that used one file.
    pub fn of_ranks(module: Module) -> Aggregate {
        Aggregate { common: reduce_common, ..Aggregate::new(module) }
    }

    pub fn new(module: Module) -> Aggregate {
        let mut int_runs: Vec<(IntKind, std::ops::Range<usize>)> = Vec::new();
        for (at, def) in module.ints().iter().enumerate() {
            match int_runs.last_mut() {
                Some((kind, run)) if *kind == def.kind => run.end = at + 1,
                _ => int_runs.push((def.kind, at..at + 1)),
            }
        }
        Aggregate {
            module,
            int_runs,
            ints: vec![Count::MISSING; module.ints().len()],
            floats: vec![Measure::MISSING; module.floats().len()],
            file: None,
            one_file: true,
            records: 0,
            spread: Spread::default(),
            extremes_unknown: false,
            extra: Extra::None,
            common: merge_common,
        }
    }

    pub fn records(&self) -> u64 {
        self.records
    }

    pub fn ints(&self) -> &[Count] {
        &self.ints
    }

    pub fn floats(&self) -> &[Measure] {
        &self.floats
    }

    /// Adds a record that stands for `ranks` ranks: one, or all of its job if it is shared.
    pub fn add(&mut self, record: Record<'_>, ranks: u64) {
        self.join(record, record, ranks);
    }

    /// Adds a record of `ranks` ranks, of which `one` tells the fastest and the slowest.
    fn join(&mut self, record: Record<'_>, one: Record<'_>, ranks: u64) {
        let first = self.records == 0;
        self.one_file &= *self.file.get_or_insert(record.file) == record.file;
        if first {
            self.extra = record.extra.clone();
        }
        // Extremes and variances over ranks mean something only while all records are of one file.
        let own = self.one_file.then(|| OwnRank::of(one)).flatten();
        self.extremes_unknown |= self.one_file && own.is_none();
        if self.one_file {
            self.add_spread(record, ranks);
        }
        self.add_floats(record, first, own.as_ref());
        self.add_ints(record);
        for slots in [self.module.roles().stride, self.module.roles().access].into_iter().flatten() {
            (self.common)(&mut self.ints, record.ints, slots);
        }
        self.add_servers(record);
        self.records += 1;
    }

    /// Adds a record of one rank, which as many others have too: ranks in order from its own on.
    pub fn add_equal(&mut self, record: Record<'_>, ranks: u64) {
        let times = i64::try_from(ranks).unwrap_or(i64::MAX);
        let many = |(cell, def): (&Count, &IntDef)| match (def.kind, cell.get()) {
            (IntKind::Sum | IntKind::CommonCount, Some(n)) => Count::new(n.saturating_mul(times)),
            _ => *cell,
        };
        let longer = |(cell, def): (&Measure, &FloatDef)| match (def.kind, cell.get()) {
            (FloatKind::Time, Some(seconds)) => Measure::new(seconds * ranks as f64),
            _ => *cell,
        };
        let ints: Vec<Count> = record.ints.iter().zip(self.module.ints()).map(many).collect();
        let floats: Vec<Measure> = record.floats.iter().zip(self.module.floats()).map(longer).collect();
        self.join(Record { ints: &ints, floats: &floats, ..record }, record, ranks);
    }

    /// Requests per server add up server by server; the counter follows the longest list.
    fn add_servers(&mut self, record: Record<'_>) {
        let (Extra::Servers(all), Extra::Servers(more)) = (&mut self.extra, record.extra) else { return };
        if self.records > 0 {
            all.resize(all.len().max(more.len()), 0);
            all.iter_mut().zip(more).for_each(|(sum, n)| *sum = sum.saturating_add(*n));
        }
        if self.module == Module::Mdhim {
            let servers = self.ints[mdhim::SERVERS.at()].get().unwrap_or(0).max(all.len() as i64);
            self.ints[mdhim::SERVERS.at()] = Count::new(servers.min(all.len().max(1) as i64));
        }
    }

    fn add_spread(&mut self, record: Record<'_>, ranks: u64) {
        let n = ranks.max(1) as f64;
        let (time, bytes) = (io_seconds(record), moved(record) as f64);
        let variance = |kind: FloatKind| {
            let at = self.module.floats().iter().position(|def| def.kind == kind);
            match record.scope {
                Scope::Shared => at.map_or(0.0, |at| record.floats[at].amount()),
                Scope::Rank(_) => 0.0,
            }
        };
        let (time_variance, bytes_variance) =
            (variance(FloatKind::TimeVariance), variance(FloatKind::BytesVariance));
        self.spread.time.join(n, time / n, time_variance, self.spread.ranks);
        self.spread.bytes.join(n, bytes / n, bytes_variance, self.spread.ranks);
        self.spread.ranks += n;
    }

    fn add_floats(&mut self, record: Record<'_>, first: bool, own: Option<&OwnRank>) {
        for (at, def) in self.module.floats().iter().enumerate() {
            let (old, new) = (self.floats[at].get(), record.floats[at].get());
            let wins = match def.kind {
                FloatKind::FastestTime => {
                    own.is_some_and(|own| first || own.fastest.time < old.unwrap_or(0.0))
                }
                FloatKind::SlowestTime => {
                    own.is_some_and(|own| first || own.slowest.time > old.unwrap_or(0.0))
                }
                FloatKind::SlowestRead | FloatKind::SlowestWrite => new > old || (first && new.is_some()),
                _ => false,
            };
            self.floats[at] = match def.kind {
                FloatKind::Time => fold(old, new, |a, b| a + b),
                FloatKind::Start => fold(old, new, earlier),
                FloatKind::End => fold(old, new, f64::max),
                FloatKind::Any => fold(old, new, |_, b| b),
                FloatKind::SlowestRead | FloatKind::SlowestWrite => fold(old, new, f64::max),
                FloatKind::FastestTime | FloatKind::SlowestTime => self.floats[at],
                FloatKind::TimeVariance | FloatKind::BytesVariance => Measure::MISSING,
            };
            if wins {
                self.follow(at, def.kind, record, own);
            }
        }
    }

    /// Takes over what belongs to a new extreme: its time, rank and bytes, or the size of the call.
    fn follow(&mut self, at: usize, kind: FloatKind, record: Record<'_>, own: Option<&OwnRank>) {
        let extreme = match kind {
            FloatKind::FastestTime => own.map(|own| &own.fastest),
            FloatKind::SlowestTime => own.map(|own| &own.slowest),
            _ => None,
        };
        if let Some(extreme) = extreme {
            self.floats[at] = Measure::new(extreme.time);
        }
        for (at, def) in self.module.ints().iter().enumerate() {
            let value = match (kind, def.kind, extreme) {
                (FloatKind::SlowestRead, IntKind::SlowestReadSize, _)
                | (FloatKind::SlowestWrite, IntKind::SlowestWriteSize, _) => record.ints[at],
                (FloatKind::FastestTime, IntKind::FastestRank, Some(extreme))
                | (FloatKind::SlowestTime, IntKind::SlowestRank, Some(extreme)) => extreme.rank,
                (FloatKind::FastestTime, IntKind::FastestBytes, Some(extreme))
                | (FloatKind::SlowestTime, IntKind::SlowestBytes, Some(extreme)) => extreme.bytes,
                _ => continue,
            };
            self.ints[at] = value;
        }
    }

    fn add_ints(&mut self, record: Record<'_>) {
        for (kind, run) in &self.int_runs {
            let (old, new) = (&mut self.ints[run.clone()], &record.ints[run.clone()]);
            match kind {
                IntKind::Sum => join_all(old, new, i64::saturating_add),
                IntKind::Max => join_all(old, new, i64::max),
                IntKind::Flag => join_all(old, new, |a, b| i64::from(a != 0 || b != 0)),
                IntKind::Any | IntKind::Id => join_all(old, new, |_, b| b),
                _ => {}
            }
        }
    }

    /// Whether all records are of one file; fastest and slowest rank make sense only then.
    pub fn is_one_file(&self) -> bool {
        self.one_file
    }

    pub fn push_shared(mut self, into: &mut Records) {
        for (at, def) in self.module.floats().iter().enumerate() {
            let moments = match def.kind {
                FloatKind::TimeVariance => self.spread.time,
                FloatKind::BytesVariance => self.spread.bytes,
                _ => continue,
            };
            self.floats[at] = Measure::new(moments.squares / self.spread.ranks.max(1.0));
        }
        if self.extremes_unknown {
            self.forget_extremes();
        }
        if let Some(file) = self.file {
            into.push(file, Scope::Shared, self.ints, self.floats, self.extra);
        }
    }
}

impl Aggregate {
    fn forget_extremes(&mut self) {
        use FloatKind::{FastestTime, SlowestTime};
        use IntKind::{FastestBytes, FastestRank, SlowestBytes, SlowestRank};
        for (cell, def) in self.ints.iter_mut().zip(self.module.ints()) {
            if matches!(def.kind, FastestRank | FastestBytes | SlowestRank | SlowestBytes) {
                *cell = Count::MISSING;
            }
        }
        for (cell, def) in self.floats.iter_mut().zip(self.module.floats()) {
            if matches!(def.kind, FastestTime | SlowestTime) {
                *cell = Measure::MISSING;
            }
        }
    }
}

/// Extremes of a record over its ranks: stored if it is shared, its own values otherwise.
struct OwnRank {
    fastest: Extreme,
    slowest: Extreme,
}

struct Extreme {
    rank: Count,
    bytes: Count,
    time: f64,
}

impl OwnRank {
    /// `None` if a shared record lacks them.
    fn of(record: Record<'_>) -> Option<OwnRank> {
        let Scope::Rank(rank) = record.scope else {
            let int = |kind: IntKind| {
                let at = record.module.ints().iter().position(|def| def.kind == kind);
                at.map_or(Count::MISSING, |at| record.ints[at])
            };
            let Some((fastest, slowest)) = record.module.roles().rank_times else {
                let nothing = || Extreme { rank: Count::MISSING, bytes: Count::MISSING, time: 0.0 };
                return Some(OwnRank { fastest: nothing(), slowest: nothing() });
            };
            return Some(OwnRank {
                fastest: Extreme {
                    rank: int(IntKind::FastestRank),
                    bytes: int(IntKind::FastestBytes),
                    time: record.float(fastest).get()?,
                },
                slowest: Extreme {
                    rank: int(IntKind::SlowestRank),
                    bytes: int(IntKind::SlowestBytes),
                    time: record.float(slowest).get()?,
                },
            });
        };
        let extreme = || Extreme {
            rank: Count::new(i64::from(rank.0)),
            bytes: Count::new(i64::try_from(moved(record)).unwrap_or(i64::MAX)),
            time: io_seconds(record),
        };
        Some(OwnRank { fastest: extreme(), slowest: extreme() })
    }
}

/// Read, write and metadata seconds of a record, in the order in which the runtime adds them.
fn io_seconds(record: Record<'_>) -> f64 {
    let roles = record.module.roles();
    [roles.read_time, roles.write_time, roles.meta_time]
        .into_iter()
        .flatten()
        .map(|at| record.float(at).get().unwrap_or(0.0))
        .sum()
}

fn moved(record: Record<'_>) -> u64 {
    let roles = record.module.roles();
    record.amount(roles.bytes_read).saturating_add(record.amount(roles.bytes_written))
}

/// Returns the earlier of two moments, where zero means "never".
fn earlier(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 0.0 { a.min(b) } else { a.max(b) }
}

fn fold(old: Option<f64>, new: Option<f64>, join: impl Fn(f64, f64) -> f64) -> Measure {
    match (old, new) {
        (Some(old), Some(new)) => Measure::new(join(old, new)),
        (value, None) | (None, value) => value.map_or(Measure::MISSING, Measure::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::Rank;
    use marigraph_model::counters::posix;

    /// File, scope, bytes written, seconds, (common size, its count).
    type Row = (u64, Scope, i64, f64, (i64, i64));

    fn records(rows: &[Row]) -> Records {
        let mut records = Records::new(Module::Posix);
        for &(file, scope, bytes, seconds, (size, count)) in rows {
            let mut ints = vec![Count::new(0); posix::INTS.len()];
            let mut floats = vec![Measure::new(0.0); posix::FLOATS.len()];
            ints[posix::BYTES_WRITTEN.at()] = Count::new(bytes);
            ints[posix::ACCESS1_ACCESS.at()] = Count::new(size);
            ints[posix::ACCESS1_COUNT.at()] = Count::new(count);
            ints[posix::MMAPS.at()] = Count::MISSING;
            floats[posix::F_WRITE_TIME.at()] = Measure::new(seconds);
            floats[posix::F_WRITE_START_TIMESTAMP.at()] = Measure::new(seconds);
            records.push(FileId(file), scope, ints, floats, Extra::None);
        }
        records
    }

    fn total(rows: &[Row]) -> Aggregate {
        let mut total = Aggregate::new(Module::Posix);
        records(rows).iter().for_each(|record| total.add(record, 1));
        total
    }

    const R: fn(u32) -> Scope = |rank| Scope::Rank(Rank(rank));

    #[test]
    fn ranks_become_a_shared_record() {
        let aggregate =
            total(&[(1, R(0), 10, 1.0, (8, 3)), (1, R(1), 30, 3.0, (8, 2)), (1, R(2), 20, 2.0, (16, 5))]);
        assert!(aggregate.is_one_file());
        let mut shared = Records::new(Module::Posix);
        aggregate.push_shared(&mut shared);
        let record = shared.get(0).expect("record");
        assert_eq!(record.scope, Scope::Shared);
        assert_eq!(record.int(posix::BYTES_WRITTEN), Count::new(60));
        assert_eq!(record.int(posix::MMAPS), Count::MISSING);
        assert_eq!(record.int(posix::FASTEST_RANK), Count::new(0));
        assert_eq!(record.int(posix::SLOWEST_RANK), Count::new(1));
        assert_eq!(record.int(posix::SLOWEST_RANK_BYTES), Count::new(30));
        assert_eq!(record.float(posix::F_SLOWEST_RANK_TIME), Measure::new(3.0));
        assert_eq!(record.float(posix::F_WRITE_START_TIMESTAMP), Measure::new(1.0));
        let variance = record.float(posix::F_VARIANCE_RANK_TIME).get().expect("variance");
        assert!((variance - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(record.int(posix::ACCESS1_ACCESS), Count::new(16));
        assert_eq!(record.int(posix::ACCESS1_COUNT), Count::new(5));
        assert_eq!(record.int(posix::ACCESS2_ACCESS), Count::new(8));
        assert_eq!(record.int(posix::ACCESS2_COUNT), Count::new(5));
    }

    #[test]
    fn a_shared_record_weighs_as_many_ranks_as_it_has() {
        // Two ranks with 1 s and 3 s, already reduced, joined with one rank of 2 s.
        let mut pair = Records::new(Module::Posix);
        total(&[(1, R(0), 0, 1.0, (0, 0)), (1, R(1), 0, 3.0, (0, 0))]).push_shared(&mut pair);
        let mut joined = Aggregate::new(Module::Posix);
        joined.add(pair.get(0).expect("pair"), 2);
        records(&[(1, R(2), 0, 2.0, (0, 0))]).iter().for_each(|record| joined.add(record, 1));
        let mut out = Records::new(Module::Posix);
        joined.push_shared(&mut out);
        let record = out.get(0).expect("record");
        let variance = record.float(posix::F_VARIANCE_RANK_TIME).get().expect("variance");
        assert!((variance - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(record.int(posix::SLOWEST_RANK), Count::new(1));
    }

    #[test]
    fn one_unknown_slowest_rank_makes_it_unknown() {
        let mut unknown = Records::new(Module::Posix);
        unknown.push(FileId(1), Scope::Shared, vec![Count::new(0); posix::INTS.len()], [], Extra::None);
        let mut joined = Aggregate::new(Module::Posix);
        joined.add(unknown.get(0).expect("record"), 4);
        records(&[(1, R(9), 0, 2.0, (0, 0))]).iter().for_each(|record| joined.add(record, 1));
        let mut out = Records::new(Module::Posix);
        joined.push_shared(&mut out);
        let record = out.get(0).expect("record");
        assert_eq!(record.float(posix::F_SLOWEST_RANK_TIME), Measure::MISSING);
        assert_eq!(record.int(posix::SLOWEST_RANK), Count::MISSING);
    }

    proptest::proptest! {
        #[test]
        fn reducing_in_two_steps_is_reducing_at_once(
            rows in proptest::collection::vec((0i64..1000, 0.001f64..10.0), 2..12),
            cut in 1usize..11,
        ) {
            let rows: Vec<Row> =
                rows.iter().zip(0u32..).map(|(&(bytes, seconds), n)| (1, R(n), bytes, seconds, (8, 1))).collect();
            let cut = cut.min(rows.len() - 1);
            let shared = |rows: &[Row]| {
                let mut out = Records::new(Module::Posix);
                total(rows).push_shared(&mut out);
                out
            };
            let (whole, left, right) = (shared(&rows), shared(&rows[..cut]), shared(&rows[cut..]));
            let mut joined = Aggregate::new(Module::Posix);
            joined.add(left.get(0).expect("left"), cut as u64);
            joined.add(right.get(0).expect("right"), (rows.len() - cut) as u64);
            let mut out = Records::new(Module::Posix);
            joined.push_shared(&mut out);
            let (once, twice) = (whole.get(0).expect("whole"), out.get(0).expect("joined"));
            proptest::prop_assert_eq!(once.ints, twice.ints);
            for (a, b) in once.floats.iter().zip(twice.floats) {
                let (a, b) = (a.get().unwrap_or(-1.0), b.get().unwrap_or(-1.0));
                proptest::prop_assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{} {}", a, b);
            }
        }
    }

    #[test]
    fn zeros_stay_zeros() {
        let mut out = Records::new(Module::Posix);
        total(&[(1, R(0), 0, 0.0, (0, 0)), (1, R(1), 0, 0.0, (0, 0))]).push_shared(&mut out);
        let record = out.get(0).expect("record");
        let missing = record.ints.iter().zip(posix::INTS).filter(|(cell, _)| cell.get().is_none());
        let names: Vec<&str> = missing.map(|(_, def)| def.name).collect();
        assert_eq!(names, ["POSIX_MMAPS"], "only what was missing is missing");
        assert!(record.floats.iter().all(|cell| cell.get().is_some()));
    }

    #[test]
    fn at_most_four_common_values_stay() {
        let rows: Vec<_> = (1..=6).map(|n| (1, R(n), 0, 0.0, (i64::from(n) * 10, i64::from(n)))).collect();
        let aggregate = total(&rows);
        let kept: Vec<_> =
            (0..4).map(|n| aggregate.ints()[posix::ACCESS1_ACCESS.plus(n).at()].get()).collect();
        assert_eq!(kept, [Some(60), Some(50), Some(40), Some(30)]);
    }
}
