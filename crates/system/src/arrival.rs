//! Input from files, pipes and connections.

use std::fmt;

/// A piece of input. A source is a file or one connection; sources have numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// More of a byte stream, in pieces of any size.
    Bytes {
        source: u64,
        bytes: Vec<u8>,
    },
    Message {
        source: u64,
        bytes: Vec<u8>,
    },
    /// The stream of this source restarts: half-read data will not be completed.
    Restarted {
        source: u64,
        why: Restart,
    },
    Closed {
        source: u64,
    },
    Remark(String),
}

/// How a restart was detected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    Truncated,
    Replaced,
    /// The bytes read last are no longer in it.
    Rewritten,
}

impl fmt::Display for Restart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Restart::Truncated => "the file was truncated",
            Restart::Replaced => "the file was replaced",
            Restart::Rewritten => "the file was rewritten",
        })
    }
}
