//! The counters that Darshan would have kept of a run's files.

use marigraph_model::counters::{h5d, h5f, mpiio, pnetcdf_file, pnetcdf_var, posix, stdio};
use marigraph_model::{Count, Module};

use super::super::row::{Row, fill_classes, fill_common};
use super::bulk::{Bulk, Calls};

/// File systems of the study had blocks of 4 MiB.
const BLOCK: u64 = 4 << 20;

/// How long processes take on average, where the log has them as one: the slowest takes 1.
const USUAL_PACE: f64 = 0.7;

/// Time of I/O.
#[derive(Debug, Clone, Copy)]
pub struct Seconds {
    /// In opens, closes, seeks and the like.
    pub metadata: f64,
    /// In reads.
    pub read: f64,
    /// In writes.
    pub write: f64,
}

impl Seconds {
    /// Seconds divided as a run divides its own: metadata by its share, the rest by bytes.
    pub fn of(bulk: &Bulk, seconds: f64) -> Seconds {
        let (read, write) = (bulk.reads.bytes() as f64, bulk.writes.bytes() as f64);
        let data = seconds * (1.0 - bulk.metadata);
        let part = |bytes: f64| if bytes > 0.0 { data * bytes / (read + write) } else { 0.0 };
        Seconds { metadata: seconds * bulk.metadata, read: part(read), write: part(write) }
    }

    /// Longer or shorter.
    pub fn times(self, factor: f64) -> Seconds {
        let Seconds { metadata, read, write } = self;
        Seconds { metadata: metadata * factor, read: read * factor, write: write * factor }
    }

    /// All of it.
    pub fn all(self) -> f64 {
        self.metadata + self.read + self.write
    }
}

/// What a record tells.
#[derive(Debug, Clone, Copy)]
pub struct Use {
    /// Opens.
    pub opens: u64,
    /// Reads and writes.
    pub calls: [Calls; 2],
    /// Sequential reads, sequential writes, accesses not aligned.
    pub counted: [u64; 3],
    /// Time, over all processes that the record is of.
    pub seconds: Seconds,
    /// When the file was opened and closed, in seconds since the run began.
    pub span: [f64; 2],
    /// Time of the slowest process, where the record is of all.
    pub slowest: Option<Seconds>,
    /// Processes of the run.
    pub nprocs: u64,
}

impl Use {
    /// When files that take this many seconds are used.
    pub fn span(runtime_s: f64, seconds: f64) -> [f64; 2] {
        let first = (runtime_s - seconds).max(0.0) * 0.1;
        [first, (first + seconds).min(runtime_s)]
    }

    /// The same in a part of the time.
    pub fn lasting(self, share: f64) -> Use {
        Use { seconds: self.seconds.times(share), ..self }
    }

    /// The same by all processes, of which the slowest needs a part of the time; each call this many times.
    pub fn by_all(self, share: f64, times: u64) -> Use {
        let slowest = self.seconds.times(share);
        Use {
            opens: self.nprocs,
            calls: self.calls.map(|calls| Calls { count: calls.count * times, ..calls }),
            seconds: slowest.times(self.nprocs as f64 * USUAL_PACE),
            slowest: Some(slowest),
            ..self
        }
    }

    /// Where reads end and writes begin.
    fn middle(&self) -> f64 {
        let Seconds { metadata, read, .. } = self.slowest.unwrap_or(self.seconds);
        (self.span[0] + metadata + read).min(self.span[1])
    }

    fn bytes(&self) -> [u64; 2] {
        self.calls.map(Calls::bytes)
    }

    /// Begin and end of reads, and of writes.
    fn spans(&self) -> [Option<(f64, f64)>; 2] {
        let [first, last] = self.span;
        let [reads, writes] = self.calls.map(|calls| calls.count > 0);
        [reads.then_some((first, self.middle())), writes.then_some((self.middle(), last))]
    }
}

fn sizes(calls: Calls) -> Vec<(u64, u64)> {
    if calls.count > 0 { vec![(calls.size, calls.count)] } else { Vec::new() }
}

