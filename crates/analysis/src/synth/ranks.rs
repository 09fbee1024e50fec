//! Distributes calls over ranks.

use std::ops::Range;

/// Calls of one rank; the first ranks take the remainder.
pub fn part(calls: u64, rank: u64, ranks: u64) -> u64 {
    calls / ranks + u64::from(rank < calls % ranks)
}

/// Splits the ranks into groups that behave alike; a group starts at each of `firsts`.
pub fn groups(ranks: u64, firsts: impl IntoIterator<Item = u64>) -> Vec<Range<u32>> {
    let mut bounds: Vec<u64> = firsts.into_iter().filter(|&rank| rank < ranks).collect();
    bounds.extend([0, ranks]);
    bounds.sort_unstable();
    bounds.dedup();
    bounds.windows(2).map(|pair| pair[0] as u32..pair[1] as u32).collect()
}
