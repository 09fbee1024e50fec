//! From old records, which cover all interfaces at once, to a record per interface.
//!
//! Bytes, sizes, strides and `POSIX_*` times were counted for descriptors and streams together,
//! never for MPI-IO; the stamps are those of the first and last operation through any interface.
//! What cannot be attributed to an interface is missing from its record.

use marigraph_model::counters::{FloatIdx, IntIdx, h5f, mpiio, pnetcdf_file, posix, stdio};
use marigraph_model::{Count, Measure, Module};

use super::layout::{FloatPlace, IntPlace, OldRecord, float, int};
use super::version::Version;

/// Counters that are adjacent in the same order on both sides: from, to, how many.
type Run = (IntPlace, IntIdx, usize);
type Pair = (FloatPlace, FloatIdx);

const POSIX_CALLS: &[Run] = &[
    (int::POSIX_READS, posix::READS, 2),
    (int::POSIX_OPENS, posix::OPENS, 1),
    (int::POSIX_SEEKS, posix::SEEKS, 3),
    (int::POSIX_FSYNCS, posix::FSYNCS, 2),
];
const POSIX_DATA: &[Run] = &[
    (int::BYTES_READ, posix::BYTES_READ, 15),
    (int::SIZE_READ_0_100, posix::SIZE_READ_0_100, 20),
    (int::STRIDE1_STRIDE, posix::STRIDE1_STRIDE, 8),
    (int::ACCESS1_ACCESS, posix::ACCESS1_ACCESS, 8),
];
const POSIX_TIMES: &[Pair] = &[
    (float::POSIX_READ_TIME, posix::F_READ_TIME),
    (float::POSIX_WRITE_TIME, posix::F_WRITE_TIME),
    (float::POSIX_META_TIME, posix::F_META_TIME),
    (float::MAX_READ_TIME, posix::F_MAX_READ_TIME),
    (float::MAX_WRITE_TIME, posix::F_MAX_WRITE_TIME),
    (float::VARIANCE_RANK_TIME, posix::F_VARIANCE_RANK_TIME),
    (float::VARIANCE_RANK_BYTES, posix::F_VARIANCE_RANK_BYTES),
];
const STDIO_CALLS: &[Run] = &[
    (int::POSIX_FREADS, stdio::READS, 2),
    (int::POSIX_FOPENS, stdio::OPENS, 1),
    (int::POSIX_FSEEKS, stdio::SEEKS, 1),
];
const STDIO_DATA: &[Run] = &[
    (int::BYTES_READ, stdio::BYTES_READ, 1),
    (int::BYTES_WRITTEN, stdio::BYTES_WRITTEN, 1),
    (int::MAX_BYTE_READ, stdio::MAX_BYTE_READ, 2),
];
const STDIO_TIMES: &[Pair] = &[
    (float::POSIX_READ_TIME, stdio::F_READ_TIME),
    (float::POSIX_WRITE_TIME, stdio::F_WRITE_TIME),
    (float::POSIX_META_TIME, stdio::F_META_TIME),
    (float::VARIANCE_RANK_TIME, stdio::F_VARIANCE_RANK_TIME),
    (float::VARIANCE_RANK_BYTES, stdio::F_VARIANCE_RANK_BYTES),
];
const MPIIO_CALLS: &[Run] = &[
    (int::INDEP_OPENS, mpiio::INDEP_OPENS, 11),
    (int::HINTS, mpiio::HINTS, 2),
    (int::SIZE_READ_AGG_0_100, mpiio::SIZE_READ_AGG_0_100, 20),
];
const MPIIO_TIMES: &[Pair] = &[
    (float::MPI_READ_TIME, mpiio::F_READ_TIME),
    (float::MPI_WRITE_TIME, mpiio::F_WRITE_TIME),
    (float::MPI_META_TIME, mpiio::F_META_TIME),
];

/// The six moments of a module that has counters for all of them.
macro_rules! stamps {
    ($module:ident) => {
        &[
            (float::OPEN_TIMESTAMP, $module::F_OPEN_START_TIMESTAMP),
            (float::READ_START_TIMESTAMP, $module::F_READ_START_TIMESTAMP),
            (float::WRITE_START_TIMESTAMP, $module::F_WRITE_START_TIMESTAMP),
            (float::CLOSE_TIMESTAMP, $module::F_CLOSE_END_TIMESTAMP),
            (float::READ_END_TIMESTAMP, $module::F_READ_END_TIMESTAMP),
            (float::WRITE_END_TIMESTAMP, $module::F_WRITE_END_TIMESTAMP),
        ]
    };
}

