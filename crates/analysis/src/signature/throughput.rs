//! Sums the readings of all servers on one time axis.

use marigraph_model::Reading;

/// Bytes per second of all sources together, at equal intervals; NaN where nothing was observed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Throughput {
    /// Start of the first interval, seconds since 1970.
    pub start: f64,
    pub interval_s: f64,
    pub write: Vec<f64>,
    pub read: Vec<f64>,
}

impl Throughput {
    /// End of the last interval, seconds since 1970.
    pub fn end(&self) -> f64 {
        self.start + self.interval_s * self.write.len() as f64
    }
}

/// Intervals that one source has covered, in order.
#[derive(Debug, Clone, Default)]
struct Covered {
    stretches: Vec<(f64, f64)>,
}

impl Covered {
    /// Adds an interval; `None` if part of it was covered before.
    fn take(&mut self, start: f64, end: f64) -> Option<()> {
        // Clock readings are not exact to the microsecond.
        let slack = 0.01 * (end - start);
        let at = self.stretches.partition_point(|stretch| stretch.0 <= start + slack);
        if at.checked_sub(1).is_some_and(|before| self.stretches[before].1 > start + slack)
            || self.stretches.get(at).is_some_and(|next| next.0 < end - slack)
        {
            return None;
        }
        match at.checked_sub(1).filter(|&before| self.stretches[before].1 >= start - slack) {
            Some(before) => self.stretches[before].1 = end,
            None => self.stretches.insert(at, (start, end)),
        }
        Some(())
    }

    fn span(&self) -> Option<(f64, f64)> {
        Some((self.stretches.first()?.0, self.stretches.last()?.1))
    }
}

/// Sums readings of any number of sources, in any order.
#[derive(Debug, Clone, Default)]
pub struct Gather {
    sources: Vec<Covered>,
    interval_s: f64,
    /// Index of the first interval, counted from 1970.
    first: i64,
    write: Vec<f64>,
    read: Vec<f64>,
    /// Number of sources that cover each interval; partial cover counts in proportion.
    cover: Vec<f32>,
    /// Readings of intervals that were covered before.
    pub repeated: u64,
}

/// Maximum number of intervals; more mean a wrong clock.
const MOST: i64 = 1 << 28;

impl Gather {
    /// The first reading sets the interval length.
    pub fn add(&mut self, reading: Reading) {
        if reading.seconds <= 0.0 || !reading.start.is_finite() || reading.start.abs() > 1e12 {
            return;
        }
        if self.interval_s == 0.0 {
            self.interval_s = reading.seconds;
            self.first = (reading.start / self.interval_s).floor() as i64;
        }
        let source = reading.source as usize;
        if source >= self.sources.len() {
            self.sources.resize(source + 1, Covered::default());
        }
        let (start, end) = (reading.start, reading.start + reading.seconds);
        if self.sources[source].take(start, end).is_none() {
            self.repeated += 1;
            return;
        }
        let last = ((end / self.interval_s) - 1e-6).floor() as i64;
        for number in (start / self.interval_s + 1e-6).floor() as i64..=last {
            let from = number as f64 * self.interval_s;
            let share =
                ((end.min(from + self.interval_s) - start.max(from)) / self.interval_s).clamp(0.0, 1.0);
            if let Some(at) = self.place(number) {
                self.write[at] += reading.write * share;
                self.read[at] += reading.read * share;
                self.cover[at] += share as f32;
            }
        }
    }

    /// Makes room for an interval and returns its index.
    fn place(&mut self, number: i64) -> Option<usize> {
        let at = number - self.first;
        if at.abs() > MOST {
            return None;
        }
        if at < 0 {
            // Reserves more than needed: earlier readings rarely come alone.
            let missing = (at.unsigned_abs() as usize).max(self.write.len() / 2);
            for values in [&mut self.write, &mut self.read] {
                values.splice(0..0, std::iter::repeat_n(0.0, missing));
            }
            self.cover.splice(0..0, std::iter::repeat_n(0.0, missing));
            self.first -= missing as i64;
        }
        let at = (number - self.first) as usize;
        if at >= self.write.len() {
            self.write.resize(at + 1, 0.0);
            self.read.resize(at + 1, 0.0);
            self.cover.resize(at + 1, 0.0);
        }
        Some(at)
    }

    /// Returns the sum of all sources. An interval counts as observed if every source active at
    /// that time covers it.
    pub fn finish(mut self) -> Option<Throughput> {
        let mut expected = vec![0i32; self.write.len() + 1];
        let interval = |second: f64| {
            let number = (second / self.interval_s).round() as i64 - self.first;
            (number.max(0) as usize).min(self.write.len())
        };
        for (from, to) in self.sources.iter().filter_map(Covered::span) {
            expected[interval(from)] += 1;
            expected[interval(to)] -= 1;
        }
        let mut there = 0;
        for (at, change) in expected.iter().enumerate().take(self.write.len()) {
            there += change;
            if f64::from(self.cover[at]) < f64::from(there.max(1)) - 0.25 {
                (self.write[at], self.read[at]) = (f64::NAN, f64::NAN);
            }
        }
        let from = self.write.iter().position(|rate| !rate.is_nan())?;
        let to = self.write.iter().rposition(|rate| !rate.is_nan())? + 1;
        Some(Throughput {
            start: (self.first + from as i64) as f64 * self.interval_s,
            interval_s: self.interval_s,
            write: self.write.drain(from..to).collect(),
            read: self.read.drain(from..to).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(source: u32, start: f64, write: f64) -> Reading {
        Reading { source, start, seconds: 2.0, read: 0.0, write }
    }

    fn gathered(readings: &[Reading]) -> Throughput {
        let mut gather = Gather::default();
        readings.iter().for_each(|&reading| gather.add(reading));
        gather.finish().expect("something")
    }

    #[test]
    fn order_and_repetition_do_not_matter() {
        let lines: Vec<Reading> = (0..50).map(|at| reading(0, 1000.0 + 2.0 * at as f64, at as f64)).collect();
        let sorted = gathered(&lines);
        assert_eq!(sorted.write, (0..50).map(f64::from).collect::<Vec<_>>());
        let mut mixed: Vec<Reading> = lines.iter().rev().copied().collect();
        mixed.extend_from_slice(&lines);
        assert_eq!(gathered(&mixed), sorted);
    }

    #[test]
    fn sources_are_summed_and_gaps_stay_gaps() {
        let mut lines: Vec<Reading> = (0..10).map(|at| reading(0, 2.0 * at as f64, 1.0)).collect();
        lines.extend((0..10).filter(|at| *at != 4).map(|at| reading(1, 2.0 * at as f64 + 1.0, 10.0)));
        let sum = gathered(&lines);
        assert_eq!(sum.write[2], 11.0);
        assert!(sum.write[4].is_nan() || sum.write[5].is_nan(), "{:?}", sum.write);
        assert!(sum.write.iter().filter(|rate| rate.is_nan()).count() <= 2, "{:?}", sum.write);
    }
}
