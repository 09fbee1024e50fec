//! Stretches of activity, and the ways to join them into phases.

use std::sync::OnceLock;

use super::activity::Activity;
use super::outcome::Phase;
use super::rows::join;

/// The application's volume per time bin.
#[derive(Debug, Clone)]
pub struct Binned {
    pub bins: Vec<f64>,
    pub width_s: f64,
    pub origin_s: f64,
    /// Bytes before each bin, and the total.
    sums: Vec<f64>,
    /// The same for squares, computed on demand.
    squares: OnceLock<Vec<f64>>,
}

impl Binned {
    pub fn new(activity: &Activity) -> Binned {
        let (bins, width_s, origin_s) = activity.bins();
        Binned::from_bins(bins, width_s, origin_s)
    }

    pub fn from_bins(bins: Vec<f64>, width_s: f64, origin_s: f64) -> Binned {
        let sums = running(bins.iter().copied());
        Binned { bins, width_s, origin_s, sums, squares: OnceLock::new() }
    }

    pub fn time_to_move(&self, from_s: f64, bytes: f64) -> f64 {
        let from = ((from_s - self.origin_s) / self.width_s).max(0.0) as usize;
        let before = self.sums.get(from).copied().unwrap_or(0.0);
        let to = self.sums.partition_point(|&sum| sum < before + bytes);
        to.saturating_sub(from) as f64 * self.width_s
    }

    /// From the first byte to the last.
    pub fn busy_s(&self) -> f64 {
        let first = self.sums.partition_point(|&sum| sum <= 0.0);
        let last = self.sums.partition_point(|&sum| sum < self.sums.last().copied().unwrap_or(0.0));
        (last + 1).saturating_sub(first) as f64 * self.width_s
    }

    /// Bytes that move between two moments; those of a bin are spread evenly.
    pub fn between(&self, from_s: f64, to_s: f64) -> f64 {
        self.before(to_s) - self.before(from_s)
    }

    fn before(&self, moment_s: f64) -> f64 {
        let place = ((moment_s - self.origin_s) / self.width_s).clamp(0.0, self.bins.len() as f64);
        let bin = place as usize;
        let part = self.bins.get(bin).map_or(0.0, |bytes| bytes * (place - bin as f64));
        self.sums.get(bin).copied().unwrap_or(0.0) + part
    }

