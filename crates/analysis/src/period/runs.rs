//! Stretches of activity, and the ways to see them as phases.

use super::activity::{Activity, join};
use super::hypothesis::mean;
use super::outcome::Phase;

/// The application's volume per time bin.
#[derive(Debug, Clone)]
pub struct Binned {
    /// Bytes.
    pub bins: Vec<f64>,
    /// Seconds per bin.
    pub width_s: f64,
    /// Where the first bin begins.
    pub origin_s: f64,
    /// Bytes before each bin, and in all.
    sums: Vec<f64>,
}

impl Binned {
    /// Of everything that was collected.
    pub fn new(activity: &mut Activity) -> Binned {
        let (bins, width_s, origin_s) = activity.take_bins();
        Binned::from_bins(bins, width_s, origin_s)
    }

    /// Of bins that are known.
    pub fn from_bins(bins: Vec<f64>, width_s: f64, origin_s: f64) -> Binned {
        let mut sums = Vec::with_capacity(bins.len() + 1);
        let mut sum = 0.0;
        sums.push(sum);
        sums.extend(bins.iter().map(|bytes| {
            sum += bytes;
            sum
        }));
        Binned { bins, width_s, origin_s, sums }
    }

    /// How long it takes from a moment on until so many bytes have moved.
    pub fn time_to_move(&self, from_s: f64, bytes: f64) -> f64 {
        let from = ((from_s - self.origin_s) / self.width_s).max(0.0) as usize;
        let before = self.sums.get(from).copied().unwrap_or(0.0);
        let to = self.sums.partition_point(|&sum| sum < before + bytes);
        to.saturating_sub(from) as f64 * self.width_s
    }

    /// The rate above which this share of the bytes moves, to an eighth.
    pub fn rate_above_which(&self, share: f64) -> f64 {
        // The exponent and three bits of a number: its logarithm in eighths, without taking any.
        const SHIFT: u32 = f64::MANTISSA_DIGITS - 1 - 3;
        let rank = |bytes: f64| (bytes.to_bits() >> SHIFT) as usize;
        let largest = rank(self.bins.iter().copied().fold(0.0, f64::max));
        let mut moved = [0.0; 1024];
        for &bytes in self.bins.iter().filter(|&&bytes| bytes > 0.0) {
            moved[(largest - rank(bytes)).min(1023)] += bytes;
        }
        let bound = moved.iter().sum::<f64>() * share;
        let mut sum = 0.0;
        let at = moved.iter().position(|bytes| {
            sum += bytes;
            sum >= bound
        });
        f64::from_bits(((largest - at.unwrap_or(0)) as u64) << SHIFT) / self.width_s
    }

    /// How much the signal is like itself some time later: 1 the same, 0 unrelated, below the contrary.
    pub fn likeness(&self, lag_s: f64) -> f64 {
        let lag = (lag_s / self.width_s).round() as usize;
        if lag == 0 || lag >= self.bins.len() {
            return 0.0;
        }
        let (early, late) = (&self.bins[..self.bins.len() - lag], &self.bins[lag..]);
        let (mean_early, mean_late) = (mean(early), mean(late));
        let (mut product, mut of_early, mut of_late) = (0.0, 0.0, 0.0);
        for (a, b) in early.iter().zip(late) {
            let (a, b) = (a - mean_early, b - mean_late);
            product += a * b;
            of_early += a * a;
            of_late += b * b;
        }
        let scale = (of_early * of_late).sqrt();
        if scale > 0.0 { product / scale } else { 0.0 }
    }

    /// The same with fewer and wider bins.
    pub fn coarser(&self, most: usize) -> Binned {
        let per = self.bins.len().div_ceil(most.max(1)).max(1);
        let bins = self.bins.chunks(per).map(|chunk| chunk.iter().sum()).collect();
        Binned::from_bins(bins, self.width_s * per as f64, self.origin_s)
    }

    /// Stretches in which the rate stays above a bound.
    pub fn above(&self, bytes_per_s: f64) -> Vec<Phase> {
        let bound = bytes_per_s * self.width_s;
        let mut runs: Vec<Phase> = Vec::new();
        let mut open = false;
        for (at, &bytes) in self.bins.iter().enumerate() {
            let start_s = self.origin_s + at as f64 * self.width_s;
            match runs.last_mut() {
                Some(run) if open && bytes > bound => {
                    run.end_s = start_s + self.width_s;
                    run.bytes += bytes;
                }
                _ if bytes > bound => runs.push(Phase { start_s, end_s: start_s + self.width_s, bytes }),
                _ => {}
            }
            open = bytes > bound;
        }
        runs
    }
}

/// Stretches in which any of the ranks moves bytes.
pub fn union(ranks: &[Vec<Phase>]) -> Vec<Phase> {
    let mut all: Vec<Phase> = ranks.iter().flatten().copied().collect();
    join(&mut all, 0.0);
    all
}

/// Pauses between stretches.
pub fn pauses(runs: &[Phase]) -> Vec<f64> {
    runs.windows(2).map(|pair| (pair[1].start_s - pair[0].end_s).max(0.0)).collect()
}

/// Lengths of pauses at which it could make sense to cut: just below the pauses that are much longer
/// than the next shorter one. The shortest pause of all is always among them.
pub fn cuts(mut pauses: Vec<f64>, fewest: usize, most: usize) -> Vec<f64> {
    pauses.retain(|&pause| pause > 0.0);
    pauses.sort_by(|a, b| b.total_cmp(a));
    let Some(&shortest) = pauses.last() else { return Vec::new() };
    let mut steps: Vec<(f64, f64)> = (fewest.max(1)..pauses.len())
        .map(|count| (pauses[count - 1] / pauses[count], (pauses[count - 1] * pauses[count]).sqrt()))
        .collect();
    steps.sort_by(|a, b| b.0.total_cmp(&a.0));
    steps.truncate(most);
    let mut cuts: Vec<f64> = steps.into_iter().map(|(_, cut)| cut).collect();
    cuts.push(shortest / 2.0);
    cuts
}

/// Joins stretches whose pause is shorter than the cut.
pub fn joined(runs: &[Phase], cut_s: f64) -> Vec<Phase> {
    let mut phases = runs.to_vec();
    join(&mut phases, cut_s);
    phases
}