fn stamps(module: Module) -> &'static [Pair] {
    match module {
        Module::Posix => stamps!(posix),
        Module::Stdio => stamps!(stdio),
        Module::MpiIo => stamps!(mpiio),
        Module::H5f => &[
            (float::OPEN_TIMESTAMP, h5f::F_OPEN_START_TIMESTAMP),
            (float::CLOSE_TIMESTAMP, h5f::F_CLOSE_END_TIMESTAMP),
        ],
        Module::PnetcdfFile => &[
            (float::OPEN_TIMESTAMP, pnetcdf_file::F_OPEN_START_TIMESTAMP),
            (float::CLOSE_TIMESTAMP, pnetcdf_file::F_CLOSE_END_TIMESTAMP),
        ],
        _ => &[],
    }
}

/// The fastest and slowest rank of a module: first counter of the four, and the two times.
fn extremes(module: Module) -> Option<(IntIdx, [Pair; 2])> {
    let (first, fastest, slowest) = match module {
        Module::Posix => (posix::FASTEST_RANK, posix::F_FASTEST_RANK_TIME, posix::F_SLOWEST_RANK_TIME),
        Module::Stdio => (stdio::FASTEST_RANK, stdio::F_FASTEST_RANK_TIME, stdio::F_SLOWEST_RANK_TIME),
        Module::MpiIo => (mpiio::FASTEST_RANK, mpiio::F_FASTEST_RANK_TIME, mpiio::F_SLOWEST_RANK_TIME),
        _ => return None,
    };
    Some((first, [(float::FASTEST_RANK_TIME, fastest), (float::SLOWEST_RANK_TIME, slowest)]))
}

/// Counters that are without meaning where all files of a rank share one record: the writer sets
/// some to 0 and adds up the others, alignments too.
pub const LOST_WHEN_CONDENSED: &[IntPlace] = &[
    int::MODE,
    int::CONSEC_READS,
    int::CONSEC_WRITES,
    int::SEQ_READS,
    int::SEQ_WRITES,
    int::MEM_ALIGNMENT,
    int::FILE_ALIGNMENT,
    int::FILE_NOT_ALIGNED,
    int::STRIDE1_STRIDE,
    int::STRIDE2_STRIDE,
    int::STRIDE3_STRIDE,
    int::STRIDE4_STRIDE,
    int::STRIDE1_COUNT,
    int::STRIDE2_COUNT,
    int::STRIDE3_COUNT,
    int::STRIDE4_COUNT,
    int::ACCESS1_ACCESS,
    int::ACCESS2_ACCESS,
    int::ACCESS3_ACCESS,
    int::ACCESS4_ACCESS,
    int::ACCESS1_COUNT,
    int::ACCESS2_COUNT,
    int::ACCESS3_COUNT,
    int::ACCESS4_COUNT,
];

/// Counters of one record of one module.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which.
    pub module: Module,
    /// Integers in the module's order.
    pub ints: Vec<Count>,
    /// Floats in the module's order.
    pub floats: Vec<Measure>,
}

impl Row {
    fn new(module: Module) -> Row {
        Row {
            module,
            ints: vec![Count::MISSING; module.ints().len()],
            floats: vec![Measure::MISSING; module.floats().len()],
        }
    }

    fn set(&mut self, idx: IntIdx, value: Count) {
        if let Some(slot) = self.ints.get_mut(idx.at()) {
            *slot = value;
        }
    }

    fn take_ints(&mut self, record: &OldRecord<'_>, runs: &[Run]) {
        for &(from, to, len) in runs {
            (0..len).for_each(|n| self.set(to.plus(n), record.int(IntPlace(from.0 + n))));
        }
    }

    fn take_floats(&mut self, record: &OldRecord<'_>, pairs: &[Pair]) {
        for &(from, to) in pairs {
            if let Some(slot) = self.floats.get_mut(to.at()) {
                *slot = record.float(from);
            }
        }
    }
}

