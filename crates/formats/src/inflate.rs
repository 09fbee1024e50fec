//! Decompression in bounded memory.
//!
//! A [`Window`] shows the decompressed bytes of a region piece by piece. A region is one or more
//! concatenated compressed streams; the window hides their boundaries. Memory grows with what a
//! caller asks to see at once, and only as bytes actually arrive.

use bzip2::{Decompress as Bzip2, Status as Bzip2Status};
use flate2::{Decompress as Zlib, FlushDecompress, Status as ZlibStatus};

use crate::whole;

/// How bytes are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1950.
    Zlib,
    /// RFC 1952.
    Gzip,
    Bzip2,
    None,
}

/// Limits against hostile input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of bytes that one region or one compressed file may inflate to.
    pub max_inflate: u64,
    pub read_ahead: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { max_inflate: 16 << 30, read_ahead: true }
    }
}

/// Smaller inflated sizes are never considered hostile, whatever the ratio.
const RATIO_FREE: u64 = 128 << 20;
/// Maximum ratio above [`RATIO_FREE`]. Records of zeros reach about 300; the best that zlib can do
/// is 1032.
const RATIO_MAX: u64 = 500;

/// Why a window ended before its input did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Corrupt,
    Truncated,
    Limit,
}

enum Decoder {
    Zlib(Box<Zlib>),
    Bzip2(Box<Bzip2>),
    Copy,
    /// Stream by stream, as long as they are small: see [`whole`].
    Whole,
}

/// Decompressed bytes, seen through a moving buffer.
pub struct Window<'a> {
    input: &'a [u8],
    input_len: u64,
    /// Inflated bytes up to which no ratio is hostile.
    free: u64,
    compression: Compression,
    decoder: Decoder,
    /// Whether the current stream has consumed or produced anything.
    in_stream: bool,
    /// Room for inflated bytes; those from `seen` to `end` wait to be taken.
    buffer: Vec<u8>,
    seen: usize,
    end: usize,
    inflated: u64,
    limits: Limits,
    empty_streams: u32,
    made_in_stream: bool,
    ended: bool,
    stop: Option<Stop>,
}

/// Maximum number of consecutive empty streams; no writer makes that many.
const MAX_EMPTY: u32 = 10_000;

const CHUNK: usize = 256 << 10;

impl<'a> Window<'a> {
    pub fn new(input: &'a [u8], compression: Compression, limits: Limits) -> Window<'a> {
        Window {
            input,
            input_len: input.len() as u64,
            free: RATIO_FREE,
            compression,
            decoder: if compression == Compression::Zlib { Decoder::Whole } else { new_decoder(compression) },
            in_stream: false,
            buffer: Vec::new(),
            seen: 0,
            end: 0,
            inflated: 0,
            limits,
            empty_streams: 0,
            made_in_stream: false,
            ended: false,
            stop: None,
        }
    }

    /// Applies the ratio limit to a file of this size, from which the input was already unpacked.
    pub fn of_file(mut self, len: usize) -> Window<'a> {
        self.input_len = len as u64;
        self
    }

