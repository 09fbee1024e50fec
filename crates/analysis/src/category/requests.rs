//! Metadata requests per second of the run, stored as changes.

/// Fixed-point unit of a request: integer sums do not depend on the order.
const UNIT: f64 = 1_048_576.0;
/// Number of changes before the first compaction, and the maximum kept.
const TIDY_FROM: usize = 1 << 14;
const MOST: usize = 1 << 20;

/// A second, its own requests, and the step in requests of every second from it on.
type Change = (u32, i64, i64);

/// Requests over time.
#[derive(Debug, Clone)]
pub struct Requests {
    changes: Vec<Change>,
    tidy_at: usize,
    /// Seconds per bin; more than one only for runs of weeks with millions of files.
    bin_s: f64,
    total: u64,
    /// Requests whose second is unknown.
    loose: u64,
}

impl Default for Requests {
    fn default() -> Requests {
        Requests { changes: Vec::new(), tidy_at: TIDY_FROM, bin_s: 1.0, total: 0, loose: 0 }
    }
}

/// Neighbouring bins with the same number of requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Seconds from the start of the run.
    pub from_s: f64,
    pub bins: u64,
    pub per_s: f64,
}

impl Requests {
    /// Adds requests, spread evenly between two moments.
    pub fn add(&mut self, count: u64, start_s: f64, end_s: f64) {
        if count == 0 {
            return;
        }
        self.total = self.total.saturating_add(count);
        if count > 1 && end_s - start_s > 1.0 {
            self.loose = self.loose.saturating_add(count);
        }
        let (from, to) = (start_s.max(0.0) / self.bin_s, end_s.max(start_s).max(0.0) / self.bin_s);
        let (first, last) = (from as u32, to as u32);
        let whole = (count.min(1 << 40) as f64 * UNIT) as i64;
        if first == last {
            self.changes.push((first, whole, 0));
        } else {
            let per_bin = whole as f64 / (to - from);
            let head = (per_bin * (f64::from(first) + 1.0 - from)) as i64;
            let between = per_bin as i64;
            let tail = whole - head - between * i64::from(last - first - 1);
            self.changes.push((first, head, 0));
            self.changes.push((last, tail, 0));
            if last - first > 1 {
                self.changes.push((first + 1, 0, between));
                self.changes.push((last, 0, -between));
            }
        }
        if self.changes.len() >= self.tidy_at {
            self.tidy();
            while self.changes.len() > MOST {
                self.widen();
            }
            self.tidy_at = (self.changes.len() * 2).max(TIDY_FROM);
        }
    }

    fn tidy(&mut self) {
        self.changes.sort_unstable_by_key(|change| change.0);
        self.changes.dedup_by(|next, one| {
            let same = next.0 == one.0;
            if same {
                one.1 = one.1.saturating_add(next.1);
                one.2 = one.2.saturating_add(next.2);
            }
            same
        });
    }

    fn widen(&mut self) {
        let levels = self.levels();
        self.bin_s *= 2.0;
        let (total, loose) = (self.total, self.loose);
        self.changes.clear();
        self.tidy_at = usize::MAX;
        for level in levels {
            let width = self.bin_s / 2.0;
            let count = (level.per_s * width * level.bins as f64).round() as u64;
            self.add(count, level.from_s, level.from_s + width * level.bins as f64 * (1.0 - 1e-9));
        }
        (self.total, self.loose) = (total, loose);
        self.tidy();
    }

    /// Returns the requests as levels in order of time; empty bins are left out.
    pub fn levels(&mut self) -> Vec<Level> {
        self.tidy();
        let mut levels = Vec::new();
        let (mut height, mut next_bin) = (0i64, 0u32);
        for &(bin, alone, step) in &self.changes {
            if height > 0 && bin > next_bin {
                levels.push(self.level(next_bin, u64::from(bin - next_bin), height));
            }
            height = height.saturating_add(step);
            let here = height.saturating_add(alone);
            if here > 0 {
                levels.push(self.level(bin, 1, here));
            }
            next_bin = bin + 1;
        }
        levels
    }

    fn level(&self, bin: u32, bins: u64, amount: i64) -> Level {
        Level { from_s: f64::from(bin) * self.bin_s, bins, per_s: amount as f64 / UNIT / self.bin_s }
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Share of the requests whose second is unknown: the log says only when the first and the last
    /// of several came.
    pub fn loose(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.loose as f64 / self.total as f64 }
    }

    pub fn bin_s(&self) -> f64 {
        self.bin_s
    }
}
