//! Prints the records of parts, for work on the recorder: `dump FILE.log FILE.live ...`.
#![allow(clippy::print_stdout)]
extern crate std;
use marigraph_wire::{chunk, part, record::Record, segment};
use std::{println, string::String, vec::Vec};

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        println!("== {path}");
        if let Some(live) = part::Live::new(&bytes) {
            live.tails().for_each(|tail| {
                println!("-- tail of thread {} from {}", tail.thread, tail.first);
                print(&tail.records);
            });
            continue;
        }
        for (head, content) in chunk::Chunks::new(&bytes) {
            println!(
                "-- {:?} thread {} first {} records {} bytes {}",
                head.kind, head.thread, head.first, head.records, head.len
            );
            match head.kind {
                chunk::Kind::Folded => print(&segment::decode(content).unwrap_or_default()),
                chunk::Kind::Identity => {
                    if let Some(identity) = part::read_identity(content) {
                        println!(
                            "{} {} from {:?}",
                            identity.pid,
                            String::from_utf8_lossy(&identity.exe),
                            String::from_utf8_lossy(&identity.forked_from)
                        );
                    }
                }
                _ => {}
            }
        }
    }
}

fn print(records: &[Record]) {
    for record in records.iter().take(400) {
        let name = record.op().map_or("?", |op| op.name());
        if name == "name" {
            let text: Vec<u8> = record.name_bytes().into_iter().take_while(|&byte| byte != 0).collect();
            println!("   name {} {}", record.slot, String::from_utf8_lossy(&text));
        } else {
            println!(
                "{}{name} slot {} ({}, {}, {}) = {} @{:x} +{}",
                "  ".repeat(usize::from(record.depth)),
                record.slot,
                record.a,
                record.b,
                record.c,
                record.ret,
                record.site(),
                record.end.wrapping_sub(record.start)
            );
        }
    }
}
