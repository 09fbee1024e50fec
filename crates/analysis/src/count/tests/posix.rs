//! Descriptor calls.

use marigraph_model::counters::posix::*;
use marigraph_model::{Module, NameId, Scope, Slot};
use marigraph_wire::op::Op;
use marigraph_wire::record::Record;

use super::*;

fn posix<const N: usize>(trace: &Trace, path: &str, idx: [IntIdx; N]) -> [i64; N] {
    ints(trace, Module::Posix, path, idx)
}

#[test]
fn sequential_and_consecutive_accesses() {
    let trace =
        run(&[open(1, 1), write(1, 100), write(1, 100), pwrite(1, 500, 50), pwrite(1, 0, 50), read(1, 8)]);
    // The first access at 0 is neither: Darshan's "last byte" of a fresh file is byte 0.
    assert_eq!(posix(&trace, A, [WRITES, SEQ_WRITES, CONSEC_WRITES]), [4, 2, 1]);
    assert_eq!(posix(&trace, A, [STRIDE1_STRIDE, STRIDE1_COUNT, STRIDE2_STRIDE]), [300, 1, 0]);
    assert_eq!(posix(&trace, A, [ACCESS1_ACCESS, ACCESS1_COUNT, ACCESS2_ACCESS]), [100, 2, 50]);
    assert_eq!(posix(&trace, A, [MAX_BYTE_WRITTEN, BYTES_WRITTEN, RW_SWITCHES]), [549, 300, 1]);
    // The read goes on where the last write ended, also as that one had an offset.
    assert_eq!(posix(&trace, A, [MAX_BYTE_READ, SEQ_READS, CONSEC_READS]), [57, 1, 0]);
}

#[test]
fn one_byte_at_the_start_makes_the_next_consecutive_but_no_stride() {
    let trace = run(&[open(1, 1), write(1, 1), write(1, 1), pwrite(1, 10, 1)]);
    // After byte 0 the last byte is 0, which Darshan takes for none when it comes to strides.
    assert_eq!(posix(&trace, A, [CONSEC_WRITES, SEQ_WRITES, STRIDE1_STRIDE, STRIDE1_COUNT]), [1, 2, 8, 1]);
    let trace = run(&[open(1, 1), write(1, 1), pwrite(1, 10, 1)]);
    assert_eq!(posix(&trace, A, [SEQ_WRITES, STRIDE1_COUNT]), [1, 0]);
}

#[test]
fn the_position_is_the_files_not_the_descriptors() {
    let trace = run(&[open(1, 1), write(1, 100), open(2, 1), read(2, 10), write(1, 100)]);
    // The second open puts it to 0, the read to 10, and there the second write is counted.
    assert_eq!(posix(&trace, A, [MAX_BYTE_WRITTEN, SEQ_WRITES, CONSEC_WRITES]), [109, 1, 0]);
    let offsets: Vec<_> = trace.events.iter().map(|event| event.offset).collect();
    assert_eq!(offsets, [Some(0), Some(0), Some(100)]);
}

#[test]
fn aliases_share_a_position_and_count_as_opens() {
    let dup = call(Op::Dup, 1, [2, 0, 0], 4);
    let close = call(Op::Close, 1, [0; 3], 0);
    let trace = run(&[open(1, 1), write(1, 100), dup, write(2, 100), close, write(2, 5), write(1, 7)]);
    assert_eq!(posix(&trace, A, [OPENS, DUPS, WRITES, BYTES_WRITTEN]), [2, 1, 3, 205]);
    let offsets: Vec<_> = trace.events.iter().map(|event| event.offset).collect();
    assert_eq!(offsets, [Some(0), Some(100), Some(200)]);
}

#[test]
fn appends_go_to_the_end_in_truth_but_not_in_counters() {
    let open = call(Op::Open, 1, [1, 1 | APPEND, 1000], 3);
    let trace =
        run(&[open, write(1, 10), pwrite(1, 0, 10), call(Op::Ftruncate, 1, [0, 5, 0], 0), write(1, 1)]);
    assert_eq!(posix(&trace, A, [MAX_BYTE_WRITTEN, BYTES_WRITTEN]), [10, 21]);
    let offsets: Vec<_> = trace.events.iter().map(|event| event.offset).collect();
    assert_eq!(offsets, [Some(1000), Some(1010), Some(5)]);
}

