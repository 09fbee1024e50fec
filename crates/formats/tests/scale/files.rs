//! Files of computed traces: of this version and of the previous one, at any size, damaged.

use marigraph_analysis::extrapolate::{Input, extrapolate};
use marigraph_formats::native::mari::{Mari, Meta, StreamKey, VERSION, write_classes};
use marigraph_model::Names;
use marigraph_wire::bytes::crc32c;

use crate::{Program, Rank, SIZES, recorded};

fn written(program: Program<'_>, target: u32) -> Vec<u8> {
    let input = |&ranks: &u32| {
        let bytes = recorded(program, ranks);
        Input { ranks, streams: Mari::read(&bytes).expect("reads").skeleton().expect("is whole") }
    };
    let inputs: Vec<Input> = SIZES.iter().map(input).collect();
    let outcome = extrapolate(&inputs, target, &[]).expect("follows rules");
    write_classes(&outcome.classes, &Meta { ranks: u64::from(target), ..Meta::default() })
}

fn interleaved(rank: i64, ranks: i64, calls: &mut Rank) {
    calls.open(1, "/d/shared".into());
    (0..6).for_each(|turn| calls.write(2, 65_536 * (rank + ranks * turn), 65_536));
    calls.close(3);
}

fn aggregators(rank: i64, _: i64, calls: &mut Rank) {
    if rank % 4 == 0 {
        calls.open(1, format!("/d/agg.{}", rank / 4));
        (0..6).for_each(|turn| calls.write(2, 65_536 * turn, 65_536));
        calls.close(3);
    }
}

fn ring(rank: i64, ranks: i64, calls: &mut Rank) {
    calls.open(1, format!("/d/f.{rank}"));
    calls.write(2, (rank + 1) % ranks * 4096, 4096);
    calls.write(3, rank * rank * 4096, 4096);
    calls.close(4);
}

#[test]
fn files_hardly_grow_with_ranks() {
    let programs: [(&str, Program<'_>); 3] =
        [("interleaved", &interleaved), ("aggregators", &aggregators), ("ring", &ring)];
    for (name, program) in programs {
        let (small, large) = (written(program, 32).len(), written(program, 1_000_000).len());
        println!("{name}: {small} bytes for 32 ranks, {large} for a million");
        assert!(large <= small + 12, "{name}: {small} bytes became {large}");
    }
}

#[test]
fn files_say_what_they_are() {
    let bytes = written(&interleaved, 1_000_000);
    let mari = Mari::read(&bytes).expect("reads");
    assert_eq!((mari.version(), mari.stream_count(), mari.meta().ranks), (VERSION, 1_000_000, 1_000_000));
    let last = mari.find(StreamKey { process: 0, thread: 0, rank: 999_999 }).expect("is there");
    let offsets: Vec<i64> = last.load().expect("is whole").calls().map(|call| call.args[0]).collect();
    let wanted: Vec<i64> = (0..6).map(|turn| 65_536 * (999_999 + 1_000_000 * turn)).collect();
    assert_eq!(offsets[1..7], wanted);
}

/// A trace computed when all traces were of version 1.
#[test]
fn files_of_the_version_before_still_read() {
    let bytes = include_bytes!("../../../../testdata/mari/computed-1.mari");
    let mari = Mari::read(bytes).expect("reads");
    assert_eq!((mari.version(), mari.stream_count(), mari.meta().ranks), (1, 32, 32));
    assert!(mari.problems().is_empty(), "{:?}", mari.problems());
    let stream = mari.find(StreamKey { process: 0, thread: 0, rank: 28 }).expect("is there");
    let loaded = stream.load().expect("is whole");
    let mut calls = loaded.calls();
    let name = calls.find_map(|call| call.names().next()).expect("a file");
    assert_eq!(calls.name(name), Some(&b"/data/group.7"[..]));
    let rest: Vec<(i64, i64, i64)> =
        calls.map(|call| (call.args[0], call.ret, call.end.0 - call.start.0)).collect();
    assert_eq!(rest[..3], [(0, 8192, 12_602), (8192, 8192, 12_602), (16_384, 8192, 12_602)]);
}

/// Corrects the checksums, so that damage reaches the decoders.
fn sealed(bytes: &mut [u8], sections: &[(usize, usize)]) {
    for &(start, end) in sections {
        let sum = crc32c(&bytes[start..end]).to_le_bytes();
        bytes[start - 4..start].copy_from_slice(&sum);
    }
}

fn sections(bytes: &[u8]) -> Vec<(usize, usize)> {
    let varint = |at: &mut usize| {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[*at];
            *at += 1;
            value |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    };
    let mut at = 8;
    let head = [varint(&mut at), varint(&mut at)];
    assert_eq!(head[0], VERSION as usize);
    let mut found = Vec::new();
    while at < bytes.len() {
        at += 1;
        let len = varint(&mut at);
        found.push((at + 4, at + 4 + len));
        at += 4 + len;
    }
    found
}

#[test]
fn damaged_files_are_harmless() {
    let read = |bytes: &[u8]| {
        if let Ok(mari) = Mari::read(bytes) {
            for loaded in mari.streams().take(50).filter_map(|stream| stream.load().ok()) {
                loaded.calls().take(100).for_each(drop);
            }
        }
    };
    for bytes in [written(&interleaved, 1000), written(&ring, 1000)] {
        let sections = sections(&bytes);
        for at in 8..bytes.len() {
            read(&bytes[..at]);
            for flip in [1, 4, 0x10, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                sealed(&mut bytes, &sections);
                read(&bytes);
            }
        }
    }
}
