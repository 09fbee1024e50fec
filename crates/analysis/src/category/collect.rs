//! Collects the data for categories from a log, in bounded memory.

use marigraph_model::counters::{FloatIdx, IntIdx, posix, stdio};
use marigraph_model::{Direction, Events, FileId, Job, Module, Record, Records, Series, Sink};

use super::family::Families;
use super::heat::Heat;
use super::merge::Operation;
use super::pile::Pile;
use super::requests::Requests;
use super::thresholds::Thresholds;
use crate::valid::{Invalid, latest_s};

/// Reads and writes, in this order.
pub type Sides<T> = [T; 2];

/// Collects the times of bytes and of metadata requests.
#[derive(Debug, Clone, Default)]
pub struct Collector {
    pub(super) runtime_s: f64,
    families: Option<Families>,
    /// One interval per file.
    pub(super) posix: Sides<Pile>,
    pub(super) stdio: Sides<Pile>,
    /// Single operations of POSIX and STDIO, and of MPI-IO.
    pub(super) events: Sides<Pile>,
    pub(super) mpi_events: Sides<Pile>,
    pub(super) heat: Heat,
    pub(super) requests: Requests,
    /// Whether seeks, and stat and fsync calls, count as requests.
    count_seeks: bool,
    count_stats: bool,
    /// Whether the log counts calls other than reads and writes.
    pub(super) counted: bool,
    pub(super) streams_traced: bool,
    pub(super) invalid: Option<Invalid>,
    pub(super) pictured: bool,
}

impl Collector {
    pub fn new(job: &Job, thresholds: &Thresholds) -> Collector {
        let (count_seeks, count_stats) = (thresholds.count_seeks >= 1.0, thresholds.count_stats >= 1.0);
        Collector { runtime_s: job.runtime_s(), count_seeks, count_stats, ..Collector::default() }
    }

    /// Sets families before anything is collected, as logs with very many operations need.
    pub fn with_families(mut self, families: Families) -> Collector {
        self.families = Some(families);
        self
    }

    pub fn with_pictures(self) -> Collector {
        Collector { pictured: true, ..self }
    }

    /// Returns whether families of files could matter: a significant direction has enough
    /// operations for two activities.
    pub fn wants_families(&self, thresholds: &Thresholds) -> bool {
        let all = [&self.posix, &self.stdio, &self.events, &self.mpi_events];
        let matters = |side: usize| {
            let piles = || all.iter().map(|piles| &piles[side]);
            let bytes = piles().map(Pile::bytes).fold(self.heat.bytes(side), u64::saturating_add);
            bytes as f64 >= thresholds.insignificant_bytes && piles().any(|pile| pile.count() >= 6)
        };
        self.families.is_none() && (matters(0) || matters(1))
    }

    /// Sets families after everything is collected.
    pub fn set_families(&mut self, families: Families) {
        let all = [&mut self.posix, &mut self.stdio, &mut self.events, &mut self.mpi_events];
        all.into_iter().flatten().for_each(|pile| pile.resolve(&families));
        self.families = Some(families);
    }

    pub(super) fn has_families(&self) -> bool {
        self.families.is_some()
    }

    fn key(&self, file: FileId) -> u64 {
        self.families.as_ref().map_or(file.0, |families| families.find(file))
    }

    fn reject(&mut self, reason: Invalid) {
        self.invalid = Some(self.invalid.map_or(reason, |known| known.min(reason)));
    }

    fn add_record(&mut self, record: Record<'_>, fields: &Fields) {
        let open = self.open_span(record, fields);
        for (side, times) in [fields.read, fields.write].into_iter().enumerate() {
            let bytes = record.int(fields.bytes[side]);
            if bytes.get().is_some_and(|bytes| bytes < 0) {
                self.reject(Invalid::ImplausibleBytes);
            }
            let bytes = bytes.amount();
            let span = self.span(record, times, Invalid::LastBeforeFirst);
            if bytes == 0 {
                if span.is_some() && moved_something(record, fields, side) {
                    self.reject(Invalid::TimestampsWithoutBytes);
                }
                continue;
            }
            let Some((from, to)) = span.or(open) else {
                self.reject(Invalid::BytesWithoutTimestamps);
                continue;
            };
            let key = self.key(record.file);
            let runtime_s = self.runtime_s;
            let piles = if record.module == Module::Stdio { &mut self.stdio } else { &mut self.posix };
            piles[side].add(key, Operation::new(from, to, bytes), runtime_s);
        }
        if !record.file.is_standard_stream() {
            self.add_requests(record, fields);
        }
    }

    /// Returns when a file was open; standard streams are open all the time.
    fn open_span(&mut self, record: Record<'_>, fields: &Fields) -> Option<(f64, f64)> {
        let span = self.span(record, (fields.open.0, fields.close.1), Invalid::CloseBeforeOpen);
        span.or_else(|| record.file.is_standard_stream().then_some((0.0, self.runtime_s)))
    }

    /// Adds opens, as many closes, and at the time of opens whatever else counts.
    fn add_requests(&mut self, record: Record<'_>, fields: &Fields) {
        let opens = record.int(fields.opens);
        self.counted |= opens.get().is_some();
        let opens = opens.amount();
        let seeks = if self.count_seeks { record.int(fields.seeks).amount() } else { 0 };
        let others = if self.count_stats { record.sum(fields.others) } else { 0 };
        if let Some((from, to)) = self.moments(record, fields.open) {
            self.requests.add(opens.saturating_add(seeks).saturating_add(others), from, to);
        }
        if let Some((from, to)) = self.moments(record, fields.close) {
            self.requests.add(opens, from, to);
        }
    }