/// Through which interfaces a file was used.
struct Usage {
    /// Opened, read or written through a descriptor.
    descriptors: bool,
    /// Any call on a descriptor or path.
    posix: bool,
    streams: bool,
    mpi: bool,
    mpi_timed: bool,
    hdf5: bool,
    pnetcdf: bool,
}

impl Usage {
    fn of(record: &OldRecord<'_>) -> Usage {
        let any = |places: &[IntPlace]| places.iter().any(|&place| record.int(place).amount() > 0);
        let any_of = |runs: &[Run]| {
            runs.iter().any(|&(from, _, len)| (0..len).any(|n| any(&[IntPlace(from.0 + n)])))
        };
        let mpi_timed = MPIIO_TIMES.iter().any(|&(from, _)| record.float(from).amount() > 0.0);
        Usage {
            descriptors: any(&[int::POSIX_OPENS, int::POSIX_READS, int::POSIX_WRITES]),
            posix: any_of(POSIX_CALLS),
            streams: any_of(STDIO_CALLS),
            mpi: mpi_timed || any_of(MPIIO_CALLS),
            mpi_timed,
            hdf5: any(&[int::HDF5_OPENS]),
            pnetcdf: any(&[int::INDEP_NC_OPENS, int::COLL_NC_OPENS]),
        }
    }

    /// Whose the bytes and POSIX times are. Where a file was used in both ways, they cannot be told
    /// apart and stay with POSIX.
    fn owner_of_data(&self) -> Module {
        if self.streams && !self.descriptors { Module::Stdio } else { Module::Posix }
    }

    /// Whose the moments are: those of the lowest interface that was seen, since its calls lie
    /// within those of the interfaces above it.
    fn owns_stamps(&self, module: Module) -> bool {
        let owner = match self {
            Usage { descriptors: true, .. } => Module::Posix,
            Usage { streams: true, .. } => Module::Stdio,
            Usage { mpi: true, .. } => Module::MpiIo,
            Usage { posix: true, .. } => Module::Posix,
            _ => return matches!(module, Module::H5f | Module::PnetcdfFile),
        };
        module == owner
    }

    /// Whose the fastest and slowest ranks are. Up to 2.04 their times were POSIX times; since then
    /// they are MPI-IO times where there are any.
    fn owner_of_extremes(&self, origin: Version) -> Module {
        if origin >= Version(2, 5) && self.mpi_timed { Module::MpiIo } else { self.owner_of_data() }
    }
}

/// Whether the fastest and slowest ranks of a record are known for MPI-IO only.
pub fn hides_posix_extremes(rows: &[Row]) -> bool {
    rows.iter().any(|row| {
        row.module == Module::MpiIo && row.ints.get(mpiio::SLOWEST_RANK.at()) != Some(&Count::MISSING)
    })
}

/// The records of an old one, at most one per module.
pub fn rows(record: &OldRecord<'_>, origin: Version) -> Vec<Row> {
    let usage = Usage::of(record);
    let mut rows: Vec<Row> = [
        usage.posix.then(|| posix_row(record, &usage)),
        usage.mpi.then(|| mpiio_row(record)),
        usage.hdf5.then(|| hdf5_row(record)),
        usage.pnetcdf.then(|| pnetcdf_row(record)),
        usage.streams.then(|| stdio_row(record, &usage)),
    ]
    .into_iter()
    .flatten()
    .collect();
    for row in &mut rows {
        if usage.owns_stamps(row.module) {
            row.take_floats(record, stamps(row.module));
        }
        if usage.owner_of_extremes(origin) == row.module {
            take_extremes(record, row);
        }
    }
    rows
}

fn posix_row(record: &OldRecord<'_>, usage: &Usage) -> Row {
    let mut row = Row::new(Module::Posix);
    row.take_ints(record, POSIX_CALLS);
    if usage.owner_of_data() == Module::Posix {
        row.take_ints(record, POSIX_DATA);
        row.take_floats(record, POSIX_TIMES);
        forget_untested(&mut row, posix::MEM_ALIGNMENT, posix::MEM_NOT_ALIGNED);
        forget_untested(&mut row, posix::FILE_ALIGNMENT, posix::FILE_NOT_ALIGNED);
        // There is one place for two modes: an MPI-IO open puts its own there.
        if record.int(int::INDEP_OPENS).amount() == 0 && record.int(int::COLL_OPENS).amount() == 0 {
            row.set(posix::MODE, record.int(int::MODE));
        }
    }
    row
}

