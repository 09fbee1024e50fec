//! The small sums that every interface keeps: when, how long, how much, which sizes.
//!
//! Times are nanoseconds from the start of the job until they leave for a record. Zero stands for
//! "never", as in the records themselves.

use marigraph_model::{Call, CommonSlots, Direction, SIZE_BINS, size_bin};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    pub(super) first: i64,
    pub(super) last: i64,
}

impl Span {
    /// The end is that of the latest call, not the greatest: calls come in order of return.
    pub(super) fn add(&mut self, start: i64, end: i64) {
        if self.first == 0 || self.first > start {
            self.first = start;
        }
        self.last = end;
    }

    pub(super) fn add_times(&mut self, times: &Times) {
        // Zero is never: a second call can set what the first left at zero.
        for at in times.beginning(2) {
            self.add(at.start, at.end);
        }
        self.last = times.nth(times.count - 1).end;
    }
}

/// Seconds in some kind of call, where threads that are in it together count once.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timer {
    pub(super) sum: i64,
    until: i64,
}

impl Timer {
    pub(super) fn add(&mut self, start: i64, end: i64) {
        self.sum = self.sum.saturating_add(end.saturating_sub(start.max(self.until)));
        self.until = self.until.max(end);
    }

    pub(super) fn add_times(&mut self, times: &Times) {
        let At { start, end } = times.first;
        self.add(start, end);
        let each = end.saturating_sub(start).min(times.pace);
        self.sum = self.sum.saturating_add(each.saturating_mul(times.count - 1));
        self.until = self.until.max(times.nth(times.count - 1).end);
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flow {
    pub(super) bytes: i64,
    pub(super) bins: [i64; SIZE_BINS],
    pub(super) span: Span,
    pub(super) timer: Timer,
    /// The longest call, and what it moved.
    pub(super) slowest: i64,
    pub(super) slowest_size: i64,
}

impl Flow {
    pub(super) fn add(&mut self, bytes: i64, start: i64, end: i64) {
        self.bytes = self.bytes.saturating_add(bytes);
        self.bin(bytes, 1);
        self.span.add(start, end);
        self.slower(bytes, end.saturating_sub(start));
        self.timer.add(start, end);
    }

    pub(super) fn add_times(&mut self, bytes: i64, times: &Times) {
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(times.count));
        self.bin(bytes, times.count);
        self.span.add_times(times);
        self.slower(bytes, times.first.end.saturating_sub(times.first.start));
        self.timer.add_times(times);
    }

    #[inline]
    fn bin(&mut self, bytes: i64, calls: i64) {
        if let Some(bin) = self.bins.get_mut(size_bin(u64::try_from(bytes).unwrap_or(0))) {
            *bin += calls;
        }
    }

    #[inline]
    fn slower(&mut self, bytes: i64, elapsed: i64) {
        if self.slowest < elapsed {
            self.slowest = elapsed;
            self.slowest_size = bytes;
        }
    }
}

/// Opens, closes and the time of everything that moves no data.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Meta {
    pub(super) open: Span,
    pub(super) close: Span,
    pub(super) timer: Timer,
}

impl Meta {
    pub(super) fn opened(&mut self, at: At) {
        self.open.add(at.start, at.end);
        self.timer.add(at.start, at.end);
    }

    pub(super) fn closed(&mut self, at: At) {
        self.close.add(at.start, at.end);
        self.timer.add(at.start, at.end);
    }

    pub(super) fn other(&mut self, at: At) {
        self.timer.add(at.start, at.end);
    }

    pub(super) fn opened_times(&mut self, times: &Times) {
        self.open.add_times(times);
        self.timer.add_times(times);
    }