/// Sets what all interfaces that move bytes have under the same names.
macro_rules! common {
    ($row:ident, $used:ident, $module:ident) => {
        let ([read, written], [first, last]) = ($used.bytes(), $used.span);
        $row.set($module::BYTES_READ, read);
        $row.set($module::BYTES_WRITTEN, written);
        $row.put($module::F_META_TIME, $used.seconds.metadata);
        $row.put($module::F_READ_TIME, $used.seconds.read);
        $row.put($module::F_WRITE_TIME, $used.seconds.write);
        let [reads, writes] = $used.spans();
        $row.stamps(($module::F_OPEN_START_TIMESTAMP, $module::F_OPEN_END_TIMESTAMP), Some((first, first)));
        $row.stamps(($module::F_READ_START_TIMESTAMP, $module::F_READ_END_TIMESTAMP), reads);
        $row.stamps(($module::F_WRITE_START_TIMESTAMP, $module::F_WRITE_END_TIMESTAMP), writes);
        $row.stamps(($module::F_CLOSE_START_TIMESTAMP, $module::F_CLOSE_END_TIMESTAMP), Some((last, last)));
        if let Some(slowest) = $used.slowest {
            let bytes = (read + written) / $used.nprocs;
            $row.set($module::SLOWEST_RANK_BYTES, bytes);
            $row.set($module::FASTEST_RANK, $used.nprocs - 1);
            $row.set($module::FASTEST_RANK_BYTES, bytes);
            $row.put($module::F_SLOWEST_RANK_TIME, slowest.all());
            $row.put($module::F_FASTEST_RANK_TIME, slowest.all() * 0.4);
            $row.put($module::F_VARIANCE_RANK_TIME, (slowest.all() * 0.15).powi(2));
        }
    };
}

/// Sets what interfaces have that count sizes of accesses.
macro_rules! sized {
    ($row:ident, $used:ident, $module:ident, $reads:ident, $writes:ident) => {
        let [of_reads, of_writes] = $used.calls.map(sizes);
        fill_classes(&mut $row, $module::$reads, &of_reads);
        fill_classes(&mut $row, $module::$writes, &of_writes);
        let [reads, writes] = $used.calls;
        $row.set($module::MAX_READ_TIME_SIZE, reads.size);
        $row.set($module::MAX_WRITE_TIME_SIZE, writes.size);
        $row.put($module::F_MAX_READ_TIME, $used.seconds.read / reads.count.max(1) as f64);
        $row.put($module::F_MAX_WRITE_TIME, $used.seconds.write / writes.count.max(1) as f64);
        $row.set($module::RW_SWITCHES, u64::from(reads.count > 0 && writes.count > 0));
    };
}

/// In POSIX.
pub fn posix_row(used: &Use) -> Row {
    let mut row = Row::new(Module::Posix);
    common!(row, used, posix);
    sized!(row, used, posix, SIZE_READ_0_100, SIZE_WRITE_0_100);
    let [reads, writes] = used.calls;
    let [sequential_reads, sequential_writes, unaligned] = used.counted;
    for (idx, value) in [
        (posix::OPENS, used.opens),
        (posix::SEEKS, unaligned),
        (posix::STATS, used.opens),
        (posix::MODE, 0o644),
        (posix::MEM_ALIGNMENT, 8),
        (posix::FILE_ALIGNMENT, BLOCK),
        (posix::FILE_NOT_ALIGNED, unaligned),
        (posix::READS, reads.count),
        (posix::WRITES, writes.count),
        (posix::SEQ_READS, sequential_reads),
        (posix::SEQ_WRITES, sequential_writes),
        (posix::CONSEC_READS, sequential_reads / 2),
        (posix::CONSEC_WRITES, sequential_writes / 2),
        (posix::MAX_BYTE_READ, reads.bytes().saturating_sub(1)),
        (posix::MAX_BYTE_WRITTEN, writes.bytes().saturating_sub(1)),
    ] {
        row.set(idx, value);
    }
    row.ints[posix::MMAPS.at()] = Count::MISSING;
    let all = [sizes(reads), sizes(writes)].concat();
    fill_common(&mut row, (posix::ACCESS1_ACCESS, posix::ACCESS1_COUNT), all);
    row
}