/// Without an alignment (-1, or 0 where the file was never inspected) nothing was tested.
fn forget_untested(row: &mut Row, alignment: IntIdx, violations: IntIdx) {
    if row.ints.get(alignment.at()).is_none_or(|value| value.amount() == 0) {
        row.set(alignment, Count::MISSING);
        row.set(violations, Count::MISSING);
    }
}

fn stdio_row(record: &OldRecord<'_>, usage: &Usage) -> Row {
    let mut row = Row::new(Module::Stdio);
    row.take_ints(record, STDIO_CALLS);
    if usage.owner_of_data() == Module::Stdio {
        row.take_ints(record, STDIO_DATA);
        row.take_floats(record, STDIO_TIMES);
    }
    row
}

fn mpiio_row(record: &OldRecord<'_>) -> Row {
    let mut row = Row::new(Module::MpiIo);
    row.take_ints(record, MPIIO_CALLS);
    row.take_floats(record, MPIIO_TIMES);
    if record.int(int::INDEP_OPENS).amount() > 0 || record.int(int::COLL_OPENS).amount() > 0 {
        row.set(mpiio::MODE, record.int(int::MODE));
    }
    row
}

fn hdf5_row(record: &OldRecord<'_>) -> Row {
    let mut row = Row::new(Module::H5f);
    row.set(h5f::OPENS, record.int(int::HDF5_OPENS));
    row
}

/// Creations were counted as opens.
fn pnetcdf_row(record: &OldRecord<'_>) -> Row {
    let mut row = Row::new(Module::PnetcdfFile);
    let amount = |place| record.int(place).get().unwrap_or(0);
    let opens = amount(int::INDEP_NC_OPENS).saturating_add(amount(int::COLL_NC_OPENS));
    row.set(pnetcdf_file::OPENS, Count::new(opens));
    row
}

/// The bytes of a rank were counted below MPI-IO, so an MPI-IO record does not get them.
fn take_extremes(record: &OldRecord<'_>, row: &mut Row) {
    let Some((first, times)) = extremes(row.module) else { return };
    row.take_floats(record, &times);
    if row.module == Module::MpiIo {
        row.set(mpiio::FASTEST_RANK, record.int(int::FASTEST_RANK));
        row.set(mpiio::SLOWEST_RANK, record.int(int::SLOWEST_RANK));
    } else {
        row.take_ints(record, &[(int::FASTEST_RANK, first, 4)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_connect_counters_of_the_same_name() {
        let modules = [
            (Module::Posix, "POSIX_", [POSIX_CALLS, POSIX_DATA]),
            (Module::Stdio, "STDIO_", [STDIO_CALLS, STDIO_DATA]),
            (Module::MpiIo, "MPIIO_", [MPIIO_CALLS, &[(int::FASTEST_RANK, mpiio::FASTEST_RANK, 4)]]),
        ];
        for (module, prefix, runs) in modules {
            for (from, to, len) in runs.concat() {
                for n in 0..len {
                    let old = int::NAMES[from.0 + n];
                    let old = old.strip_prefix("POSIX_").unwrap_or(old);
                    let old = if module == Module::Stdio { old.strip_prefix('F').unwrap_or(old) } else { old };
                    assert_eq!(module.ints()[to.at() + n].name, format!("{prefix}{old}"));
                }
            }
        }
    }

    #[test]
    fn pairs_connect_times_of_the_same_name() {
        let modules = [
            (Module::Posix, "POSIX_F_", POSIX_TIMES),
            (Module::Stdio, "STDIO_F_", STDIO_TIMES),
            (Module::MpiIo, "MPIIO_F_", MPIIO_TIMES),
        ];
        for (module, prefix, pairs) in modules {
            for (from, to) in pairs {
                let old = float::NAMES[from.0].trim_start_matches("POSIX_").trim_start_matches("MPI_");
                assert_eq!(module.floats()[to.at()].name, format!("{prefix}{old}"));
            }
        }
    }
}
