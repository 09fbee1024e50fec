//! Any bytes as a table of operations; what is read is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::{Limits, csv};
use marigraph_model::{Reader, Module};

fuzz_target!(|data: &[u8]| {
    let _ = csv::sniff(data);
    let Ok(table) = csv::Table::open(data, Limits::default()) else { return };
    let trace = table.to_trace();
    let mut out = Vec::new();
    let mut writer = csv::Writer::new(&mut out, &trace.files, Module::Posix);
    trace.stream(&mut writer);
    let again = csv::Table::open(&out, Limits::default()).expect("what was written").to_trace();
    assert_eq!(again.events.len(), trace.events.len());
    assert_eq!(again.events.bytes(), trace.events.bytes());
});
