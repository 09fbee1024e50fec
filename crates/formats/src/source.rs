//! Content that need not be in memory.

use std::io;

/// Bytes that can be read at any offset, repeatedly.
pub trait Source: Sync {
    /// Reads some bytes starting at an offset; none at the end.
    fn read_at(&self, from: u64, into: &mut [u8]) -> io::Result<usize>;
}
