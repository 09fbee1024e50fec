//! Combines several logs into one: the processes of a workflow become ranks of a single job.
//!
//! Ranks of the second log follow those of the first, and so on. Times are shifted to the earliest
//! start. A file that any log shares among all its ranks becomes one shared record; others keep one
//! record per rank.

use std::collections::BTreeMap;

use marigraph_model::counters::{FloatKind, IntKind, apmpi};
use marigraph_model::{
    Count, Direction, Event, Extra, FileId, FileMap, Job, Layout, Measure, Module, ModuleInfo, MpiSummary,
    Nanos, Problem, ProblemKind, Rank, Record, Records, Scope, Series, Trace, WallTime,
};

use crate::Aggregate;
use crate::grid::{Grid, whole};

const MAX_BINS: f64 = 400.0;

struct Part<'a> {
    trace: &'a Trace,
    first_rank: u32,
    ranks: u64,
    shift: Nanos,
}

/// Combines logs in the order given; no logs give an empty trace.
pub fn combine(traces: &[Trace]) -> Trace {
    let dated = |trace: &&Trace| is_dated(&trace.job);
    let start = traces.iter().filter(dated).map(|trace| trace.job.start).min().unwrap_or_default();
    let mut parts = Vec::new();
    let mut next_rank = 0u32;
    for trace in traces {
        let ranks = trace.job.nprocs.max(1);
        let late = if is_dated(&trace.job) { trace.job.start.seconds_since(start) } else { 0.0 };
        let shift = Nanos::from_job_seconds(late);
        parts.push(Part { trace, first_rank: next_rank, ranks, shift });
        next_rank = next_rank.saturating_add(u32::try_from(ranks).unwrap_or(u32::MAX));
    }
    let mut out = Trace { job: job(traces, start), modules: modules(traces), ..Trace::default() };
    for part in &parts {
        part.trace.files.iter().for_each(|(id, name)| out.files.insert(id, name));
        out.problems.extend(part.trace.problems.iter().cloned());
        out.network = out.network.or(part.trace.network);
        for event in part.trace.events.iter() {
            out.events.push(part.event(event));
        }
        for (rank, host) in &part.trace.hosts {
            out.hosts.insert(part.rank(*rank), host.clone());
        }
    }
    out.problems.extend(trouble(traces, &parts));
    out.records = records(&parts);
    out.series = series(&parts);
    out.layouts = layouts(&parts);
    out.mpi = mpi(traces, &out);
    out
}

/// Whether a job has a date: tables have none, nor have machines whose clock was never set.
fn is_dated(job: &Job) -> bool {
    const A_YEAR_S: i64 = 365 * 86_400;
    job.start.seconds > A_YEAR_S
}

fn trouble(traces: &[Trace], parts: &[Part<'_>]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let undated = traces.iter().filter(|trace| !is_dated(&trace.job)).count();
    if undated > 0 && undated < traces.len() {
        let message = format!(
            "{undated} inputs have no date: they are assumed to start with the earliest of the others"
        );
        problems.push(Problem::new(ProblemKind::NotRecorded, message).at("job"));
    }
    let mut sharers: FileMap<u64> = FileMap::default();
    for part in parts.iter().filter(|part| part.ranks > 1) {
        let mut files: FileMap<()> = FileMap::default();
        let all = part.trace.records.values().flat_map(Records::iter);
        all.filter(|record| record.scope == Scope::Shared).for_each(|record| {
            files.insert(record.file, ());
        });
        files.keys().for_each(|&file| *sharers.entry(file).or_default() += part.ranks);
    }
    let total: u64 = parts.iter().map(|part| part.ranks).sum();
    let some = sharers.values().filter(|&&ranks| ranks < total).count();
    if some > 0 {
        let message = format!(
            "{some} files are shared by all processes of only some inputs: a log can only say \"shared by all\""
        );
        problems.push(Problem::new(ProblemKind::KnownDefect, message));
    }
    problems
}

impl Part<'_> {
    fn rank(&self, rank: Rank) -> Rank {
        Rank(rank.0.saturating_add(self.first_rank))
    }

    fn time(&self, time: Nanos) -> Nanos {
        Nanos(time.0.saturating_add(self.shift.0))
    }

    fn event(&self, event: Event) -> Event {
        Event {
            rank: self.rank(event.rank),
            start: self.time(event.start),
            end: self.time(event.end),
            ..event
        }
    }

    fn push(&self, record: Record<'_>, into: &mut Records) {
        let scope = match record.scope {
            Scope::Shared => Scope::Shared,
            Scope::Rank(rank) => Scope::Rank(self.rank(rank)),
        };
        let shared = record.scope == Scope::Shared;
        let ints =
            record.ints.iter().zip(record.module.ints()).map(|(&value, def)| match (def.kind, value.get()) {
                (IntKind::FastestRank | IntKind::SlowestRank, Some(rank)) if shared => {
                    Count::new(rank.saturating_add(i64::from(self.first_rank)))
                }
                _ => value,
            });
        // Zero means "never"; it is not a moment.
        let floats = record.floats.iter().zip(record.module.floats()).map(|(&value, def)| {
            match (def.kind, value.get()) {
                (FloatKind::Start | FloatKind::End, Some(moment)) if moment > 0.0 => {
                    Measure::new(moment + self.shift.as_job_seconds())
                }
                _ => value,
            }
        });
        into.push(record.file, scope, ints, floats, record.extra.clone());
    }
}