/// In MPI-IO, by collective calls or by each process for itself.
pub fn mpiio_row(used: &Use, collective: bool) -> Row {
    let mut row = Row::new(Module::MpiIo);
    common!(row, used, mpiio);
    sized!(row, used, mpiio, SIZE_READ_AGG_0_100, SIZE_WRITE_AGG_0_100);
    let [reads, writes] = used.calls;
    let kinds = if collective {
        [mpiio::COLL_OPENS, mpiio::COLL_READS, mpiio::COLL_WRITES]
    } else {
        [mpiio::INDEP_OPENS, mpiio::INDEP_READS, mpiio::INDEP_WRITES]
    };
    for (idx, value) in kinds.into_iter().zip([used.opens, reads.count, writes.count]) {
        row.set(idx, value);
    }
    let all = [sizes(reads), sizes(writes)].concat();
    fill_common(&mut row, (mpiio::ACCESS1_ACCESS, mpiio::ACCESS1_COUNT), all);
    row
}

/// In streams.
pub fn stream_row(used: &Use) -> Row {
    let mut row = Row::new(Module::Stdio);
    common!(row, used, stdio);
    let [reads, writes] = used.calls;
    for (idx, value) in [
        (stdio::OPENS, used.opens),
        (stdio::READS, reads.count),
        (stdio::WRITES, writes.count),
        (stdio::SEEKS, used.counted[2]),
        (stdio::MAX_BYTE_READ, reads.bytes().saturating_sub(1)),
        (stdio::MAX_BYTE_WRITTEN, writes.bytes().saturating_sub(1)),
    ] {
        row.set(idx, value);
    }
    row
}

/// A dataset of HDF5.
pub fn dataset_row(used: &Use) -> Row {
    let mut row = Row::new(Module::H5d);
    common!(row, used, h5d);
    sized!(row, used, h5d, SIZE_READ_AGG_0_100, SIZE_WRITE_AGG_0_100);
    let [reads, writes] = used.calls;
    for (idx, value) in [(h5d::OPENS, used.opens), (h5d::READS, reads.count), (h5d::WRITES, writes.count)] {
        row.set(idx, value);
    }
    row
}

/// A variable of PnetCDF.
pub fn variable_row(used: &Use) -> Row {
    let mut row = Row::new(Module::PnetcdfVar);
    common!(row, used, pnetcdf_var);
    sized!(row, used, pnetcdf_var, SIZE_READ_AGG_0_100, SIZE_WRITE_AGG_0_100);
    let [reads, writes] = used.calls;
    for (idx, value) in [
        (pnetcdf_var::OPENS, used.opens),
        (pnetcdf_var::INDEP_READS, reads.count),
        (pnetcdf_var::INDEP_WRITES, writes.count),
    ] {
        row.set(idx, value);
    }
    row
}

/// A file of HDF5 or PnetCDF: when it was open.
pub fn file_row(module: Module, used: &Use) -> Row {
    let mut row = Row::new(module);
    let (first, last) = (Some((used.span[0], used.span[0])), Some((used.span[1], used.span[1])));
    if module == Module::H5f {
        row.set(h5f::OPENS, used.opens);
        row.set(h5f::USE_MPIIO, 1);
        row.stamps((h5f::F_OPEN_START_TIMESTAMP, h5f::F_OPEN_END_TIMESTAMP), first);
        row.stamps((h5f::F_CLOSE_START_TIMESTAMP, h5f::F_CLOSE_END_TIMESTAMP), last);
    } else {
        row.set(pnetcdf_file::OPENS, used.opens);
        row.stamps((pnetcdf_file::F_OPEN_START_TIMESTAMP, pnetcdf_file::F_OPEN_END_TIMESTAMP), first);
        row.stamps((pnetcdf_file::F_CLOSE_START_TIMESTAMP, pnetcdf_file::F_CLOSE_END_TIMESTAMP), last);
    }
    row
}
