//! Buffered stream calls.

use super::def::counter_table;

counter_table! {
    prefix "STDIO_";
    ints {
        Sum: OPENS FDOPENS READS WRITES SEEKS FLUSHES BYTES_WRITTEN BYTES_READ;
        Max: MAX_BYTE_READ MAX_BYTE_WRITTEN;
        FastestRank: FASTEST_RANK;
        FastestBytes: FASTEST_RANK_BYTES;
        SlowestRank: SLOWEST_RANK;
        SlowestBytes: SLOWEST_RANK_BYTES;
    }
    floats {
        Time: F_META_TIME F_WRITE_TIME F_READ_TIME;
        Start: F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_WRITE_START_TIMESTAMP
            F_READ_START_TIMESTAMP;
        End: F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_WRITE_END_TIMESTAMP
            F_READ_END_TIMESTAMP;
        FastestTime: F_FASTEST_RANK_TIME;
        SlowestTime: F_SLOWEST_RANK_TIME;
        TimeVariance: F_VARIANCE_RANK_TIME;
        BytesVariance: F_VARIANCE_RANK_BYTES;
    }
}
