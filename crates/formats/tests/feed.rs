//! A feed gives the same result as the whole content, wherever it is cut.

#![allow(clippy::expect_used, clippy::print_stderr)] // a test may stop, and says what it skips

mod common;

use marigraph_formats::tmio::{Feed, Flush, Log, Moved, Request, Unit};
use marigraph_model::{Direction, Events, Nanos, Rank, Reader};
use proptest::prelude::*;

fn lines(rank: u32, second: i64, bytes: u64) -> String {
    let mut moved = Moved::default();
    let [start, end] = [second, second + 1].map(|second| Nanos(second * 1_000_000_000));
    moved.add(Request { rank: Rank(rank), op: Direction::Write, start, end, bytes });
    moved.lines()
}

/// The five values of a MessagePack flush, with one write of no length.
fn values(start: u8, bytes: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, write) in
        [("read_async", false), ("read_sync", false), ("write_async", true), ("write_sync", true)]
    {
        out.extend([0x9e, 0xa0 + name.len() as u8]);
        out.extend(name.bytes());
        out.extend([0xc2, if write { 0xc3 } else { 0xc2 }, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
        if name == "write_sync" {
            out.extend([0x91, 0x99, bytes, start, start, 0, 0, 0, 0, 0, 1]);
        } else {
            out.push(0x90);
        }
    }
    out.extend([0xdc, 0, 19, 0xa7]);
    out.extend(b"io_time");
    out.extend([0; 18]);
    out
}

fn bytes(flushes: &[Flush]) -> Vec<Vec<u64>> {
    flushes.iter().map(|flush| flush.events.bytes().to_vec()).collect()
}

fn joined(flushes: &[Flush]) -> Events {
    let mut all = Events::default();
    flushes.iter().for_each(|flush| all.append(&flush.events));
    all
}

fn in_portions(content: &[u8], lengths: &[usize]) -> (Vec<Flush>, Feed) {
    let (mut feed, mut flushes) = (Feed::new(Unit::Bytes), Vec::new());
    let (mut rest, mut lengths) = (content, lengths.iter().cycle());
    while let Some(&length) = lengths.next().filter(|_| !rest.is_empty()) {
        let (portion, after) = rest.split_at(length.clamp(1, rest.len()));
        flushes.extend(feed.push(portion));
        rest = after;
    }
    flushes.extend(feed.finish());
    (flushes, feed)
}

fn kinds(feed: &Feed) -> Vec<&'static str> {
    feed.problems().iter().map(|problem| problem.kind.code()).collect()
}

#[test]
fn a_flush_comes_when_its_times_have_come() {
    let mut feed = Feed::new(Unit::Bytes);
    let text = lines(0, 1, 50_000);
    let times = text.rfind("{\"io_time\"").expect("times");
    assert_eq!(feed.push(&text.as_bytes()[..times]), []);
    assert_eq!(feed.push(&text.as_bytes()[times..text.len() - 1]), []);
    assert_eq!(bytes(&feed.push(b"\n\n")), [[50_000]]);
    // The times of the second flush are lost: the third flush ends it.
    let second = lines(0, 3, 60_000);
    assert_eq!(feed.push(&second.as_bytes()[..times]), []);
    let third = feed.push(lines(0, 5, 70_000).as_bytes());
    assert_eq!(bytes(&third), [[60_000], [70_000]]);
    assert_eq!((feed.finish().len(), feed.problems().len()), (0, 0));
}

#[test]
fn a_line_of_several_modes_is_a_flush() {
    let mode = |rate| {
        format!(
            r#"{{"number_of_ranks": 1, "bandwidth": {{"b_rank_avr": [{rate}], "t_rank_s": [0], "t_rank_e": [1]}}}}"#
        )
    };
    let line = format!(
        "\t{{\"write_sync\": {}, \"read_sync\": {}, \"io_time\": {{}}}}\n",
        mode(30_000),
        mode(20_000)
    );
    let custom = "{\"b\": [40000], \"ts\": [0], \"te\": [2]}\n";
    let (flushes, feed) = in_portions(format!("{line}{line}{custom}").as_bytes(), &[7]);
    assert_eq!(bytes(&flushes), [vec![20_000, 30_000], vec![20_000, 30_000], vec![80_000]]);
    assert_eq!((flushes[0].ranks, kinds(&feed)), (1, vec!["not_recorded"]));
}

