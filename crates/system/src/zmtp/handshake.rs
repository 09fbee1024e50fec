//! The handshake: the greeting, and READY with the socket type.

use super::fault::Fault;
use super::{COMMAND, FIRST, GREETING};

/// Our greeting: signature, version 3.1, mechanism NULL.
pub(super) fn greeting() -> [u8; GREETING] {
    let mut bytes = [0; GREETING];
    for (at, value) in
        [(0, FIRST), (9, 0x7F), (10, 3), (11, 1), (12, b'N'), (13, b'U'), (14, b'L'), (15, b'L')]
    {
        if let Some(byte) = bytes.get_mut(at) {
            *byte = value;
        }
    }
    bytes
}

pub(super) fn check_greeting(held: &[u8]) -> Result<(), Fault> {
    if held.first().is_some_and(|&byte| byte != FIRST) || held.get(9).is_some_and(|byte| byte & 1 == 0) {
        return Err(Fault::Greeting);
    }
    if let Some(&version) = held.get(10).filter(|&&version| version < 3) {
        // The byte is a revision there: libzmq 2 has 0; libzmq 3, which speaks version 2, has 1.
        return Err(Fault::Version(version.saturating_add(1).min(2)));
    }
    let Some(mechanism) = held.get(12..32) else { return Ok(()) };
    let name: Vec<u8> = mechanism.iter().copied().take_while(|&byte| byte != 0).collect();
    if name != b"NULL" { Err(Fault::Mechanism(String::from_utf8_lossy(&name).into_owned())) } else { Ok(()) }
}

pub(super) fn check_socket(mut properties: &[u8]) -> Result<(), Fault> {
    let mut kind = None;
    while !properties.is_empty() {
        let (name, rest) = split(properties, 1).ok_or(Fault::Handshake)?;
        let (value, rest) = split(rest, 4).ok_or(Fault::Handshake)?;
        if name.eq_ignore_ascii_case(b"Socket-Type") {
            kind = Some(value);
        }
        properties = rest;
    }
    match kind {
        Some(b"PUSH") => Ok(()),
        Some(other) => Err(Fault::Socket(String::from_utf8_lossy(other).into_owned())),
        None => Err(Fault::Handshake),
    }
}

/// Splits off a field that follows its length of `width` bytes.
pub(super) fn split(bytes: &[u8], width: usize) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_at_checked(width)?;
    let length = length.iter().fold(0_usize, |length, &byte| length << 8 | usize::from(byte));
    rest.split_at_checked(length)
}

/// A command as a frame. Ours are short.
pub(super) fn command(name: &str, content: &[u8]) -> Vec<u8> {
    let size = 1 + name.len() + content.len();
    let mut frame = vec![COMMAND, size as u8, name.len() as u8];
    frame.extend_from_slice(name.as_bytes());
    frame.extend_from_slice(content);
    frame
}

pub(super) fn property(name: &str, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![name.len() as u8];
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(&(value.len() as u32).to_be_bytes());
    bytes.extend_from_slice(value);
    bytes
}
