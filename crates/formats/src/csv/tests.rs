use marigraph_model::{Direction, Rank, Trace};
use proptest::prelude::*;

use super::quick::{quick, seconds};
use super::row::{entire, split};
use super::*;

const SAMPLE: &str =
    "rank,start,end,bytes,op,file,offset\n0,0.5,0.75,4096,write,/a,0\n1,1,1.25,10,read,\"/b,c\",\n";

fn events(table: &Table<'_>) -> (Trace, Streamed) {
    let mut trace = Trace::default();
    let streamed = table.stream(&|_| true, &mut trace);
    (trace, streamed)
}

#[test]
fn a_table_reads_and_writes_to_the_same() {
    assert!(sniff(SAMPLE.as_bytes()));
    let table = Table::open(SAMPLE.as_bytes(), Limits::default()).expect("open");
    let (trace, streamed) = events(&table);
    assert_eq!((trace.events.len(), streamed.problems.len()), (2, 0));
    let job = table.job();
    assert_eq!((job.nprocs, job.runtime_s()), (2, 1.25));
    let (files, _) = table.names();
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, &files, Module::Posix);
    trace.stream(&mut writer);
    assert_eq!(writer.written, 2);
    let again = Table::open(&out, Limits::default()).expect("open");
    assert_eq!(events(&again).0.events, trace.events);
}

#[test]
fn columns_may_stand_in_any_order_or_have_no_heading() {
    let shuffled = "op,bytes,end,start,rank\nw,5,2,1,7\n";
    let (trace, _) = events(&Table::open(shuffled.as_bytes(), Limits::default()).expect("open"));
    let event = trace.events.get(0).expect("event");
    assert_eq!((event.rank, event.bytes, event.direction), (Rank(7), 5, Direction::Write));
    assert_eq!(events(&Table::open(b"3,0,1,9,read\n", Limits::default()).expect("open")).0.events.len(), 1);
}

#[test]
fn tables_may_be_put_together() {
    let text = format!("{SAMPLE}op,bytes,end,start,rank\nw,5,2,1,7\n\n{SAMPLE}");
    let table = Table::open(text.as_bytes(), Limits::default()).expect("open");
    let (trace, streamed) = events(&table);
    assert_eq!((trace.events.bytes(), streamed.problems.len()), (&[4096, 10, 5, 4096, 10][..], 0));
    assert_eq!(table.job().nprocs, 8);
}

#[test]
fn bad_lines_are_counted_and_the_first_is_shown() {
    let text =
        "rank,start,end,bytes,op\n0,0,1,5,read\n0,2,1,5,read\nx,0,1,5,read\n0,0,nan,5,read\n0,0,1,5,chmod\n";
    let (trace, streamed) = events(&Table::open(text.as_bytes(), Limits::default()).expect("open"));
    assert_eq!(trace.events.len(), 1);
    assert_eq!(streamed.problems[0].place, "line 3");
    assert!(streamed.problems[0].message.starts_with("4 lines"), "{:?}", streamed.problems);
    assert!(Table::open(b"hello\n", Limits::default()).is_err());
    assert!(!sniff(b"hello, world\n") && !sniff(b"") && !sniff(&[0xff; 100]));
}

/// Times as the old parser read them, through floats.
fn by_float(text: &str) -> Option<i64> {
    let value: f64 = text.trim().parse().ok()?;
    value.is_finite().then(|| Nanos::from_job_seconds(value).0)
}

#[test]
fn times_are_exact() {
    let cases = [
        ("0", 0),
        ("1.5", 1_500_000_000),
        ("-0.000000001", -1),
        ("1700000000.123456789", 1_700_000_000_123_456_789),
        ("0.0000000005", 1),
        ("0.00000000049999", 0),
        ("3.9999999999", 4_000_000_000),
        ("7.", 7_000_000_000),
    ];
    for (text, nanos) in cases {
        assert_eq!(entire(text, seconds), Some(Nanos(nanos)), "{text}");
    }
    for text in ["", ".5", "1e3", "99999999999", "9999999999.5", "nan", "-", "+1"] {
        assert_eq!(entire(text, seconds), None, "{text}");
    }
}

