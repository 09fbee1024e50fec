//! Any bytes as a file of the monitor: no panic, no more looks than records, and readings that are
//! numbers. Bytes are also put into frames, because few random ones have the right checksum.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::server::monitor::{sniff, tail, walk};
use marigraph_formats::server::{Zone, read_throughput};
use marigraph_wire::bytes::crc32c;

/// Frames pieces of the input; the first byte of a piece is its length.
fn framed(mut data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((&length, rest)) = data.split_first() {
        let (body, after) = rest.split_at(usize::from(length & 0x7f).min(rest.len()));
        let length = body.len() as u8;
        out.extend([0xd1, b'm', length]);
        out.extend((crc32c(body) ^ crc32c(&[length]).rotate_left(16)).to_le_bytes());
        out.extend(body);
        data = after;
    }
    out
}

fn read(content: &[u8]) {
    let mut looks = 0;
    let walked = walk(content, &mut |_| looks += 1);
    assert!(walked.looks <= looks && looks <= content.len() as u64 / 7);
    if let Some(tail) = tail(content) {
        assert!(tail.sound <= content.len());
    }
    if sniff(content) {
        let _ = read_throughput(content, &Zone::utc(), &mut |reading| {
            assert!(reading.seconds > 0.0 && reading.read >= 0.0 && reading.write >= 0.0);
        });
    }
}

fuzz_target!(|data: &[u8]| {
    read(data);
    read(&framed(data));
});
