//! Why a peer is refused.

use std::fmt;

/// Why a connection is dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The peer does not speak this protocol.
    Greeting,
    /// A version before 3, as spoken by libzmq before 4.0.
    Version(u8),
    /// A security mechanism other than NULL.
    Mechanism(String),
    /// Not a PUSH socket.
    Socket(String),
    Handshake,
    TooLarge(u64),
    Frame(u8),
    Refused(String),
    /// Bytes after one of the above.
    GivenUp,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Greeting => write!(f, "it does not speak the ZeroMQ protocol"),
            Fault::Version(version) => {
                write!(f, "it speaks version {version} of the ZeroMQ protocol; 3 and later are supported")
            }
            Fault::Mechanism(name) => {
                write!(f, "it requires the security mechanism {name:?}; only NULL is supported")
            }
            Fault::Socket(kind) => write!(f, "it is a {kind:?} socket; only PUSH can send here"),
            Fault::Handshake => write!(f, "its handshake is invalid"),
            Fault::TooLarge(size) => write!(f, "it sent a message of {size} bytes, which is too large"),
            Fault::Frame(flags) => write!(f, "it sent an invalid frame (flags {flags:#04x})"),
            Fault::Refused(why) => write!(f, "it reported an error: {why}"),
            Fault::GivenUp => write!(f, "it kept sending after an error"),
        }
    }
}
