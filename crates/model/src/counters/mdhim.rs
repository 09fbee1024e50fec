//! MDHIM key-value store calls.

use super::def::counter_table;

counter_table! {
    prefix "MDHIM_";
    ints {
        Sum: PUTS GETS;
        Max: PUT_MAX_SIZE GET_MAX_SIZE;
        Any: SERVERS;
    }
    floats {
        Start: F_PUT_TIMESTAMP F_GET_TIMESTAMP;
        SlowestWrite: F_PUT_MAX_DURATION;
        SlowestRead: F_GET_MAX_DURATION;
    }
}
