//! Stream calls.

use marigraph_model::counters::stdio::*;
use marigraph_model::counters::{posix, stdio};
use marigraph_model::{Module, Scope};
use marigraph_wire::op::Op;

use super::*;

fn streams<const N: usize>(trace: &Trace, path: &str, idx: [IntIdx; N]) -> [i64; N] {
    ints(trace, Module::Stdio, path, idx)
}

fn fopen(slot: u32, name: i64) -> Call {
    call(Op::Fopen, slot, [name, 2, 0], 0)
}

fn moved(op: Op, bytes: i64) -> Call {
    call(op, 1, [0, bytes, 1], bytes)
}

#[test]
fn which_calls_read_and_write() {
    let mut calls = vec![fopen(1, 1)];
    calls.extend([Op::Fread, Op::Fgets, Op::Fscanf, Op::Getline].map(|op| moved(op, 10)));
    calls.extend([Op::Fwrite, Op::Fputs, Op::Fprintf].map(|op| moved(op, 100)));
    calls.extend([moved(Op::Fgetc, 1), moved(Op::Fputc, 1)]);
    let trace = run(&calls);
    assert_eq!(streams(&trace, A, [OPENS, READS, WRITES, BYTES_READ, BYTES_WRITTEN]), [1, 5, 4, 41, 301]);
    assert_eq!(streams(&trace, A, [MAX_BYTE_READ, MAX_BYTE_WRITTEN]), [340, 341]);
    assert!(!trace.records.contains_key(&Module::Posix) && trace.events.is_empty());
}

#[test]
fn operations_of_streams_are_kept_where_wanted() {
    let calls = [fopen(1, 1), moved(Op::Fwrite, 100), moved(Op::Fputs, 0), moved(Op::Fwrite, 50)];
    let mut counter = Counter::new(Options { streams: true, ..options() });
    feed(&mut counter, 3, &calls);
    let mut trace = Trace::default();
    counter.finish(4, &mut trace);
    let kept: Vec<_> =
        trace.events.iter().map(|event| (event.interface, event.offset, event.bytes)).collect();
    let one = |offset, bytes| (Module::Stdio, Some(offset), bytes);
    assert_eq!(kept, [one(0, 100), one(100, 0), one(100, 50)]);
}

#[test]
fn calls_that_moved_nothing() {
    let empty = [Op::Fread, Op::Fgets, Op::Fgetc, Op::Fwrite, Op::Fputc, Op::Fprintf, Op::Getline];
    let mut calls = vec![fopen(1, 1)];
    calls.extend(empty.map(|op| moved(op, 0)));
    calls.push(call(Op::Fputs, 1, [0; 3], -5));
    assert_eq!(streams(&run(&calls), A, [READS, WRITES]), [0, 0]);
    // An empty text is written, a scan that met the end is a read, one that matched nothing is none.
    let calls = [fopen(1, 1), moved(Op::Fputs, 0), moved(Op::Fscanf, 0), call(Op::Fscanf, 1, [1, 0, 0], 3)];
    assert_eq!(streams(&run(&calls), A, [READS, WRITES, BYTES_READ]), [1, 1, 0]);
}

#[test]
fn flushes_are_writes_of_nothing() {
    let trace = run(&[
        fopen(1, 1),
        moved(Op::Fread, 100),
        call(Op::Fflush, 1, [0; 3], 0),
        call(Op::Fflush, 0, [0; 3], 0),
    ]);
    assert_eq!(streams(&trace, A, [FLUSHES, WRITES, MAX_BYTE_WRITTEN]), [1, 0, 99]);
    assert_eq!(seconds(&trace, Module::Stdio, A, F_WRITE_TIME), 0.001);
    assert_eq!(seconds(&trace, Module::Stdio, A, F_WRITE_START_TIMESTAMP), 0.03);
}

#[test]
fn nothing_written_at_the_start_spoils_the_highest_byte() {
    let counters = |calls: &[Call]| {
        let trace = run(calls);
        let record = find(&trace, Module::Stdio, A, Scope::Rank(Rank(0))).expect("record");
        [record.int(MAX_BYTE_WRITTEN).get(), record.int(WRITES).get()]
    };
    assert_eq!(counters(&[fopen(1, 1), moved(Op::Fputs, 0), moved(Op::Fwrite, 10)]), [None, Some(2)]);
    assert_eq!(counters(&[fopen(1, 1), moved(Op::Fputs, 0), moved(Op::Fprintf, 10)]), [Some(9), Some(2)]);
    assert_eq!(counters(&[fopen(1, 1), moved(Op::Fwrite, 10), moved(Op::Fputs, 0)]), [Some(9), Some(2)]);
}

#[test]
fn seeks_set_the_position() {
    let trace = run(&[
        fopen(1, 1),
        call(Op::Fseek, 1, [5, 0, 500], 0),
        moved(Op::Fwrite, 10),
        call(Op::Rewind, 1, [0; 3], 0),
        moved(Op::Fread, 10),
        call(Op::Fsetpos, 1, [0, 0, 50], 0),
        moved(Op::Fread, 10),
        call(Op::Fseek, 1, [5, 0, 500], -22),
    ]);
    assert_eq!(streams(&trace, A, [SEEKS, MAX_BYTE_WRITTEN, MAX_BYTE_READ]), [3, 509, 59]);
    assert_eq!(seconds(&trace, Module::Stdio, A, F_META_TIME), 0.004);
}

