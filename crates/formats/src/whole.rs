//! Inflates a small region at once, at twice the speed of streaming.
//!
//! `libdeflate` needs room for the whole content, and its safe binding does not report where a stream
//! ended. Small regions have that room, and the checksum at the end of a stream shows where it ended.

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

/// Appends the content of the first of several zlib streams to what `buffer` holds up to `end`, and
/// returns the length of that stream and of its content.
///
/// `None` says nothing about the stream: streaming it reports what is wrong, if anything.
pub fn inflate(streams: &[u8], buffer: &mut Vec<u8>, end: usize) -> Option<(usize, usize)> {
    if streams.len() > MAX_COMPRESSED {
        return None;
    }
    SPACE.with_borrow_mut(|space| {
        if space.room.is_empty() {
            space.room = vec![0; MAX_INFLATED];
        }
        let len = space.inflater.zlib_decompress(streams, &mut space.room).ok()?;
        // A region of many empty streams is hostile; streaming it counts them.
        let content = space.room.get(..len).filter(|content| !content.is_empty())?;
        let used = stream_end(streams, content)?;
        if end == 0 && used == streams.len() && len >= KEPT && !space.was_kept {
            space.was_kept = true;
            *buffer = std::mem::take(&mut space.room);
        } else {
            buffer.truncate(end);
            buffer.extend_from_slice(content);
        }
        Some((used, len))
    })
}

/// Where the first stream of `streams`, which gave `content`, ends.
///
/// A stream ends with the checksum of its content, and either nothing or the head of another stream
/// follows. The same bytes inside a stream are possible but do no harm: what follows them does not
/// inflate to content with the right checksum.
fn stream_end(streams: &[u8], content: &[u8]) -> Option<usize> {
    let checksum = adler32(content).to_be_bytes();
    memmem::find_iter(streams, &checksum)
        .map(|at| at + checksum.len())
        .find(|&end| end == streams.len() || is_stream_head(&streams[end..]))
}

/// RFC 1950, section 2.2: method 8, and a check of the first two bytes.
fn is_stream_head(bytes: &[u8]) -> bool {
    matches!(*bytes, [first, second, ..] if first & 15 == 8 && u16::from_be_bytes([first, second]) % 31 == 0)
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

    /// The content of a region that is inflated stream by stream.
    fn whole(region: &[u8]) -> Option<Vec<u8>> {
        let (mut rest, mut content, mut end) = (region, Vec::new(), 0);
        while !rest.is_empty() {
            let (used, made) = inflate(rest, &mut content, end)?;
            (rest, end) = (&rest[used..], end + made);
        }
        content.truncate(end);
        Some(content)
    }

    #[test]
    fn a_stream_is_inflated() {
        let data: Vec<u8> = (0..2_000_000u32).map(|n| (n / 7 % 251) as u8).collect();
        assert_eq!(whole(&zlib(&data)), Some(data.clone()));
        assert_eq!(whole(&zlib(&data)), Some(data), "without the room of the first");
    }

    #[test]
    fn streams_are_joined() {
        let stream = zlib(b"the same records of two processes");
        assert_eq!(whole(&stream.repeat(2)), Some(b"the same records of two processes".repeat(2)));
        let all: Vec<Vec<u8>> = (1..300u32).map(|n| n.to_le_bytes().repeat(n as usize)).collect();
        let region: Vec<u8> = all.iter().flat_map(|data| zlib(data)).collect();
        assert_eq!(whole(&region), Some(all.concat()));
    }

    #[test]
    fn a_checksum_inside_a_stream_is_passed_over() {
        let sum = adler32(b"content").to_be_bytes();
        let inside = [&b"data"[..], &sum, b"more", &sum].concat();
        assert_eq!(stream_end(&inside, b"content"), Some(inside.len()));
        let followed = [&inside[..], &zlib(b"next")].concat();
        assert_eq!(stream_end(&followed, b"content"), Some(inside.len()));
        assert_eq!(stream_end(&[&inside[..], b"rubbish"].concat(), b"content"), None);
    }

    #[test]
    fn all_else_is_left_to_a_stream() {
        let stream = zlib(b"the records of a process");
        let inflate = |region: &[u8]| inflate(region, &mut Vec::new(), 0);
        assert_eq!(inflate(&zlib(b"")), None, "an empty stream");
        assert_eq!(inflate(&[&stream[..], b"more"].concat()), None, "something behind it");
        assert_eq!(inflate(&stream[..stream.len() - 1]), None, "cut");
        assert_eq!(inflate(&zlib(&vec![0; MAX_INFLATED + 1])), None, "more than the room");
        assert_eq!(inflate(b""), None);
    }
}
