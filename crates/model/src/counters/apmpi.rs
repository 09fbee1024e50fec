//! MPI call statistics (AutoPerf), one record per rank.
//!
//! Names follow from the list of operations, so the tables are built on first use.

use std::sync::LazyLock;

use super::{FloatDef, FloatKind, IntDef, IntKind};

/// Operations in the order of the record; `true` for those that carry message sizes.
const OPS: [(&str, bool); 74] = [
    ("SEND", true),
    ("SSEND", true),
    ("RSEND", true),
    ("BSEND", true),
    ("RECV", true),
    ("SENDRECV", true),
    ("SENDRECV_REPLACE", true),
    ("ISEND", true),
    ("ISSEND", true),
    ("IRSEND", true),
    ("IBSEND", true),
    ("IRECV", true),
    ("PROBE", false),
    ("IPROBE", false),
    ("TEST", false),
    ("TESTANY", false),
    ("TESTALL", false),
    ("TESTSOME", false),
    ("WAIT", false),
    ("WAITANY", false),
    ("WAITALL", false),
    ("WAITSOME", false),
    ("BARRIER", false),
    ("IBARRIER", false),
    ("BCAST", true),
    ("GATHER", true),
    ("GATHERV", true),
    ("SCATTER", true),
    ("SCATTERV", true),
    ("SCAN", true),
    ("EXSCAN", true),
    ("ALLGATHER", true),
    ("ALLGATHERV", true),
    ("REDUCE", true),
    ("ALLREDUCE", true),
    ("REDUCE_SCATTER", true),
    ("ALLTOALL", true),
    ("ALLTOALLV", true),
    ("ALLTOALLW", true),
    ("IBCAST", true),
    ("IGATHER", true),
    ("IGATHERV", true),
    ("ISCATTER", true),
    ("ISCATTERV", true),
    ("ISCAN", true),
    ("IEXSCAN", true),
    ("IALLGATHER", true),
    ("IALLGATHERV", true),
    ("IREDUCE", true),
    ("IALLREDUCE", true),
    ("IREDUCE_SCATTER", true),
    ("IALLTOALL", true),
    ("IALLTOALLV", true),
    ("IALLTOALLW", true),
    ("PUT", true),
    ("GET", true),
    ("ACCUMULATE", true),
    ("GET_ACCUMULATE", true),
    ("FETCH_AND_OP", false),
    ("COMPARE_AND_SWAP", false),
    ("WIN_FENCE", false),
    ("WIN_START", false),
    ("WIN_COMPLETE", false),
    ("WIN_POST", false),
    ("WIN_WAIT", false),
    ("WIN_TEST", false),
    ("WIN_LOCK", false),
    ("WIN_UNLOCK", false),
    ("WIN_UNLOCK_ALL", false),
    ("WIN_FLUSH", false),
    ("WIN_FLUSH_ALL", false),
    ("WIN_FLUSH_LOCAL", false),
    ("WIN_FLUSH_LOCAL_ALL", false),
    ("WIN_SYNC", false),
];

/// The blocking collectives whose synchronisation time is measured: BARRIER, then BCAST..ALLTOALLW.
const SYNCED: [usize; 16] = [22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38];

const SIZED_FIELDS: [&str; 8] = [
    "CALL_COUNT",
    "TOTAL_BYTES",
    "MSG_SIZE_AGG_0_256",
    "MSG_SIZE_AGG_256_1K",
    "MSG_SIZE_AGG_1K_8K",
    "MSG_SIZE_AGG_8K_256K",
    "MSG_SIZE_AGG_256K_1M",
    "MSG_SIZE_AGG_1M_PLUS",
];

/// Per-operation time counters: total, minimum and maximum of each operation.
pub const TIMES: usize = 3 * OPS.len();
/// Synchronisation time counters, which follow the times.
pub const SYNC_TIMES: usize = SYNCED.len();
/// Per-rank totals, which come last.
pub const GLOBALS: usize = 2;

/// Concatenates, because formatting all 636 names would take longer than reading a small log.
fn name(op: &str, field: &str) -> String {
    ["MPI_", op, "_", field].concat()
}

pub static INTS: LazyLock<Vec<IntDef>> = LazyLock::new(|| {
    let fields = |sized: bool| if sized { &SIZED_FIELDS[..] } else { &SIZED_FIELDS[..1] };
    OPS.iter()
        .flat_map(|&(op, sized)| fields(sized).iter().map(move |field| name(op, field)))
        .map(|name| IntDef { name: name.leak(), kind: IntKind::Sum })
        .collect()
});

/// Times, synchronisation times, totals of the rank.
pub static FLOATS: LazyLock<Vec<FloatDef>> = LazyLock::new(|| {
    let times =
        OPS.iter().flat_map(|&(op, _)| ["TOTAL_TIME", "MIN_TIME", "MAX_TIME"].map(|field| name(op, field)));
    let syncs = SYNCED.iter().map(|&at| name(OPS[at].0, "TOTAL_SYNC_TIME"));
    let globals = ["MPI_TOTAL_COMM_TIME", "MPI_TOTAL_COMM_SYNC_TIME"].map(String::from);
    times
        .chain(syncs)
        .chain(globals)
        .map(|name| FloatDef { name: name.leak(), kind: FloatKind::Time })
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_sizes_of_the_record() {
        assert_eq!(INTS.len(), 396);
        assert_eq!(FLOATS.len(), TIMES + SYNC_TIMES + GLOBALS);
        assert_eq!(FLOATS.len(), 222 + 16 + 2);
        assert_eq!(FLOATS[TIMES].name, "MPI_BARRIER_TOTAL_SYNC_TIME");
        assert_eq!(FLOATS[TIMES + SYNC_TIMES - 1].name, "MPI_ALLTOALLW_TOTAL_SYNC_TIME");
    }
}
