//! Splits old records, which cover all interfaces at once, into one record per interface.
//!
//! Bytes, sizes, strides and `POSIX_*` times were counted for descriptors and streams together,
//! never for MPI-IO; the timestamps are those of the first and last operation through any
//! interface. What cannot be attributed to an interface is missing from its record.

use marigraph_model::counters::{IntIdx, h5f, mpiio, pnetcdf_file, posix};
use marigraph_model::{Count, Measure, Module};

use super::layout::OldRecord;
use super::mapping::{
    MPIIO_CALLS, MPIIO_TIMES, POSIX_CALLS, POSIX_DATA, POSIX_TIMES, Pair, Run, STDIO_CALLS, STDIO_DATA,
    STDIO_TIMES, extremes, stamps,
};
use super::places::{IntPlace, int};
use super::version::Version;

/// Counters of one record of one module.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub module: Module,
    /// In the module's order.
    pub ints: Vec<Count>,
    /// In the module's order.
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
        let any_of =
            |runs: &[Run]| runs.iter().any(|&(from, _, len)| (0..len).any(|n| any(&[IntPlace(from.0 + n)])));
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

    /// The module that owns bytes and POSIX times. If a file was used in both ways, they cannot be
    /// separated and stay with POSIX.
    fn owner_of_data(&self) -> Module {
        if self.streams && !self.descriptors { Module::Stdio } else { Module::Posix }
    }

    /// Whether a module owns the timestamps: the lowest interface in use does. Its calls lie within
    /// those of the interfaces above it, and the first call to return sets the first timestamps.
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

    /// The module that owns the fastest and slowest ranks. Up to 2.04 their times were POSIX times;
    /// since then they are MPI-IO times where available.
    fn owner_of_extremes(&self, origin: Version) -> Module {
        if origin >= Version(2, 5) && self.mpi_timed { Module::MpiIo } else { self.owner_of_data() }
    }
}

/// Whether the fastest and slowest ranks of a record are known for MPI-IO, but not for a lower
/// interface.
pub fn hides_extremes(rows: &[Row]) -> bool {
    let known = |row: &Row| row.ints.get(mpiio::SLOWEST_RANK.at()).is_some_and(|rank| rank.get().is_some());
    rows.iter().any(|row| row.module == Module::MpiIo && known(row))
        && rows.iter().any(|row| matches!(row.module, Module::Posix | Module::Stdio))
}

/// Splits an old record, into at most one row per module.
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
        // There is one field for two modes: an MPI-IO open stores its own there.
        if record.int(int::INDEP_OPENS).amount() == 0 && record.int(int::COLL_OPENS).amount() == 0 {
            row.set(posix::MODE, record.int(int::MODE));
        }
    }
    row
}

/// Without an alignment (-1, or 0 if the file was never inspected) nothing was tested.
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
