//! Listening addresses as users write them.

use std::io;
use std::net::{TcpListener, ToSocketAddrs};

/// The protocol that peers speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// ZeroMQ's protocol or plain bytes; the first byte decides.
    Either,
    ZeroMq,
}

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub speech: Speech,
    /// A name or number; loopback if none was given.
    pub host: String,
    /// 0 lets the system choose.
    pub port: u16,
}

impl Address {
    /// Parses `[SCHEME://][HOST:]PORT`. `tcp://`, or no scheme, accepts both protocols (ZeroMQ's
    /// own addresses begin so); `zmq://` and `zmq+tcp://` accept ZeroMQ only. The host `*` means
    /// every interface; without a host only this machine can connect.
    pub fn parse(text: &str) -> Option<Address> {
        let (scheme, place) = text.split_once("://").unwrap_or(("tcp", text));
        let speech = match scheme {
            "tcp" => Speech::Either,
            "zmq" | "zmq+tcp" => Speech::ZeroMq,
            _ => return None,
        };
        let (host, port) = place.rsplit_once(':').unwrap_or(("", place));
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = match host {
            "" => "127.0.0.1",
            "*" => "0.0.0.0",
            host => host,
        };
        Some(Address { speech, host: host.to_string(), port: port.parse().ok()? })
    }

    pub(crate) fn bind(&self) -> io::Result<TcpListener> {
        let places: Vec<_> = (self.host.as_str(), self.port).to_socket_addrs()?.collect();
        TcpListener::bind(places.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_unless_another_host_is_named() {
        let parts = |text: &str| Address::parse(text).map(|at| (at.speech, at.host, at.port));
        let is = |speech, host: &str, port| Some((speech, host.to_string(), port));
        assert_eq!(parts("5555"), is(Speech::Either, "127.0.0.1", 5555));
        assert_eq!(parts(":5555"), is(Speech::Either, "127.0.0.1", 5555));
        assert_eq!(parts("tcp://*:5555"), is(Speech::Either, "0.0.0.0", 5555));
        assert_eq!(parts("zmq://node7:1"), is(Speech::ZeroMq, "node7", 1));
        assert_eq!(parts("zmq+tcp://[::1]:1"), is(Speech::ZeroMq, "::1", 1));
        for bad in ["", "node7", "udp://x:1", "node7:65536", "tcp://x:"] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}
