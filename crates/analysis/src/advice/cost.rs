//! A cost model of accesses, for estimates of the time at stake.
//!
//! Logs tell how long all reads of an interface took, but not how long the small ones took. In the
//! model a call costs as much as moving [`CALL`] bytes, plus the time for its own bytes. On a
//! shared file system that is about a millisecond at 1 GiB/s; only the ratio of the two matters
//! here.

use marigraph_model::{MIB, SIZE_BINS};

/// Bytes that could move in the time of one call's overhead.
const CALL: f64 = MIB as f64;
/// Size into which small accesses could be joined.
const JOINED: f64 = 4.0 * CALL;
/// Bins up to 1 MiB, the limit of Drishti.
pub(super) const SMALL_BINS: usize = 5;

/// Share of the time that joining the small accesses into large ones would save.
pub(super) fn saved_by_joining(sizes: &[u64; SIZE_BINS], bytes: u64) -> f64 {
    let small: u64 = sizes[..SMALL_BINS].iter().sum();
    let all: u64 = sizes.iter().sum();
    let guessed: f64 =
        sizes.iter().zip(&MIDDLES).take(SMALL_BINS).map(|(&n, middle)| n as f64 * middle).sum();
    let small_bytes = if small == all { bytes as f64 } else { guessed.min(bytes as f64) };
    saved(small, small_bytes, JOINED, all, bytes)
}

/// Share of the time that accesses of one block each would save.
pub(super) fn saved_by_blocks(calls: u64, bytes: u64, block: u64) -> f64 {
    saved(calls, bytes as f64, block.max(1) as f64, calls, bytes)
}

fn saved(small: u64, small_bytes: f64, joined: f64, all: u64, bytes: u64) -> f64 {
    let needed = (small_bytes / joined).ceil();
    let fewer = (small as f64 - needed).max(0.0);
    if all == 0 { 0.0 } else { fewer * CALL / (all as f64 * CALL + bytes as f64) }
}

/// Share of the time spent on calls, not on bytes.
pub(super) fn share_of_calls(calls: u64, bytes: u64) -> f64 {
    if calls == 0 { 0.0 } else { calls as f64 * CALL / (calls as f64 * CALL + bytes as f64) }
}

pub(super) fn plain_seconds(bytes: u64) -> f64 {
    bytes as f64 / (1000.0 * CALL)
}

/// Geometric means of the size bins.
const MIDDLES: [f64; SMALL_BINS] = [10.0, 320.0, 3.2 * 1024.0, 32.0 * 1024.0, 320.0 * 1024.0];

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(bin: usize, n: u64) -> [u64; SIZE_BINS] {
        let mut sizes = [0; SIZE_BINS];
        sizes[bin] = n;
        sizes
    }

    #[test]
    fn tiny_accesses_are_all_overhead_and_large_ones_none() {
        assert!(saved_by_joining(&sizes(0, 100_000), 100_000 * 8) > 0.99);
        assert_eq!(saved_by_joining(&sizes(7, 1000), 1000 << 25), 0.0);
        let half_a_mebibyte = saved_by_joining(&sizes(4, 1000), 1000 << 19);
        assert!((0.5..0.65).contains(&half_a_mebibyte), "{half_a_mebibyte}");
    }

    #[test]
    fn small_ones_beside_large_ones_weigh_little() {
        let mut mixed = sizes(7, 1000);
        mixed[0] = 1000;
        let part = saved_by_joining(&mixed, 1000 * (50 << 20));
        assert!(part > 0.0 && part < 0.03, "{part}");
    }

    #[test]
    fn nothing_costs_nothing() {
        assert_eq!(saved_by_joining(&[0; SIZE_BINS], 0), 0.0);
        assert_eq!((share_of_calls(0, 0), saved_by_blocks(0, 0, 0)), (0.0, 0.0));
        assert!(saved_by_blocks(1000, 1000 << 22, 1 << 22) == 0.0, "blocks already");
    }
}
