//! The counters of a record, their order, and the version that introduced them.

use super::version::Version;

/// Position of an integer counter in the newest records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntPlace(pub usize);

/// Position of a float counter in the newest records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatPlace(pub usize);

/// Declares the counters in their stored order, including those that the model lacks.
macro_rules! places {
    ($place:ident: $($name:ident)+) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Position { $($name,)+ }
        $(#[allow(dead_code)] pub const $name: super::$place = super::$place(Position::$name as usize);)+
        pub const NAMES: &[&str] = &[$(stringify!($name),)+];
    };
}

pub mod int {
    places! { IntPlace:
        INDEP_OPENS COLL_OPENS INDEP_READS INDEP_WRITES COLL_READS COLL_WRITES SPLIT_READS
        SPLIT_WRITES NB_READS NB_WRITES SYNCS
        POSIX_READS POSIX_WRITES POSIX_OPENS POSIX_SEEKS POSIX_STATS POSIX_MMAPS POSIX_FREADS
        POSIX_FWRITES POSIX_FOPENS POSIX_FSEEKS POSIX_FSYNCS POSIX_FDSYNCS
        INDEP_NC_OPENS COLL_NC_OPENS HDF5_OPENS
        COMBINER_NAMED COMBINER_DUP COMBINER_CONTIGUOUS COMBINER_VECTOR COMBINER_HVECTOR_INTEGER
        COMBINER_HVECTOR COMBINER_INDEXED COMBINER_HINDEXED_INTEGER COMBINER_HINDEXED
        COMBINER_INDEXED_BLOCK COMBINER_STRUCT_INTEGER COMBINER_STRUCT COMBINER_SUBARRAY
        COMBINER_DARRAY COMBINER_F90_REAL COMBINER_F90_COMPLEX COMBINER_F90_INTEGER
        COMBINER_RESIZED
        HINTS VIEWS MODE BYTES_READ BYTES_WRITTEN MAX_BYTE_READ MAX_BYTE_WRITTEN CONSEC_READS
        CONSEC_WRITES SEQ_READS SEQ_WRITES RW_SWITCHES MEM_NOT_ALIGNED MEM_ALIGNMENT
        FILE_NOT_ALIGNED FILE_ALIGNMENT MAX_READ_TIME_SIZE MAX_WRITE_TIME_SIZE
        SIZE_READ_0_100 SIZE_READ_100_1K SIZE_READ_1K_10K SIZE_READ_10K_100K SIZE_READ_100K_1M
        SIZE_READ_1M_4M SIZE_READ_4M_10M SIZE_READ_10M_100M SIZE_READ_100M_1G SIZE_READ_1G_PLUS
        SIZE_WRITE_0_100 SIZE_WRITE_100_1K SIZE_WRITE_1K_10K SIZE_WRITE_10K_100K
        SIZE_WRITE_100K_1M SIZE_WRITE_1M_4M SIZE_WRITE_4M_10M SIZE_WRITE_10M_100M
        SIZE_WRITE_100M_1G SIZE_WRITE_1G_PLUS
        SIZE_READ_AGG_0_100 SIZE_READ_AGG_100_1K SIZE_READ_AGG_1K_10K SIZE_READ_AGG_10K_100K
        SIZE_READ_AGG_100K_1M SIZE_READ_AGG_1M_4M SIZE_READ_AGG_4M_10M SIZE_READ_AGG_10M_100M
        SIZE_READ_AGG_100M_1G SIZE_READ_AGG_1G_PLUS
        SIZE_WRITE_AGG_0_100 SIZE_WRITE_AGG_100_1K SIZE_WRITE_AGG_1K_10K SIZE_WRITE_AGG_10K_100K
        SIZE_WRITE_AGG_100K_1M SIZE_WRITE_AGG_1M_4M SIZE_WRITE_AGG_4M_10M SIZE_WRITE_AGG_10M_100M
        SIZE_WRITE_AGG_100M_1G SIZE_WRITE_AGG_1G_PLUS
        EXTENT_READ_0_100 EXTENT_READ_100_1K EXTENT_READ_1K_10K EXTENT_READ_10K_100K
        EXTENT_READ_100K_1M EXTENT_READ_1M_4M EXTENT_READ_4M_10M EXTENT_READ_10M_100M
        EXTENT_READ_100M_1G EXTENT_READ_1G_PLUS
        EXTENT_WRITE_0_100 EXTENT_WRITE_100_1K EXTENT_WRITE_1K_10K EXTENT_WRITE_10K_100K
        EXTENT_WRITE_100K_1M EXTENT_WRITE_1M_4M EXTENT_WRITE_4M_10M EXTENT_WRITE_10M_100M
        EXTENT_WRITE_100M_1G EXTENT_WRITE_1G_PLUS
        STRIDE1_STRIDE STRIDE2_STRIDE STRIDE3_STRIDE STRIDE4_STRIDE
        STRIDE1_COUNT STRIDE2_COUNT STRIDE3_COUNT STRIDE4_COUNT
        ACCESS1_ACCESS ACCESS2_ACCESS ACCESS3_ACCESS ACCESS4_ACCESS
        ACCESS1_COUNT ACCESS2_COUNT ACCESS3_COUNT ACCESS4_COUNT
        DEVICE SIZE_AT_OPEN FASTEST_RANK FASTEST_RANK_BYTES SLOWEST_RANK SLOWEST_RANK_BYTES
    }
}

pub mod float {
    places! { FloatPlace:
        OPEN_TIMESTAMP READ_START_TIMESTAMP WRITE_START_TIMESTAMP CLOSE_TIMESTAMP
        READ_END_TIMESTAMP WRITE_END_TIMESTAMP
        POSIX_READ_TIME POSIX_WRITE_TIME POSIX_META_TIME MPI_META_TIME MPI_READ_TIME
        MPI_WRITE_TIME MAX_READ_TIME MAX_WRITE_TIME FASTEST_RANK_TIME SLOWEST_RANK_TIME
        VARIANCE_RANK_TIME VARIANCE_RANK_BYTES
    }
}

/// The first floats of every version are timestamps, the others durations and variances.
pub const STAMPS: usize = 6;

/// Counters that are meaningless if all files of a rank share one record.
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

struct Addition {
    since: Version,
    ints: &'static [IntPlace],
    floats: &'static [FloatPlace],
}

static ADDITIONS: [Addition; 3] = [
    Addition {
        since: Version(1, 22),
        ints: &[
            int::INDEP_NC_OPENS,
            int::COLL_NC_OPENS,
            int::HDF5_OPENS,
            int::MAX_READ_TIME_SIZE,
            int::MAX_WRITE_TIME_SIZE,
        ],
        floats: &[float::MAX_READ_TIME, float::MAX_WRITE_TIME],
    },
    Addition { since: Version(1, 23), ints: &[int::DEVICE, int::SIZE_AT_OPEN], floats: &[] },
    Addition {
        since: Version(2, 0),
        ints: &[int::FASTEST_RANK, int::FASTEST_RANK_BYTES, int::SLOWEST_RANK, int::SLOWEST_RANK_BYTES],
        floats: &[
            float::FASTEST_RANK_TIME,
            float::SLOWEST_RANK_TIME,
            float::VARIANCE_RANK_TIME,
            float::VARIANCE_RANK_BYTES,
        ],
    },
];

pub fn has_int(version: Version, place: IntPlace) -> bool {
    !ADDITIONS.iter().any(|addition| version < addition.since && addition.ints.contains(&place))
}

pub fn has_float(version: Version, place: FloatPlace) -> bool {
    !ADDITIONS.iter().any(|addition| version < addition.since && addition.floats.contains(&place))
}
