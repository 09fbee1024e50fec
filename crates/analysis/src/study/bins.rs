//! Job sizes in powers of four.

/// A range of process counts, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SizeBin {
    pub low: u64,
    pub high: u64,
}

/// Returns the bin that holds `processes`: 1, 2 to 4, 5 to 16 and so on.
pub fn size_bin(processes: u64) -> SizeBin {
    let mut bin = SizeBin { low: 1, high: 1 };
    while processes > bin.high && bin.high < u64::MAX {
        bin = SizeBin { low: bin.high + 1, high: bin.high.saturating_mul(4) };
    }
    bin
}

#[cfg(test)]
mod tests {
    use super::{SizeBin, size_bin};

    #[test]
    fn bins_touch_each_other() {
        for (processes, low, high) in
            [(0, 1, 1), (1, 1, 1), (2, 2, 4), (4, 2, 4), (5, 5, 16), (1024, 257, 1024), (1025, 1025, 4096)]
        {
            assert_eq!(size_bin(processes), SizeBin { low, high }, "{processes}");
        }
        assert!(size_bin(u64::MAX).high == u64::MAX);
    }
}
