//! The trace format: nothing is lost, the order of feeding does not matter, the size of regular
//! programs depends neither on iterations nor on ranks, and no input causes a panic.

#![allow(clippy::expect_used, clippy::print_stdout)] // a test may stop, and says what it measured

use std::collections::HashMap;

use marigraph_formats::native::mari::{
    Context, Mari, Meta, Site, StreamKey, Times, TraceWriter, VERSION, sniff, text, without_times,
    write_classes,
};
use marigraph_formats::{Limits, open};
use marigraph_model::{Call, CallSink, CallStream, NameId, Names, Nanos, ProblemKind, Rank, SiteId, Slot};
use marigraph_wire::op::{Layer, Op};
use proptest::prelude::*;

#[path = "mari/classes.rs"]
mod classes;

type NameMap = HashMap<NameId, Vec<u8>>;

#[derive(Debug, Clone)]
struct Fed {
    key: StreamKey,
    calls: Vec<Call>,
    names: NameMap,
}

fn key(rank: u32, process: u32, thread: u32) -> StreamKey {
    StreamKey { process, thread, rank }
}

fn sites() -> Vec<Site> {
    let site = |module: &str, offset| Site { module: module.into(), offset };
    vec![
        Site::default(),
        site("app", 0x1234),
        site("app", 0x1300),
        site("libmpi.so", 0x99_0000),
        site("app", 0x10),
    ]
}

fn call(op: Op) -> Call {
    let (slot, site, zero) = (Slot::NONE, SiteId::UNKNOWN, Nanos(0));
    Call { op, depth: 0, flags: 0, slot, args: [0; 3], ret: 0, start: zero, end: zero, site }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ self.0 >> 33;
        x.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 17
    }

    fn below(&mut self, limit: u64) -> i64 {
        (self.next() % limit) as i64
    }
}

struct Program {
    fed: Fed,
    now: i64,
    random: Random,
}

impl Program {
    fn new(rank: u32) -> Program {
        let fed = Fed { key: key(rank, 0, 0), calls: Vec::new(), names: NameMap::new() };
        Program { fed, now: 1_000_000 + i64::from(rank) * 777, random: Random(u64::from(rank) + 1) }
    }

    fn name(&mut self, path: String) -> i64 {
        let id = self.fed.names.len() as i64 + 1;
        self.fed.names.insert(NameId(id), path.into_bytes());
        id
    }

    fn put(&mut self, mut call: Call, duration: i64) {
        self.now += 40 + (self.random.below(8) + self.random.below(8)) / 2;
        call.start = Nanos(self.now);
        self.now += duration + (self.random.below(24) + self.random.below(24)) / 3;
        call.end = Nanos(self.now);
        self.fed.calls.push(call);
    }

    fn at(&mut self, site: u32, slot: u32, call: Call, duration: i64) {
        self.put(Call { slot: Slot(slot), site: SiteId(site), ..call }, duration);
    }

    fn open(&mut self, path: String, slot: u32) {
        let name = self.name(path);
        self.at(1, slot, Call { args: [name, 0x42, 0], ret: 3, ..call(Op::Open) }, 9000);
    }

    fn write(&mut self, slot: u32, offset: i64, len: i64) {
        self.at(2, slot, Call { args: [offset, len, 0], ret: len, ..call(Op::Pwrite) }, 640);
    }

    fn read(&mut self, slot: u32, offset: i64, len: i64) {
        self.at(4, slot, Call { args: [offset, len, 0], ret: len, ..call(Op::Pread) }, 640);
    }

    fn close(&mut self, slot: u32) {
        self.at(3, slot, call(Op::Close), 1500);
    }
}

const CHUNK: i64 = 1 << 18;

