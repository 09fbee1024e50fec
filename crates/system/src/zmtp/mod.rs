//! ZeroMQ's wire protocol (ZMTP 3.0 and 3.1, mechanism NULL) for a PULL socket: bytes in, events
//! out. Nothing here touches a socket.
//!
//! Reference: <https://rfc.zeromq.org/spec/37/>. A peer that is not a PUSH socket, requires another
//! mechanism or violates the protocol is refused with the reason. Memory grows with received bytes,
//! never with a length field, and a message is refused before it exceeds the limit.

mod fault;
mod handshake;

use std::time::Duration;

pub use fault::Fault;
use handshake::{check_greeting, check_socket, command, greeting, property, split};

/// The first byte of a greeting. Neither JSON nor a flush in MessagePack begins with it.
pub const FIRST: u8 = 0xFF;
/// Default limit of a message: a flush of 100,000 ranks is well below.
pub const LARGEST: usize = 256 << 20;

const GREETING: usize = 64;
/// Commands are names with a few properties; no peer has a reason to send a longer one.
const LARGEST_COMMAND: usize = 64 << 10;
const LARGEST_CONTEXT: usize = 16;

const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// The consequence of received bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Send(Vec<u8>),
    /// A message; its parts are joined.
    Message(Vec<u8>),
    Ready,
    /// The peer promises to send something at least this often; silence means that it is gone.
    Within(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Greeting,
    Header,
    Body { flags: u8, left: u64 },
    GivenUp,
}

/// The receiving side of one connection.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    limit: usize,
    greeted: bool,
    ready: bool,
    /// Pieces of a greeting or of a frame's header.
    held: Vec<u8>,
    command: Vec<u8>,
    /// Parts so far.
    message: Vec<u8>,
}

impl Decoder {
    /// Refuses messages above `limit` bytes.
    pub fn new(limit: usize) -> Decoder {
        Decoder {
            state: State::Greeting,
            limit,
            greeted: false,
            ready: false,
            held: Vec::new(),
            command: Vec::new(),
            message: Vec::new(),
        }
    }

    pub fn is_ready(&self) -> bool {
        self.ready
    }

    /// Takes received bytes, in pieces of any size, and reports events.
    pub fn push(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Event)) -> Result<(), Fault> {
        if !self.greeted {
            self.greeted = true;
            tell(Event::Send(greeting().to_vec()));
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            let step = match self.state {
                State::Greeting => self.greeting(rest, tell),
                State::Header => self.header(rest, tell),
                State::Body { flags, left } => self.body(flags, left, rest, tell),
                State::GivenUp => Err(Fault::GivenUp),
            };
            match step {
                Ok(used) => rest = rest.get(used..).unwrap_or(&[]),
                Err(fault) => {
                    *self = Decoder { state: State::GivenUp, greeted: true, ..Decoder::new(self.limit) };
                    return Err(fault);
                }
            }
        }
        Ok(())
    }

    /// Holds bytes until there are `wanted` of them; returns how many it took.
    fn hold(&mut self, bytes: &[u8], wanted: usize) -> usize {
        let used = bytes.len().min(wanted.saturating_sub(self.held.len()));
        self.held.extend_from_slice(bytes.get(..used).unwrap_or(&[]));
        used
    }

    fn greeting(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Event)) -> Result<usize, Fault> {
        let used = self.hold(bytes, GREETING);
        check_greeting(&self.held)?;
        if self.held.len() == GREETING {
            self.held.clear();
            self.state = State::Header;
            tell(Event::Send(command("READY", &property("Socket-Type", b"PULL"))));
        }
        Ok(used)
    }

    fn header(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Event)) -> Result<usize, Fault> {
        let flags = self.held.first().or(bytes.first()).copied().unwrap_or(0);
        let odd = flags & !(MORE | LONG | COMMAND) != 0 || flags & (COMMAND | MORE) == COMMAND | MORE;
        if odd {
            return Err(Fault::Frame(flags));
        }
        let wanted = if flags & LONG != 0 { 9 } else { 2 };
        let used = self.hold(bytes, wanted);
        if self.held.len() < wanted {
            return Ok(used);
        }
        let left = self.held.iter().skip(1).fold(0_u64, |size, &byte| size << 8 | u64::from(byte));
        self.held.clear();
        let (so_far, limit) =
            if flags & COMMAND != 0 { (0, LARGEST_COMMAND) } else { (self.message.len(), self.limit) };
        let size = left.saturating_add(so_far as u64);
        if size > limit as u64 {
            return Err(Fault::TooLarge(size));
        }
        self.state = State::Body { flags, left };
        if left == 0 {
            self.finish(flags, tell)?;
        }
        Ok(used)
    }

    fn body(
        &mut self,
        flags: u8,
        left: u64,
        bytes: &[u8],
        tell: &mut dyn FnMut(Event),
    ) -> Result<usize, Fault> {
        let used = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let place = if flags & COMMAND != 0 { &mut self.command } else { &mut self.message };
        place.extend_from_slice(bytes.get(..used).unwrap_or(&[]));
        let left = left.saturating_sub(used as u64);
        self.state = State::Body { flags, left };
        if left == 0 {
            self.finish(flags, tell)?;
        }
        Ok(used)
    }

    fn finish(&mut self, flags: u8, tell: &mut dyn FnMut(Event)) -> Result<(), Fault> {
        self.state = State::Header;
        if flags & COMMAND != 0 {
            let command = std::mem::take(&mut self.command);
            return self.obey(&command, tell);
        }
        if !self.ready {
            return Err(Fault::Handshake);
        }
        if flags & MORE == 0 {
            tell(Event::Message(std::mem::take(&mut self.message)));
        }
        Ok(())
    }

    fn obey(&mut self, command: &[u8], tell: &mut dyn FnMut(Event)) -> Result<(), Fault> {
        let (name, content) = split(command, 1).ok_or(Fault::Handshake)?;
        match name {
            b"READY" if !self.ready => {
                check_socket(content)?;
                self.ready = true;
                tell(Event::Ready);
            }
            b"ERROR" => {
                let why = split(content, 1).map_or(content, |(why, _)| why);
                return Err(Fault::Refused(String::from_utf8_lossy(why).into_owned()));
            }
            b"PING" if self.ready => ping(content, tell),
            _ if !self.ready => return Err(Fault::Handshake),
            // Ignores what later versions may add.
            _ => {}
        }
        Ok(())
    }
}

fn ping(content: &[u8], tell: &mut dyn FnMut(Event)) {
    let Some((&[high, low], context)) = content.split_first_chunk::<2>() else { return };
    let context = context.get(..context.len().min(LARGEST_CONTEXT)).unwrap_or(&[]);
    tell(Event::Send(command("PONG", context)));
    let tenths = u64::from(u16::from_be_bytes([high, low]));
    if tenths > 0 {
        tell(Event::Within(Duration::from_millis(100 * tenths)));
    }
}
