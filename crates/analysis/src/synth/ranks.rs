//! Calls dealt out to ranks.

use std::ops::Range;

/// The part of one of some ranks in a number of calls: the first ranks take what does not divide evenly.
pub fn part(calls: u64, rank: u64, ranks: u64) -> u64 {
    calls / ranks + u64::from(rank < calls % ranks)
}

/// Ranks in groups: all that follow one of `firsts` are like it, up to the next of them.
pub fn groups(ranks: u64, firsts: impl IntoIterator<Item = u64>) -> Vec<Range<u32>> {
    let mut bounds: Vec<u64> = firsts.into_iter().filter(|&rank| rank < ranks).collect();
    bounds.extend([0, ranks]);
    bounds.sort_unstable();
    bounds.dedup();
    bounds.windows(2).map(|pair| pair[0] as u32..pair[1] as u32).collect()
}
