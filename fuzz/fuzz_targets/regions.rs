//! Any bytes as the records of a module: an uncompressed log is built around them, so that the
//! fuzzer reaches record parsers without having to guess compressed streams.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::darshan::{Log, rewrite, text};
use marigraph_formats::Limits;
use marigraph_model::Reader;

fuzz_target!(|data: &[u8]| {
    let [module, version, order, partial, records @ ..] = data else { return };
    let big = order & 1 == 1;
    let number = |value: u64| if big { value.to_be_bytes() } else { value.to_le_bytes() };
    let mut log = vec![0u8; 1328];
    log[..4].copy_from_slice(b"3.41");
    log[8..16].copy_from_slice(&number(6_567_223));
    log[16] = 2;
    log[24..32].copy_from_slice(&number(u64::from(*partial) << (module % 18)));
    let at = 48 + usize::from(module % 18) * 16;
    log[at..at + 8].copy_from_slice(&number(1328 + 1080));
    log[at + 8..at + 16].copy_from_slice(&number(records.len() as u64));
    let version = u32::from(version % 5);
    let at = 1072 + usize::from(module % 18) * 4;
    log[at..at + 4].copy_from_slice(&if big { version.to_be_bytes() } else { version.to_le_bytes() });
    log.extend_from_slice(&[0; 1080]);
    log.extend_from_slice(records);
    let log = Log::open(&log, Limits::default()).expect("a well-formed header");
    let trace = log.to_trace();
    let mut out = Vec::new();
    text::base(&log, text::Options { offset: &|_| 0, threads: 1 }, &mut out).expect("in memory");
    text::dxt(&log, text::Options { offset: &|_| 0, threads: 1 }, &mut out).expect("in memory");
    let (rewritten, _) = rewrite(&log);
    let again = Log::open(&rewritten, Limits::default()).expect("what was written").to_trace();
    assert_eq!(trace.records, again.records);
    assert_eq!(trace.events, again.events);
    assert_eq!(trace.series, again.series);
    assert_eq!(trace.layouts, again.layouts);
});