    /// The rate above which this share of the bytes moves, to an eighth.
    pub fn rate_above_which(&self, share: f64) -> f64 {
        // Exponent and three mantissa bits: the logarithm in eighths, without computing one.
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

    /// Correlation with the signal `lag_s` later: 1 is equal, 0 unrelated, -1 opposite.
    pub fn likeness(&self, lag_s: f64) -> f64 {
        let lag = (lag_s / self.width_s).round() as usize;
        if lag == 0 || lag >= self.bins.len() {
            return 0.0;
        }
        let count = self.bins.len() - lag;
        let product = dot(&self.bins[..count], &self.bins[lag..]);
        let part = |sums: &[f64], from: usize, to: usize| sums[to] - sums[from];
        let (early, late) = (part(&self.sums, 0, count), part(&self.sums, lag, lag + count));
        let around = |squares: f64, sum: f64| (squares - sum * sum / count as f64).max(0.0);
        let squares = self.squares.get_or_init(|| running(self.bins.iter().map(|bytes| bytes * bytes)));
        let of_early = around(part(squares, 0, count), early);
        let of_late = around(part(squares, lag, lag + count), late);
        let scale = (of_early * of_late).sqrt();
        if scale > 0.0 { ((product - early * late / count as f64) / scale).clamp(-1.0, 1.0) } else { 0.0 }
    }

    pub fn coarser(&self, most: usize) -> Binned {
        let per = self.bins.len().div_ceil(most.max(1)).max(1);
        let bins = self.bins.chunks(per).map(|chunk| chunk.iter().sum()).collect();
        Binned::from_bins(bins, self.width_s * per as f64, self.origin_s)
    }

    pub fn above(&self, bytes_per_s: f64) -> Vec<Phase> {
        let bound = bytes_per_s * self.width_s;
        let mut runs: Vec<Phase> = Vec::new();
        let mut at = 0;
        while let Some(idle) = self.bins[at..].iter().position(|&bytes| bytes > bound) {
            let from = at + idle;
            let busy = self.bins[from..].iter().position(|&bytes| bytes <= bound || bytes.is_nan());
            at = busy.map_or(self.bins.len(), |busy| from + busy);
            let start_s = |bin: usize| self.origin_s + bin as f64 * self.width_s;
            let bytes = self.bins[from..at].iter().copied().reduce(|sum, bytes| sum + bytes);
            let end_s = start_s(at - 1) + self.width_s;
            runs.push(Phase { start_s: start_s(from), end_s, bytes: bytes.unwrap_or(0.0) });
        }
        runs
    }
}

/// Prefix sums: before each value, and the total.
fn running(values: impl ExactSizeIterator<Item = f64>) -> Vec<f64> {
    let mut sums = Vec::with_capacity(values.len() + 1);
    let mut sum = 0.0;
    sums.push(sum);
    sums.extend(values.map(|value| {
        sum += value;
        sum
    }));
    sums
}

/// Dot product in several independent sums, so that additions can overlap.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut sums = [0.0; LANES];
    let (whole, other_whole) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f64 = whole.remainder().iter().zip(other_whole.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in whole.zip(other_whole) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f64>() + rest
}

pub fn union(ranks: &[&[Phase]]) -> Vec<Phase> {
    let mut all: Vec<&Phase> = Vec::with_capacity(ranks.iter().map(|bursts| bursts.len()).sum());
    ranks.iter().for_each(|bursts| all.extend(bursts.iter()));
    match in_order(&all) {
        Some(order) => joining(order.map(|at| *all[at]), 0.0),
        None => {
            let mut all: Vec<Phase> = all.into_iter().copied().collect();
            join(&mut all, 0.0);
            all
        }
    }
}

/// Indices of bursts in order of start, to 2^-44 of the whole time; stable. Sorting integers that
/// hold time and index is much faster than sorting the bursts. `None` if there are too many for
/// that.
pub fn in_order(all: &[&Phase]) -> Option<impl Iterator<Item = usize> + use<>> {
    const PLACE_BITS: u32 = 20;
    let starts = || all.iter().map(|burst| burst.start_s);
    let (first, last) = (starts().fold(f64::INFINITY, f64::min), starts().fold(f64::NEG_INFINITY, f64::max));
    let scale = ((1u64 << (u64::BITS - PLACE_BITS)) - 1) as f64 / (last - first);
    if all.len() >= 1 << PLACE_BITS || !scale.is_finite() {
        return None;
    }
    let key =
        |(place, start_s): (usize, f64)| (((start_s - first) * scale) as u64) << PLACE_BITS | place as u64;
    let keys = sorted(starts().enumerate().map(key).collect(), PLACE_BITS);
    Some(keys.into_iter().map(|key| (key & ((1 << PLACE_BITS) - 1)) as usize))
}

/// Sorts keys whose `lowest` bits already rise.
fn sorted(mut keys: Vec<u64>, lowest: u32) -> Vec<u64> {
    // Radix sort, once there are enough numbers for the digits.
    const DIGIT_BITS: u32 = 11;
    const DIGITS: usize = 1 << DIGIT_BITS;
    if keys.len() < 4 * DIGITS {
        keys.sort_unstable();
        return keys;
    }
    let mut other = vec![0; keys.len()];
    for shift in (lowest..u64::BITS).step_by(DIGIT_BITS as usize) {
        let digit = |key: u64| (key >> shift) as usize & (DIGITS - 1);
        let mut places = [0u32; DIGITS];
        keys.iter().for_each(|&key| places[digit(key)] += 1);
        let mut sum = 0;
        places.iter_mut().for_each(|place| sum += std::mem::replace(place, sum));
        for &key in &keys {
            let place = &mut places[digit(key)];
            other[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(&mut keys, &mut other);
    }
    keys
}

fn joining(runs: impl Iterator<Item = Phase>, cut_s: f64) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    for next in runs {
        match phases.last_mut().filter(|last| next.start_s <= last.end_s + cut_s) {
            Some(last) => {
                last.end_s = last.end_s.max(next.end_s);
                last.bytes += next.bytes;
            }
            None => phases.push(next),
        }
    }
    phases
}

pub fn pauses(runs: &[Phase]) -> Vec<f64> {
    runs.windows(2).map(|pair| (pair[1].start_s - pair[0].end_s).max(0.0)).collect()
}

/// Pause lengths at which a cut could make sense: just below the pauses that are much longer than
/// the next shorter one. The shortest pause is always among them.
pub fn cuts(mut pauses: Vec<f64>, fewest: usize, most: usize) -> Vec<f64> {
    pauses.retain(|&pause| pause > 0.0);
    pauses.sort_unstable_by(|a, b| b.total_cmp(a));
    let Some(&shortest) = pauses.last() else { return Vec::new() };
    // The largest steps so far, largest first: sorting all of them would take longer than the rest.
    let mut steps: Vec<(f64, usize)> = Vec::with_capacity(most + 1);
    for count in fewest.max(1)..pauses.len() {
        let step = pauses[count - 1] / pauses[count];
        if steps.len() == most && steps.last().is_some_and(|known| step <= known.0) {
            continue;
        }
        steps.insert(steps.partition_point(|known| known.0 >= step), (step, count));
        steps.truncate(most);
    }
    let cut = |(_, count): (f64, usize)| (pauses[count - 1] * pauses[count]).sqrt();
    let mut cuts: Vec<f64> = steps.into_iter().map(cut).collect();
    cuts.push(shortest / 2.0);
    cuts
}

pub fn joined(runs: &[Phase], cut_s: f64) -> Vec<Phase> {
    joining(runs.iter().copied(), cut_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synth::Random;

    #[test]
    fn order_is_that_of_beginnings_and_places() {
        let mut random = Random::new(5);
        for count in [0, 1, 50, 20_000] {
            let burst = |start_s: f64| Phase { start_s, end_s: start_s + 1.0, bytes: 1.0 };
            let bursts: Vec<Phase> =
                (0..count).map(|_| burst(random.between(0.0, 500.0).floor() / 4.0)).collect();
            let Some(order) = in_order(&bursts.iter().collect::<Vec<_>>()) else {
                assert!(count < 2);
                continue;
            };
            let mut expected: Vec<usize> = (0..bursts.len()).collect();
            expected.sort_by(|&a, &b| bursts[a].start_s.total_cmp(&bursts[b].start_s));
            assert!(order.eq(expected), "{count}");
        }
    }
}