/// One file per process, written and read back.
fn file_per_process(rank: u32, _: u32, iterations: i64) -> Fed {
    let mut program = Program::new(rank);
    for slot in 1..=2 {
        program.open(format!("/scratch/p42/ior/out.{rank:08}"), slot);
        for at in 0..iterations {
            if slot == 1 {
                program.write(slot, at * CHUNK, CHUNK)
            } else {
                program.read(slot, at * CHUNK, CHUNK)
            }
        }
        program.close(slot);
    }
    program.fed
}

/// A shared file with one contiguous block per rank.
fn chunked(rank: u32, _: u32, iterations: i64) -> Fed {
    let mut program = Program::new(rank);
    program.open("/scratch/p42/ior/shared".into(), 1);
    for at in 0..iterations {
        program.write(1, (i64::from(rank) * iterations + at) * CHUNK, CHUNK);
    }
    program.close(1);
    program.fed
}

/// A shared file with pieces interleaved over the ranks.
fn interleaved(rank: u32, ranks: u32, iterations: i64) -> Fed {
    let mut program = Program::new(rank);
    program.open("/scratch/p42/ior/shared".into(), 1);
    for at in 0..iterations {
        program.write(1, (at * i64::from(ranks) + i64::from(rank)) * CHUNK, CHUNK);
    }
    program.close(1);
    program.fed
}

/// Time steps, each with its own file of grid blocks: three levels of loops.
fn nested(rank: u32, ranks: u32, iterations: i64) -> Fed {
    let mut program = Program::new(rank);
    for step in 0..iterations {
        program.open(format!("/s/dump.{step:04}"), step as u32 + 1);
        for row in 0..6 {
            for piece in 0..5 {
                program.write(
                    step as u32 + 1,
                    (row * i64::from(ranks) + i64::from(rank)) * 1000 + piece * 200,
                    200,
                );
            }
            program.read(step as u32 + 1, row * 8, 8);
        }
        program.close(step as u32 + 1);
    }
    program.fed
}

type Pattern = fn(u32, u32, i64) -> Fed;
const PATTERNS: [(&str, Pattern); 4] = [
    ("file per process", file_per_process),
    ("chunked", chunked),
    ("interleaved", interleaved),
    ("nested", nested),
];

fn write_as(streams: &[Fed], times: Times) -> Vec<u8> {
    let mut writer = TraceWriter::new(times);
    let sites = sites();
    for fed in streams {
        let mut stream = writer.stream(fed.key).expect("once");
        let context = Context { names: &fed.names, sites: &sites };
        fed.calls.iter().for_each(|call| stream.call(call, &context));
        stream.end();
    }
    writer.finish(&Meta { ranks: streams.len() as u64, ..Meta::default() }, &[])
}

fn write(streams: &[Fed]) -> Vec<u8> {
    write_as(streams, Times::Exact)
}

fn job(pattern: Pattern, ranks: u32, iterations: i64) -> Vec<Fed> {
    (0..ranks).map(|rank| pattern(rank, ranks, iterations)).collect()
}

fn meaning(call: &Call, names: &dyn Names, sites: &[Site]) -> (Call, [Option<Vec<u8>>; 2], Option<Site>) {
    let mut call = *call;
    let mut paths = [None, None];
    for (path, id) in paths.iter_mut().zip(call.names()) {
        *path = names.name(id).map(<[u8]>::to_vec);
    }
    call.map_names(|_| NameId::default());
    let site = sites.get(call.site.0 as usize).filter(|_| call.site != SiteId::UNKNOWN).cloned();
    call.site = SiteId::UNKNOWN;
    (call, paths, site)
}

