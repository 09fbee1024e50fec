//! Maps old counters to counters of the model.

use marigraph_model::Module;
use marigraph_model::counters::{FloatIdx, IntIdx, h5f, mpiio, pnetcdf_file, posix, stdio};

use super::places::{FloatPlace, IntPlace, float, int};

/// Counters that are adjacent in the same order on both sides: from, to, count.
pub type Run = (IntPlace, IntIdx, usize);
/// A time on both sides.
pub type Pair = (FloatPlace, FloatIdx);

/// Calls on descriptors and paths.
pub const POSIX_CALLS: &[Run] = &[
    (int::POSIX_READS, posix::READS, 2),
    (int::POSIX_OPENS, posix::OPENS, 1),
    (int::POSIX_SEEKS, posix::SEEKS, 3),
    (int::POSIX_FSYNCS, posix::FSYNCS, 2),
];
/// Data of those calls and of calls on streams.
pub const POSIX_DATA: &[Run] = &[
    (int::BYTES_READ, posix::BYTES_READ, 15),
    (int::SIZE_READ_0_100, posix::SIZE_READ_0_100, 20),
    (int::STRIDE1_STRIDE, posix::STRIDE1_STRIDE, 8),
    (int::ACCESS1_ACCESS, posix::ACCESS1_ACCESS, 8),
];
/// Durations of both.
pub const POSIX_TIMES: &[Pair] = &[
    (float::POSIX_READ_TIME, posix::F_READ_TIME),
    (float::POSIX_WRITE_TIME, posix::F_WRITE_TIME),
    (float::POSIX_META_TIME, posix::F_META_TIME),
    (float::MAX_READ_TIME, posix::F_MAX_READ_TIME),
    (float::MAX_WRITE_TIME, posix::F_MAX_WRITE_TIME),
    (float::VARIANCE_RANK_TIME, posix::F_VARIANCE_RANK_TIME),
    (float::VARIANCE_RANK_BYTES, posix::F_VARIANCE_RANK_BYTES),
];
pub const STDIO_CALLS: &[Run] = &[
    (int::POSIX_FREADS, stdio::READS, 2),
    (int::POSIX_FOPENS, stdio::OPENS, 1),
    (int::POSIX_FSEEKS, stdio::SEEKS, 1),
];
/// Data of streams, for files used through streams alone.
pub const STDIO_DATA: &[Run] = &[
    (int::BYTES_READ, stdio::BYTES_READ, 1),
    (int::BYTES_WRITTEN, stdio::BYTES_WRITTEN, 1),
    (int::MAX_BYTE_READ, stdio::MAX_BYTE_READ, 2),
];
/// Durations of streams, likewise.
pub const STDIO_TIMES: &[Pair] = &[
    (float::POSIX_READ_TIME, stdio::F_READ_TIME),
    (float::POSIX_WRITE_TIME, stdio::F_WRITE_TIME),
    (float::POSIX_META_TIME, stdio::F_META_TIME),
    (float::VARIANCE_RANK_TIME, stdio::F_VARIANCE_RANK_TIME),
    (float::VARIANCE_RANK_BYTES, stdio::F_VARIANCE_RANK_BYTES),
];
/// Calls through MPI-IO and their sizes.
pub const MPIIO_CALLS: &[Run] = &[
    (int::INDEP_OPENS, mpiio::INDEP_OPENS, 11),
    (int::HINTS, mpiio::HINTS, 2),
    (int::SIZE_READ_AGG_0_100, mpiio::SIZE_READ_AGG_0_100, 20),
];
pub const MPIIO_TIMES: &[Pair] = &[
    (float::MPI_READ_TIME, mpiio::F_READ_TIME),
    (float::MPI_WRITE_TIME, mpiio::F_WRITE_TIME),
    (float::MPI_META_TIME, mpiio::F_META_TIME),
];

/// The six timestamps of a module that has counters for all of them.
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

pub fn stamps(module: Module) -> &'static [Pair] {
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

/// The fastest and slowest rank of a module: the first of four counters, and the two times.
pub fn extremes(module: Module) -> Option<(IntIdx, [Pair; 2])> {
    let (first, fastest, slowest) = match module {
        Module::Posix => (posix::FASTEST_RANK, posix::F_FASTEST_RANK_TIME, posix::F_SLOWEST_RANK_TIME),
        Module::Stdio => (stdio::FASTEST_RANK, stdio::F_FASTEST_RANK_TIME, stdio::F_SLOWEST_RANK_TIME),
        Module::MpiIo => (mpiio::FASTEST_RANK, mpiio::F_FASTEST_RANK_TIME, mpiio::F_SLOWEST_RANK_TIME),
        _ => return None,
    };
    Some((first, [(float::FASTEST_RANK_TIME, fastest), (float::SLOWEST_RANK_TIME, slowest)]))
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
                    let old =
                        if module == Module::Stdio { old.strip_prefix('F').unwrap_or(old) } else { old };
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
