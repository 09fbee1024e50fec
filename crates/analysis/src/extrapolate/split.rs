//! Work divided among ranks as evenly as possible: the size and the start of each share.

/// Where the remainder goes if work does not divide evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// One more for each of the first ranks.
    First,
    /// One more for each of the last ranks.
    Last,
    /// All of it to the last rank.
    AllToLast,
    /// Every share begins at `rank*work/size`.
    Spaced,
    /// All shares are rounded up; the last ranks get what is left.
    Up,
}

impl Split {
    pub const ALL: [Split; 5] = [Split::First, Split::Last, Split::AllToLast, Split::Spaced, Split::Up];

    /// Start of a rank's share; the work ends where the share after the last rank would start.
    pub fn start(self, work: u64, rank: u64, ranks: u64) -> u64 {
        let ranks = ranks.max(1);
        let (each, rest) = (work / ranks, work % ranks);
        match self {
            _ if rank >= ranks => work,
            Split::First => rank * each + rank.min(rest),
            Split::Last => rank * each + (rank + rest).saturating_sub(ranks),
            Split::AllToLast => rank * each,
            Split::Spaced => (u128::from(rank) * u128::from(work) / u128::from(ranks)) as u64,
            Split::Up => rank.saturating_mul(work.div_ceil(ranks)).min(work),
        }
    }

    pub fn share(self, work: u64, rank: u64, ranks: u64) -> u64 {
        self.start(work, rank + 1, ranks) - self.start(work, rank, ranks)
    }

    pub fn name(self) -> &'static str {
        match self {
            Split::First => "",
            Split::Last => "_last",
            Split::AllToLast => "_rest_to_last",
            Split::Spaced => "_spaced",
            Split::Up => "_rounded_up",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_whole() {
        let shares = |split: Split| -> Vec<u64> { (0..4).map(|rank| split.share(10, rank, 4)).collect() };
        assert_eq!(
            Split::ALL.map(shares),
            [vec![3, 3, 2, 2], vec![2, 2, 3, 3], vec![2, 2, 2, 4], vec![2, 3, 2, 3], vec![3, 3, 3, 1],]
        );
        for (split, work) in Split::ALL.into_iter().flat_map(|split| (0..40).map(move |work| (split, work))) {
            assert_eq!((0..7).map(|rank| split.share(work, rank, 7)).sum::<u64>(), work, "{split:?}");
        }
    }
}
