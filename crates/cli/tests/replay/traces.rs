//! Synthetic traces, call by call.
#![allow(dead_code)] // each test uses its part

use std::collections::HashMap;

use marigraph_formats::native::mari::{Context, Meta, Site, StreamKey, Times, TraceWriter};
use marigraph_model::{Call, NameId, Nanos, SiteId, Slot};
use marigraph_wire::op::Op;

/// Flags and mode of an open that creates a file for reading and writing.
pub const CREATE: i64 = 0o102 | 0o644 << 32;

/// The calls of one thread of a rank, a microsecond each.
pub struct Thread {
    rank: u32,
    thread: u32,
    now: i64,
    calls: Vec<Call>,
}

impl Thread {
    pub fn new(rank: u32) -> Thread {
        Thread::of(rank, 0)
    }

    pub fn of(rank: u32, thread: u32) -> Thread {
        Thread { rank, thread, now: 0, calls: Vec::new() }
    }

    pub fn pause(&mut self, nanoseconds: i64) {
        self.now += nanoseconds;
    }

    pub fn call(&mut self, op: Op, slot: u32, args: [i64; 3], ret: i64) {
        let (start, end) = (Nanos(self.now), Nanos(self.now + 1000));
        self.now += 1000;
        let (slot, site) = (Slot(slot), SiteId::UNKNOWN);
        self.calls.push(Call { op, depth: 0, flags: 0, slot, args, ret, start, end, site });
    }
}

/// Names are numbered from 1.
pub fn write(path: &str, names: &[&str], threads: Vec<Thread>) {
    let names: HashMap<NameId, Vec<u8>> =
        (1..).map(NameId).zip(names.iter().map(|name| name.as_bytes().to_vec())).collect();
    let context = Context { names: &names, sites: &[Site::default()] };
    let mut writer = TraceWriter::new(Times::Exact);
    for thread in threads {
        let key = StreamKey { process: 0, thread: thread.thread, rank: thread.rank };
        let mut stream = writer.stream(key).expect("once");
        thread.calls.iter().for_each(|call| stream.call(call, &context));
        stream.end();
    }
    std::fs::write(path, writer.finish(&Meta::default(), &[])).expect("written");
}

fn varint(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    marigraph_wire::sequence::put_varint(&mut out, value);
    out
}

/// A trace of some hundred bytes in which one rank writes a byte `calls` times.
pub fn endless(calls: u64) -> Vec<u8> {
    let mut bytes = b"mgraphtr\x01".to_vec();
    let mut section = |id: u8, payload: Vec<u8>| {
        bytes.push(id);
        bytes.extend(varint(payload.len() as u64));
        bytes.extend(marigraph_wire::bytes::crc32c(&payload).to_le_bytes());
        bytes.extend(payload);
    };
    section(1, b"{}".to_vec());
    section(2, vec![1, 0, 1, b'x', 0]);
    section(3, [vec![1, 0, 0, 1], varint(Op::Pwrite as u64), vec![2, 0]].concat());
    // The order: one top, a single symbol 0. The shape: all constant except the offset, which
    // increases.
    let shape = [vec![1, 0, 0, 2, 0, 0, 0, 7 << 2], varint(calls * 2), vec![2, 0, 2, 2, 0, 0]].concat();
    section(4, [vec![2, 0, 1, 1 << 2, 0], shape].concat());
    section(5, vec![1, 1, 0, 0, 2, 0, 0, 1, 0]);
    bytes
}
