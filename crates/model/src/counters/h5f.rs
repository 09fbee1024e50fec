//! HDF5 files.

use super::def::counter_table;

counter_table! {
    prefix "H5F_";
    ints {
        Sum: OPENS FLUSHES;
        Flag: USE_MPIIO;
    }
    floats {
        Start: F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP;
        End: F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP;
        Time: F_META_TIME;
    }
}
