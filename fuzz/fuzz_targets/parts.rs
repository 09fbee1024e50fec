//! Any bytes as the files of a recorded process: its log, its live file, a folded segment.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_wire::bytes::Writer;
use marigraph_wire::chunk::Chunks;
use marigraph_wire::part::{Live, read_identity};
use marigraph_wire::segment;

fuzz_target!(|data: &[u8]| {
    for (_, content) in Chunks::new(data) {
        let _ = (segment::decode(content), read_identity(content));
    }
    let _ = Live::new(data).map(|live| live.tails().count());
    let _ = read_identity(data);
    // A decoded segment is the same after encoding and decoding again.
    let Some(records) = segment::decode(data) else { return };
    let mut memory = Box::new(segment::Memory::NEW);
    let mut room = vec![0; 1 << 20];
    let mut writer = Writer::new(&mut room);
    if segment::encode(&records, &mut memory, &mut writer).is_some()
        && let Some(bytes) = writer.finish()
    {
        assert_eq!(segment::decode(bytes).as_ref(), Some(&records));
    }
});