fn assert_same(bytes: &[u8], streams: &[Fed], with_times: bool) {
    let mari = Mari::read(bytes).expect("reads");
    assert_eq!(mari.problems(), []);
    assert_eq!(mari.stream_count(), streams.len() as u64);
    let mut fed: Vec<&Fed> = streams.iter().collect();
    fed.sort_by_key(|fed| fed.key);
    let all: Vec<_> = mari.streams().collect();
    assert_eq!(all.len(), fed.len());
    for (stream, fed) in all.iter().zip(fed) {
        assert_eq!(stream.key(), fed.key);
        let loaded = stream.load().expect("loads");
        assert_eq!(loaded.calls_len(), fed.calls.len() as u64);
        let mut calls = loaded.calls();
        for wanted in &fed.calls {
            let mut wanted = *wanted;
            let mut found = calls.next().expect("as many calls");
            if !with_times {
                [wanted.start, wanted.end, found.start, found.end] = [Nanos(0); 4];
            }
            assert_eq!(meaning(&found, &calls, mari.sites()), meaning(&wanted, &fed.names, &sites()));
        }
        assert_eq!(calls.next(), None);
    }
}

fn structure(bytes: &[u8]) -> usize {
    Mari::read(bytes).expect("reads").structure_bytes()
}

#[test]
fn patterns_come_back() {
    for (_, pattern) in PATTERNS {
        let streams = job(pattern, 5, 7);
        assert_same(&write(&streams), &streams, true);
        assert_same(&write_as(&streams, Times::Histogram), &streams, false);
    }
}

#[test]
fn size_depends_neither_on_iterations_nor_on_ranks() {
    for (name, pattern) in PATTERNS {
        let sizes = [16, 160, 1600].map(|iterations| structure(&write(&job(pattern, 4, iterations))));
        let [least, most] = [sizes.iter().min(), sizes.iter().max()].map(|size| *size.expect("some"));
        assert!(most - least <= 16 && most < 1024, "{name}: {sizes:?}");
        let ranks = [4, 8, 16, 64].map(|ranks| structure(&write(&job(pattern, ranks, 16))));
        println!("{name}: {sizes:?} bytes for 16, 160, 1600 iterations; {ranks:?} for 4, 8, 16, 64 ranks");
        assert!(ranks[1] as f64 <= ranks[0] as f64 * 1.01, "{name}: {ranks:?}");
        assert!(ranks[3] <= ranks[0] + 16, "{name}: {ranks:?}");
    }
}

/// A plane in a grid two ranks wide, one block per rank; odd ranks stop early.
fn grid(rank: u32, _: u32, iterations: i64) -> Fed {
    let mut program = Program::new(rank);
    program.open("/s/plane".into(), 1);
    let (x, y) = (i64::from(rank % 2), i64::from(rank / 2));
    for at in 0..iterations - x {
        program.write(1, x * 512 + y * 65536 + at * 1024, 512);
    }
    program.close(1);
    program.fed
}

#[test]
fn grids_of_ranks_take_a_few_bytes() {
    let sizes = [4, 8, 64, 512].map(|ranks| structure(&write(&job(grid, ranks, 30))));
    println!("grid: {sizes:?} bytes for 4, 8, 64, 512 ranks");
    assert!(sizes[3] <= sizes[0] + 20, "{sizes:?}");
    let streams = job(grid, 64, 30);
    assert_same(&write(&streams), &streams, true);
}

#[test]
fn a_thousand_shapes_and_noise() {
    let mut random = Random(9);
    let mut calls = Vec::new();
    for at in 0..40_000i64 {
        let site = SiteId((at % 5) as u32);
        let depth = (at / 5 % 200) as u8;
        let args = [random.below(1 << 40), random.below(9000), at * at];
        calls.push(Call { depth, site, args, ret: args[1], ..call(Op::Pwrite) });
    }
    let fed = Fed { key: key(0, 0, 0), calls, names: NameMap::new() };
    let bytes = write(std::slice::from_ref(&fed));
    let per_call = structure(&bytes) as f64 / 40_000.0;
    println!("noise of 53 bits per call in 1000 shapes: {per_call:.1} bytes per call");
    assert!(per_call < 14.0, "{per_call}");
    assert_same(&bytes, &[fed], true);
}

