//! Inflates every region of the given logs and does nothing with the bytes: the floor below which
//! no reader can go. What is no log is read and passed over. Used by `bench/darshan.py`.

#![allow(clippy::print_stdout, clippy::expect_used)] // a tool for measuring

use marigraph_formats::darshan::Log;
use marigraph_formats::{Compression, Limits, Window};

fn main() {
    let mut total = 0u64;
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a readable log");
        let Ok(log) = Log::open(&bytes, Limits::default()) else { continue };
        let compression = log.header.compression.unwrap_or(Compression::None);
        for region in log.regions() {
            let mut window = Window::new(region, compression, Limits::default());
            while let n @ 1.. = window.take_units(1, usize::MAX).len() {
                total += n as u64;
            }
        }
    }
    println!("{total} bytes inflated");
}