#[test]
fn standard_streams_that_moved_something() {
    let trace = run(&[
        call(Op::Standard, 1, [1, 0, 0], 0),
        moved(Op::Fprintf, 12),
        call(Op::Standard, 2, [2, 0, 0], 0),
        call(Op::Fflush, 2, [0; 3], 0),
        write(1, 100),
    ]);
    assert_eq!(streams(&trace, "<STDOUT>", [OPENS, WRITES, BYTES_WRITTEN]), [1, 1, 12]);
    assert_eq!(seconds(&trace, Module::Stdio, "<STDOUT>", F_META_TIME), 0.0);
    assert_eq!(trace.records.get(&Module::Stdio).expect("records").len(), 1);
    assert_eq!(trace.files.name(FileId::STDOUT), Some(&b"<STDOUT>"[..]));
    assert!(!trace.records.contains_key(&Module::Posix));
}

#[test]
fn streams_of_descriptors() {
    let trace = run(&[
        open(1, 1),
        call(Op::Fdopen, 2, [1, 0, 0], 0),
        call(Op::Fwrite, 2, [0, 10, 1], 10),
        call(Op::Fclose, 2, [0; 3], 0),
        call(Op::Fdopen, 3, [0, 0, 0], 0),
        call(Op::Fwrite, 3, [0, 10, 1], 10),
        write(1, 5),
    ]);
    assert_eq!(streams(&trace, A, [OPENS, FDOPENS, WRITES]), [1, 1, 1]);
    // The descriptor was closed with the stream, and not by a call that Darshan sees.
    assert_eq!(ints(&trace, Module::Posix, A, [posix::WRITES, posix::OPENS]), [0, 1]);
    assert_eq!(seconds(&trace, Module::Posix, A, posix::F_CLOSE_END_TIMESTAMP), 0.0);
    assert_eq!(seconds(&trace, Module::Stdio, A, F_CLOSE_END_TIMESTAMP), 0.041);
}

#[test]
fn asking_for_the_descriptor_of_a_stream() {
    let fileno = |slot, stream| call(Op::Fileno, slot, [stream, 0, 0], 5);
    let trace = run(&[fopen(1, 1), fileno(2, 1), fileno(2, 1), call(Op::Fsync, 2, [0; 3], 0), write(2, 7)]);
    let counters = [posix::OPENS, posix::FILENOS, posix::FSYNCS, posix::WRITES];
    assert_eq!(ints(&trace, Module::Posix, A, counters), [2, 2, 1, 1]);
    assert_eq!(seconds(&trace, Module::Posix, A, posix::F_META_TIME), 0.002);
    // The descriptor goes with the stream.
    let trace = run(&[fopen(1, 1), fileno(2, 1), call(Op::Fclose, 1, [0; 3], 0), write(2, 7)]);
    assert_eq!(ints(&trace, Module::Posix, A, [posix::OPENS, posix::WRITES]), [1, 0]);
}

#[test]
fn descriptors_of_standard_streams_count_once_they_were_asked_for() {
    let calls = [
        call(Op::Standard, 1, [1, 0, 0], 0),
        call(Op::Fileno, 2, [1, 0, 0], 1),
        write(2, 10),
        moved(Op::Fprintf, 12),
        call(Op::Fileno, 3, [1, 0, 0], 1),
        write(3, 30),
    ];
    // Before the first stream call Darshan does not know them.
    let trace = run(&calls);
    assert_eq!(ints(&trace, Module::Posix, "<STDOUT>", [posix::FILENOS, posix::BYTES_WRITTEN]), [1, 30]);
    let record = find(&trace, Module::Posix, "<STDOUT>", Scope::Rank(Rank(0))).expect("record");
    assert_eq!(record.int(posix::FILE_ALIGNMENT).get(), None);
    assert!(run(&calls[..3]).records.is_empty());
}

#[test]
fn reopened_streams() {
    let trace = run(&[
        fopen(1, 1),
        moved(Op::Fwrite, 10),
        call(Op::Freopen, 2, [2, 1, 1], 0),
        call(Op::Fwrite, 2, [0, 7, 1], 7),
        call(Op::Freopen, 3, [0, 1, 2], 0),
        call(Op::Fwrite, 3, [0, 1, 1], 1),
    ]);
    assert_eq!(streams(&trace, A, [OPENS, BYTES_WRITTEN]), [1, 10]);
    assert_eq!(streams(&trace, B, [OPENS, BYTES_WRITTEN]), [1, 8]);
    assert_eq!(seconds(&trace, Module::Stdio, A, stdio::F_CLOSE_END_TIMESTAMP), 0.0);
}

#[test]
fn opening_again_starts_at_zero() {
    let trace = run(&[fopen(1, 1), moved(Op::Fwrite, 100), fopen(2, 1), moved(Op::Fwrite, 10)]);
    assert_eq!(streams(&trace, A, [OPENS, MAX_BYTE_WRITTEN]), [2, 99]);
    assert!(find(&trace, Module::Stdio, "<STDIN>", Scope::Rank(Rank(0))).is_none());
}
