//! Measures the time to read a log and discard it: the lower bound of any streaming analysis.
//!
//! `cargo run --release -p marigraph-bench parse FILE`

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use marigraph_formats::{Limits, Source, csv};
use marigraph_model::{Events, Reader, Sink};

struct OnDisk(File);

impl Source for OnDisk {
    fn read_at(&self, from: u64, into: &mut [u8]) -> io::Result<usize> {
        FileExt::read_at(&self.0, into, from)
    }
}

/// Counts, so that nothing is optimised away.
#[derive(Default)]
struct Counted(u64);

impl Sink for Counted {
    fn events(&mut self, block: &Events) {
        self.0 += block.len() as u64;
    }
}

pub fn run(words: &[String]) {
    let path = words.first().expect("a table of operations");
    let file = OnDisk(File::open(path).expect("cannot open it"));
    let mut beginning = vec![0; 4096];
    let length = file.read_at(0, &mut beginning).expect("cannot read it");
    let limits = Limits { read_ahead: false, ..Limits::default() };
    let table = csv::Table::of(&file, &beginning[..length], limits).expect("no table of operations");
    let (start, mut counted) = (Instant::now(), Counted::default());
    table.stream(&|_| true, &mut counted);
    println!("{} operations in {:.3} s", counted.0, start.elapsed().as_secs_f64());
}
