//! Blue Gene/Q machine facts, one record per job.

use super::def::counter_table;

counter_table! {
    prefix "BGQ_";
    ints {
        Any: CSJOBID NNODES RANKSPERNODE DDRPERNODE INODES ANODES BNODES CNODES DNODES ENODES
            TORUSENABLED;
    }
    floats {
        Any: F_TIMESTAMP;
    }
}