#[test]
fn a_million_small_writes() {
    let mut program = Program::new(0);
    program.open("/s/one".into(), 1);
    (0..1_000_000).for_each(|at| program.write(1, at, 1));
    program.close(1);
    let bytes = write(std::slice::from_ref(&program.fed));
    let mari = Mari::read(&bytes).expect("reads");
    let per_call = mari.time_bytes() as f64 / 1e6;
    println!("10^6 pwrites: structure {} bytes, times {per_call:.3} bytes per call", mari.structure_bytes());
    assert!(mari.structure_bytes() <= 1024, "{}", mari.structure_bytes());
    assert!(per_call <= 1.5, "{per_call}");
    assert_same(&bytes, &[program.fed], true);
}

#[test]
fn the_order_of_feeding_does_not_matter() {
    let mut streams = job(nested, 6, 3);
    streams.extend(job(file_per_process, 6, 4).into_iter().map(|mut fed| {
        fed.key.thread = fed.key.rank % 2;
        fed.key.process = 1;
        fed
    }));
    for times in [Times::Exact, Times::Histogram] {
        let bytes = write_as(&streams, times);
        let mut other = streams.clone();
        other.reverse();
        assert_eq!(write_as(&other, times), bytes);
        other.swap(1, 7);
        other.rotate_left(5);
        assert_eq!(write_as(&other, times), bytes);
    }
    assert_same(&write(&streams), &streams, true);
}

/// Several processes and threads, and columns of every kind.
fn mixed() -> Vec<Fed> {
    let patterns: [(Pattern, u32, u32); 4] =
        [(nested, 4, 1), (file_per_process, 6, 2), (grid, 16, 1), (scattered, 4, 1)];
    let of = |(process, (pattern, ranks, threads)): (u32, (Pattern, u32, u32))| {
        job(pattern, ranks, 4).into_iter().map(move |mut fed| {
            fed.key = key(fed.key.rank, process, fed.key.rank % threads);
            fed
        })
    };
    (0..).zip(patterns).flat_map(of).collect()
}

fn scattered(rank: u32, _: u32, iterations: i64) -> Fed {
    let mut program = Program::new(rank);
    let mut random = Random(u64::from(rank));
    (0..iterations).for_each(|_| program.write(1, random.below(1 << 30), 512));
    program.fed
}

/// A trace that was written from the same calls when the version was 1.
#[test]
fn version_1_still_reads() {
    let old = include_bytes!("../../../testdata/mari/recorded-1.mari").as_slice();
    let (streams, new) = (mixed(), write(&mixed()));
    let [of_old, of_new] = [old, &new].map(|bytes| Mari::read(bytes).expect("reads"));
    assert_eq!([of_old.version(), of_new.version()], [1, VERSION]);
    assert_eq!(of_old.meta(), of_new.meta());
    assert_same(old, &streams, true);
    assert_eq!(text(&of_old), text(&of_new));
    assert!(new.len() <= old.len(), "{} bytes were {}", new.len(), old.len());
    let dropped = without_times(old).expect("drops");
    assert_eq!(Mari::read(&dropped).expect("reads").version(), 1);
    assert_same(&dropped, &streams, false);
}

#[test]
fn a_stream_is_written_once() {
    let mut writer = TraceWriter::new(Times::Exact);
    writer.stream(key(0, 0, 0)).expect("first").end();
    assert!(writer.stream(key(0, 0, 0)).is_err());
    assert!(writer.stream(key(0, 0, 1)).is_ok(), "one that is dropped leaves no trace");
    assert!(writer.stream(key(0, 0, 1)).is_ok());
    let bytes = writer.finish(&Meta::default(), &[]);
    assert_eq!(Mari::read(&bytes).expect("reads").stream_count(), 1);
}