    pub(super) fn closed_times(&mut self, times: &Times) {
        self.close.add_times(times);
        self.timer.add_times(times);
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub(super) start: i64,
    pub(super) end: i64,
}

impl At {
    pub(super) fn of(call: &Call) -> At {
        At { start: call.start.0, end: call.end.0 }
    }
}

/// Calls that are alike, one or more, in order of return.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    pub(super) first: At,
    pub(super) count: i64,
    /// From the start of one call to the start of the next.
    pub(super) pace: i64,
}

impl Times {
    pub(super) fn nth(&self, n: i64) -> At {
        let by = self.pace.saturating_mul(n);
        At { start: self.first.start.saturating_add(by), end: self.first.end.saturating_add(by) }
    }

    /// The first calls, at most `most`.
    pub(super) fn beginning(&self, most: i64) -> impl Iterator<Item = At> {
        let times = *self;
        (0..times.count.min(most)).map(move |n| times.nth(n))
    }
}

/// Reads or writes that are alike, at equal distances in time and in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moves {
    pub(super) way: Direction,
    /// Where the first begins.
    pub(super) offset: i64,
    /// From the begin of one to the begin of the next.
    pub(super) step: i64,
    pub(super) bytes: i64,
    pub(super) times: Times,
}

/// Counts how often a file is read after a write or written after a read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turns {
    last: Option<Direction>,
    pub(super) count: i64,
}

impl Turns {
    pub(super) fn add(&mut self, way: Direction) {
        self.count += i64::from(self.last.is_some_and(|last| last != way));
        self.last = Some(way);
    }
}

/// Distinct values that are counted per object. Darshan keeps the first 32 it sees and ignores
/// later ones; so does this, to give the same four most common values.
const MOST: usize = 32;

/// How often each value occurred. A value may be several numbers: a size and its shape.
#[derive(Debug, Clone)]
pub(super) struct Common<const N: usize> {
    keys: Vec<[i64; N]>,
    counts: Vec<i64>,
    /// Where the value before was found: programs repeat themselves.
    last: usize,
}

impl<const N: usize> Default for Common<N> {
    fn default() -> Self {
        Common { keys: Vec::new(), counts: Vec::new(), last: 0 }
    }
}

impl<const N: usize> Common<N> {
    #[inline]
    pub(super) fn add(&mut self, key: [i64; N]) {
        self.add_times(key, 1);
    }

    #[inline]
    pub(super) fn add_times(&mut self, key: [i64; N], times: i64) {
        if self.keys.get(self.last) != Some(&key) {
            match self.keys.iter().position(|known| *known == key) {
                Some(at) => self.last = at,
                None if self.keys.len() < MOST => {
                    self.last = self.keys.len();
                    self.keys.push(key);
                    self.counts.push(0);
                }
                None => return,
            }
        }
        if let Some(count) = self.counts.get_mut(self.last) {
            *count += times;
        }
    }

    /// The four most common, of equal ones those of greater size. Zero is never among them, although
    /// it takes a place among the values that are followed.
    pub(super) fn top(&self) -> Vec<([i64; N], i64)> {
        let mut all: Vec<_> = self.keys.iter().copied().zip(self.counts.iter().copied()).collect();
        let size = |key: &[i64; N]| key.first().copied().unwrap_or(0);
        all.retain(|(key, _)| size(key) != 0);
        all.sort_by_key(|(key, count)| std::cmp::Reverse((*count, size(key))));
        all.truncate(CommonSlots::COUNT);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_at_the_same_time_count_once() {
        let mut timer = Timer::default();
        timer.add(10, 20);
        timer.add(15, 30);
        timer.add(40, 50);
        assert_eq!(timer.sum, 30);
    }

    #[test]
    fn only_the_first_32_values_are_followed_and_zero_is_one_of_them() {
        let mut common = Common::<1>::default();
        common.add([0]);
        for value in 1..40 {
            common.add([value]);
        }
        for _ in 0..9 {
            common.add([35]);
            common.add([0]);
        }
        common.add([7]);
        assert_eq!(common.top(), [([7], 2), ([31], 1), ([30], 1), ([29], 1)]);
    }
}
