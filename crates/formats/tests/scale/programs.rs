//! Layouts and divisions of real programs.

use marigraph_analysis::extrapolate::Verdict;

use crate::{Rank, SIZES, exact, predicted};

/// Sides of a balanced grid, as `MPI_Dims_create` computes them.
fn sides(ranks: i64, dimensions: usize) -> Vec<i64> {
    let mut factors: Vec<i64> = Vec::new();
    let (mut rest, mut by) = (ranks, 2);
    while rest > 1 {
        if rest % by == 0 {
            factors.push(by);
            rest /= by;
        } else {
            by += 1;
        }
    }
    let mut sides = vec![1; dimensions];
    for factor in factors.into_iter().rev() {
        let least = (0..dimensions).min_by_key(|&at| sides[at]).unwrap_or(0);
        sides[least] *= factor;
    }
    sides.sort_unstable_by(|one, other| other.cmp(one));
    sides
}

/// Coordinates of a rank in a grid whose last dimension runs fastest.
fn coordinates(rank: i64, sides: &[i64]) -> Vec<i64> {
    let mut rest = rank;
    let mut at: Vec<i64> = sides.iter().rev().map(|side| (rest % side, rest /= side).0).collect();
    at.reverse();
    at
}

/// A plane or block of fixed size, divided; each rank writes its rows.
fn strong_grid(dimensions: usize) -> impl Fn(i64, i64, &mut Rank) {
    move |rank, ranks, calls| {
        let whole = 720;
        let sides = sides(ranks, dimensions);
        let at = coordinates(rank, &sides);
        let part: Vec<i64> = sides.iter().map(|side| whole / side).collect();
        calls.open(1, "/d/block".into());
        let mut row = vec![0; dimensions];
        // A few rows in each direction are enough.
        let rows = |dimension: usize| if dimension + 2 == dimensions { part[dimension] / 20 } else { 3 };
        let count: i64 = (0..dimensions - 1).map(rows).product();
        for index in 0..count {
            let mut rest = index;
            for dimension in (0..dimensions - 1).rev() {
                row[dimension] = rest % rows(dimension);
                rest /= rows(dimension);
            }
            let mut offset = 0;
            for dimension in 0..dimensions {
                offset = offset * whole + at[dimension] * part[dimension] + row[dimension];
            }
            calls.write(2, 8 * offset, 8 * part[dimensions - 1]);
        }
        calls.close(3);
    }
}

/// Blocks of fixed size; with more ranks the whole grows.
fn weak_grid(dimensions: usize) -> impl Fn(i64, i64, &mut Rank) {
    move |rank, ranks, calls| {
        let part = 12;
        let sides = sides(ranks, dimensions);
        let at = coordinates(rank, &sides);
        calls.open(1, "/d/block".into());
        for row in 0..part {
            let mut offset = 0;
            for dimension in 0..dimensions {
                let inner = if dimension + 2 == dimensions { row } else { 0 };
                offset = offset * sides[dimension] * part + at[dimension] * part + inner;
            }
            calls.write(2, 64 + 8 * offset, 8 * part);
        }
        calls.close(3);
    }
}

fn offsets(of: impl Fn(i64, i64) -> i64) -> impl Fn(i64, i64, &mut Rank) {
    move |rank, ranks, calls| {
        calls.open(1, "/d/shared".into());
        (0..3).for_each(|turn| calls.write(2, of(rank, ranks) + 100_000_000 * turn, 512));
        calls.close(3);
    }
}

fn turns(of: impl Fn(i64, i64) -> i64) -> impl Fn(i64, i64, &mut Rank) {
    move |rank, ranks, calls| {
        calls.open(1, "/d/shared".into());
        (0..of(rank, ranks)).for_each(|turn| calls.write(2, 512 * turn, 512));
        calls.close(3);
    }
}

/// Divided work: `bounds` gives the first piece of a rank and the first of the next.
fn divided(bounds: impl Fn(i64, i64) -> (i64, i64)) -> impl Fn(i64, i64, &mut Rank) {
    move |rank, ranks, calls| {
        let (first, end) = bounds(rank, ranks);
        calls.open(1, "/d/pieces".into());
        (first..end).for_each(|piece| calls.write(2, 64 + 512 * piece, 512));
        calls.write(3, 8 * first, 8 * (end - first));
        calls.close(4);
    }
}

