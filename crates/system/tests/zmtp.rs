//! ZeroMQ's protocol, from bytes written by hand after the specification.

#![allow(clippy::expect_used, clippy::print_stderr)]

use std::time::Duration;

use marigraph_system::zmtp::{Decoder, Event, Fault};

fn greeting(version: u8, mechanism: &str) -> Vec<u8> {
    let mut bytes = vec![0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, version, 0];
    bytes.extend(mechanism.as_bytes());
    bytes.resize(64, 0);
    bytes
}

fn frame(flags: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![flags];
    if flags & 2 == 0 {
        bytes.push(content.len() as u8);
    } else {
        bytes.extend((content.len() as u64).to_be_bytes());
    }
    bytes.extend(content);
    bytes
}

fn ready(kind: &str) -> Vec<u8> {
    let mut content = b"\x05READY\x0bSocket-Type\0\0\0".to_vec();
    content.push(kind.len() as u8);
    content.extend(kind.as_bytes());
    content.extend(b"\x08Identity\0\0\0\0");
    frame(4, &content)
}

/// What libzmq sends before its first message.
fn introduction() -> Vec<u8> {
    [greeting(3, "NULL"), ready("PUSH")].concat()
}

/// Decodes `bytes` in pieces of `size`.
fn decode(bytes: &[u8], size: usize) -> (Vec<Event>, Result<(), Fault>) {
    let mut decoder = Decoder::new(1000);
    let mut events = Vec::new();
    let mut result = Ok(());
    for piece in bytes.chunks(size) {
        result = decoder.push(piece, &mut |event| events.push(event));
        if result.is_err() {
            break;
        }
    }
    (events, result)
}

fn messages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let (events, result) = decode(bytes, bytes.len());
    assert_eq!(result, Ok(()));
    let message = |event| if let Event::Message(bytes) = event { Some(bytes) } else { None };
    events.into_iter().filter_map(message).collect()
}

#[test]
fn the_handshake_is_that_of_a_pull_socket() {
    let (events, result) = decode(&introduction(), usize::MAX);
    assert_eq!(result, Ok(()));
    let [Event::Send(hello), Event::Send(own), Event::Ready] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(hello.len(), 64);
    assert_eq!((hello[0], hello[9], hello[10], hello[11]), (0xFF, 0x7F, 3, 1));
    assert_eq!(&hello[12..32], b"NULL\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(own.as_slice(), b"\x04\x1a\x05READY\x0bSocket-Type\0\0\0\x04PULL");
}

#[test]
fn messages_short_long_and_in_parts() {
    let long = vec![7; 900];
    let stream = [
        introduction(),
        frame(0, b"one"),
        frame(2, &long),
        frame(1, b"two "),
        frame(3, b"and "),
        frame(0, b"three"),
        frame(0, b""),
    ]
    .concat();
    let expected = [b"one".to_vec(), long, b"two and three".to_vec(), Vec::new()];
    assert_eq!(messages(&stream), expected);
    // Wherever the pieces end, the events are the same.
    let whole = decode(&stream, usize::MAX);
    for size in 1..200 {
        assert_eq!(decode(&stream, size), whole, "pieces of {size}");
    }
}

#[test]
fn heartbeats_are_answered() {
    let ping = frame(4, b"\x04PING\x00\x0fcontext");
    let (events, result) = decode(&[introduction(), ping].concat(), usize::MAX);
    assert_eq!(result, Ok(()));
    let [.., pong, within] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!(*pong, Event::Send(b"\x04\x0c\x04PONGcontext".to_vec()));
    assert_eq!(*within, Event::Within(Duration::from_millis(1500)));
    // Commands other than PING mean nothing to a PULL socket.
    let stream =
        [introduction(), frame(4, b"\x04PONG"), frame(4, b"\x09SUBSCRIBEx"), frame(0, b"m")].concat();
    assert_eq!(messages(&stream), [b"m"]);
}

#[test]
fn what_is_wrong_is_refused_by_name() {
    let null = || greeting(3, "NULL");
    let after = |bytes: Vec<u8>| [introduction(), bytes].concat();
    let cases: Vec<(&str, Vec<u8>, Fault)> = vec![
        ("HTTP", b"GET / HTTP/1.1\r\n\r\n".to_vec(), Fault::Greeting),
        ("a length of version 1", b"\xff\0\0\0\0\0\0\0\x01\0".to_vec(), Fault::Greeting),
        ("version 2", greeting(1, ""), Fault::Version(2)),
        ("CURVE", greeting(3, "CURVE"), Fault::Mechanism("CURVE".to_string())),
        ("NULLX", greeting(3, "NULLX"), Fault::Mechanism("NULLX".to_string())),
        ("SUB", [null(), ready("SUB")].concat(), Fault::Socket("SUB".to_string())),
        ("no kind", [null(), frame(4, b"\x05READY")].concat(), Fault::Handshake),
        ("cut property", [null(), frame(4, b"\x05READY\x0bSocket")].concat(), Fault::Handshake),
        ("value beyond", [null(), frame(4, b"\x05READY\x01a\xff\xff\xff\xffx")].concat(), Fault::Handshake),
        ("message before READY", [null(), frame(0, b"m")].concat(), Fault::Handshake),
        ("PING before READY", [null(), frame(4, b"\x04PING\0\0")].concat(), Fault::Handshake),
        ("empty command", [null(), frame(4, b"")].concat(), Fault::Handshake),
        ("ERROR", [null(), frame(4, b"\x05ERROR\x02no")].concat(), Fault::Refused("no".to_string())),
        ("reserved flag", after(frame(8, b"m")), Fault::Frame(8)),
        ("command with more", after(frame(5, b"\x04PING\0\0")), Fault::Frame(5)),
        ("too large", after(frame(2, &[0; 1001])), Fault::TooLarge(1001)),
        ("huge", after(b"\x02\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()), Fault::TooLarge(u64::MAX)),
        (
            "parts too large",
            after([frame(3, &[0; 600]), frame(2, &[0; 401])].concat()),
            Fault::TooLarge(1001),
        ),
        ("huge command", after(b"\x06\0\0\0\0\x10\0\0\0".to_vec()), Fault::TooLarge(1 << 28)),
    ];
    for (name, bytes, fault) in cases {
        for size in [1, 7, usize::MAX] {
            let (_, result) = decode(&bytes, size);
            assert_eq!(result, Err(fault.clone()), "{name}");
        }
        assert!(!fault.to_string().is_empty());
    }
}

#[test]
fn after_a_fault_nothing_is_taken() {
    let mut decoder = Decoder::new(1000);
    assert_eq!(decoder.push(b"x", &mut |_| {}), Err(Fault::Greeting));
    let again = decoder.push(&introduction(), &mut |event| panic!("{event:?}"));
    assert_eq!(again, Err(Fault::GivenUp));
}

/// No bytes cause a panic; numbers from a fixed seed.
#[test]
fn any_bytes_are_survived() {
    let mut state = 0x9E37_79B9_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for _ in 0..20_000 {
        let mut bytes = [introduction(), frame(1, b"part"), frame(4, b"\x04PING\0\x01c")].concat();
        for _ in 0..next() % 4 {
            let at = next() % bytes.len();
            bytes[at] = next() as u8;
        }
        bytes.truncate(1 + next() % bytes.len());
        let _ = decode(&bytes, 1 + next() % 90);
    }
}
