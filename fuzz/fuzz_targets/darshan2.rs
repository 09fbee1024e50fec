//! Any bytes as a Darshan 1.x or 2.x log.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::darshan2;

fuzz_target!(|data: &[u8]| {
    let _ = darshan2::sniff(data);
    let _ = darshan2::read(data);
});
