//! Bytes over the run in slices of equal length. Sums are integers, so the order of operations does
//! not matter.

/// Number of slices; a multiple of four.
const SLICES: usize = 128;
/// Fixed-point unit of a byte.
const UNIT: f64 = 1024.0;

/// Bytes per slice of the run.
#[derive(Debug, Clone, Default)]
pub struct Spread {
    /// Empty until something is added.
    slices: Vec<i128>,
    /// Steps in the bytes of every slice from one on.
    steps: Vec<i128>,
    /// Bytes whose quarter is certain.
    certain: u64,
    total: u64,
}

impl Spread {
    /// Adds bytes, spread evenly between two moments; those outside the run count at its border.
    pub fn add(&mut self, start_s: f64, end_s: f64, bytes: u64, runtime_s: f64) {
        if bytes == 0 || runtime_s <= 0.0 {
            return;
        }
        if self.slices.is_empty() {
            (self.slices, self.steps) = (vec![0; SLICES], vec![0; SLICES + 1]);
        }
        self.total = self.total.saturating_add(bytes);
        let place = |t: f64| (t / runtime_s * SLICES as f64).clamp(0.0, SLICES as f64);
        let (from, to) = (place(start_s), place(end_s.max(start_s)));
        let last = SLICES - 1;
        let (first_slice, last_slice) = ((from as usize).min(last), (to as usize).min(last));
        let quarter = |slice: usize| slice * 4 / SLICES;
        // An operation that ends where a quarter ends does not reach into the next.
        let reaches = if to > from { ((to.ceil() as usize).max(1) - 1).min(last) } else { first_slice };
        if quarter(first_slice) == quarter(reaches) {
            self.certain = self.certain.saturating_add(bytes);
        }
        let whole = i128::from(bytes) * UNIT as i128;
        if first_slice == last_slice || to <= from {
            self.slices[first_slice] += whole;
            return;
        }
        let per_slice = bytes as f64 * UNIT / (to - from);
        let head = rounded_down(per_slice * (first_slice as f64 + 1.0 - from));
        let between = rounded_down(per_slice);
        self.slices[first_slice] += head;
        self.steps[first_slice + 1] += between;
        self.steps[last_slice] -= between;
        self.slices[last_slice] += whole - head - between * (last_slice - first_slice - 1) as i128;
    }

    pub fn add_all(&mut self, other: &Spread) {
        if self.slices.is_empty() {
            *self = other.clone();
            return;
        }
        self.slices.iter_mut().zip(&other.slices).for_each(|(one, other)| *one += other);
        self.steps.iter_mut().zip(&other.steps).for_each(|(one, other)| *one += other);
        self.certain = self.certain.saturating_add(other.certain);
        self.total = self.total.saturating_add(other.total);
    }

    fn bytes(&self) -> impl Iterator<Item = f64> {
        let mut height = 0;
        self.slices.iter().zip(&self.steps).map(move |(slice, step)| {
            height += step;
            as_number(slice + height) / UNIT
        })
    }

    pub fn quarters(&self) -> [f64; 4] {
        let mut quarters = [0.0; 4];
        self.bytes().enumerate().for_each(|(at, bytes)| quarters[at * 4 / SLICES] += bytes);
        quarters
    }

    pub fn certain(&self) -> f64 {
        if self.total == 0 { 1.0 } else { self.certain as f64 / self.total as f64 }
    }

    /// Mean and quartiles of the times of bytes, as shares of the run.
    pub fn moments(&self) -> Option<(f64, [f64; 3])> {
        let slices: Vec<f64> = self.bytes().collect();
        let total: f64 = slices.iter().sum();
        if total <= 0.0 {
            return None;
        }
        let middle = |at: usize| (at as f64 + 0.5) / SLICES as f64;
        let mean = slices.iter().enumerate().map(|(at, bytes)| middle(at) * bytes).sum::<f64>() / total;
        Some((mean, [0.25, 0.5, 0.75].map(|share| quantile(&slices, share * total))))
    }
}

/// Converts to `f64`. Nearly all values fit in 64 bits, which is ten times as fast.
fn as_number(value: i128) -> f64 {
    // Out of line, or the compiler merges both paths again.
    #[cold]
    #[inline(never)]
    fn of_very_many(value: i128) -> f64 {
        value as f64
    }
    i64::try_from(value).map_or_else(|_| of_very_many(value), |value| value as f64)
}

/// Truncates to an integer. Nearly all values fit in 64 bits, which is faster.
fn rounded_down(value: f64) -> i128 {
    if value < 9e18 { i128::from(value as i64) } else { value as i128 }
}

/// Returns when `wanted` bytes have moved, as a share of the run.
fn quantile(slices: &[f64], wanted: f64) -> f64 {
    let mut sum = 0.0;
    for (at, &bytes) in slices.iter().enumerate() {
        if bytes > 0.0 && sum + bytes >= wanted {
            return (at as f64 + ((wanted - sum) / bytes).clamp(0.0, 1.0)) / SLICES as f64;
        }
        sum += bytes;
    }
    1.0
}
