//! What comes from outside, whichever way it comes.

use std::fmt;

/// Something that came. A source is a file, or one connection; sources have numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrival {
    /// More of a stream of bytes, in pieces of any size.
    Bytes {
        /// Where from.
        source: u64,
        /// The piece.
        bytes: Vec<u8>,
    },
    /// A message, whole.
    Message {
        /// Where from.
        source: u64,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// The stream of this source restarts: half-read data will not be completed.
    Restarted {
        /// Which.
        source: u64,
        /// How one can tell.
        why: Restart,
    },
    /// Nothing more comes from this source.
    Closed {
        /// Which.
        source: u64,
    },
    /// Something the user should know.
    Remark(String),
}

/// How to detect that a file restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restart {
    /// It is shorter than what was read of it.
    Truncated,
    /// Another file has its name now.
    Replaced,
    /// What was read last is no longer in it.
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
