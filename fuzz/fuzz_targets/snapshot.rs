//! Any bytes as a snapshot: no panic, and what is read is the same after writing and reading again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::snapshot::{read, write};

fuzz_target!(|data: &[u8]| {
    let Ok(kept) = read(data) else { return };
    let done = kept.left.map(|(done, _)| done);
    let written = write(&kept.snapshot, done);
    let again = read(&written).expect("what was written is read");
    assert_eq!(write(&again.snapshot, done), written);
});