#[test]
fn garbage_is_counted_and_passed_over() {
    let text =
        format!("{}garbage\n{{\"a\": 1}}\n{{\"write_sync\": [\n{}", lines(0, 1, 50_000), lines(0, 3, 60_000));
    let (flushes, feed) = in_portions(text.as_bytes(), &[11]);
    assert_eq!((bytes(&flushes), kinds(&feed)), (vec![vec![50_000], vec![60_000]], vec!["bad_line"]));
    assert!(feed.problems()[0].message.starts_with("3 parts"), "{:?}", feed.problems());
    assert_eq!(feed.problems()[0].place, "line 8");
    let stream =
        [values(1, 10), vec![0xc1; 1000], b"\x9e\xa9read".to_vec(), vec![0xc1], values(3, 20)].concat();
    for length in [1, 5, 33, 10_000] {
        let (flushes, feed) = in_portions(&stream, &[length]);
        assert_eq!(bytes(&flushes), [[10], [20]], "{length}");
        assert_eq!(kinds(&feed), ["bad_line"]);
    }
}

#[test]
fn rows_of_a_portion_are_a_flush() {
    let mut feed = Feed::new(Unit::Bytes);
    assert_eq!(feed.push(b"\xef\xbb"), []);
    assert_eq!(bytes(&feed.push(b"\xbfop,bytes,end,start,rank\nw,5,2,1,7\nr,6,")), [[5]]);
    assert_eq!(bytes(&feed.push(b"3,2,1\nw,7,3,2,1\nw,8")), [[6, 7]]);
    assert_eq!(bytes(&feed.push(b",3,2,1\noops\n")), [[8]]);
    assert_eq!(feed.problems()[0].place, "line 6");
    feed.restart();
    assert_eq!(bytes(&feed.push(b"0,1,2,9,read\n")), [[9]]);
    feed.push(b"0,1,2,10,read");
    let last = feed.finish();
    assert_eq!((bytes(&last), last[0].ranks), (vec![vec![10]], 8));
}

#[test]
fn a_message_is_a_flush() {
    let mut feed = Feed::new(Unit::Bytes);
    assert_eq!(feed.message(&values(1, 10)).events.bytes(), [10]);
    assert_eq!(feed.message(lines(0, 1, 50_000).as_bytes()).events.bytes(), [50_000]);
    let direct = [0x83, 0xa1, b'b', 0x91, 99, 0xa2, b't', b's', 0x91, 0, 0xa2, b't', b'e', 0x91, 1];
    assert_eq!(feed.message(&direct).events.bytes(), [99]);
    assert!(feed.message(b"").events.is_empty() && feed.message(&[0xc1; 9]).events.is_empty());
    assert!(kinds(&feed).contains(&"bad_line"));
}

#[test]
fn a_writer_may_start_over() {
    let mut feed = Feed::new(Unit::Bytes);
    feed.push(&lines(0, 1, 50_000).as_bytes()[..300]);
    feed.restart();
    assert_eq!(bytes(&feed.push(&values(1, 10))), [[10]]);
    feed.restart();
    assert_eq!(bytes(&feed.push(lines(0, 1, 50_000).as_bytes())), [[50_000]]);
}

#[test]
fn real_files_in_portions() {
    for (name, flushes) in [("8.jsonl", 16), ("384.msgpack", 9)] {
        let Some(folder) = common::data() else { return };
        let content = std::fs::read(folder.join("tmio").join(name)).expect("file");
        let whole = Log::open(&content, Unit::Bytes).expect("open").to_trace();
        for lengths in [&[4096][..], &[1, 100_000, 7], &[usize::MAX]] {
            let (found, feed) = in_portions(&content, lengths);
            assert_eq!((found.len(), joined(&found) == whole.events), (flushes, true), "{name}");
            assert_eq!(feed.problems(), whole.problems);
        }
    }
}

/// Checks that portions of every length give the same result, and returns it.
fn however_cut(content: &[u8]) -> (Events, Feed) {
    let (whole, one) = in_portions(content, &[usize::MAX]);
    for length in 1..content.len() {
        let (cut, other) = in_portions(content, &[length]);
        assert!(joined(&cut) == joined(&whole), "{length}: {cut:?}");
        assert_eq!(other.problems(), one.problems(), "{length}");
    }
    (joined(&whole), one)
}

