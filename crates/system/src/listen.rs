//! Receives data from tracers: plain bytes over TCP, or messages of ZeroMQ's PUSH sockets, from
//! several peers at once. A port can take both, since the first byte distinguishes them.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::time::{Duration, Instant};

use crate::address::{Address, Speech};
use crate::arrival::Arrival;
use crate::server;
use crate::zmtp::{self, Decoder, Event};

const MAX_PEERS: usize = 256;
/// Maximum number of queued pieces. A faster sender has to wait, as its socket does.
const MAX_WAITING: usize = 64;
/// Bytes read at a time.
const PIECE: usize = 64 << 10;
/// Time limit of a handshake, the same as libzmq's.
const HANDSHAKE: Duration = Duration::from_secs(30);

/// The usual cause of an interrupted handshake.
const UNREADY: &str =
    "it disconnected during the handshake; it may require a security mechanism, but only NULL is supported";

/// A port that receives flushes.
#[derive(Debug)]
pub struct Listener {
    at: SocketAddr,
    arrivals: Receiver<Arrival>,
}

impl Listener {
    pub fn bind(address: &Address) -> io::Result<Listener> {
        let listener = address.bind()?;
        let at = listener.local_addr()?;
        let (out, arrivals) = mpsc::sync_channel(MAX_WAITING);
        let refused = out.clone();
        let (speech, next) = (address.speech, AtomicU64::new(0));
        let serve = move |stream: TcpStream, name: SocketAddr| {
            let source = next.fetch_add(1, Ordering::Relaxed);
            Peer { source, stream, out: out.clone() }.serve(speech, name);
        };
        let refuse = move |name: SocketAddr| {
            let text = format!("{name}: rejected: {MAX_PEERS} others are connected");
            // The remark may be lost if the queue is full.
            let _ = refused.try_send(Arrival::Remark(text));
        };
        server::run(listener, MAX_PEERS, serve, refuse)?;
        Ok(Listener { at, arrivals })
    }

    /// The bound address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.at
    }

    /// Returns the next arrival, or `None` after `limit`.
    pub fn wait(&self, limit: Duration) -> Option<Arrival> {
        self.arrivals.recv_timeout(limit).ok()
    }
}

enum End {
    /// The peer closed it, or the receiver is gone.
    Quiet,
    Because(String),
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        match error.kind() {
            io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => End::Quiet,
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                End::Because("no data for longer than agreed".to_string())
            }
            _ => End::Because(error.to_string()),
        }
    }
}

struct Peer {
    source: u64,
    stream: TcpStream,
    out: SyncSender<Arrival>,
}

impl Peer {
    fn serve(mut self, speech: Speech, name: SocketAddr) {
        if let Err(End::Because(why)) = self.receive(speech) {
            let _ = self.out.send(Arrival::Remark(format!("{name}: connection dropped: {why}")));
        }
        let _ = self.out.send(Arrival::Closed { source: self.source });
    }

    fn receive(&mut self, speech: Speech) -> Result<(), End> {
        if speech == Speech::ZeroMq {
            return self.messages(&[]);
        }
        let mut bytes = self.read()?;
        if bytes.first() == Some(&zmtp::FIRST) {
            return self.messages(&bytes);
        }
        while !bytes.is_empty() {
            self.tell(Arrival::Bytes { source: self.source, bytes })?;
            bytes = self.read()?;
        }
        Ok(())
    }

    /// Speaks ZeroMQ's protocol; `first` has been received already.
    fn messages(&mut self, first: &[u8]) -> Result<(), End> {
        let mut decoder = Decoder::new(zmtp::LARGEST);
        let begun = Instant::now();
        self.push(&mut decoder, first)?;
        loop {
            if !decoder.is_ready() {
                let left = HANDSHAKE.checked_sub(begun.elapsed()).filter(|left| !left.is_zero());
                let left = left.ok_or_else(|| End::Because("the handshake took too long".to_string()))?;
                self.stream.set_read_timeout(Some(left))?;
            }
            let bytes = self.read()?;
            if bytes.is_empty() {
                return if decoder.is_ready() { Ok(()) } else { Err(End::Because(UNREADY.to_string())) };
            }
            self.push(&mut decoder, &bytes)?;
        }
    }

    fn push(&mut self, decoder: &mut Decoder, bytes: &[u8]) -> Result<(), End> {
        let mut events = Vec::new();
        let pushed = decoder.push(bytes, &mut |event| events.push(event));
        events.into_iter().try_for_each(|event| self.obey(event))?;
        pushed.map_err(|fault| End::Because(fault.to_string()))
    }

    fn obey(&mut self, event: Event) -> Result<(), End> {
        match event {
            Event::Send(bytes) => Ok(self.stream.write_all(&bytes)?),
            Event::Message(bytes) => self.tell(Arrival::Message { source: self.source, bytes }),
            Event::Ready => Ok(self.stream.set_read_timeout(None)?),
            Event::Within(time) => Ok(self.stream.set_read_timeout(Some(time))?),
        }
    }

    /// The next piece; an empty one is the end.
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; PIECE];
        loop {
            match self.stream.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    bytes.truncate(read?);
                    return Ok(bytes);
                }
            }
        }
    }

    fn tell(&self, arrival: Arrival) -> Result<(), End> {
        self.out.send(arrival).map_err(|_| End::Quiet)
    }
}
