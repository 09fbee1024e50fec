//! Many processes: reduction over ranks, heat maps.

use marigraph_model::counters::{posix, stdio};
use marigraph_model::{Module, Scope};
use marigraph_wire::op::Op;

use super::*;

fn rank(n: i64) -> Vec<Call> {
    vec![
        timed(open(1, 1), 10, 11),
        timed(pwrite(1, n * 1000, 500 + n), 20, 21 + n),
        timed(pwrite(1, n * 1000 + 500, 100), 30, 31),
        timed(open(2, 2 + 4 * i64::from(n != 0)), 40, 41),
    ]
}

fn three() -> Trace {
    let calls: Vec<Vec<Call>> = (0..3).map(rank).collect();
    let ranks: Vec<(u32, &[Call])> = calls.iter().zip(0..).map(|(calls, n)| (n, calls.as_slice())).collect();
    job(3, &ranks)
}

#[test]
fn files_of_all_ranks_become_one_record() {
    let trace = three();
    assert_eq!(trace.records[&Module::Posix].len(), 4);
    let shared = find(&trace, Module::Posix, A, Scope::Shared).expect("shared");
    let int = |idx| shared.int(idx).get().expect("value");
    assert_eq!(
        [posix::OPENS, posix::WRITES, posix::BYTES_WRITTEN, posix::MAX_BYTE_WRITTEN].map(int),
        [3, 6, 1803, 2599]
    );
    assert_eq!(
        [posix::ACCESS1_ACCESS, posix::ACCESS1_COUNT, posix::ACCESS2_ACCESS, posix::ACCESS4_ACCESS].map(int),
        [100, 3, 502, 500]
    );
    assert_eq!([posix::FASTEST_RANK, posix::FASTEST_RANK_BYTES].map(int), [0, 600]);
    assert_eq!(
        [posix::SLOWEST_RANK, posix::SLOWEST_RANK_BYTES, posix::MAX_WRITE_TIME_SIZE].map(int),
        [2, 602, 502]
    );
    let float = |idx| (shared.float(idx).get().expect("value") * 1e9).round() / 1e9;
    assert_eq!(float(posix::F_VARIANCE_RANK_BYTES), 0.666_666_667);
    assert_eq!([posix::F_FASTEST_RANK_TIME, posix::F_SLOWEST_RANK_TIME].map(float), [0.003, 0.005]);
    assert_eq!(
        [posix::F_WRITE_TIME, posix::F_WRITE_START_TIMESTAMP, posix::F_MAX_WRITE_TIME].map(float),
        [0.009, 0.02, 0.003]
    );
    assert_eq!(float(posix::F_OPEN_END_TIMESTAMP), 0.011);
}

#[test]
fn files_of_some_ranks_keep_their_records() {
    let trace = three();
    for (path, n) in [(B, 0), (NAMES[5], 1), (NAMES[5], 2)] {
        let record = find(&trace, Module::Posix, path, Scope::Rank(Rank(n))).expect("record");
        assert_eq!(record.int(posix::FASTEST_RANK).get(), Some(0));
        assert_eq!(record.int(posix::OPENS).get(), Some(1));
    }
}

#[test]
fn standard_streams_are_shared_once_all_ranks_use_streams() {
    let prints = [call(Op::Standard, 1, [1, 0, 0], 0), call(Op::Fprintf, 1, [0; 3], 5)];
    let opens = [call(Op::Fopen, 1, [1, 0, 0], 0)];
    let trace = job(2, &[(0, &prints), (1, &opens)]);
    let shared = find(&trace, Module::Stdio, "<STDOUT>", Scope::Shared).expect("shared");
    assert_eq!((shared.int(stdio::OPENS).get(), shared.int(stdio::WRITES).get()), (Some(2), Some(1)));
    assert!(find(&trace, Module::Stdio, "<STDERR>", Scope::Shared).is_none());
    let trace = job(2, &[(0, &prints), (1, &[open(1, 1)])]);
    assert!(find(&trace, Module::Stdio, "<STDOUT>", Scope::Rank(Rank(0))).is_some());
}

#[test]
fn processes_of_one_rank_have_one_record() {
    let trace = job(1, &[(0, &[open(1, 1), write(1, 10)]), (0, &[open(1, 1), write(1, 20), write(1, 20)])]);
    let counters = [posix::OPENS, posix::BYTES_WRITTEN, posix::ACCESS1_ACCESS, posix::ACCESS1_COUNT];
    assert_eq!(ints(&trace, Module::Posix, A, counters), [2, 50, 20, 2]);
    assert_eq!(trace.series.len(), 1);
    assert_eq!(trace.series.first().expect("series").written.iter().sum::<u64>(), 50);
}

#[test]
fn profiles_merge() {
    let mut one = Counter::new(options());
    let mut two = Counter::new(options());
    feed(&mut one, 0, &rank(0));
    feed(&mut two, 1, &rank(1));
    feed(&mut two, 2, &rank(2));
    one.merge(two);
    let mut trace = Trace::default();
    one.finish(3, &mut trace);
    assert_eq!(trace.records, three().records);
    assert_eq!(trace.series, three().series);
    assert_eq!(trace.events.len(), three().events.len());
}

#[test]
fn heat_maps_have_the_bins_of_the_job() {
    let mut trace = Trace::default();
    trace.job.end.seconds = 4;
    let mut counter = Counter::new(options());
    feed(&mut counter, 0, &[open(1, 1), write(1, 10), read(1, 5), call(Op::Fopen, 2, [2, 0, 0], 0)]);
    counter.finish(1, &mut trace);
    let series = trace.series.first().expect("series");
    assert_eq!(
        (trace.series.len(), series.interface, series.bin_s, series.read.len()),
        (1, Module::Posix, 0.1, 40)
    );
    assert_eq!((series.read.first(), series.written.first()), (Some(&5), Some(&10)));
}

#[test]
fn no_input_makes_it_panic() {
    let values = [i64::MIN, -1, 0, 1, 2, 3, 7, 1 << 40, i64::MAX];
    let mut calls = Vec::new();
    for &op in Op::ALL {
        for (n, &value) in values.iter().enumerate() {
            let other = values[(n * 5 + op as usize) % values.len()];
            let (start, end) = (Nanos(value), Nanos(other));
            for slot in [0, 1, 2] {
                let args = [value.clamp(-5, 6), other, value];
                calls.push(Call { start, end, ..call(op, slot, args, other) });
                calls.push(Call { start, end, ..more([value, other, value]) });
            }
        }
    }
    let trace = job(2, &[(0, &calls), (1, &calls)]);
    assert!(!trace.records.is_empty());
}
