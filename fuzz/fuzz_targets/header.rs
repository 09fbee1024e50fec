//! Any bytes as a Darshan header and what it points to, printed in both text formats.

#![no_main]

use libfuzzer_sys::fuzz_target;
use marigraph_formats::Limits;
use marigraph_formats::darshan::{Log, text};

fuzz_target!(|data: &[u8]| {
    let Ok(log) = Log::open(data, Limits { max_inflate: 1 << 20, ..Limits::default() }) else { return };
    let options = text::Options { offset: &|_| 0, threads: 1 };
    let mut out = Capped(0);
    let _ = text::base(&log, options, &mut out);
    let _ = text::dxt(&log, options, &mut out);
});

/// Refuses more than a few megabytes, so that a run stays short.
struct Capped(usize);

impl std::io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > 8 << 20 { Err(std::io::ErrorKind::WriteZero.into()) } else { Ok(bytes.len()) }
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
