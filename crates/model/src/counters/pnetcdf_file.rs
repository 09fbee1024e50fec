//! PnetCDF files.

use super::def::counter_table;

counter_table! {
    prefix "PNETCDF_FILE_";
    ints {
        Sum: CREATES OPENS REDEFS INDEP_WAITS COLL_WAITS SYNCS BYTES_READ BYTES_WRITTEN
            WAIT_FAILURES;
    }
    floats {
        Start: F_OPEN_START_TIMESTAMP F_CLOSE_START_TIMESTAMP F_WAIT_START_TIMESTAMP;
        End: F_OPEN_END_TIMESTAMP F_CLOSE_END_TIMESTAMP F_WAIT_END_TIMESTAMP;
        Time: F_META_TIME F_WAIT_TIME;
    }
}