#[test]
fn uncommon_lines_are_left_to_care() {
    let common = ["0,1,2,3,read", "0,1,2,3,W,/a b,7,more,,", "0,1,2,3,r,,\r\n", "0,-1.25,2.,3,Write,x\nrest"];
    for line in common {
        assert!(quick(line.as_bytes(), &Layout::in_order()).is_some(), "{line}");
    }
    let uncommon = [
        "",
        "\n",
        "0,1,2,3",
        "0,1e0,2,3,r",
        "0, 1,2,3,r",
        "0,2,1,3,r",
        "0,1,2,3,rx",
        "0,1,2,3,r,\"a\"",
        "0,1,2,3,r,\u{e9}",
        "0,1,2,3,r,a,x",
        "0,1,2,3,r\r\r\n",
        "99999999999,1,2,3,r",
        "0,1,2,18446744073709551615,r",
    ];
    for line in uncommon {
        assert_eq!(quick(line.as_bytes(), &Layout::in_order()), None, "{line}");
    }
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[0-9]{1,20}",
        4 => "-?[0-9]{1,11}(\\.[0-9]{0,14})?",
        1 => "[0-9]{1,3}[eE]-?[0-9]{1,2}",
        2 => "(?i)(read|write|r|w)",
        1 => "[ \"a-z/\u{e9}\r]{0,5}",
        1 => Just("inf".to_string()),
    ]
}

fn line() -> impl Strategy<Value = String> {
    let right = (
        "[0-9]{1,6}",
        "[0-9]{1,4}(\\.[0-9]{1,12})?",
        "[0-9]{4,6}(\\.[0-9]{1,12})?",
        "[0-9]{1,12}",
        "(read|write|R|w)",
        "(,[a-z/]{0,9}(,[0-9]{0,9})?)?",
    )
        .prop_map(|(rank, start, end, bytes, op, rest)| format!("{rank},{start},{end},{bytes},{op}{rest}"));
    prop_oneof![right, prop::collection::vec(field(), 0..9).prop_map(|fields| fields.join(","))]
}

proptest! {
    #[test]
    fn both_ways_of_reading_agree(line in line(), order in Just([0, 1, 2, 3, 4, 5, 6]).prop_shuffle(), known in any::<bool>()) {
        let layout = if known { Layout::in_order() } else { Layout::new(order.map(Some)) };
        let careful = parse(&line, &layout);
        if let Some((row, length)) = quick(line.as_bytes(), &layout) {
            prop_assert_eq!(length, line.len());
            prop_assert_eq!(Ok(row), careful.clone());
        }
        if let Ok(row) = careful {
            let fields = split(line.trim_end_matches('\r'));
            for (column, time) in [(1, row.start), (2, row.end)] {
                let text = layout.places[column].and_then(|at| fields.get(at)).expect("it was read");
                let before = by_float(text).expect("it was read");
                let off = before.abs_diff(time.0) as f64;
                prop_assert!(off <= 1.0 + before.unsigned_abs() as f64 * 4e-16, "{text}: {before} {time:?}");
            }
        }
    }

    #[test]
    fn any_lines_give_the_same_rows_one_by_one(lines in prop::collection::vec(line(), 0..6)) {
        let layout = Layout::in_order();
        let text = lines.join("\n");
        let (mut rows, mut expected) = (Vec::new(), Vec::new());
        let bad = each(text.as_bytes(), 1, &mut layout.clone(), |row| rows.push(format!("{row:?}")));
        let mut wrong = 0;
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            match parse(line, &layout) {
                Ok(row) => expected.push(format!("{row:?}")),
                Err(_) => wrong += 1,
            }
        }
        prop_assert_eq!((rows, bad.count), (expected, wrong));
    }
}
