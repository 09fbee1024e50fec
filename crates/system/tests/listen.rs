//! Listening: plain and ZeroMQ peers on one port, several at once, and hostile ones.

#![allow(clippy::expect_used, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use marigraph_system::address::Address;
use marigraph_system::arrival::Arrival;
use marigraph_system::listen::Listener;
use marigraph_system::pipe::Pipe;

/// Long enough for any machine; a test that waits this long has failed.
const LIMIT: Duration = Duration::from_secs(60);

fn listen(address: &str) -> Listener {
    Listener::bind(&Address::parse(address).expect("an address")).expect("binds")
}

fn connect(listener: &Listener) -> TcpStream {
    TcpStream::connect(listener.address()).expect("connects")
}

/// A greeting and READY of a PUSH socket.
fn introduction() -> Vec<u8> {
    let mut bytes = b"\xff\0\0\0\0\0\0\0\x01\x7f\x03\0NULL".to_vec();
    bytes.resize(64, 0);
    bytes.extend(b"\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PUSH");
    bytes
}

/// What arrived.
#[derive(Default)]
struct Came {
    /// Bytes per source.
    streams: BTreeMap<u64, Vec<u8>>,
    messages: Vec<Vec<u8>>,
    remarks: Vec<String>,
}

/// What arrives until `closed` sources have ended.
fn gather(listener: &Listener, closed: usize) -> Came {
    let mut came = Came::default();
    let mut left = closed;
    while left > 0 {
        match listener.wait(LIMIT).expect("something comes") {
            Arrival::Bytes { source, bytes } => came.streams.entry(source).or_default().extend(bytes),
            Arrival::Message { bytes, .. } => came.messages.push(bytes),
            Arrival::Closed { .. } => left -= 1,
            Arrival::Remark(text) => came.remarks.push(text),
            other @ Arrival::Restarted { .. } => panic!("{other:?}"),
        }
    }
    came
}

#[test]
fn several_peers_speak_plainly_at_once() {
    let listener = listen("0");
    assert!(listener.address().ip().is_loopback());
    let mut peers: Vec<TcpStream> = (0..5).map(|_| connect(&listener)).collect();
    for round in 0..3 {
        for (at, peer) in peers.iter_mut().enumerate() {
            write!(peer, "{at}-{round} ").expect("sends");
        }
    }
    drop(peers);
    let Came { streams, messages, remarks } = gather(&listener, 5);
    let mut texts: Vec<String> =
        streams.into_values().map(|bytes| String::from_utf8(bytes).expect("text")).collect();
    texts.sort();
    assert_eq!(texts, ["0-0 0-1 0-2 ", "1-0 1-1 1-2 ", "2-0 2-1 2-2 ", "3-0 3-1 3-2 ", "4-0 4-1 4-2 "]);
    assert_eq!((messages.len(), remarks.len()), (0, 0));
}

#[test]
fn zeromq_is_known_by_its_first_byte() {
    for address in ["0", "tcp://127.0.0.1:0", "zmq://127.0.0.1:0"] {
        let listener = listen(address);
        let mut peer = connect(&listener);
        peer.write_all(&introduction()).expect("greets");
        let mut answer = [0; 64 + 28];
        peer.read_exact(&mut answer).expect("is greeted");
        assert!(answer.ends_with(b"PULL"));
        peer.write_all(b"\0\x03one\x01\x01t\0\x02wo").expect("sends");
        drop(peer);
        let Came { streams, messages, remarks } = gather(&listener, 1);
        assert_eq!(messages, [b"one", b"two"]);
        assert_eq!((streams.len(), remarks.len()), (0, 0));
    }
}

#[test]
fn who_does_not_speak_zeromq_is_dropped_with_a_word() {
    let listener = listen("zmq://127.0.0.1:0");
    let mut peer = connect(&listener);
    peer.write_all(b"{\"write_sync\": 1}\n").expect("sends");
    let Came { streams, messages, remarks } = gather(&listener, 1);
    assert_eq!((streams.len(), messages.len()), (0, 0));
    assert_eq!(remarks.len(), 1);
    assert!(remarks[0].contains("connection dropped: it does not speak the ZeroMQ protocol"), "{remarks:?}");
    // The next peer is served all the same.
    let mut peer = connect(&listener);
    peer.write_all(&introduction()).expect("greets");
    peer.write_all(b"\0\x01x").expect("sends");
    peer.shutdown(Shutdown::Write).expect("ends");
    assert_eq!(gather(&listener, 1).messages, [b"x"]);
}

#[test]
fn what_came_before_a_fault_counts() {
    let listener = listen("0");
    let mut peer = connect(&listener);
    peer.write_all(&[introduction(), b"\0\x01x\x80".to_vec()].concat()).expect("sends");
    let Came { messages, remarks, .. } = gather(&listener, 1);
    assert_eq!(messages, [b"x"]);
    assert_eq!(remarks.len(), 1);
}

#[test]
fn a_peer_that_promised_signs_of_life_and_gives_none_is_gone() {
    let listener = listen("0");
    let mut peer = connect(&listener);
    peer.write_all(&[introduction(), b"\x04\x07\x04PING\0\x01".to_vec()].concat()).expect("sends");
    let remarks = gather(&listener, 1).remarks;
    assert!(remarks[0].contains("no data for longer than agreed"), "{remarks:?}");
}

#[test]
fn a_pipe_ends() {
    let pipe = Pipe::new(|| Ok(&b"all of it"[..])).expect("starts");
    assert_eq!(pipe.wait(LIMIT), Some(Arrival::Bytes { source: 0, bytes: b"all of it".to_vec() }));
    assert_eq!(pipe.wait(LIMIT), Some(Arrival::Closed { source: 0 }));
    assert_eq!(pipe.wait(Duration::ZERO), None);
    let pipe = Pipe::new(|| std::fs::File::open("/nonexistent")).expect("starts");
    assert!(matches!(pipe.wait(LIMIT), Some(Arrival::Remark(text)) if text.contains("No such file")));
    assert_eq!(pipe.wait(LIMIT), Some(Arrival::Closed { source: 0 }));
}