    /// Shares the ratio-free allowance among `regions` regions of a log.
    pub fn one_of(mut self, regions: usize) -> Window<'a> {
        self.free = RATIO_FREE / regions.max(1) as u64;
        self
    }

    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// `None` if fewer than `n` bytes remain.
    pub fn take(&mut self, n: usize) -> Option<&[u8]> {
        self.ensure(n);
        let end = self.seen.checked_add(n).filter(|&end| end <= self.end)?;
        let from = std::mem::replace(&mut self.seen, end);
        Some(&self.buffer[from..end])
    }

    /// Exactly `n` bytes without consuming them; `None` if fewer remain.
    pub fn peek(&mut self, n: usize) -> Option<&[u8]> {
        self.ensure(n);
        let end = self.seen.checked_add(n).filter(|&end| end <= self.end)?;
        Some(&self.buffer[self.seen..end])
    }

    /// Consumes as many whole units as the buffer holds (at least one, at most `most`); empty at
    /// the end.
    pub fn take_units(&mut self, unit: usize, most: usize) -> &[u8] {
        if unit == 0 {
            return &[];
        }
        self.ensure(unit);
        let units = (self.left() / unit).min(most);
        let from = self.seen;
        self.seen += units * unit;
        &self.buffer[from..self.seen]
    }

    /// Bytes left in the buffer; after a failed [`Self::take`] these are all that remain.
    pub fn left(&self) -> usize {
        self.end - self.seen
    }

    pub fn rest(mut self, most: usize) -> (Vec<u8>, Option<Stop>) {
        self.ensure(most);
        self.buffer.truncate(self.end);
        self.buffer.drain(..self.seen);
        self.buffer.truncate(most);
        (self.buffer, self.stop)
    }

    fn ensure(&mut self, n: usize) {
        while !self.ended && self.left() < n {
            self.refill(n);
        }
    }

    fn refill(&mut self, wanted: usize) {
        // Not for nothing: a large request over many small streams comes here for each of them.
        if self.seen > 0 {
            self.buffer.copy_within(self.seen..self.end, 0);
            (self.seen, self.end) = (0, self.left());
        }
        let added = if matches!(self.decoder, Decoder::Whole) {
            self.inflate_whole()
        } else {
            self.inflate_some(wanted)
        };
        self.end += added;
        self.inflated += added as u64;
        self.check_limits();
    }

    /// Inflates the next stream at once, or prepares to stream it and all that follow.
    fn inflate_whole(&mut self) -> usize {
        let Some((used, made)) = whole::inflate(self.input, &mut self.buffer, self.end) else {
            self.decoder = new_decoder(self.compression);
            return 0;
        };
        self.input = &self.input[used..];
        if self.input.is_empty() {
            self.finish(None);
        }
        made
    }

    fn inflate_some(&mut self, wanted: usize) -> usize {
        // Small requests (a header, a job) should not pay for a large buffer.
        let room = CHUNK.min(wanted.max(self.input.len().saturating_mul(4)).max(4096));
        self.buffer.resize(self.buffer.len().max(self.end + room), 0);
        let mut added = 0;
        // Consecutive streams without content share one buffer.
        while added == 0 && !self.ended {
            added = self.inflate_step();
        }
        added
    }

    fn check_limits(&mut self) {
        let hostile = self.inflated > self.free && self.inflated / RATIO_MAX > self.input_len;
        if self.inflated > self.limits.max_inflate || (hostile && !matches!(self.decoder, Decoder::Copy)) {
            let over = self.inflated.saturating_sub(self.limits.max_inflate) as usize;
            self.end = self.end.saturating_sub(over).max(self.seen);
            self.finish(Some(Stop::Limit));
        }
    }

    fn finish(&mut self, stop: Option<Stop>) {
        self.ended = true;
        self.stop = self.stop.or(stop);
    }

    /// Decompresses one step into `buffer[end..]` and returns the number of bytes written.
    fn inflate_step(&mut self) -> usize {
        if self.input.is_empty() && !self.in_stream {
            self.finish(None);
            return 0;
        }
        let out = &mut self.buffer[self.end..];
        let (used, made, outcome) = match &mut self.decoder {
            Decoder::Copy => {
                let n = out.len().min(self.input.len());
                out[..n].copy_from_slice(&self.input[..n]);
                (n, n, Outcome::More)
            }
            Decoder::Whole => (0, 0, Outcome::More),
            Decoder::Zlib(zlib) => step_zlib(zlib, self.input, out),
            Decoder::Bzip2(bzip2) => step_bzip2(bzip2, self.input, out),
        };
        self.input = &self.input[used..];
        self.in_stream = !matches!(self.decoder, Decoder::Copy);
        self.made_in_stream |= made > 0;
        match outcome {
            Outcome::StreamEnd => self.next_stream(),
            Outcome::Corrupt => self.finish(Some(Stop::Corrupt)),
            Outcome::More if used == 0 && made == 0 => self.finish(Some(Stop::Truncated)),
            Outcome::More => {}
        }
        made
    }

    fn next_stream(&mut self) {
        self.in_stream = false;
        self.empty_streams = if self.made_in_stream { 0 } else { self.empty_streams + 1 };
        self.made_in_stream = false;
        if self.empty_streams > MAX_EMPTY {
            return self.finish(Some(Stop::Corrupt));
        }
        match &mut self.decoder {
            Decoder::Zlib(zlib) if self.compression == Compression::Zlib => zlib.reset(true),
            decoder => *decoder = new_decoder(self.compression),
        }
        // gzip files may be padded with zeros (tapes, block devices): that is their end.
        if self.compression == Compression::Gzip && self.input.iter().all(|&byte| byte == 0) {
            self.input = &[];
        }
    }
}

enum Outcome {
    More,
    StreamEnd,
    Corrupt,
}

