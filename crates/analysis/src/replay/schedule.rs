//! When a call is due, and how late the replay performs it.

/// What a replay preserves of the original timing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// Nothing: every call follows the previous one immediately.
    Fast,
    /// The pauses between calls.
    Think,
    /// The start of each call.
    Open,
}

/// The clock of one thread, in nanoseconds since the start of the replay.
#[derive(Debug, Clone)]
pub struct Clock {
    schedule: Schedule,
    speed: f64,
    origin: i64,
    /// When the last call should have returned, and when it did in the trace.
    due_end: i64,
    traced_end: i64,
    due: i64,
}

impl Clock {
    /// `origin` is the start of the trace; pauses are divided by `speed`.
    pub fn new(schedule: Schedule, speed: f64, origin: i64) -> Clock {
        Clock { schedule, speed, origin, due_end: 0, traced_end: origin, due: 0 }
    }

    /// When a call is due that began at `start` in the trace. Lateness does not accumulate: a late
    /// call does not delay later ones.
    pub fn due(&mut self, start: i64) -> i64 {
        self.due = match self.schedule {
            Schedule::Fast => self.due_end,
            Schedule::Think => {
                self.due_end.saturating_add(self.scaled(start.saturating_sub(self.traced_end).max(0)))
            }
            Schedule::Open => self.scaled(start.saturating_sub(self.origin).max(0)),
        };
        self.due
    }

    /// The call took `took` in the replay, and ended at `end` in the trace.
    pub fn returned(&mut self, took: i64, end: i64) {
        self.due_end = self.due.saturating_add(took.max(0));
        self.traced_end = end;
    }

    /// Notes that all ranks met at `now` and continue from there.
    pub fn met(&mut self, now: i64, end: i64) {
        self.due_end = now;
        self.traced_end = end;
    }

    fn scaled(&self, time: i64) -> i64 {
        // The conversion from a float saturates.
        (time as f64 / self.speed) as i64
    }
}

/// Eight bins per power of two nanoseconds.
const BINS: usize = 64 * 8;

/// Histogram of how late calls began, in nanoseconds.
#[derive(Debug, Clone)]
pub struct Drift {
    bins: Vec<u64>,
    pub max: i64,
    pub last: i64,
}

impl Default for Drift {
    fn default() -> Drift {
        Drift { bins: vec![0; BINS], max: 0, last: 0 }
    }
}

impl Drift {
    /// Adds a call that was due at `due`, could begin at `free` after the previous one, and began
    /// at `began`.
    pub fn add(&mut self, due: i64, free: i64, began: i64) {
        let late = began.saturating_sub(due.max(free)).max(0);
        self.last = late;
        self.max = self.max.max(late);
        if let Some(bin) = self.bins.get_mut(bin(late)) {
            *bin += 1;
        }
    }

    pub fn merge(&mut self, bins: &[u64], max: i64, last: i64) {
        self.bins.iter_mut().zip(bins).for_each(|(own, other)| *own += other);
        self.max = self.max.max(max);
        self.last = self.last.max(last);
    }

    pub fn bins(&self) -> &[u64] {
        &self.bins
    }

    /// 99th percentile, accurate to an eighth.
    pub fn p99(&self) -> i64 {
        let calls: u64 = self.bins.iter().sum();
        let mut left = calls - calls / 100;
        for (at, &count) in self.bins.iter().enumerate() {
            left = left.saturating_sub(count);
            if left == 0 {
                return upper(at).min(self.max);
            }
        }
        self.max
    }
}

fn bin(value: i64) -> usize {
    let value = u64::try_from(value).unwrap_or(0);
    if value < 8 {
        return value as usize;
    }
    let power = 63 - value.leading_zeros() as usize;
    (power - 2) * 8 + ((value >> (power - 3)) & 7) as usize
}

fn upper(bin: usize) -> i64 {
    if bin < 8 {
        return bin as i64;
    }
    let (power, part) = (bin / 8 + 2, (bin % 8) as i128);
    let value = (1i128 << power) + ((part + 1) << (power - 3)) - 1;
    i64::try_from(value).unwrap_or(i64::MAX)
}
