//! Throughput of all storage devices together: figures 6 and 7, Table III.
//!
//! Gaps in the readings stay gaps: every share is a share of the observed time.

use super::{Annotation, Choice};
use crate::minutes::MINUTE;

/// Share of the peak below which storage counts as idle.
const IDLE_SHARE: f64 = 0.05;
/// Share of the peak that the published study uses for burstiness.
const THIRD: f64 = 0.33;
/// Maximum number of points of a timeline and of a distribution.
const POINTS: usize = 1500;
const CDF_POINTS: usize = 200;
const DAY_S: f64 = 86_400.0;

/// Bytes that all devices moved in one minute.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MinuteSum {
    /// Seconds since 1970.
    pub start_s: f64,
    pub observed_s: f64,
    /// In bytes.
    pub read: f64,
    pub written: f64,
}

impl MinuteSum {
    pub fn end_s(&self) -> f64 {
        self.start_s + MINUTE
    }

    /// Bytes per second, read and written together.
    fn rate(&self) -> f64 {
        (self.read + self.written) / self.observed_s
    }
}

pub fn within<'m>(minutes: &'m [MinuteSum], choice: &Choice) -> &'m [MinuteSum] {
    let from = choice.from_s.map_or(0, |from| minutes.partition_point(|minute| minute.start_s < from));
    let to = choice.to_s.map_or(minutes.len(), |to| minutes.partition_point(|minute| minute.start_s < to));
    minutes.get(from..to).unwrap_or(&[])
}

/// Traffic of one day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Day {
    /// Seconds since 1970.
    pub start_s: f64,
    /// In bytes.
    pub read: f64,
    pub written: f64,
    pub observed_s: f64,
}

/// One interval of a timeline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Seconds since 1970.
    pub start_s: f64,
    /// Mean and maximum, bytes per second.
    pub read: (f64, f64),
    pub written: (f64, f64),
}

/// Throughput over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// Observed minutes.
    pub intervals: usize,
    pub observed_s: f64,
    pub span_s: (f64, f64),
    /// Maximum over all minutes, bytes per second.
    pub peak_read: f64,
    pub peak_written: f64,
    /// In bytes.
    pub read: f64,
    pub written: f64,
    pub days: Vec<Day>,
    pub gaps: Vec<(f64, f64)>,
    /// Points to plot; points inside a gap are left out.
    pub points: Vec<Point>,
    pub point_s: f64,
    pub annotations: Vec<Annotation>,
}

/// `None` without readings.
pub fn timeline(minutes: &[MinuteSum], annotations: &[Annotation]) -> Option<Timeline> {
    let (first, last) = (minutes.first()?, minutes.last()?);
    let sum = |of: fn(&MinuteSum) -> f64| minutes.iter().map(of).sum::<f64>();
    let most = |of: fn(&MinuteSum) -> f64| minutes.iter().map(of).fold(0.0, f64::max);
    let span_s = (first.start_s, last.end_s());
    let gaps = minutes.windows(2).filter(|pair| pair[1].start_s > pair[0].end_s() + 1.0);
    let whole = ((span_s.1 - span_s.0) / MINUTE / POINTS as f64).ceil().max(1.0) * MINUTE;
    let touches = |one: &&Annotation| one.from_s < span_s.1 && one.to_s > span_s.0;
    Some(Timeline {
        intervals: minutes.len(),
        observed_s: sum(|minute| minute.observed_s),
        span_s,
        peak_read: most(|minute| minute.read / minute.observed_s),
        peak_written: most(|minute| minute.written / minute.observed_s),
        read: sum(|minute| minute.read),
        written: sum(|minute| minute.written),
        days: days(minutes),
        gaps: gaps.map(|pair| (pair[0].end_s(), pair[1].start_s)).collect(),
        points: points(minutes, whole),
        point_s: whole,
        annotations: annotations.iter().filter(touches).cloned().collect(),
    })
}

fn days(minutes: &[MinuteSum]) -> Vec<Day> {
    let mut days: Vec<Day> = Vec::new();
    for minute in minutes {
        let start_s = (minute.start_s / DAY_S).floor() * DAY_S;
        if days.last().is_none_or(|day| day.start_s != start_s) {
            days.push(Day { start_s, read: 0.0, written: 0.0, observed_s: 0.0 });
        }
        if let Some(day) = days.last_mut() {
            day.read += minute.read;
            day.written += minute.written;
            day.observed_s += minute.observed_s;
        }
    }
    days
}

