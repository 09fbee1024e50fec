//! A run of equal calls counts as the same calls one by one.

use marigraph_model::{Direction, FileId, Module, Rank, Records};
use proptest::prelude::*;

use super::super::file::{File, Moved};
use super::super::row::Row;
use super::super::tally::{At, Moves, Times};
use super::super::usage::Sums;
use super::super::{h5, mpiio, pnetcdf, stdio};
use crate::Aggregate;

/// What a list of runs is made from: a pause, the duration of a call and how far the next one lies
/// behind its end (or before: threads), how many calls, direction, size, and where they lie.
type Drawn = (i64, i64, i64, i64, bool, i64, i64, u8, i64);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let sizes = prop_oneof![Just(0i64), Just(1), Just(100), Just(4096), Just(1 << 20), 0i64..5000];
    let steps = prop_oneof![1i64..4, 1i64..10_000];
    let places = prop_oneof![Just(0i64), Just(1), 0i64..20, 0i64..1 << 24];
    let one = (-3i64..20, 0i64..50, -9i64..50, 1i64..40, any::<bool>(), sizes, places, 0u8..5, steps);
    proptest::collection::vec(one, 1..8)
}

fn runs(drawn: &[Drawn]) -> Vec<Moves> {
    let mut now = 0;
    let moves = |&(pause, duration, gap, count, read, bytes, offset, kind, step): &Drawn| {
        let start = (now + pause).max(0);
        let first = At { start, end: (start + duration).max(now) };
        let times = Times { first, count, pace: (duration + gap).max(0) };
        now = times.nth(count - 1).end;
        let way = if read { Direction::Read } else { Direction::Write };
        // Follows, leaves gaps, overlaps, stays, goes backward.
        let step = [bytes, bytes + step, bytes / 2, 0, -step][usize::from(kind)];
        let offset = if step < 0 { offset - step * count } else { offset };
        Moves { way, offset, step, bytes, times }
    };
    drawn.iter().map(moves).collect()
}

/// The same calls, each a run of its own.
fn singly(moves: &Moves) -> impl Iterator<Item = Moves> {
    let moves = *moves;
    (0..moves.times.count).map(move |n| Moves {
        offset: moves.offset + moves.step * n,
        times: Times { first: moves.times.nth(n), count: 1, pace: 0 },
        ..moves
    })
}

fn record(row: &Row) -> Records {
    let record = row.record(FileId(1), Rank(3));
    let mut records = Records::new(record.module);
    let (ints, floats) = (record.ints.iter().copied(), record.floats.iter().copied());
    records.push(record.file, record.scope, ints, floats, record.extra.clone());
    records
}

/// Counts runs at once and call by call.
fn both_ways<S: Sums>(new: impl Fn() -> S, row: impl Fn(&S) -> Row, runs: &[Moves]) -> [Records; 2] {
    let (mut at_once, mut one_by_one) = (new(), new());
    runs.iter().for_each(|moves| at_once.moved_times(moves));
    runs.iter().flat_map(singly).for_each(|moves| one_by_one.moved_times(&moves));
    [record(&row(&at_once)), record(&row(&one_by_one))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn descriptors(
        drawn in drawn(),
        block in prop_oneof![Just(-1i64), Just(1), Just(512), Just(4096), 1i64..100],
    ) {
        let (mut at_once, mut one_by_one) = (File::new(block), File::new(block));
        for moves in runs(&drawn) {
            at_once.moved_times(&moves);
            for Moves { way, offset, bytes, times, .. } in singly(&moves) {
                one_by_one.moved(&Moved { way, offset: Some(offset), bytes, unaligned: false, at: times.first });
            }
            prop_assert_eq!(at_once.position, one_by_one.position);
            prop_assert_eq!(record(&at_once.row()), record(&one_by_one.row()));
        }
    }

    #[test]
    fn other_interfaces(drawn in drawn(), collective in any::<bool>()) {
        let runs = runs(&drawn);
        let plain = || mpiio::Plain { sums: mpiio::File::default(), collective };
        for [at_once, one_by_one] in [
            both_ways(stdio::File::default, stdio::File::row, &runs),
            both_ways(plain, |plain| plain.sums.row(), &runs),
            both_ways(h5::Dataset::default, h5::Dataset::row, &runs),
            both_ways(pnetcdf::Variable::default, pnetcdf::Variable::row, &runs),
        ] {
            prop_assert_eq!(at_once, one_by_one);
        }
    }

    #[test]
    fn equal_ranks_count_as_often_as_there_are(drawn in drawn(), many in 1u64..50) {
        let (mut one, mut other) = (File::new(4096), File::new(4096));
        // One run each: of more common values than fit, the order of ranks decides which stay.
        let runs = runs(&drawn);
        runs.first().into_iter().for_each(|moves| one.moved_times(moves));
        runs.last().into_iter().for_each(|moves| other.moved_times(moves));
        let (one, other) = (one.row(), other.row());
        let (mut at_once, mut one_by_one) = (Aggregate::of_ranks(Module::Posix), Aggregate::of_ranks(Module::Posix));
        at_once.add_equal(one.record(FileId(1), Rank(0)), 1);
        at_once.add_equal(other.record(FileId(1), Rank(1)), many);
        one_by_one.add(one.record(FileId(1), Rank(0)), 1);
        (0..many).for_each(|_| one_by_one.add(other.record(FileId(1), Rank(1)), 1));
        let [at_once, one_by_one] = [at_once, one_by_one].map(|all| {
            let mut records = Records::new(Module::Posix);
            all.push_shared(&mut records);
            records
        });
        let (at_once, one_by_one) = (at_once.get(0).expect("record"), one_by_one.get(0).expect("record"));
        prop_assert_eq!(at_once.ints, one_by_one.ints);
        for (at, by) in at_once.floats.iter().zip(one_by_one.floats) {
            prop_assert!((at.amount() - by.amount()).abs() <= 1e-9 * by.amount().max(1e-12), "{at:?} {by:?}");
        }
    }
}
