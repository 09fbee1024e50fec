//! Content that need not be in memory.

use std::io;

/// Bytes that can be read from any place, as often as wanted.
pub trait Source: Sync {
    /// Reads some bytes from a place on; none at the end.
    fn read_at(&self, from: u64, into: &mut [u8]) -> io::Result<usize>;
}