fn points(minutes: &[MinuteSum], length_s: f64) -> Vec<Point> {
    let slot = |minute: &MinuteSum| (minute.start_s / length_s).floor();
    let stretch = |part: &[MinuteSum]| {
        let seconds: f64 = part.iter().map(|minute| minute.observed_s).sum();
        let rates = |of: fn(&MinuteSum) -> f64| {
            let most = part.iter().map(|minute| of(minute) / minute.observed_s).fold(0.0, f64::max);
            (part.iter().map(of).sum::<f64>() / seconds, most)
        };
        let start_s = part.first().map_or(0.0, |minute| slot(minute) * length_s);
        Point { start_s, read: rates(|minute| minute.read), written: rates(|minute| minute.written) }
    };
    minutes.chunk_by(|one, two| slot(one) == slot(two)).map(stretch).collect()
}

/// The distribution of throughput over minutes.
#[derive(Debug, Clone, PartialEq)]
pub struct Burstiness {
    /// Observed minutes.
    pub intervals: usize,
    /// Mean bytes per second, read and written together.
    pub mean: f64,
    /// Maximum over all minutes, bytes per second.
    pub peak: f64,
    pub below_third: f64,
    /// Bytes per second, and the share of minutes at or below it.
    pub cdf: Vec<(f64, f64)>,
}

/// `None` without readings.
pub fn burstiness(minutes: &[MinuteSum]) -> Option<Burstiness> {
    let mut rates: Vec<f64> = minutes.iter().map(MinuteSum::rate).collect();
    rates.sort_by(f64::total_cmp);
    let (&peak, count) = (rates.last()?, rates.len());
    let below = rates.partition_point(|&rate| rate < THIRD * peak);
    let at = |n: usize| (n * (count - 1)).div_ceil(CDF_POINTS.max(1));
    let mut cdf: Vec<(f64, f64)> =
        (0..=CDF_POINTS).map(|n| (rates[at(n).min(count - 1)], (at(n) + 1) as f64 / count as f64)).collect();
    cdf.dedup();
    Some(Burstiness {
        intervals: count,
        mean: rates.iter().sum::<f64>() / count as f64,
        peak,
        below_third: below as f64 / count as f64,
        cdf,
    })
}

/// Idle periods in one range of lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleRow {
    /// In minutes.
    pub low: u64,
    /// In minutes; `None` for no upper limit.
    pub high: Option<u64>,
    pub count: u64,
    pub minutes: u64,
}

/// Idle periods.
#[derive(Debug, Clone, PartialEq)]
pub struct Idle {
    /// Maximum throughput over all minutes, read and written together, bytes per second.
    pub peak: f64,
    /// Bytes per second below which a minute is idle.
    pub threshold: f64,
    /// Observed minutes: the base of all shares.
    pub observed: u64,
    pub rows: Vec<IdleRow>,
    /// Minutes without any traffic.
    pub strict: u64,
    /// In minutes.
    pub longest: u64,
}

const LENGTHS: [(u64, Option<u64>); 9] = [
    (1, Some(1)),
    (2, Some(5)),
    (6, Some(10)),
    (11, Some(20)),
    (21, Some(30)),
    (31, Some(40)),
    (41, Some(50)),
    (51, Some(60)),
    (61, None),
];

/// `None` without readings. A gap ends a period.
pub fn idle(minutes: &[MinuteSum]) -> Option<Idle> {
    let peak = minutes.iter().map(MinuteSum::rate).max_by(f64::total_cmp)?;
    let threshold = IDLE_SHARE * peak;
    let new = |(low, high)| IdleRow { low, high, count: 0, minutes: 0 };
    let mut rows: Vec<IdleRow> = LENGTHS.into_iter().map(new).collect();
    let is_idle = |minute: &MinuteSum| minute.rate() < threshold;
    let goes_on =
        |one: &MinuteSum, two: &MinuteSum| is_idle(one) == is_idle(two) && two.start_s <= one.end_s() + 1.0;
    let mut longest = 0;
    for period in minutes.chunk_by(goes_on).filter(|period| period.first().is_some_and(is_idle)) {
        let length = period.len() as u64;
        longest = longest.max(length);
        let fits = |row: &&mut IdleRow| length >= row.low && row.high.is_none_or(|high| length <= high);
        if let Some(row) = rows.iter_mut().find(fits) {
            row.count += 1;
            row.minutes += length;
        }
    }
    let strict = minutes.iter().filter(|minute| minute.read + minute.written == 0.0).count() as u64;
    Some(Idle { peak, threshold, observed: minutes.len() as u64, rows, strict, longest })
}