fn new_decoder(compression: Compression) -> Decoder {
    match compression {
        Compression::Zlib => Decoder::Zlib(Box::new(Zlib::new(true))),
        Compression::Gzip => Decoder::Zlib(Box::new(Zlib::new_gzip(15))),
        Compression::Bzip2 => Decoder::Bzip2(Box::new(Bzip2::new(false))),
        Compression::None => Decoder::Copy,
    }
}

fn step_zlib(zlib: &mut Zlib, input: &[u8], out: &mut [u8]) -> (usize, usize, Outcome) {
    let before = (zlib.total_in(), zlib.total_out());
    let status = zlib.decompress(input, out, FlushDecompress::None);
    let used = (zlib.total_in() - before.0) as usize;
    let made = (zlib.total_out() - before.1) as usize;
    let outcome = match status {
        Ok(ZlibStatus::StreamEnd) => Outcome::StreamEnd,
        Ok(_) => Outcome::More,
        Err(_) => Outcome::Corrupt,
    };
    (used.min(input.len()), made.min(out.len()), outcome)
}

fn step_bzip2(bzip2: &mut Bzip2, input: &[u8], out: &mut [u8]) -> (usize, usize, Outcome) {
    let before = (bzip2.total_in(), bzip2.total_out());
    let status = bzip2.decompress(input, out);
    let used = (bzip2.total_in() - before.0) as usize;
    let made = (bzip2.total_out() - before.1) as usize;
    let outcome = match status {
        Ok(Bzip2Status::StreamEnd) => Outcome::StreamEnd,
        Ok(_) => Outcome::More,
        Err(_) => Outcome::Corrupt,
    };
    (used.min(input.len()), made.min(out.len()), outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).expect("compress");
        encoder.finish().expect("compress")
    }

    fn window(input: &[u8]) -> Window<'_> {
        Window::new(input, Compression::Zlib, Limits::default())
    }

    #[test]
    fn streams_back_to_back_are_one_byte_string() {
        let region = [zlib(b"hello "), zlib(b""), zlib(b"world")].concat();
        let mut all = window(&region);
        assert_eq!(all.take(8), Some(&b"hello wo"[..]));
        assert_eq!(all.take(4), None);
        assert_eq!(all.left(), 3);
        assert_eq!(all.take_units(1, 10), b"rld");
        assert_eq!(all.take_units(1, 10), b"");
        assert_eq!(all.stop(), None);
    }

    #[test]
    fn a_cut_stream_gives_what_it_can() {
        let data: Vec<u8> =
            (0..100_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let whole = zlib(&data);
        let (got, stop) = window(&whole[..whole.len() / 2]).rest(usize::MAX);
        assert_eq!(stop, Some(Stop::Truncated));
        assert!(got.len() > 50_000 && data.starts_with(&got));
        let (_, stop) = window(b"\x78\x9cgarbage garbage garbage").rest(usize::MAX);
        assert_eq!(stop, Some(Stop::Corrupt));
    }

    #[test]
    fn limits_cut_and_say_so() {
        let bomb = zlib(&vec![0; 3_000_000]);
        let limits = Limits { max_inflate: 1_000_000, ..Limits::default() };
        let (got, stop) = Window::new(&bomb, Compression::Zlib, limits).rest(usize::MAX);
        assert_eq!((got.len(), stop), (1_000_000, Some(Stop::Limit)));
    }

    #[test]
    fn hostile_ratios_are_refused_before_the_limit() {
        let bomb = zlib(&vec![0; 400 << 20]);
        let mut window = window(&bomb);
        let mut total = 0;
        while let n @ 1.. = window.take_units(1, usize::MAX).len() {
            total += n;
        }
        assert_eq!(window.stop(), Some(Stop::Limit));
        let allowed = RATIO_FREE.max(RATIO_MAX * bomb.len() as u64);
        assert!((total as u64) < allowed + (1 << 20), "{total} of {allowed}");
    }

    #[test]
    fn streams_without_end_and_content_are_damage() {
        let nothing = zlib(b"").repeat(20_000);
        let (got, stop) = window(&nothing).rest(usize::MAX);
        assert_eq!((got.len(), stop), (0, Some(Stop::Corrupt)));
    }

    #[test]
    fn stored_bytes_pass_through() {
        let data = vec![7; 1_000_000];
        let (got, stop) = Window::new(&data, Compression::None, Limits::default()).rest(usize::MAX);
        assert_eq!((got, stop), (data, None));
    }
}
