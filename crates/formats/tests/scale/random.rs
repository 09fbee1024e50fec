//! Programs made up from a seed: foretold or refused, never wrong.

use marigraph_analysis::extrapolate::Verdict;

use crate::{Rank, foretold};

/// A small generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % limit
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as i64) as usize]
    }
}

/// A rule by rank and size, of which there are many kinds.
#[derive(Debug, Clone, Copy)]
struct Rule {
    kind: i64,
    by: i64,
    work: i64,
}

/// Kinds of [`Rule`].
const KINDS: i64 = 26;

impl Rule {
    fn of(random: &mut Random, only: i64) -> Rule {
        let work = random.one(&[720, 1000, 5040, 7200, 9973, 10_007, 65_536, 100_000]);
        // Few ranks of small grids have all the same coordinates, and the last of all is seldom one of them.
        let kind = match random.below(KINDS) {
            8 | 9 | 15 if only > 1 => 1,
            kind => kind,
        };
        Rule { kind, by: 2 + random.below(7), work }
    }

    /// How often a loop turns: twice at least.
    fn turns(self, rank: i64, ranks: i64) -> i64 {
        let divides = matches!(self.kind, 7 | 12 | 15 | 19 | 22);
        if divides { self.at(rank, ranks) } else { 2 + self.at(rank, ranks) % 3000 }
    }

    fn at(self, rank: i64, ranks: i64) -> i64 {
        let Rule { kind, by, work } = self;
        let side = (1..=ranks).filter(|side| ranks % side == 0 && side * side <= ranks).max().unwrap_or(1);
        let (each, rest) = (work / ranks, work % ranks);
        match kind {
            0 => by,
            1 => rank,
            2 => rank / by,
            3 => rank % by,
            4 => (rank + by) % ranks,
            5 => rank * each,
            6 => ranks,
            7 => each,
            8 => rank / side,
            9 => rank % side,
            10 => ranks - 1 - rank,
            11 => by * rank + ranks,
            12 => each + i64::from(rank < rest),
            13 => rank * each + rank.min(rest),
            14 => rank * work / ranks,
            15 => each + if rank + 1 == ranks { rest } else { 0 },
            16 => rank * rank,
            17 => rank * (rank - 1) / 2,
            18 => rank / by * 100 + rank % by,
            19 => (work + ranks - 1) / ranks,
            20 => i64::from(ranks.ilog2()),
            21 => rank ^ 1,
            22 => work / (ranks - 1),
            23 => rank * ranks,
            24 => ranks * ranks + rank,
            _ => mixed(rank, ranks) % 9973,
        }
    }
}

/// A number without a rule.
fn mixed(rank: i64, ranks: i64) -> i64 {
    let mixed = (rank << 20 ^ ranks).wrapping_mul(0x1e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0x3f58_476d_1ce4_e5b9) as u64 >> 34) as i64
}

#[test]
fn random_programs_are_foretold_or_refused_but_never_wrong() {
    let seeds: u64 = std::env::var("MARIGRAPH_LONG").map_or(300, |_| 3000);
    let mut verdicts = [0; 4];
    let mut wrong = 0;
    for seed in 0..seeds {
        let random = &mut Random(seed * 7 + 1);
        for _ in 0..4 {
            random.below(9);
        }
        let only = random.one(&[0, 0, 0, 1, 2, 4]);
        let (name, count) = (Rule::of(random, only), Rule::of(random, only));
        let widths = [random.below(4) as usize, random.below(4) as usize];
        let offsets: Vec<(Rule, i64, i64)> = (0..1 + random.below(3))
            .map(|_| (Rule::of(random, only), 512 * random.below(9), random.below(2)))
            .collect();
        let program = |rank: i64, ranks: i64, calls: &mut Rank| {
            if only > 0 && rank % only != 0 {
                return;
            }
            let (wide, wider) = (widths[0], widths[1]);
            calls.open(0, format!("/d/{:0wide$}/{:0wider$}", name.at(rank, ranks), rank % 5));
            for (site, (rule, start, divided)) in (1..).zip(&offsets) {
                let turns = if *divided == 1 { count.turns(rank, ranks) } else { 5 };
                for turn in 0..turns {
                    calls.write(site, start + 64 * (rule.at(rank, ranks) + turn), 64);
                }
            }
            calls.close(9);
        };
        // Three ranks of a kind show next to nothing: 0, 1, 2 is `rank/4` and `rank%3`.
        let sizes: &[u32] = match only {
            4 => &[12, 18, 27, 34],
            _ => random.one(&[&[4, 6, 9, 12], &[4, 6, 8, 12], &[5, 6, 7, 8, 10], &[8, 12, 18, 27]]),
        };
        let target = random.one(&[7, 16, 24, 30, 36, 45]);
        let (verdict, said) = foretold(&program, sizes, target);
        verdicts[verdict as usize] += 1;
        wrong += i32::from(said.contains("WRONG"));
    }
    let [exact, assumed, ambiguous, refused] = verdicts;
    println!(
        "{seeds} programs: {exact} exact and right, {assumed} assumed (of which {wrong} wrong), {ambiguous} ambiguous, {refused} refused"
    );
    assert!(verdicts[Verdict::Exact as usize] * 4 > seeds as i32, "{exact} of {seeds}");
}
