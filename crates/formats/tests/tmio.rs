//! Files of rates: real ones against an independent script, synthetic ones against their contents.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use marigraph_formats::tmio::{self, Log, Moved, Request, Unit};
use marigraph_formats::{Limits, open};
use marigraph_model::{Direction, Event, Module, Nanos, Rank, Reader, Trace};
use proptest::prelude::*;

fn real(name: &str) -> Option<Vec<u8>> {
    let path = common::data()?.join("tmio").join(name);
    Some(std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn trace(content: &[u8], unit: Unit) -> Trace {
    Log::open(content, unit).expect("a file of rates").to_trace()
}

fn sums(trace: &Trace, op: Direction) -> (usize, u64, i64, i64) {
    let events: Vec<Event> = trace.events.iter().filter(|event| event.direction == op).collect();
    let bytes = events.iter().map(|event| event.bytes).sum();
    let start = events.iter().map(|event| event.start.0).min().unwrap_or(0);
    (events.len(), bytes, start, events.iter().map(|event| event.end.0).max().unwrap_or(0))
}

fn per_rank(trace: &Trace, op: Direction) -> BTreeMap<u32, usize> {
    let mut ranks = BTreeMap::new();
    trace
        .events
        .iter()
        .filter(|event| event.direction == op)
        .for_each(|e| *ranks.entry(e.rank.0).or_default() += 1);
    ranks
}

fn kinds(trace: &Trace) -> Vec<&'static str> {
    trace.problems.iter().map(|problem| problem.kind.code()).collect()
}

fn committed() -> Vec<(String, Vec<u8>, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/tmio");
    let names = ["two.jsonl", "two.msgpack", "steps.json", "client.txt", "rates.csv"];
    let file = |name: &str| std::fs::read(folder.join(name)).expect("a committed file");
    let expected = |name: &str| String::from_utf8(file(&format!("{name}.expected"))).expect("text");
    names.map(|name| (name.to_string(), file(name), expected(name))).to_vec()
}

#[test]
fn committed_files_are_read_as_another_program_says() {
    for (name, content, expected) in committed() {
        let trace = open(&content, Limits::default()).expect("open").to_trace();
        let mut found = String::new();
        for event in trace.events.iter() {
            let Event { rank, direction: op, start, end, bytes, .. } = event;
            let op = if op == Direction::Write { "write" } else { "read" };
            found.push_str(&format!("{} {op} {} {} {bytes}\n", rank.0, start.0, end.0));
        }
        kinds(&trace).iter().for_each(|kind| found.push_str(&format!("problem {kind}\n")));
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn every_prefix_and_every_flipped_byte_is_survived() {
    for (name, content, _) in committed() {
        let mut readable = 0;
        for end in 0..content.len() {
            readable +=
                usize::from(open(&content[..end], Limits::default()).map(|log| log.to_trace()).is_ok());
            for flip in [0x01, 0x80, 0xff] {
                let mut broken = content.clone();
                broken[end] ^= flip;
                let _ = open(&broken, Limits::default()).map(|log| log.to_trace());
            }
        }
        assert!(readable > content.len() / 2, "{name}: {readable}");
    }
}

#[test]
fn sixteen_flushes_of_eight_ranks() {
    let Some(content) = real("8.jsonl") else { return };
    let as_bytes = trace(&content, Unit::Bytes);
    assert_eq!(sums(&as_bytes, Direction::Read), (1095, 4935, 2_507_478_000, 29_028_889_000));
    assert_eq!(kinds(&as_bytes), ["known_defect"], "the file is in MB, and looks like it");
    let trace = trace(&content, Unit::Megabytes);
    assert_eq!(sums(&trace, Direction::Read), (1095, 4_937_482_737, 2_507_478_000, 29_028_889_000));
    assert_eq!(sums(&trace, Direction::Write), (1095, 4_937_485_795, 53_090_000, 28_982_125_000));
    assert_eq!(trace.problems, []);
    assert_eq!((trace.job.nprocs, trace.job.runtime_s()), (8, 29.028889));
    let calls = per_rank(&trace, Direction::Write);
    assert_eq!(calls.values().copied().collect::<Vec<_>>(), [150, 135, 135, 135, 135, 135, 135, 135]);
}

#[test]
fn nine_flushes_of_384_ranks() {
    let Some(content) = real("384.msgpack") else { return };
    let trace = open(&content, Limits::default()).expect("open").to_trace();
    assert_eq!(sums(&trace, Direction::Read), (30_720, 64_424_509_440, 8_530_725_744, 83_149_311_686));
    assert_eq!(sums(&trace, Direction::Write), (30_720, 64_424_509_440, 3_167_433_545, 79_156_662_120));
    assert_eq!((trace.problems.len(), trace.job.nprocs), (0, 384));
    for op in [Direction::Read, Direction::Write] {
        let calls = per_rank(&trace, op);
        assert_eq!((calls.len(), calls.values().all(|&calls| calls == 80)), (384, true));
    }
}

#[test]
fn real_files_of_other_tools() {
    let (Some(test), Some(custom)) = (real("test.json"), real("custom_app.json")) else { return };
    assert_eq!(sums(&trace(&test, Unit::Bytes), Direction::Read), (73, 329, 2_507_478_000, 2_557_778_000));
    let custom = trace(&custom, Unit::Bytes);
    let second = 1_000_000_000;
    // Five steps and the two borders.
    assert_eq!(sums(&custom, Direction::Write), (7, 18_000_000_000, second, 8 * second));
    assert_eq!(custom.job.nprocs, 4);
    let (Some(two), Some(four)) = (real("2.txt"), real("4.txt")) else { return };
    assert_eq!(sums(&trace(&two, Unit::Bytes), Direction::Read), (14, 28_311_552, 0, 65_000_000));
    let four = trace(&four, Unit::Bytes);
    assert_eq!(sums(&four, Direction::Read), (1024, 536_870_912, 529_523_000, 918_299_000));
    assert_eq!(
        (four.events.get(0).map(|e| e.interface), kinds(&four)),
        (Some(Module::Posix), vec!["not_recorded"])
    );
}

#[test]
fn every_cut_of_a_real_file_is_read_as_far_as_it_goes() {
    for name in ["8.jsonl", "384.msgpack"] {
        let Some(content) = real(name) else { return };
        let mut last = 0;
        for end in (1000..content.len()).step_by(content.len() / 97) {
            let Some(log) = Log::open(&content[..end], Unit::Megabytes) else { panic!("{name}: {end}") };
            let trace = log.to_trace();
            assert!(trace.events.len() >= last, "{name}: {end}");
            assert!(
                kinds(&trace).iter().all(|kind| ["truncated", "not_recorded"].contains(kind)),
                "{:?}",
                trace.problems
            );
            last = trace.events.len();
        }
        assert!(last > 1000, "{name}");
    }
}

#[test]
fn a_table_of_rates_is_steps() {
    let text = "timestamp,read,write\n2024-01-01 00:00:00.0,0,0\n2024-01-01 00:00:02.0,50000,7e4\n\
                2024-01-01 00:00:04.0,oops,0\n\n2024-01-01 00:00:06.0,0,80000\n";
    let trace = open(text.as_bytes(), Limits::default()).expect("open").to_trace();
    let second = 1_000_000_000;
    assert_eq!(sums(&trace, Direction::Read), (3, 100_000, 0, 8 * second));
    assert_eq!(sums(&trace, Direction::Write), (4, 300_000, 0, 8 * second));
    assert_eq!(kinds(&trace), ["bad_record"]);
    let plain = open(b"both\n0\n20000\n", Limits::default()).expect("open").to_trace();
    assert_eq!(sums(&plain, Direction::Read), (3, 20_000, 0, 2 * second));
    assert_eq!(kinds(&plain), ["not_recorded"]);
}

#[test]
fn generic_and_client_messages_are_read() {
    // {"b": [1e6, 2e6], "ts": [0, 1], "te": [1, 3]}
    let mut direct = vec![0x83, 0xa1, b'b', 0x92, 0xce, 0, 0x0f, 0x42, 0x40, 0xce, 0, 0x1e, 0x84, 0x80];
    direct.extend([0xa2, b't', b's', 0x92, 0, 1, 0xa2, b't', b'e', 0x92, 1, 3]);
    let trace = open(&direct, Limits::default()).expect("open").to_trace();
    assert_eq!(sums(&trace, Direction::Read), (2, 5_000_000, 0, 3_000_000_000));
    // Time, host, process, "w", starts, ends (the second of no length), sizes, calls, bytes.
    let mut client = vec![0xce, 1, 2, 3, 4, 0xa2, b'n', b'1', 0x07, 0xa1, b'w', 0x92, 10, 30, 0x92, 20, 30];
    client.extend([0x92, 0xcd, 1, 0, 0x40, 2, 0xcd, 1, 0x40]);
    let twice = [&client[..], &client[..]].concat();
    let trace = open(&twice, Limits::default()).expect("open").to_trace();
    assert_eq!(sums(&trace, Direction::Write), (4, 640, 10_000, 31_000));
    assert_eq!(trace.problems, []);
    let cut = open(&twice[..twice.len() - 1], Limits::default()).expect("open").to_trace();
    assert_eq!((cut.events.len(), kinds(&cut)), (2, vec!["truncated"]));
}

#[test]
fn damage_costs_what_is_damaged() {
    let mut moved = Moved::default();
    let request = |start| Request {
        rank: Rank(0),
        op: Direction::Write,
        start: Nanos(start),
        end: Nanos(start + 1000),
        bytes: 100,
    };
    moved.add(request(5));
    let flush = moved.lines();
    let text = format!("{flush}garbage\n{{\"write_sync\": {{\"x\": }}\n{flush}{}", &flush[..flush.len() / 2]);
    let trace = trace(text.as_bytes(), Unit::Bytes);
    assert_eq!(sums(&trace, Direction::Write), (2, 200, 5, 1005));
    assert_eq!(kinds(&trace), ["bad_line", "truncated"]);
    assert_eq!(trace.problems[0].place, "line 8");
    if let Some(content) = real("384.msgpack") {
        let mut broken = content.clone();
        broken[500_000..500_100].fill(0xc1);
        let found = self::trace(&broken, Unit::Bytes).events.len();
        assert!(found < 61_440 && found > 50_000, "{found}");
    }
}

fn request() -> impl Strategy<Value = Request> {
    (0u32..5, any::<bool>(), 0i64..1_000_000_000_000, 1i64..100_000_000_000, 0u64..1 << 40).prop_map(
        |(rank, write, start, length, bytes)| Request {
            rank: Rank(rank),
            op: if write { Direction::Write } else { Direction::Read },
            start: Nanos(start),
            end: Nanos(start + length),
            bytes,
        },
    )
}

type Plain = (u32, Direction, i64, i64, u64);

proptest! {
    #[test]
    fn what_is_written_is_read(requests in prop::collection::vec(request(), 1..50)) {
        let mut moved = Moved::default();
        requests.iter().for_each(|&request| moved.add(request));
        let read = trace(moved.lines().as_bytes(), Unit::Bytes);
        let mut expected: Vec<Plain> =
            requests.iter().map(|r| (r.rank.0, r.op, r.start.0, r.end.0, r.bytes)).collect();
        let mut found: Vec<Plain> =
            read.events.iter().map(|e| (e.rank.0, e.direction, e.start.0, e.end.0, e.bytes)).collect();
        // Only the order of ranks is known, so their numbers may differ.
        expected.iter_mut().chain(&mut found).for_each(|plain| plain.0 = 0);
        expected.sort();
        found.sort();
        for (found, expected) in found.iter_mut().zip(&expected) {
            // Rates have three decimals.
            let off = found.4.abs_diff(expected.4);
            prop_assert!(off as f64 <= 1.0 + expected.4 as f64 * 1e-12, "{found:?} {expected:?}");
            found.4 = expected.4;
        }
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..400), start in 0usize..8) {
        let starts: [&[u8]; 8] = [
            b"", b"{\"write_sync\":", b"{\"b\": [", b"\x9earead_sync", b"\x9e\xa9read_sync\xc2\xc2",
            b"\x83\xa1b", b"start_t_micro: [", b"read,write\n",
        ];
        let content = [starts[start], &bytes].concat();
        if tmio::sniff(&content) {
            let _ = trace(&content, Unit::Bytes);
        }
    }
}
