//! Any bytes from a ZeroMQ peer: no panic, no message above the limit, and the same events wherever
//! the pieces end.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_system::zmtp::{Decoder, Event};

const LIMIT: usize = 1 << 16;

fn decode(bytes: &[u8], size: usize) -> (Vec<Event>, bool) {
    let mut decoder = Decoder::new(LIMIT);
    let mut events = Vec::new();
    let fine = bytes.chunks(size).all(|piece| decoder.push(piece, &mut |event| events.push(event)).is_ok());
    (events, fine)
}

fuzz_target!(|data: &[u8]| {
    // A valid introduction, so that most inputs get past it; the first byte decides whether to use
    // it.
    let Some((&kind, rest)) = data.split_first() else { return };
    let mut bytes = Vec::new();
    if kind % 4 != 0 {
        bytes.extend(b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL");
        bytes.resize(64, 0);
    }
    if kind % 4 > 1 {
        bytes.extend(b"\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH");
    }
    bytes.extend_from_slice(rest);
    let whole = decode(&bytes, usize::MAX);
    for event in &whole.0 {
        assert!(!matches!(event, Event::Message(message) if message.len() > LIMIT));
    }
    assert_eq!(decode(&bytes, 1 + usize::from(kind) % 13), whole);
});