#[test]
fn a_heading_counts_wherever_it_stands_in_a_portion() {
    let heading = "op,bytes,end,start,rank\n";
    for before in ["0,1,2,3,read\n", "0,1,2,3,read\noops\n", "{\"a\": 1}\n\n0,1,2,3,r\n \n"] {
        let (events, _) = however_cut(format!("{before}{heading}w,5,2,1,7\n").as_bytes());
        assert_eq!(events.bytes(), [3, 5], "{before}");
    }
    let twice = format!("{heading}w,5,2,1,7\nrank,start,end,bytes,op\n0,1,2,3,read\n");
    let (events, feed) = however_cut(twice.as_bytes());
    assert_eq!((events.bytes(), feed.problems().len()), (&[5, 3][..], 0));
}

#[test]
fn a_mark_is_one_at_the_very_beginning_only() {
    let row = b"0,1,2,3,read\n";
    let marked = |before: &[u8]| however_cut(&[before, row].concat()).0.bytes().to_vec();
    assert_eq!((marked(b"\xef\xbb\xbf"), marked(b"\xef\xbb\xbf \n\t")), (vec![3], vec![3]));
    // A byte order mark after another one or after an empty line is not a mark, and not text
    // either.
    assert!(marked(b"\xef\xbb\xbf\xef\xbb\xbf").is_empty() && marked(b"\n\xef\xbb\xbf").is_empty());
    assert!(marked(b"\xef\xbb").is_empty());
}

#[test]
fn values_nested_too_deeply_are_passed_over() {
    let flush = values(1, 10);
    let mode = flush.iter().rposition(|&byte| byte == 0x9e).expect("the mode that writes");
    for depth in [17, 18, 40] {
        // No byte after the one that is nested too deeply is lost.
        let (events, feed) = however_cut(&[&vec![0x91; depth], &flush[mode..]].concat());
        assert_eq!((events.bytes(), kinds(&feed)), (&[10][..], vec!["bad_line"]), "{depth}");
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (0u32..3, 0i64..100, 1u64..1 << 40)
            .prop_map(|(rank, second, bytes)| lines(rank, second, bytes).into_bytes()),
        "[a-z{}\"]{0,9}\n".prop_map(String::into_bytes),
        "[0-9],[0-9],9,[0-9]{1,4},(read|write)\n".prop_map(String::into_bytes),
        "(rank,start|start,rank),end,bytes,op\n".prop_map(String::into_bytes),
    ]
}

proptest! {
    #[test]
    fn cuts_do_not_matter_to_lines(pieces in prop::collection::vec(piece(), 0..5), lengths in prop::collection::vec(1usize..500, 1..9)) {
        let content = pieces.concat();
        let (whole, one) = in_portions(&content, &[usize::MAX]);
        let (cut, other) = in_portions(&content, &lengths);
        prop_assert!(joined(&whole) == joined(&cut));
        prop_assert_eq!(one.problems(), other.problems());
    }

    #[test]
    fn cuts_do_not_matter_to_values(
        pieces in prop::collection::vec(
            prop_oneof![3 => (0u8..99, 0u8..99).prop_map(|(start, bytes)| values(start, bytes)), 1 => prop::collection::vec(any::<u8>(), 0..9)], 0..5),
        lengths in prop::collection::vec(1usize..200, 1..9),
    ) {
        let content = [vec![0x90], pieces.concat()].concat();
        let (whole, one) = in_portions(&content, &[usize::MAX]);
        let (cut, other) = in_portions(&content, &lengths);
        prop_assert_eq!(bytes(&whole), bytes(&cut));
        prop_assert_eq!(one.problems(), other.problems());
    }

    #[test]
    fn cuts_do_not_matter_to_any_bytes(content in prop::collection::vec(any::<u8>(), 0..300), length in 1usize..50) {
        let (whole, one) = in_portions(&content, &[usize::MAX]);
        let (cut, other) = in_portions(&content, &[length]);
        prop_assert!(joined(&whole) == joined(&cut));
        prop_assert_eq!(one.problems(), other.problems());
        Feed::new(Unit::Megabytes).message(&content);
    }
}