fn job(traces: &[Trace], start: WallTime) -> Job {
    let Some(first) = traces.first().map(|trace| &trace.job) else { return Job::default() };
    let mut job = Job {
        start,
        end: traces.iter().map(|trace| end_of(&trace.job, start)).max().unwrap_or_default(),
        nprocs: traces.iter().map(|trace| trace.job.nprocs.max(1)).fold(0, u64::saturating_add),
        mounts: Vec::new(),
        ..first.clone()
    };
    for mount in traces.iter().flat_map(|trace| &trace.job.mounts) {
        if !job.mounts.contains(mount) {
            job.mounts.push(mount.clone());
        }
    }
    if traces.len() > 1 {
        job.metadata.retain(|(key, _)| key != "combined_logs");
        job.metadata.push(("combined_logs".to_string(), traces.len().to_string()));
    }
    job
}

/// Returns the end of a job; an undated job counts from the start of the whole.
fn end_of(job: &Job, start: WallTime) -> WallTime {
    if is_dated(job) {
        return job.end;
    }
    let nanos = u64::from(start.nanos) + (job.runtime_s().fract() * 1e9) as u64;
    WallTime {
        seconds: start
            .seconds
            .saturating_add(job.runtime_s() as i64)
            .saturating_add((nanos / 1_000_000_000) as i64),
        nanos: (nanos % 1_000_000_000) as u32,
    }
}

fn modules(traces: &[Trace]) -> Vec<ModuleInfo> {
    let mut all: BTreeMap<Module, ModuleInfo> = BTreeMap::new();
    for info in traces.iter().flat_map(|trace| &trace.modules) {
        let known = all.entry(info.module).or_insert_with(|| info.clone());
        known.partial |= info.partial;
        known.version = known.version.max(info.version);
    }
    all.into_values().collect()
}

