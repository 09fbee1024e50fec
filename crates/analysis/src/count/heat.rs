//! Bytes over time: bins of equal width from the start of the job, which double their width when
//! the job outgrows them.

use marigraph_model::{Direction, Module, Rank, Series};

const BINS: usize = Series::MAX_BINS;
const WIDTH: i64 = (Series::FIRST_BIN_S * 1e9) as i64;

#[derive(Debug, Clone)]
pub(super) struct Heat {
    width: i64,
    read: Vec<i64>,
    written: Vec<i64>,
}

impl Default for Heat {
    fn default() -> Heat {
        Heat { width: WIDTH, read: Vec::new(), written: Vec::new() }
    }
}

impl Heat {
    /// Spreads the bytes of a call evenly over its time.
    #[inline]
    pub(super) fn add(&mut self, way: Direction, bytes: i64, start: i64, end: i64) {
        if bytes <= 0 || end < 0 {
            return;
        }
        self.reach(end);
        let (first, last) = (start.max(0) / self.width, end / self.width);
        let width = self.width;
        let bins = match way {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.written,
        };
        if bins.is_empty() {
            bins.resize(BINS, 0);
        }
        if first >= last {
            put(bins, last, bytes);
            return;
        }
        let duration = (end - start.max(0)) as f64;
        for bin in first..=last {
            let from = start.max(bin.saturating_mul(width));
            let to = end.min((bin + 1).saturating_mul(width));
            put(bins, bin, (bytes as f64 * ((to - from) as f64 / duration)).round() as i64);
        }
    }

    /// Widens the bins until the last one holds a moment.
    fn reach(&mut self, end: i64) {
        while end / self.width >= BINS as i64 {
            for bins in [&mut self.read, &mut self.written] {
                *bins = halved(bins);
            }
            self.width = self.width.saturating_mul(2);
        }
    }

    /// Adds the heat map of another process of the rank.
    pub(super) fn merge(&mut self, mut other: Heat) {
        self.reach(other.width.saturating_mul(BINS as i64) - 1);
        other.reach(self.width.saturating_mul(BINS as i64) - 1);
        for (to, from) in [(&mut self.read, &other.read), (&mut self.written, &other.written)] {
            to.resize(to.len().max(from.len()), 0);
            to.iter_mut().zip(from).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
        }
    }

    /// As a series that ends with the job; nothing if no byte moved.
    pub(super) fn series(mut self, interface: Module, rank: Rank, end: i64) -> Option<Series> {
        if self.read.iter().chain(&self.written).all(|&bytes| bytes == 0) {
            return None;
        }
        // Bins that hold the end: all ranks of a job get the same ones.
        self.reach(end.saturating_sub(1));
        let bins = usize::try_from(end.saturating_add(self.width - 1) / self.width).unwrap_or(BINS);
        let amounts = |mut values: Vec<i64>| {
            values.resize(bins.clamp(1, BINS), 0);
            values.into_iter().map(|n| u64::try_from(n).unwrap_or(0)).collect()
        };
        let (read, written) = (amounts(self.read), amounts(self.written));
        Some(Series { interface, rank, bin_s: self.width as f64 / 1e9, read, written })
    }
}

fn put(bins: &mut [i64], at: i64, bytes: i64) {
    if let Some(bin) = usize::try_from(at).ok().and_then(|at| bins.get_mut(at)) {
        *bin = bin.saturating_add(bytes);
    }
}

fn halved(bins: &[i64]) -> Vec<i64> {
    let mut out: Vec<i64> =
        bins.chunks(2).map(|pair| pair.iter().fold(0i64, |sum, &n| sum.saturating_add(n))).collect();
    out.resize(bins.len(), 0);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_spread_over_the_bins_of_a_call() {
        let mut heat = Heat::default();
        heat.add(Direction::Write, 1000, 50_000_000, 150_000_000);
        heat.add(Direction::Read, 7, 199_999_999, 199_999_999);
        let series = heat.series(Module::Posix, Rank(3), 1_000_000_000).expect("series");
        assert_eq!((series.bin_s, series.written.len()), (0.1, 10));
        assert_eq!(series.written.get(..3), Some(&[500, 500, 0][..]));
        assert_eq!(series.read.get(..3), Some(&[0, 7, 0][..]));
    }

    #[test]
    fn bins_double_when_the_job_outgrows_them() {
        let mut heat = Heat::default();
        heat.add(Direction::Read, 5, 0, 1000);
        heat.add(Direction::Read, 6, 150_000_000, 160_000_000);
        heat.add(Direction::Read, 9, 39_900_000_000, 39_950_000_000);
        let series = heat.series(Module::Stdio, Rank(0), 40_000_000_000).expect("series");
        assert_eq!((series.bin_s, series.read.len()), (0.2, 200));
        assert_eq!((series.read.first(), series.read.last()), (Some(&11), Some(&9)));
    }

    #[test]
    fn heat_maps_of_processes_add_up_at_the_wider_bins() {
        let (mut one, mut two) = (Heat::default(), Heat::default());
        one.add(Direction::Read, 5, 0, 1000);
        two.add(Direction::Read, 6, 79_000_000_000, 79_000_000_001);
        one.merge(two);
        let series = one.series(Module::Posix, Rank(0), 80_000_000_000).expect("series");
        assert_eq!((series.bin_s, series.read.first(), series.read.get(197)), (0.4, Some(&5), Some(&6)));
    }

    #[test]
    fn nothing_moved_is_no_map() {
        let mut heat = Heat::default();
        heat.add(Direction::Read, 0, 0, 1000);
        assert!(heat.series(Module::Posix, Rank(0), 1).is_none());
    }
}
