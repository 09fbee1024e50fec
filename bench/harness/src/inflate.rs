//! Inflates every region of the given logs and discards the bytes: the lower bound of any reader.
//! Files that are not logs are read and skipped. Used by `bench/darshan.py` and `bench/corpus.py`.
//!
//! With `--zlib` before the logs it uses zlib's interface (`zlib-rs`), as programs commonly do;
//! without, the same code as our readers.

use marigraph_formats::darshan::Log;
use marigraph_formats::{Compression, Limits, Window};

pub fn run(words: &[String]) {
    let (mut total, mut zlib) = (0u64, false);
    for path in words {
        if path == "--zlib" {
            zlib = true;
            continue;
        }
        let bytes = std::fs::read(path).expect("a readable log");
        let Ok(log) = Log::open(&bytes, Limits::default()) else { continue };
        let compression = log.header.compression.unwrap_or(Compression::None);
        for region in log.regions() {
            total += if zlib && compression == Compression::Zlib {
                streamed(region)
            } else {
                windowed(region, compression)
            };
        }
    }
    println!("{total} bytes inflated");
}

fn windowed(region: &[u8], compression: Compression) -> u64 {
    let mut window = Window::new(region, compression, Limits::default());
    let mut total = 0;
    while let n @ 1.. = window.take_units(1, usize::MAX).len() {
        total += n as u64;
    }
    total
}

/// Inflates consecutive streams, until the region ends or one of them is damaged.
fn streamed(mut region: &[u8]) -> u64 {
    let mut room = vec![0; (region.len() * 4).clamp(4 << 10, 256 << 10)];
    let mut zlib = flate2::Decompress::new(true);
    let mut total = 0;
    while !region.is_empty() {
        let before = (zlib.total_in(), zlib.total_out());
        let status = zlib.decompress(region, &mut room, flate2::FlushDecompress::None);
        let (used, made) = (zlib.total_in() - before.0, zlib.total_out() - before.1);
        total += made;
        region = &region[used as usize..];
        match status {
            Ok(flate2::Status::StreamEnd) => zlib.reset(true),
            Ok(_) if used > 0 || made > 0 => {}
            _ => break,
        }
    }
    total
}