/// Sizes at which three-dimensional grids have three sides above 1.
const CUBES: [u32; 4] = [8, 12, 18, 27];
const TARGETS: [u32; 5] = [16, 24, 30, 36, 48];

#[test]
fn grids_of_two_and_three_dimensions() {
    exact("plane, divided", &strong_grid(2), &SIZES, &[16, 24, 30, 36]);
    exact("block, divided", &strong_grid(3), &CUBES, &[16, 24, 30, 36]);
    exact("plane that grows", &weak_grid(2), &SIZES, &TARGETS);
    exact("block that grows", &weak_grid(3), &CUBES, &[16, 24, 30, 36, 48, 64]);
    // The sides for 4, 6, 9 and 12 ranks show a third dimension only once.
    assert_eq!(predicted(&weak_grid(3), &SIZES, 30).0, Verdict::Refused);
    assert_eq!(predicted(&weak_grid(3), &[4, 6, 9], 30).0, Verdict::Assumed);
}

#[test]
fn files_of_groups_and_of_one_rank() {
    let shared = |rank: i64, _: i64, calls: &mut Rank| {
        calls.open(1, format!("/d/group.{:02}", rank / 4));
        (0..6).for_each(|item| calls.write(2, 4096 * (rank % 4 + 4 * item), 4096));
        calls.close(3);
    };
    exact("a file for four", &shared, &SIZES, &[16, 24, 30, 100]);
    let serial = |rank: i64, ranks: i64, calls: &mut Rank| {
        if rank == 0 {
            calls.open(1, "/d/all".into());
            (0..ranks).for_each(|item| calls.write(2, 4096 * item, 4096));
            calls.close(3);
        }
    };
    exact("one rank writes all", &serial, &SIZES, &TARGETS);
    let fourth = |rank: i64, ranks: i64, calls: &mut Rank| {
        if rank % 4 == 0 {
            calls.open(1, format!("/d/agg.{:03}", rank / 4));
            calls.write(2, 4096 * rank, 4096 * (ranks - rank).min(4));
            calls.close(3);
        }
    };
    exact("aggregators", &fourth, &[8, 12, 16, 36], &[24, 32, 100]);
    let (verdict, said) = predicted(&fourth, &[8, 12, 16, 20], 30);
    assert_eq!(verdict, Verdict::Assumed, "the last group is smaller: {said}");
}

#[test]
fn columns_of_ranks() {
    exact("ring", &offsets(|rank, ranks| (rank + 5) % ranks * 4096), &SIZES, &TARGETS);
    exact("ring downwards", &offsets(|rank, ranks| (rank + ranks - 3) % ranks * 4096), &SIZES, &TARGETS);
    exact("squares", &offsets(|rank, _| rank * rank * 4096), &SIZES, &TARGETS);
    exact("triangle", &offsets(|rank, _| rank * (rank - 1) / 2 * 4096), &SIZES, &TARGETS);
    exact("cubes", &offsets(|rank, _| rank * rank * rank * 64), &SIZES, &TARGETS);
    let groups = offsets(|rank, _| rank / 8 * 100_000 + rank % 8 * 512);
    exact("groups of eight", &groups, &[6, 9, 12, 18], &TARGETS);
    let radices = offsets(|rank, _| rank / 6 * 100_000 + rank / 2 % 3 * 7777 + rank % 2 * 512);
    exact("groups of groups", &radices, &[9, 12, 16, 20], &TARGETS);
    let halves = offsets(|rank, ranks| rank % (ranks / 2) * 512 + rank / (ranks / 2) * 9999);
    exact("two halves", &halves, &[4, 6, 8, 12], &TARGETS);
    exact("partners", &offsets(|rank, _| (rank ^ 1) * 4096), &[4, 6, 8, 12], &TARGETS);
    exact("far partners", &offsets(|rank, _| (rank ^ 4) * 4096), &[8, 16, 24, 32], &[40, 64]);
    exact("backwards", &offsets(|rank, ranks| (ranks - 1 - rank) * 512), &SIZES, &TARGETS);
    exact("squares of sizes", &offsets(|rank, ranks| rank * ranks * ranks * 8), &SIZES, &TARGETS);
    exact("table one", &offsets(|rank, ranks| rank * (57_600 / ranks)), &SIZES, &TARGETS);
}

