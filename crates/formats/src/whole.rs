//! Inflates a small region at once, at twice the speed of streaming.
//!
//! `libdeflate` needs room for the whole content and does not report where a stream ended. Both are
//! fine for small regions of one stream each, which make up most logs; everything else is streamed.

use std::cell::RefCell;

use libdeflater::{Decompressor, adler32};
use memchr::memmem;

const MAX_COMPRESSED: usize = 1 << 20;
const MAX_INFLATED: usize = 16 << 20;
/// The first content of at least this many bytes in a thread keeps the room instead of being copied:
/// a thread that reads one log needs no other. Later ones are copied: memory that is used again
/// costs less than fresh pages.
const KEPT: usize = 256 << 10;

struct Space {
    inflater: Decompressor,
    room: Vec<u8>,
    was_kept: bool,
}

thread_local! {
    // A corpus has hundreds of thousands of regions: one buffer per thread serves them all.
    static SPACE: RefCell<Space> =
        RefCell::new(Space { inflater: Decompressor::new(), room: Vec::new(), was_kept: false });
}

/// The content of a region that is exactly one whole zlib stream and inflates to at most `most`
/// bytes.
///
/// `None` says nothing about the region: streaming it reports what is wrong, if anything.
pub fn inflate(region: &[u8], most: u64) -> Option<Vec<u8>> {
    if region.len() > MAX_COMPRESSED {
        return None;
    }
    SPACE.with_borrow_mut(|space| {
        if space.room.is_empty() {
            space.room = vec![0; MAX_INFLATED];
        }
        let len = space.inflater.zlib_decompress(region, &mut space.room).ok()?;
        let content = space.room.get(..len)?;
        if len as u64 > most || !ends_with_region(region, content) {
            return None;
        }
        if len < KEPT || space.was_kept {
            return Some(content.to_vec());
        }
        space.was_kept = true;
        let mut content = std::mem::take(&mut space.room);
        content.truncate(len);
        Some(content)
    })
}

/// Whether the stream that gave `content` ends where the region does.
///
/// A stream ends with the checksum of its content. If those four bytes occur only at the very end
/// of the region, the stream cannot have ended before.
fn ends_with_region(region: &[u8], content: &[u8]) -> bool {
    let checksum = adler32(content).to_be_bytes();
    let first = memmem::find(region, &checksum);
    first.is_some_and(|at| at + checksum.len() == region.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(data).expect("compress");
        encoder.finish().expect("compress")
    }

    #[test]
    fn one_whole_stream_is_inflated() {
        let data: Vec<u8> = (0..200_000u32).map(|n| (n / 7 % 251) as u8).collect();
        assert_eq!(inflate(&zlib(&data), u64::MAX), Some(data));
    }

    #[test]
    fn all_else_is_left_to_a_stream() {
        let stream = zlib(b"the same records of two processes");
        assert_eq!(inflate(&stream.repeat(2), u64::MAX), None, "two streams, of the same content");
        assert_eq!(inflate(&[&stream[..], b"more"].concat(), u64::MAX), None, "something behind it");
        assert_eq!(inflate(&stream[..stream.len() - 1], u64::MAX), None, "cut");
        assert_eq!(inflate(&stream, 8), None, "more than the limit");
        assert_eq!(inflate(&zlib(&vec![0; MAX_INFLATED + 1]), u64::MAX), None, "more than the room");
        assert_eq!(inflate(b"", u64::MAX), None);
    }
}