#[test]
fn failed_calls_do_not_count_but_empty_reads_do() {
    let fail = |op| call(op, 1, [1, 10, 0], -5);
    let ops = [Op::Open, Op::Read, Op::Write, Op::Lseek, Op::Fsync, Op::Stat, Op::Dup, Op::Mmap];
    let mut calls = vec![open(1, 1)];
    calls.extend(ops.map(fail));
    calls.extend([read(1, 100), read(1, 0)]);
    let trace = run(&calls);
    assert_eq!(
        posix(&trace, A, [OPENS, READS, WRITES, SEEKS, FSYNCS, STATS, DUPS, MMAPS]),
        [1, 2, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(posix(&trace, A, [SIZE_READ_0_100, ACCESS1_COUNT, ACCESS2_COUNT, CONSEC_READS]), [2, 1, 0, 1]);
    // A failed close is a close.
    let trace = run(&[open(1, 1), call(Op::Close, 1, [0; 3], -5)]);
    assert_eq!(seconds(&trace, Module::Posix, A, F_CLOSE_END_TIMESTAMP), 0.021);
}

#[test]
fn a_close_forgets_the_last_byte() {
    let close = call(Op::Close, 2, [0; 3], 0);
    let open_twice = [open(1, 1), open(2, 1), pwrite(1, 1000, 10), close, pwrite(1, 500, 10)];
    let trace = run(&open_twice);
    assert_eq!(posix(&trace, A, [SEQ_WRITES, STRIDE1_COUNT]), [2, 0]);
}

#[test]
fn alignment_in_memory_and_file() {
    let unaligned = |call: Call| Call { flags: Record::UNALIGNED, ..call };
    let trace = run(&[
        open(1, 1),
        unaligned(write(1, 4096)),
        write(1, 1),
        unaligned(pread(1, 5, 1)),
        pread(1, 8192, 1),
    ]);
    assert_eq!(
        posix(&trace, A, [MEM_NOT_ALIGNED, FILE_NOT_ALIGNED, FILE_ALIGNMENT, MEM_ALIGNMENT]),
        [2, 1, 4096, 8]
    );
}

#[test]
fn seeks_move_the_position() {
    let seek = call(Op::Lseek, 1, [-5, 2, 0], 700);
    let trace = run(&[open(1, 1), seek, read(1, 10)]);
    assert_eq!(posix(&trace, A, [SEEKS, MAX_BYTE_READ]), [1, 709]);
    assert_eq!(trace.events.get(0).expect("event").offset, Some(700));
}

#[test]
fn stats_make_records_of_regular_files_only() {
    let stat = |op, slot, name, mode| call(op, slot, [name, 0, mode], 0);
    let trace = run(&[
        stat(Op::Stat, 0, 1, 0o100_644),
        stat(Op::Lstat, 0, 1, 0),
        stat(Op::Statx, 0, 1, 0o100_000),
        stat(Op::Stat, 0, 2, 0o40_755),
        stat(Op::Fstat, 9, 0, 0),
    ]);
    assert_eq!(posix(&trace, A, [STATS, OPENS]), [3, 0]);
    assert!(find(&trace, Module::Posix, B, Scope::Rank(Rank(0))).is_none());
}

#[test]
fn write_back_is_time_of_writing() {
    let sync = |op, args| call(op, 1, args, 0);
    let trace = run(&[
        open(1, 1),
        sync(Op::Fsync, [0; 3]),
        sync(Op::Fdatasync, [0; 3]),
        sync(Op::Msync, [0, 10, 4]),
        sync(Op::Msync, [0, 10, 1]),
    ]);
    assert_eq!(posix(&trace, A, [FSYNCS, FDSYNCS]), [1, 2]);
    assert_eq!(seconds(&trace, Module::Posix, A, F_WRITE_TIME), 0.003);
    assert_eq!(seconds(&trace, Module::Posix, A, F_WRITE_START_TIMESTAMP), 0.0);
    assert_eq!(seconds(&trace, Module::Posix, A, F_META_TIME), 0.001);
}

#[test]
fn renames_count_when_the_old_name_is_known() {
    let rename = call(Op::Rename, 0, [1, 2, 0], 0);
    assert!(run(&[rename]).records.is_empty());
    let trace = run(&[open(1, 1), rename, open(2, 6), call(Op::Rename, 0, [6, 2, 0], 0)]);
    assert_eq!(posix(&trace, A, [RENAME_SOURCES, RENAME_TARGETS]), [1, 0]);
    // The first name stays.
    let old = FileId::of_name(A.as_bytes()).0 as i64;
    assert_eq!(posix(&trace, B, [RENAME_SOURCES, RENAME_TARGETS, RENAMED_FROM, OPENS]), [0, 2, old, 0]);
    assert_eq!(seconds(&trace, Module::Posix, B, F_META_TIME), 0.0);
}

#[test]
fn modes_are_those_that_were_named() {
    let open = |flags: i64, mode: i64, implied| Call {
        flags: implied,
        ..call(Op::Open, 1, [1, flags | mode << 32, 0], 3)
    };
    let mode = |calls: &[Call]| posix(&run(calls), A, [MODE]);
    assert_eq!(mode(&[open(CREATE, 0o644, 0), open(2, 0, 0)]), [0o644]);
    assert_eq!(mode(&[open(0, 0o644, 0)]), [0]);
    assert_eq!(mode(&[open(CREATE | 0o1001, 0o640, Record::IMPLIED)]), [0o640]);
    assert_eq!(mode(&[open(CREATE | 0o202, 0o600, Record::IMPLIED)]), [0]);
}

#[test]
fn asynchronous_requests_count_when_their_result_is_taken() {
    let trace = run(&[
        open(1, 1),
        timed(call(Op::AioWrite, 1, [4096, 100, 77], 0), 100, 101),
        timed(call(Op::AioRead, 1, [0, 100, 78], 0), 102, 103),
        timed(call(Op::AioReturn, 1, [2, 0, 77], 60), 200, 201),
        timed(call(Op::AioReturn, 1, [1, 0, 78], -5), 202, 203),
        timed(call(Op::AioReturn, 1, [1, 0, 78], 100), 204, 205),
    ]);
    assert_eq!(posix(&trace, A, [READS, WRITES, BYTES_WRITTEN, MAX_BYTE_WRITTEN]), [0, 1, 60, 4155]);
    assert_eq!(seconds(&trace, Module::Posix, A, F_WRITE_TIME), 0.1);
}

#[test]
fn copies_in_the_kernel_are_reads_and_writes() {
    let trace = run(&[
        open(1, 1),
        open(2, 2),
        call(Op::Sendfile, 1, [-1, 50, 2], 50),
        call(Op::CopyFileRange, 1, [100, 30, 2], 30),
        more([1000, 0, 0]),
        call(Op::Splice, 1, [-1, 20, 2], 20),
        more([-1, 0, 0]),
        call(Op::Splice, 1, [-1, 5, 0], 5),
        more([-1, 0, 0]),
        call(Op::Sendfile, 1, [-1, 7, 0], 7),
    ]);
    assert_eq!(posix(&trace, A, [READS, WRITES, BYTES_READ]), [5, 0, 112]);
    assert_eq!(posix(&trace, B, [READS, WRITES, BYTES_WRITTEN, MAX_BYTE_WRITTEN]), [0, 3, 100, 1049]);
    let places: Vec<_> = trace.events.iter().filter_map(|event| event.offset).collect();
    assert_eq!(places, [0, 0, 100, 1000, 50, 50, 70, 75]);
}

#[test]
fn ring_entries_count_when_they_are_done() {
    // Entries are recorded when they are submitted and return nothing then.
    let trace = run(&[
        open(1, 1),
        call(Op::UringWrite, 1, [-1, 10, 1], 0),
        call(Op::UringRead, 1, [4, 6, 2], 0),
        call(Op::UringFsync, 1, [0, 0, 3], 0),
        call(Op::UringFsync, 1, [0, 1, 4], 0),
        call(Op::UringWrite, 1, [100, 50, 5], 0),
        call(Op::AioReturn, 1, [2, 0, 1], 10),
        call(Op::AioReturn, 1, [1, 0, 2], 5),
        call(Op::AioReturn, 1, [3, 0, 3], 0),
        call(Op::AioReturn, 1, [3, 0, 4], 0),
        call(Op::Close, 1, [0; 3], 0),
    ]);
    assert_eq!(posix(&trace, A, [READS, WRITES, FSYNCS, FDSYNCS]), [1, 2, 1, 1]);
    // The result of the last write was not seen: it counts as asked for.
    assert_eq!(posix(&trace, A, [BYTES_READ, BYTES_WRITTEN, MAX_BYTE_READ]), [5, 60, 8]);
}

#[test]
fn the_longest_call_and_its_size() {
    let trace = run(&[
        open(1, 1),
        timed(write(1, 10), 100, 105),
        timed(write(1, 20), 110, 130),
        timed(write(1, 30), 120, 140),
        timed(write(1, 40), 141, 142),
    ]);
    assert_eq!(posix(&trace, A, [MAX_WRITE_TIME_SIZE]), [20]);
    assert_eq!(seconds(&trace, Module::Posix, A, F_MAX_WRITE_TIME), 0.02);
    // Calls of threads at the same time count once.
    assert_eq!(seconds(&trace, Module::Posix, A, F_WRITE_TIME), 0.036);
    assert_eq!(seconds(&trace, Module::Posix, A, F_WRITE_START_TIMESTAMP), 0.1);
    assert_eq!(seconds(&trace, Module::Posix, A, F_WRITE_END_TIMESTAMP), 0.142);
}

#[test]
fn maps_count_without_time() {
    let trace =
        run(&[open(1, 1), call(Op::Mmap, 1, [0, 4096, 1], 0x7f00_0000_0000), call(Op::Mmap, 0, [0; 3], 1)]);
    assert_eq!(posix(&trace, A, [MMAPS]), [1]);
    assert_eq!(seconds(&trace, Module::Posix, A, F_META_TIME), 0.001);
}

#[test]
fn system_files_are_left_out() {
    let trace = run(&[open(1, 3), read(1, 10), call(Op::Stat, 0, [3, 0, 0], 0)]);
    assert!(trace.records.is_empty() && trace.series.is_empty() && trace.events.is_empty());
}

#[test]
fn slots_end_with_their_close_and_calls_on_unknown_ones_are_nothing() {
    let trace = run(&[open(1, 1), call(Op::Close, 1, [0; 3], 0), write(1, 10), write(0, 10), write(7, 10)]);
    assert_eq!(posix(&trace, A, [OPENS, WRITES]), [1, 0]);
}

#[test]
fn held_descriptors_count_without_an_open() {
    let names: HashMap<NameId, Vec<u8>> = HashMap::from([(NameId(1), A.as_bytes().to_vec())]);
    let mut counter = Counter::new(options());
    let block = |_: &[u8]| 4096;
    let mut parent = counter.process(Rank(0), &block);
    parent.call(&timed(open(1, 1), 1, 2), &names);
    parent.call(&timed(write(1, 100), 3, 4), &names);
    let held = parent.held(Slot(1)).expect("held");
    drop(parent);
    let mut child = counter.process(Rank(0), &block);
    child.inherit(Slot(5), &held);
    child.call(&timed(write(5, 10), 5, 6), &names);
    drop(child);
    let mut trace = Trace::default();
    counter.finish(1, &mut trace);
    assert_eq!(posix(&trace, A, [OPENS, WRITES, BYTES_WRITTEN]), [1, 2, 110]);
    assert_eq!(trace.events.get(1).expect("event").offset, Some(100));
}

#[test]
fn operations_beyond_the_limit_mark_their_module() {
    let mut counter = Counter::new(Options { trace: true, dxt_limit: 2, ..Options::default() });
    feed(&mut counter, 0, &[open(1, 1), write(1, 1), write(1, 1), write(1, 1)]);
    let mut trace = Trace::default();
    counter.finish(1, &mut trace);
    assert_eq!(trace.events.len(), 2);
    let info = trace.modules.iter().find(|info| info.module == Module::DxtPosix).expect("module");
    assert!(info.partial && trace.problems.len() == 1);
    assert_eq!(posix(&trace, A, [WRITES]), [3]);
}