#[test]
fn loops_by_size() {
    exact("more turns", &turns(|_, ranks| 3 * ranks + 2), &SIZES, &TARGETS);
    exact("pairs", &turns(|_, ranks| ranks * (ranks - 1) / 2), &SIZES, &TARGETS);
    let up = turns(|_, ranks| (1000 + ranks - 1) / ranks);
    exact("rounded up", &up, &[4, 6, 9, 12, 15], &[16, 30]);
    let (verdict, said) = predicted(&up, &SIZES, 16);
    assert!(verdict == Verdict::Assumed && said.contains("2 + floor(992/size) would fit"), "{said}");
    exact("log2", &turns(|_, ranks| i64::from(ranks.ilog2())), &[4, 8, 16, 32], &[64, 1024]);
    exact("ceil(log2)", &turns(|_, ranks| i64::from((ranks - 1).ilog2()) + 1), &SIZES, &TARGETS);
    let logarithm = turns(|_, ranks| i64::from(ranks.ilog2()));
    assert_eq!(predicted(&logarithm, &SIZES, 30).0, Verdict::Ambiguous, "or a side of a grid");
}

type Bound<'a> = &'a dyn Fn(i64, i64) -> i64;

#[test]
fn work_that_does_not_divide() {
    let work = 10_000;
    let first = |rank: i64, ranks: i64| rank * (work / ranks) + rank.min(work % ranks);
    let up = |rank: i64, ranks: i64| (rank * ((work + ranks - 1) / ranks)).min(work);
    let all = |rank: i64, ranks: i64| if rank == ranks { work } else { rank * (work / ranks) };
    let spaced = |rank: i64, ranks: i64| rank * work / ranks;
    let bounds: [(&str, Bound<'_>); 4] =
        [("one more first", &first), ("rounded up", &up), ("rest to the last", &all), ("spaced", &spaced)];
    for (name, start) in bounds {
        let program = divided(|rank, ranks| (start(rank, ranks), start(rank + 1, ranks)));
        exact(name, &program, &SIZES, &[16, 24, 27, 30, 32]);
    }
    let cyclic = |rank: i64, ranks: i64, calls: &mut Rank| {
        calls.open(1, "/d/f".into());
        (0..work).filter(|item| item % ranks == rank).for_each(|item| calls.write(2, 512 * item, 512));
        calls.close(3);
    };
    exact("in turn", &cyclic, &SIZES, &[16, 27, 30]);
    let workers = |rank: i64, ranks: i64, calls: &mut Rank| {
        if rank > 0 {
            let mine = 27_720 / (ranks - 1);
            calls.open(1, "/d/f".into());
            (0..mine).for_each(|item| calls.write(2, 512 * ((rank - 1) * mine + item), 512));
        }
    };
    exact("all but one", &workers, &SIZES, &[15, 16, 23, 31]);
    let (verdict, said) = predicted(&workers, &SIZES, 30);
    assert!(verdict == Verdict::Assumed && !said.contains("WRONG"), "{said}");
}

/// What the sizes cannot distinguish is reported, and never predicted wrongly.
#[test]
fn unlucky_work_is_ambiguous() {
    // One less than a multiple of all sizes: only the last rank has less, as if shares were rounded
    // up.
    let work = 10_007;
    let first = |rank: i64, ranks: i64| rank * (work / ranks) + rank.min(work % ranks);
    let program = divided(|rank, ranks| (first(rank, ranks), first(rank + 1, ranks)));
    assert_eq!(predicted(&program, &SIZES, 16).0, Verdict::Ambiguous);
    exact("another size tells", &program, &[4, 6, 9, 10, 12], &[16, 30]);
    let program = offsets(|rank, ranks| rank * (work / ranks) * 512);
    assert_eq!(predicted(&program, &SIZES, 16).0, Verdict::Ambiguous);
}
