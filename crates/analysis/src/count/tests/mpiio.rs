//! MPI-IO calls.

use marigraph_model::Module;
use marigraph_model::counters::mpiio::*;
use marigraph_wire::op::Op;

use super::*;

fn mpi<const N: usize>(trace: &Trace, path: &str, idx: [IntIdx; N]) -> [i64; N] {
    ints(trace, Module::MpiIo, path, idx)
}

fn file_open(slot: u32, name: i64, group: i64) -> Call {
    call(Op::FileOpen, slot, [name, 9, group], 0)
}

fn data(op: Op, at: i64, bytes: i64) -> Call {
    call(op, 1, [at, bytes, 0], 0)
}

#[test]
fn opens_alone_and_together() {
    let alone = call(Op::Comm, 0, [7, 1, 0], 0);
    let pair = call(Op::Comm, 0, [8, 2, 0], 0);
    let calls = [alone, pair, file_open(1, 1, 7), file_open(2, 1, 8), file_open(3, 1, 0)];
    assert_eq!(mpi(&run(&calls), A, [INDEP_OPENS, COLL_OPENS, MODE]), [2, 1, 9]);
    let trace = job(2, &[(0, &calls)]);
    assert_eq!(mpi(&trace, A, [INDEP_OPENS, COLL_OPENS]), [1, 2]);
}

#[test]
fn every_manner_of_reading_and_writing() {
    let reads = [
        (INDEP_READS, vec![Op::FileRead, Op::FileReadAt, Op::FileReadShared]),
        (COLL_READS, vec![Op::FileReadAll, Op::FileReadAtAll, Op::FileReadOrdered]),
        (SPLIT_READS, vec![Op::FileReadAllBegin, Op::FileReadAtAllBegin, Op::FileReadOrderedBegin]),
        (
            NB_READS,
            vec![Op::FileIread, Op::FileIreadAt, Op::FileIreadAll, Op::FileIreadAtAll, Op::FileIreadShared],
        ),
    ];
    let writes = [
        (INDEP_WRITES, vec![Op::FileWrite, Op::FileWriteAt, Op::FileWriteShared]),
        (COLL_WRITES, vec![Op::FileWriteAll, Op::FileWriteAtAll, Op::FileWriteOrdered]),
        (SPLIT_WRITES, vec![Op::FileWriteAllBegin, Op::FileWriteAtAllBegin, Op::FileWriteOrderedBegin]),
        (
            NB_WRITES,
            vec![
                Op::FileIwrite,
                Op::FileIwriteAt,
                Op::FileIwriteAll,
                Op::FileIwriteAtAll,
                Op::FileIwriteShared,
            ],
        ),
    ];
    for (counter, ops) in reads.into_iter().chain(writes) {
        let mut calls = vec![file_open(1, 1, 0)];
        calls.extend(ops.iter().map(|&op| data(op, 0, 200)));
        calls.push(call(Op::FileSplitEnd, 1, [1, 0, 0], 0));
        let trace = run(&calls);
        assert_eq!(mpi(&trace, A, [counter]), [ops.len() as i64]);
        let all = mpi(&trace, A, [BYTES_READ, BYTES_WRITTEN]);
        assert_eq!(all.iter().sum::<i64>(), 200 * ops.len() as i64);
    }
}

#[test]
fn sizes_turns_and_failures() {
    let failed = call(Op::FileRead, 1, [0, 10, 0], -13);
    let trace = run(&[
        file_open(1, 1, 0),
        data(Op::FileRead, 0, 10),
        data(Op::FileWrite, 0, 5000),
        failed,
        data(Op::FileRead, 0, 0),
    ]);
    assert_eq!(
        mpi(&trace, A, [INDEP_READS, RW_SWITCHES, SIZE_READ_AGG_0_100, SIZE_WRITE_AGG_1K_10K]),
        [2, 2, 2, 1]
    );
    assert_eq!(
        mpi(&trace, A, [ACCESS1_ACCESS, ACCESS1_COUNT, ACCESS2_ACCESS, ACCESS3_COUNT]),
        [5000, 1, 10, 0]
    );
}

#[test]
fn views_take_time_only_with_hints() {
    let view = call(Op::FileSetView, 1, [0, 5, 5], 0);
    let trace = run(&[file_open(1, 1, 0), view]);
    assert_eq!(mpi(&trace, A, [VIEWS, HINTS]), [1, 0]);
    assert_eq!(seconds(&trace, Module::MpiIo, A, F_META_TIME), 0.001);
    let trace = run(&[file_open(1, 1, 0), more([0, 1, 0]), view, more([0, 1, 0])]);
    assert_eq!(mpi(&trace, A, [VIEWS, HINTS]), [1, 2]);
    assert_eq!(seconds(&trace, Module::MpiIo, A, F_META_TIME), 0.002);
}

#[test]
fn syncs_are_time_of_writing_and_closes_of_metadata() {
    let trace =
        run(&[file_open(1, 1, 0), call(Op::FileSync, 1, [0; 3], 0), call(Op::FileClose, 1, [0; 3], -1)]);
    assert_eq!(mpi(&trace, A, [SYNCS]), [1]);
    assert_eq!(seconds(&trace, Module::MpiIo, A, F_WRITE_TIME), 0.001);
    assert_eq!(seconds(&trace, Module::MpiIo, A, F_META_TIME), 0.002);
    assert_eq!(seconds(&trace, Module::MpiIo, A, F_CLOSE_START_TIMESTAMP), 0.03);
}

#[test]
fn true_offsets_as_far_as_they_can_be_known() {
    let trace = run(&[
        call(Op::Type, 0, [5, 8, 0], 0),
        file_open(1, 1, 0),
        data(Op::FileWriteAt, 100, 10),
        data(Op::FileWrite, 0, 10),
        data(Op::FileWrite, 0, 10),
        call(Op::FileSeek, 1, [50, 0, 0], 0),
        data(Op::FileWrite, 0, 10),
        call(Op::FileSetView, 1, [1000, 5, 5], 0),
        data(Op::FileWriteAt, 3, 8),
        data(Op::FileWrite, 0, 8),
        call(Op::FileSetView, 1, [1000, 5, 6], 0),
        data(Op::FileWriteAt, 3, 8),
        data(Op::FileWriteShared, 0, 8),
    ]);
    let offsets: Vec<_> = trace.events.iter().map(|event| event.offset).collect();
    let known = [Some(100), Some(0), Some(10), Some(50), Some(1024), Some(1000)];
    assert_eq!(offsets.get(..6), Some(&known[..]));
    assert_eq!(offsets.get(6..), Some(&[None, None][..]));
    assert!(trace.events.iter().all(|event| event.interface == Module::MpiIo));
}