    /// Like `span`, for old logs that have only one of the two times.
    fn moments(&mut self, record: Record<'_>, (start, end): (FloatIdx, FloatIdx)) -> Option<(f64, f64)> {
        match (record.float(start).get(), record.float(end).get()) {
            (Some(_), None) => self.span(record, (start, start), Invalid::CloseBeforeOpen),
            (None, Some(_)) => self.span(record, (end, end), Invalid::CloseBeforeOpen),
            _ => self.span(record, (start, end), Invalid::CloseBeforeOpen),
        }
    }

    /// Returns the interval between two times, if they are set; rejects impossible ones. Darshan
    /// stores unset times as zero.
    fn span(
        &mut self,
        record: Record<'_>,
        (start, end): (FloatIdx, FloatIdx),
        reversed: Invalid,
    ) -> Option<(f64, f64)> {
        let (start, end) = (record.float(start).get(), record.float(end).get());
        let latest = latest_s(self.runtime_s);
        for time in start.iter().chain(&end) {
            if *time < 0.0 {
                self.reject(Invalid::NegativeTimestamp);
            } else if *time > latest {
                self.reject(Invalid::LateTimestamp);
            }
        }
        match (start, end) {
            (Some(from), Some(to)) if to > 0.0 => {
                if from > to {
                    self.reject(reversed);
                }
                Some((from, to.max(from)))
            }
            // One of the two is NaN.
            (Some(one), None) | (None, Some(one)) if one > 0.0 => {
                self.reject(Invalid::NegativeTimestamp);
                None
            }
            _ => None,
        }
    }
}

/// Returns whether calls of a direction moved bytes although their sum is zero. Reads at the end of
/// a file move none but have times.
fn moved_something(record: Record<'_>, fields: &Fields, side: usize) -> bool {
    let calls = record.int(fields.calls[side]).amount();
    let larger =
        fields.larger.map_or(0, |bins| (0..9).map(|at| record.int(bins[side].plus(at)).amount()).sum());
    calls == 0 || larger > 0 || (fields.larger.is_none() && record.int(fields.highest[side]).amount() > 0)
}

struct Fields {
    bytes: Sides<IntIdx>,
    calls: Sides<IntIdx>,
    /// Highest offset.
    highest: Sides<IntIdx>,
    /// First of nine bins of calls of more than 100 bytes.
    larger: Option<Sides<IntIdx>>,
    read: (FloatIdx, FloatIdx),
    write: (FloatIdx, FloatIdx),
    open: (FloatIdx, FloatIdx),
    close: (FloatIdx, FloatIdx),
    opens: IntIdx,
    seeks: IntIdx,
    others: &'static [IntIdx],
}

macro_rules! fields {
    ($module:ident, $larger:expr, $others:expr) => {
        Fields {
            bytes: [$module::BYTES_READ, $module::BYTES_WRITTEN],
            calls: [$module::READS, $module::WRITES],
            highest: [$module::MAX_BYTE_READ, $module::MAX_BYTE_WRITTEN],
            larger: $larger,
            read: ($module::F_READ_START_TIMESTAMP, $module::F_READ_END_TIMESTAMP),
            write: ($module::F_WRITE_START_TIMESTAMP, $module::F_WRITE_END_TIMESTAMP),
            open: ($module::F_OPEN_START_TIMESTAMP, $module::F_OPEN_END_TIMESTAMP),
            close: ($module::F_CLOSE_START_TIMESTAMP, $module::F_CLOSE_END_TIMESTAMP),
            opens: $module::OPENS,
            seeks: $module::SEEKS,
            others: $others,
        }
    };
}

const POSIX: Fields = fields!(
    posix,
    Some([posix::SIZE_READ_100_1K, posix::SIZE_WRITE_100_1K]),
    &[posix::STATS, posix::FSYNCS, posix::FDSYNCS]
);
const STDIO: Fields = fields!(stdio, None, &[stdio::FLUSHES]);

impl Sink for Collector {
    fn records(&mut self, block: &Records) {
        let fields = match block.module() {
            Module::Posix => &POSIX,
            Module::Stdio => &STDIO,
            _ => return,
        };
        block.iter().for_each(|record| self.add_record(record, fields));
    }

    fn events(&mut self, block: &Events) {
        let latest = latest_s(self.runtime_s);
        let mut last: Option<(FileId, u64)> = None;
        for event in block.iter() {
            let side = match event.direction {
                Direction::Read => 0,
                Direction::Write => 1,
            };
            let (from, to) = (event.start.as_job_seconds(), event.end.as_job_seconds());
            if event.bytes == 0 {
                continue;
            }
            if from < 0.0 {
                self.reject(Invalid::NegativeTimestamp);
            } else if to > latest {
                self.reject(Invalid::LateTimestamp);
            } else if to < from {
                self.reject(Invalid::LastBeforeFirst);
            }
            let key = match last {
                Some((file, key)) if file == event.file => key,
                _ => self.key(event.file),
            };
            last = Some((event.file, key));
            let runtime_s = self.runtime_s;
            self.streams_traced |= event.interface == Module::Stdio;
            let piles = match event.interface {
                Module::MpiIo => &mut self.mpi_events,
                _ => &mut self.events,
            };
            piles[side].add(key, Operation::new(from, to, event.bytes), runtime_s);
        }
    }

    fn series(&mut self, series: &Series) {
        self.heat.add(series);
    }
}
