//! Darshan's ten bins of access sizes.

pub const MIB: u64 = 1 << 20;

/// Inclusive upper bounds of the bins; the last bin has none.
const SIZE_EDGES: [u64; 9] =
    [100, 1 << 10, 10 << 10, 100 << 10, MIB, 4 * MIB, 10 * MIB, 100 * MIB, 1024 * MIB];

pub const SIZE_BINS: usize = SIZE_EDGES.len() + 1;

pub fn size_bin(bytes: u64) -> usize {
    SIZE_EDGES.iter().position(|&edge| bytes <= edge).unwrap_or(SIZE_BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_belong_to_the_bin_below() {
        for (bytes, bin) in
            [(0, 0), (100, 0), (101, 1), (1024, 1), (1 << 20, 4), ((1 << 30) + 1, 9), (u64::MAX, 9)]
        {
            assert_eq!(size_bin(bytes), bin, "{bytes}");
        }
    }
}