#[test]
fn totals_are_those_of_the_calls() {
    let mut streams = job(nested, 4, 9);
    let failed = Call { slot: Slot(1), args: [0, 500, 0], ret: -28, ..call(Op::Pwrite) };
    let short = Call { slot: Slot(1), args: [0, 500, 0], ret: 123, ..call(Op::Pwrite) };
    let inner = Call { depth: 1, slot: Slot(1), args: [0, 77, 0], ret: 77, ..call(Op::Pread) };
    let outer = Call { slot: Slot(1), args: [0, 77, 0], ret: 77, ..call(Op::FileReadAt) };
    streams[2].calls.extend([failed, short, failed, inner, outer]);
    let bytes = write(&streams);
    let totals = Mari::read(&bytes).expect("reads").totals().0;
    let calls = || streams.iter().flat_map(|fed| &fed.calls);
    let bytes_of = |op: Op| {
        calls().filter(|call| call.op == op && call.ret > 0).map(|call| call.ret as u64).sum::<u64>()
    };
    let (own, all) = totals.layer(Layer::Posix);
    assert_eq!(totals.calls, calls().count() as u64);
    assert_eq!((all.written, all.read, all.failed), (bytes_of(Op::Pwrite), bytes_of(Op::Pread), 2));
    assert_eq!((own.written, own.read), (all.written, all.read - 77));
    assert_eq!(totals.layer(Layer::Mpi).0.read, 77);
    assert!(totals.loops >= 4);
}

#[test]
fn times_can_be_dropped_or_summed() {
    let streams = job(nested, 3, 4);
    let bytes = write(&streams);
    let dropped = without_times(&bytes).expect("drops");
    assert_same(&dropped, &streams, false);
    let mari = Mari::read(&dropped).expect("reads");
    assert_eq!((mari.time_bytes(), mari.has_exact_times()), (0, false));
    assert_eq!(mari.structure_bytes(), structure(&bytes));
    let summed = write_as(&streams, Times::Histogram);
    let mari = Mari::read(&summed).expect("reads");
    let spent =
        |calls: &mut dyn Iterator<Item = Call>| calls.map(|call| call.end.0 - call.start.0).sum::<i64>();
    let (mut found, mut wanted) = (0, 0);
    for (stream, fed) in mari.streams().zip(&streams) {
        found += spent(&mut stream.load().expect("loads").calls());
        wanted += spent(&mut fed.calls.iter().copied());
    }
    assert!((found - wanted).abs() * 50 < wanted, "{found} {wanted}");
}

