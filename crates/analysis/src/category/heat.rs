//! Sums the heat maps of all ranks.

use marigraph_model::{Module, Series};

use super::merge::Operation;
use super::spread::Spread;

const SAME_WIDTH: f64 = 1e-6;
/// Maximum number of bin widths; Darshan has one per log.
const MAX_WIDTHS: usize = 8;
/// Maximum number of bins; Darshan has 200.
const MAX_BINS: usize = 1 << 16;

/// Bins beside a burst that hold less than this share of its fullest bin belong to other, smaller
/// activity: they do not make the burst longer.
const BUSY_BIN: f64 = 0.1;

#[derive(Debug, Clone, Default)]
struct Bins {
    width_s: f64,
    sides: [Vec<u64>; 2],
}

/// The sum over all ranks and over the interfaces that count each byte once.
#[derive(Debug, Clone, Default)]
pub struct Heat {
    widths: Vec<Bins>,
}

impl Heat {
    /// Adds the heat map of one rank; skips MPI-IO, whose bytes appear in POSIX again.
    pub fn add(&mut self, series: &Series) {
        if !matches!(series.interface, Module::Posix | Module::Stdio | Module::Dfs) {
            return;
        }
        let known =
            self.widths.iter().position(|bins| (bins.width_s / series.bin_s - 1.0).abs() < SAME_WIDTH);
        let at = match known {
            Some(at) => at,
            None if self.widths.len() < MAX_WIDTHS => {
                self.widths.push(Bins { width_s: series.bin_s, ..Bins::default() });
                self.widths.len() - 1
            }
            None => return,
        };
        for (sums, bins) in self.widths[at].sides.iter_mut().zip([&series.read, &series.written]) {
            let bins = &bins[..bins.len().min(MAX_BINS)];
            if sums.len() < bins.len() {
                sums.resize(bins.len(), 0);
            }
            sums.iter_mut().zip(bins).for_each(|(sum, &bytes)| *sum = sum.saturating_add(bytes));
        }
    }

    pub fn bytes(&self, side: usize) -> u64 {
        let bins = self.widths.iter().flat_map(|bins| &bins.sides[side]);
        bins.fold(0, |sum, &bytes| sum.saturating_add(bytes))
    }

    /// Width of the widest bins.
    pub fn bin_s(&self) -> f64 {
        self.widths.iter().fold(0.0, |widest, bins| bins.width_s.max(widest))
    }

    pub fn bins(&self, side: usize) -> Vec<u64> {
        let width = self.bin_s();
        let mut sums: Vec<u64> = Vec::new();
        for bins in &self.widths {
            for (at, &bytes) in bins.sides[side].iter().enumerate() {
                let place = ((at as f64 + 0.5) * bins.width_s / width) as usize;
                if place >= sums.len() {
                    sums.resize(place + 1, 0);
                }
                sums[place] = sums[place].saturating_add(bytes);
            }
        }
        sums
    }

    pub fn operations(&self, side: usize, runtime_s: f64) -> Vec<Operation> {
        let width = self.bin_s();
        let bins = self.bins(side);
        let mut operations = Vec::new();
        let mut at = 0;
        for run in bins.chunk_by(|&one, &other| (one > 0) == (other > 0)) {
            let from = at as f64 * width;
            at += run.len();
            if run[0] > 0 && from < runtime_s {
                let bytes = run.iter().fold(0u64, |sum, &bytes| sum.saturating_add(bytes));
                let most = run.iter().copied().max().unwrap_or(0) as f64;
                let busy = run.iter().filter(|&&bytes| bytes as f64 >= BUSY_BIN * most).count();
                let whole = Operation::new(from, (at as f64 * width).min(runtime_s), bytes);
                let active_s = (busy as f64 * width).min(whole.active_s);
                operations.push(Operation { active_s, ..whole });
            }
        }
        operations
    }

    pub fn spread(&self, side: usize, runtime_s: f64) -> Spread {
        let mut spread = Spread::default();
        let width = self.bin_s();
        for (at, bytes) in self.bins(side).into_iter().enumerate() {
            let from = at as f64 * width;
            // The last bin ends with the job, which may be much shorter than a bin.
            let to = from + width;
            let to = if from < runtime_s { to.min(runtime_s) } else { to };
            spread.add(from, to, bytes, runtime_s);
        }
        spread
    }
}
