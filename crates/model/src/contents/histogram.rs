//! Histograms by powers of two.

/// One bin for zero, and one for each power of two.
pub const BINS: usize = 65;

/// Counts and weights of things by value. Bin 0 holds the value 0, bin *k* the values from 2^(k-1)
/// up to 2^k. All its numbers are sums, so two histograms merge by addition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    counts: [u64; BINS],
    weights: [u64; BINS],
    /// `u64::MAX` if empty.
    pub least: u64,
    /// 0 if empty.
    pub most: u64,
    pub sum: u128,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: [0; BINS], weights: [0; BINS], least: u64::MAX, most: 0, sum: 0 }
    }
}

/// A non-empty bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bin {
    pub low: u64,
    /// Exclusive; `u64::MAX` for the last bin.
    pub high: u64,
    pub count: u64,
    /// Sum of the weights.
    pub bytes: u64,
}

fn bin(value: u64) -> usize {
    (u64::BITS - value.leading_zeros()) as usize
}

fn low(bin: usize) -> u64 {
    if bin == 0 { 0 } else { 1 << (bin - 1) }
}

impl Histogram {
    #[inline]
    pub fn add(&mut self, value: u64, weight: u64) {
        self.add_many(value, weight, 1);
    }

    #[inline]
    pub fn add_many(&mut self, value: u64, weight: u64, count: u64) {
        if count == 0 {
            return;
        }
        let bin = bin(value);
        self.counts[bin] = self.counts[bin].saturating_add(count);
        self.weights[bin] = self.weights[bin].saturating_add(weight.saturating_mul(count));
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.sum = self.sum.saturating_add(u128::from(value) * u128::from(count));
    }

    pub fn merge(&mut self, other: &Histogram) {
        for at in 0..BINS {
            self.counts[at] = self.counts[at].saturating_add(other.counts[at]);
            self.weights[at] = self.weights[at].saturating_add(other.weights[at]);
        }
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.sum = self.sum.saturating_add(other.sum);
    }

    /// Restores a stored bin; returns false if no bin begins at `low`.
    pub fn restore(&mut self, low: u64, count: u64, bytes: u64) -> bool {
        let at = bin(low);
        let exists = self::low(at) == low;
        if exists {
            self.counts[at] = self.counts[at].saturating_add(count);
            self.weights[at] = self.weights[at].saturating_add(bytes);
        }
        exists
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Sum of the weights.
    pub fn bytes(&self) -> u64 {
        self.weights.iter().fold(0, |sum, weight| sum.saturating_add(*weight))
    }

    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum as f64 / count as f64)
    }

    pub fn bins(&self) -> impl Iterator<Item = Bin> + '_ {
        (0..BINS).filter(|&at| self.counts[at] > 0).map(|at| Bin {
            low: low(at),
            high: if at + 1 < BINS { low(at + 1) } else { u64::MAX },
            count: self.counts[at],
            bytes: self.weights[at],
        })
    }

    /// Share of the count, and of the weight, with values below `limit`, a power of two.
    pub fn below(&self, limit: u64) -> (f64, f64) {
        let inside = |bin: &Bin| bin.high <= limit;
        let share = |part: u64, all: u64| if all == 0 { 0.0 } else { part as f64 / all as f64 };
        let (count, bytes) = self.bins().filter(inside).fold((0, 0), |sums: (u64, u64), bin| {
            (sums.0.saturating_add(bin.count), sums.1.saturating_add(bin.bytes))
        });
        (share(count, self.count()), share(bytes, self.bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::Histogram;

    #[test]
    fn bins_are_powers_of_two() {
        let mut histogram = Histogram::default();
        for value in [0, 1, 2, 3, 4, 1023, 1024, u64::MAX] {
            histogram.add(value, value.min(4096));
        }
        let bins: Vec<_> = histogram.bins().map(|bin| (bin.low, bin.high, bin.count)).collect();
        let last = (1 << 63, u64::MAX, 1);
        assert_eq!(bins, [(0, 1, 1), (1, 2, 1), (2, 4, 2), (4, 8, 1), (512, 1024, 1), (1024, 2048, 1), last]);
        assert_eq!((histogram.least, histogram.most, histogram.count()), (0, u64::MAX, 8));
        assert_eq!(histogram.below(4).0, 0.5);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        let (mut one, mut many) = (Histogram::default(), Histogram::default());
        for (value, weight, count) in [(5, 7, 3), (0, 1, 0), (1 << 40, 9, 2)] {
            (0..count).for_each(|_| one.add(value, weight));
            many.add_many(value, weight, count);
        }
        assert_eq!(one, many);
    }

    #[test]
    fn two_that_are_merged_are_one_of_all() {
        let (mut one, mut two, mut all) = (Histogram::default(), Histogram::default(), Histogram::default());
        for value in 0..1000u64 {
            if value % 3 == 0 { &mut one } else { &mut two }.add(value * value, value);
            all.add(value * value, value);
        }
        one.merge(&two);
        assert_eq!(one, all);
        let mut restored =
            Histogram { least: all.least, most: all.most, sum: all.sum, ..Histogram::default() };
        assert!(all.bins().all(|bin| restored.restore(bin.low, bin.count, bin.bytes)));
        assert_eq!(restored, all);
        assert!(!restored.restore(3, 1, 1));
    }
}
