//! The exact volume of the whole application per time bin, in bounded memory.

use super::outcome::Phase;
use marigraph_model::Direction;

use crate::grid::Grid;

/// Maximum number of bins; between half of them and all are in use. Few requests need fewer.
const BINS: usize = 1 << 14;
const MIN_BINS: usize = 1 << 13;
const BINS_PER_REQUEST: usize = 4;
/// Requests binned at a time; the first lot determines the width of the bins.
const LOT: usize = 1 << 16;

/// Bytes per bin.
#[derive(Debug, Clone, Default)]
pub struct Bins {
    pending: Vec<Phase>,
    grids: Option<Grids>,
}

/// Time counts in both directions from an origin, which is nearly always the first request.
#[derive(Debug, Clone)]
struct Grids {
    origin_s: f64,
    columns: usize,
    after: Grid,
    before: Option<Grid>,
}

impl Bins {
    pub fn add(&mut self, request: Phase) {
        self.pending.push(request);
        if self.pending.len() >= LOT {
            self.settle();
        }
    }

    pub fn settle(&mut self) {
        self.lay_out();
        if let Some(grids) = &mut self.grids {
            self.pending.drain(..).for_each(|request| grids.add(request));
        }
    }

    pub fn lay_out(&mut self) {
        if self.grids.is_some() || self.pending.is_empty() {
            return;
        }
        let first_s = self.pending.iter().map(|request| request.start_s).fold(f64::INFINITY, f64::min);
        let last_s = self.pending.iter().map(|request| request.end_s).fold(f64::NEG_INFINITY, f64::max);
        let wanted = (BINS_PER_REQUEST * self.pending.len()).next_power_of_two();
        self.grids = Some(Grids::new(first_s, wanted.clamp(MIN_BINS, BINS), last_s - first_s));
    }

    pub fn lay_out_like(&mut self, other: &Bins) {
        if let (None, Some(Grids { origin_s, columns, after, .. })) = (&self.grids, &other.grids) {
            self.grids = Some(Grids::new(*origin_s, *columns, after.bin_s() * *columns as f64));
        }
    }

    /// Merges both. They must have been laid out alike as soon as one of them had bins.
    pub fn and(mut self, mut other: Bins) -> Bins {
        self.lay_out_like(&other);
        other.lay_out_like(&self);
        if self.grids.is_none() {
            self.pending.extend(other.pending);
            return self;
        }
        self.settle();
        other.settle();
        if let (Some(grids), Some(others)) = (&mut self.grids, other.grids) {
            grids.add_all(others);
        }
        self
    }

    /// Volume per bin, width of a bin, and start of the first bin, without pending requests.
    pub fn get(&self) -> (Vec<f64>, f64, f64) {
        let Some(Grids { origin_s, after, before, .. }) = &self.grids else {
            return (Vec::new(), 1.0, 0.0);
        };
        let used = |grid: &Grid| {
            let mut bins = grid.row(0, Direction::Write);
            bins.truncate(grid.used_columns(0.0));
            bins
        };
        let Some(before) = before else { return (used(after), after.bin_s(), *origin_s) };
        // Both started with the same width and doubled it.
        let width_s = before.bin_s().max(after.bin_s());
        let (before, after) = (before.widened(width_s), after.widened(width_s));
        let mut bins = used(&before);
        let begins_s = origin_s - bins.len() as f64 * width_s;
        bins.reverse();
        bins.extend(used(&after));
        (bins, width_s, begins_s)
    }
}

impl Grids {
    fn new(origin_s: f64, columns: usize, seconds: f64) -> Grids {
        Grids { origin_s, columns, after: Grid::new(1, columns, seconds), before: None }
    }

    fn add(&mut self, request: Phase) {
        let (from, to) = (request.start_s - self.origin_s, request.end_s - self.origin_s);
        if from >= 0.0 {
            self.after.add(0, from, to, request.bytes, Direction::Write);
            return;
        }
        let early = (to.min(0.0) - from) / (to - from);
        let seconds = self.after.bin_s() * self.columns as f64;
        let before = self.before.get_or_insert_with(|| Grid::new(1, self.columns, seconds));
        before.add(0, -to.min(0.0), -from, request.bytes * early, Direction::Write);
        if to > 0.0 {
            self.after.add(0, 0.0, to, request.bytes * (1.0 - early), Direction::Write);
        }
    }

    fn add_all(&mut self, other: Grids) {
        self.after.add_grid(other.after);
        self.before = match (self.before.take(), other.before) {
            (Some(mut one), Some(other)) => {
                one.add_grid(other);
                Some(one)
            }
            (one, other) => one.or(other),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(start_s: f64) -> Phase {
        Phase { start_s, end_s: start_s + 0.5, bytes: 2.0 }
    }

    /// Bins of two lists added to one `Bins`, and added separately and merged.
    fn both_ways(one: &[f64], other: &[f64]) -> [(Vec<f64>, f64, f64); 2] {
        let mut whole = Bins::default();
        let mut parts = [Bins::default(), Bins::default()];
        for (part, starts) in [one, other].into_iter().enumerate() {
            for &start in starts {
                whole.add(request(start));
                parts[part].add(request(start));
                let [a, b] = &mut parts;
                a.lay_out_like(b);
                b.lay_out_like(a);
            }
        }
        let [a, b] = parts;
        [whole, a.and(b)].map(|mut bins| {
            bins.settle();
            bins.get()
        })
    }

    #[test]
    fn parts_put_together_are_the_whole() {
        let many: Vec<f64> = (0..40_000).map(|n| f64::from(n) * 0.25).collect();
        let few: Vec<f64> = (0..50).map(|n| f64::from(n) * 300.0 - 4000.0).collect();
        for (one, other) in [(&many, &few), (&few, &many), (&few, &few)] {
            let [whole, parts] = both_ways(one, other);
            let sum = |bins: &[f64]| bins.iter().sum::<f64>();
            let bytes = 2.0 * (one.len() + other.len()) as f64;
            assert!((sum(&whole.0) - bytes).abs() < 1e-6 && (sum(&parts.0) - bytes).abs() < 1e-6);
            let until = |(bins, width_s, begins_s): &(Vec<f64>, f64, f64), end_s: f64| {
                sum(&bins[..(((end_s - begins_s) / width_s).max(0.0) as usize).min(bins.len())])
            };
            for end_s in [-2000.0, 0.0, 777.0, 4000.0] {
                // They differ by at most one bin.
                assert!((until(&whole, end_s) - until(&parts, end_s)).abs() < 40.0, "{end_s}");
            }
        }
    }
}