fn records(parts: &[Part<'_>]) -> BTreeMap<Module, Records> {
    let mut out = BTreeMap::new();
    for module in Module::ALL.into_iter().filter(|module| module.has_counters()) {
        let joined = join_module(parts, module);
        if !joined.is_empty() {
            out.insert(module, joined);
        }
    }
    out
}

fn join_module(parts: &[Part<'_>], module: Module) -> Records {
    let of_module =
        |part: &Part<'_>| part.trace.records.get(&module).map(|records| records.len()).unwrap_or(0);
    let mut shared: FileMap<Option<Aggregate>> = FileMap::default();
    // A log alone is only shifted; its shared records stay as they are.
    if parts.iter().filter(|part| of_module(part) > 0).count() > 1 {
        let all = parts.iter().filter_map(|part| part.trace.records.get(&module));
        for record in all.flat_map(Records::iter).filter(|record| record.scope == Scope::Shared) {
            shared.insert(record.file, Some(Aggregate::new(module)));
        }
    }
    let mut out = Records::new(module);
    let mut order: Vec<FileId> = Vec::new();
    for part in parts {
        for record in part.trace.records.get(&module).into_iter().flat_map(Records::iter) {
            let Some(Some(aggregate)) = shared.get_mut(&record.file) else {
                part.push(record, &mut out);
                continue;
            };
            if aggregate.records() == 0 {
                order.push(record.file);
            }
            let mut moved = Records::new(module);
            part.push(record, &mut moved);
            let ranks = if record.scope == Scope::Shared { part.ranks } else { 1 };
            moved.iter().for_each(|record| aggregate.add(record, ranks));
        }
    }
    for file in order {
        if let Some(aggregate) = shared.get_mut(&file).and_then(Option::take) {
            aggregate.push_shared(&mut out);
        }
    }
    out
}

/// Rebins all heat maps to the same width: that of the widest, or wider if the whole is long.
fn series(parts: &[Part<'_>]) -> Vec<Series> {
    let all = || parts.iter().flat_map(|part| part.trace.series.iter().map(move |series| (part, series)));
    let end = all()
        .map(|(part, s)| part.shift.as_job_seconds() + s.bin_s * s.read.len().max(s.written.len()) as f64);
    let end = end.fold(0.0, f64::max);
    let mut bin_s = all().map(|(_, series)| series.bin_s).fold(0.0, f64::max);
    if bin_s <= 0.0 {
        return Vec::new();
    }
    while end / bin_s > MAX_BINS {
        bin_s *= 2.0;
    }
    let bins = ((end / bin_s).ceil() as usize).max(1);
    let moved = |(part, series): (&Part<'_>, &Series)| {
        let rebin = |values: &[u64]| {
            let mut grid = Grid::new(1, bins, bin_s * bins as f64);
            for (at, &bytes) in values.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
                let from = part.shift.as_job_seconds() + at as f64 * series.bin_s;
                let to = (from + series.bin_s).min(bin_s * bins as f64);
                grid.add(0, from, to, bytes as f64, Direction::Read);
            }
            whole(grid.row(0, Direction::Read)[..bins].as_ref())
        };
        Series {
            interface: series.interface,
            rank: part.rank(series.rank),
            bin_s,
            read: rebin(&series.read),
            written: rebin(&series.written),
        }
    };
    all().map(moved).collect()
}

/// Takes the first layout of each file.
fn layouts(parts: &[Part<'_>]) -> Vec<Layout> {
    let mut seen: FileMap<()> = FileMap::default();
    let mut out = Vec::new();
    for part in parts {
        for layout in &part.trace.layouts {
            if seen.insert(layout.file, ()).is_none() {
                let scope = match layout.scope {
                    Scope::Shared => Scope::Shared,
                    Scope::Rank(rank) => Scope::Rank(part.rank(rank)),
                };
                out.push(Layout { scope, ..layout.clone() });
            }
        }
    }
    out
}

fn mpi(traces: &[Trace], joined: &Trace) -> Option<MpiSummary> {
    let sync_measured = traces.iter().filter_map(|trace| trace.mpi).any(|mpi| mpi.sync_measured);
    traces.iter().find_map(|trace| trace.mpi)?;
    let records = joined.records.get(&Module::Apmpi);
    let variance = |from_end: usize| {
        let at = apmpi::FLOATS.len() - from_end;
        let values: Vec<f64> = records
            .into_iter()
            .flat_map(Records::iter)
            .filter(|record| matches!(record.extra, Extra::Node(_)))
            .filter_map(|record| record.floats.get(at).and_then(|value| value.get()))
            .collect();
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n
    };
    Some(MpiSummary { sync_measured, time_variance: variance(2), sync_variance: variance(1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_model::Direction;
    use marigraph_model::counters::posix;

    fn log(start: i64, nprocs: u64, rows: &[(u64, Scope, i64)]) -> Trace {
        let mut records = Records::new(Module::Posix);
        for &(file, scope, written) in rows {
            let mut ints = vec![Count::new(0); posix::INTS.len()];
            let mut floats = vec![Measure::new(0.0); posix::FLOATS.len()];
            ints[posix::BYTES_WRITTEN.at()] = Count::new(written);
            floats[posix::F_WRITE_START_TIMESTAMP.at()] = Measure::new(1.0);
            floats[posix::F_WRITE_END_TIMESTAMP.at()] = Measure::new(2.0);
            floats[posix::F_SLOWEST_RANK_TIME.at()] = Measure::new(1.0);
            records.push(FileId(file), scope, ints, floats, Extra::None);
        }
        let mut trace = Trace {
            job: Job {
                nprocs,
                start: WallTime { seconds: DAY_ONE + start, nanos: 0 },
                end: WallTime { seconds: DAY_ONE + start + 10, nanos: 0 },
                ..Job::default()
            },
            ..Trace::default()
        };
        trace.records.insert(Module::Posix, records);
        trace.hosts.insert(Rank(0), format!("node{start}"));
        trace.series.push(Series {
            interface: Module::Posix,
            rank: Rank(0),
            bin_s: if start == 100 { 0.5 } else { 1.0 },
            read: vec![0, 0],
            written: vec![7, 5],
        });
        trace.events.push(Event {
            interface: Module::Posix,
            direction: Direction::Write,
            rank: Rank(0),
            file: FileId(1),
            start: Nanos(1_000_000_000),
            end: Nanos(2_000_000_000),
            offset: None,
            bytes: 12,
            thread: None,
        });
        trace
    }

    const DAY_ONE: i64 = 1_700_000_000;
    const R: fn(u32) -> Scope = |rank| Scope::Rank(Rank(rank));

    #[test]
    fn an_input_without_a_date_starts_with_the_others() {
        let mut undated = log(0, 1, &[(1, R(0), 5)]);
        undated.job.start = WallTime::default();
        undated.job.end = WallTime { seconds: 30, nanos: 0 };
        let joined = combine(&[log(100, 2, &[(1, R(1), 10)]), undated]);
        assert_eq!(joined.job.runtime_s(), 30.0);
        assert_eq!(joined.problems.len(), 1);
        assert_eq!(joined.events.get(1).expect("event").start, Nanos(1_000_000_000));
    }

    #[test]
    fn ranks_times_and_hosts_move() {
        let joined = combine(&[log(100, 2, &[(1, R(1), 10)]), log(103, 1, &[(1, R(0), 20)])]);
        assert_eq!((joined.job.nprocs, joined.job.runtime_s()), (3, 13.0));
        let records = &joined.records[&Module::Posix];
        let second = records.get(1).expect("second");
        assert_eq!(second.scope, R(2));
        assert_eq!(second.float(posix::F_WRITE_START_TIMESTAMP), Measure::new(4.0));
        assert_eq!(second.float(posix::F_OPEN_START_TIMESTAMP), Measure::new(0.0));
        assert_eq!(joined.hosts[&Rank(2)], "node103");
        assert_eq!(joined.events.get(1).expect("event").start, Nanos(4_000_000_000));
        assert_eq!(joined.series[1].bin_s, 1.0);
        assert_eq!(joined.series[1].written, [0, 0, 0, 7, 5]);
        assert_eq!(joined.series[0].written, [12, 0, 0, 0, 0]);
    }

    #[test]
    fn a_file_shared_in_one_log_is_shared_in_the_whole() {
        let joined = combine(&[
            log(100, 4, &[(1, Scope::Shared, 40), (2, R(3), 1)]),
            log(100, 4, &[(1, Scope::Shared, 60), (2, R(3), 2)]),
            log(100, 1, &[(1, R(0), 5)]),
        ]);
        let records: Vec<_> = joined.records[&Module::Posix].iter().collect();
        assert_eq!(records.len(), 3);
        let shared = records.iter().find(|record| record.scope == Scope::Shared).expect("shared");
        assert_eq!((shared.file, shared.int(posix::BYTES_WRITTEN)), (FileId(1), Count::new(105)));
        assert_eq!(
            records.iter().filter(|r| r.file == FileId(2)).map(|r| r.scope).collect::<Vec<_>>(),
            [R(3), R(7)]
        );
    }

    #[test]
    fn nothing_joins_to_nothing_and_one_stays_itself() {
        assert_eq!(combine(&[]), Trace::default());
        let alone = log(100, 4, &[(1, Scope::Shared, 40)]);
        let same = combine(std::slice::from_ref(&alone));
        assert_eq!(same.records, alone.records);
        assert_eq!(same.events, alone.events);
    }
}