#[test]
fn text_names_what_happens() {
    let bytes = write(&job(nested, 4, 3));
    let text = text(&Mari::read(&bytes).expect("reads"));
    for part in ["on 4 ranks: 0 + 1^3", "3 times", "pwrite", "/s/dump.%04d", "number 0 + 1^2"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

fn exercise(bytes: &[u8]) {
    let Ok(mari) = Mari::read(bytes) else { return };
    for stream in mari.streams().take(50) {
        if let Ok(loaded) = stream.load() {
            let _ = loaded.totals();
            let mut calls = loaded.calls();
            for call in calls.by_ref().take(300) {
                std::hint::black_box(call);
            }
        }
    }
    let _ = text(&mari);
}

#[test]
fn truncation_anywhere_is_harmless() {
    let bytes = write(&job(nested, 2, 2));
    for end in 0..bytes.len() {
        exercise(&bytes[..end]);
    }
    // Only the times are gone; the rest is still readable.
    assert_eq!(Mari::read(&bytes[..bytes.len() - 1]).expect("reads").problems().len(), 1);
    assert!(sniff(&bytes) && !sniff(b"mgraph"));
}

/// Corrects the checksums, so that damage reaches the decoders; the sections begin at `at`.
fn reseal(bytes: &mut [u8], mut at: usize) {
    while at < bytes.len() {
        let mut len = 0usize;
        let mut shift = 0;
        let mut next = at + 1;
        while let Some(&byte) = bytes.get(next) {
            len |= usize::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            (next, shift) = (next + 1, shift + 7);
            if byte < 0x80 {
                break;
            }
        }
        let Some(payload) = next.checked_add(4 + len).and_then(|end| bytes.get(next + 4..end)) else {
            return;
        };
        let sum = marigraph_wire::bytes::crc32c(payload).to_le_bytes();
        bytes[next..next + 4].copy_from_slice(&sum);
        at = next + 4 + len;
    }
}

#[test]
fn flipped_bytes_are_harmless() {
    let streams = job(nested, 3, 2);
    let old = include_bytes!("../../../testdata/mari/recorded-1.mari");
    let old = without_times(old).expect("drops");
    let traces = [(write(&streams), 10), (write_as(&streams, Times::Histogram), 10), (old, 9)];
    for (bytes, sections) in traces {
        for at in 0..bytes.len() {
            for flip in [1, 0x10, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                exercise(&bytes);
                reseal(&mut bytes, sections);
                exercise(&bytes);
            }
        }
    }
}

/// A stream of 10^12 calls beside a damaged one: once, the failed total passed for 0 calls, and the
/// other stream was expanded.
#[test]
fn damage_in_one_stream_does_not_hide_the_length_of_another() {
    let bytes = include_bytes!("../../../testdata/mari/damaged-and-endless.mari").as_slice();
    let (totals, damage) = Mari::read(bytes).expect("reads").totals();
    assert_eq!(totals.calls, 1_000_000_000_002);
    assert!(damage.is_some());
    let mut none = Nobody;
    let problems = open(bytes, Limits::default()).expect("opens").calls(&mut none);
    assert_eq!(problems.first().map(|problem| &problem.kind), Some(&ProblemKind::InflateLimit));
}

/// Expects no call.
struct Nobody;

impl CallSink for Nobody {
    fn process(&mut self, _: Rank, _: &mut dyn CallStream) {
        panic!("expanded");
    }
}

fn varint(value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    marigraph_wire::sequence::put_varint(&mut out, value);
    out
}

/// A trace of some hundred bytes in which `ranks` ranks make `calls` calls each.
fn giant(calls: u64, ranks: u64) -> Vec<u8> {
    let mut bytes = [b"mgraphtr\x02".as_slice(), &varint(ranks)].concat();
    let mut section = |id: u8, payload: Vec<u8>| {
        bytes.push(id);
        bytes.extend(varint(payload.len() as u64));
        bytes.extend(marigraph_wire::bytes::crc32c(&payload).to_le_bytes());
        bytes.extend(payload);
    };
    section(1, b"{}".to_vec());
    section(2, vec![1, 0, 1, b'x', 0]);
    section(3, [vec![1, 0, 0, 1], varint(Op::Pwrite as u64), vec![2, 0]].concat());
    // The order: one top, a single symbol 0. The shape: all constant except `a`, which increases.
    let order = vec![0, 1, 1 << 2, 0];
    let count = varint(calls * 2);
    let shape = [vec![1, 0, 0, 2, 0, 0, 0, 7 << 3], count, vec![2, 0, 2, 2, 0, 0]].concat();
    section(4, [vec![2], order, shape].concat());
    // Every rank from 0 on.
    section(5, vec![1, 0, 0, 2, 0, 0, 1, 0]);
    bytes
}

#[test]
fn giant_claims_are_read_lazily() {
    let bytes = giant(1 << 40, 3);
    assert!(bytes.len() < 150);
    let mari = Mari::read(&bytes).expect("reads");
    let stream = mari.find(key(2, 0, 0)).expect("rank 2");
    let loaded = stream.load().expect("loads");
    assert_eq!(loaded.calls_len(), 1 << 40);
    let third = loaded.calls().nth(2).expect("third");
    assert_eq!((third.args, third.ret), ([2, 1, 0], 1));
    let totals = mari.totals().0;
    assert_eq!((totals.calls, totals.layer(Layer::Posix).1.written), (3 << 40, 3 << 40));
    let wide = giant(1 << 30, 1 << 24);
    assert_eq!(Mari::read(&wide).expect("reads").totals().0.calls, 1 << 54);
    assert!(Mari::read(&giant(5, 1 << 25)).is_err());
}

fn any_calls() -> impl Strategy<Value = Vec<Call>> {
    let value = prop_oneof![4 => 0i64..4, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(-1)];
    let head = (0..Op::ALL.len(), 0u8..3, 0u8..3, 0u32..6, any::<u32>().prop_map(|slot| slot % 4));
    let call = (head, [value.clone(), value.clone(), value.clone()], value, any::<[i32; 2]>());
    prop::collection::vec(call, 0..60).prop_map(|calls| {
        let mut now = 0i64;
        let made = calls.into_iter().map(|((op, depth, flags, site, slot), args, ret, [gap, duration])| {
            let start = now.wrapping_add(i64::from(gap));
            now = start.wrapping_add(i64::from(duration));
            Call {
                op: Op::ALL[op],
                depth,
                flags,
                slot: Slot(slot),
                args,
                ret,
                start: Nanos(start),
                end: Nanos(now),
                site: SiteId(site),
            }
        });
        made.collect()
    })
}

fn any_names() -> impl Strategy<Value = NameMap> {
    let piece = prop_oneof![
        "[a-z/._-]{0,6}".prop_map(String::into_bytes),
        "[0-9]{1,20}".prop_map(String::into_bytes),
        "0[0-9]{1,8}".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    let name = prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat());
    prop::collection::hash_map((0i64..4).prop_map(NameId), name, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn anything_comes_back(
        parts in prop::collection::vec((any_calls(), any_names(), 0u32..3, 0u32..2), 1..5),
        repeat in 1usize..4,
    ) {
        let streams: Vec<Fed> = parts
            .into_iter()
            .enumerate()
            .map(|(rank, (calls, names, process, thread))| {
                let calls = calls.repeat(repeat);
                Fed { key: key(rank as u32 * 5 % 7, process, thread), calls, names }
            })
            .collect();
        let bytes = write(&streams);
        assert_same(&bytes, &streams, true);
        let mut other = streams.clone();
        other.reverse();
        prop_assert_eq!(write(&other), bytes);
        assert_same(&write_as(&streams, Times::Histogram), &streams, false);
    }

    #[test]
    fn classes_are_written_as_their_streams(
        parts in prop::collection::vec((any_calls(), any_names(), 0u32..2, 0u32..2), 1..4),
        ranks in prop::collection::btree_set(0u32..40, 1..6),
        step in -3i64..100,
    ) {
        // Ranks that make the same calls, with one number that is different.
        let shifted = |calls: &[Call], rank: u32| {
            let shift = |call: &Call| {
                let [a, b, c] = call.args;
                Call { args: [a, b, c.wrapping_add(step * i64::from(rank))], ..*call }
            };
            calls.iter().map(shift).collect::<Vec<Call>>()
        };
        let mut streams: HashMap<StreamKey, Fed> = HashMap::new();
        for (calls, names, process, thread) in &parts {
            for &rank in &ranks {
                let key = key(rank, *process, *thread);
                streams.insert(key, Fed { key, calls: shifted(calls, rank), names: names.clone() });
            }
        }
        let streams: Vec<Fed> = streams.into_values().collect();
        let bytes = write(&streams);
        let mari = Mari::read(&bytes).expect("reads");
        let classes = classes::of(mari.skeleton().expect("is whole"));
        for ranks in [0, 40, u64::MAX] {
            let meta = Meta { ranks, ..Meta::default() };
            assert_same(&write_classes(&classes, &meta), &streams, false);
        }
    }

    #[test]
    fn any_bytes_after_the_magic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&[b"mgraphtr\x01".as_slice(), &bytes].concat());
        exercise(&[b"mgraphtr\x02".as_slice(), &bytes].concat());
    }
}
