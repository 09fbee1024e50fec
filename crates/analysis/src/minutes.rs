//! Sums readings of any interval over whole minutes, per source.

use std::collections::{BTreeMap, HashMap};

use marigraph_model::Reading;

/// Seconds of a minute, the resolution of studies.
pub const MINUTE: f64 = 60.0;
/// Seconds by which consecutive intervals may overlap through rounding.
const SLACK_S: f64 = 1e-3;
/// Longest interval accepted: longer readings say nothing about minutes.
const LONGEST_S: f64 = 86_400.0;

/// Bytes that a source moved in one minute.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Minute {
    /// Seconds of this minute that readings cover.
    pub observed_s: f64,
    pub read: f64,
    pub written: f64,
}

/// Sums readings. Those of one source mostly come in order. The others wait until the end, because
/// only then is it known whether they cover anything new.
#[derive(Debug, Default)]
pub struct Minutes {
    cells: HashMap<u32, Source>,
    late: Vec<Reading>,
    refused: u64,
}

#[derive(Debug, Default)]
struct Source {
    until: Option<f64>,
    minutes: BTreeMap<i64, Minute>,
}

/// The sums of all readings.
#[derive(Debug, Clone, PartialEq)]
pub struct Summed {
    /// For each source its minutes (since 1970) in order.
    pub by_source: Vec<(u32, Vec<(i64, Minute)>)>,
    /// Readings of a time that others cover already, and invalid ones.
    pub repeated: u64,
}

impl Minutes {
    pub fn add(&mut self, reading: Reading) {
        let sane = |value: f64| value.is_finite() && value >= 0.0;
        let known = reading.start.is_finite() && reading.start.abs() < 1e12;
        let long = reading.seconds > 0.0 && reading.seconds <= LONGEST_S;
        if !(known && long && sane(reading.read) && sane(reading.write)) {
            self.refused += 1;
            return;
        }
        let source = self.cells.entry(reading.source).or_default();
        if source.until.is_some_and(|until| reading.start < until - SLACK_S) {
            self.late.push(reading);
            return;
        }
        source.until = Some(reading.start + reading.seconds);
        source.put(&reading);
    }

    pub fn finish(mut self) -> Summed {
        let mut repeated = self.refused;
        for reading in &self.late {
            let source = self.cells.entry(reading.source).or_default();
            if source.has_room(reading) {
                source.put(reading);
            } else {
                repeated += 1;
            }
        }
        let minutes = |source: Source| source.minutes.into_iter().collect();
        let mut by_source: Vec<(u32, Vec<(i64, Minute)>)> =
            self.cells.into_iter().map(|(source, cells)| (source, minutes(cells))).collect();
        by_source.sort_by_key(|(source, _)| *source);
        Summed { by_source, repeated }
    }
}

impl Source {
    fn put(&mut self, reading: &Reading) {
        for (minute, seconds) in pieces(reading) {
            let cell = self.minutes.entry(minute).or_default();
            cell.observed_s += seconds;
            cell.read += reading.read * seconds;
            cell.written += reading.write * seconds;
        }
    }

    fn has_room(&self, reading: &Reading) -> bool {
        pieces(reading).all(|(minute, seconds)| {
            let observed = self.minutes.get(&minute).map_or(0.0, |cell| cell.observed_s);
            observed + seconds <= MINUTE + SLACK_S
        })
    }
}

fn pieces(reading: &Reading) -> impl Iterator<Item = (i64, f64)> + use<> {
    let (from, to) = (reading.start, reading.start + reading.seconds);
    let minutes = (from / MINUTE).floor() as i64..=(to / MINUTE).floor() as i64;
    minutes.filter_map(move |minute| {
        let start = minute as f64 * MINUTE;
        let seconds = to.min(start + MINUTE) - from.max(start);
        (seconds > 0.0).then_some((minute, seconds))
    })
}

#[cfg(test)]
mod tests {
    use super::{Minute, Minutes};
    use marigraph_model::Reading;

    fn reading(source: u32, start: f64, seconds: f64, read: f64, write: f64) -> Reading {
        Reading { source, start, seconds, read, write }
    }

    #[test]
    fn intervals_are_cut_at_minutes() {
        let mut minutes = Minutes::default();
        minutes.add(reading(0, 50.0, 20.0, 1.0, 2.0));
        minutes.add(reading(0, 70.0, 170.0, 1.0, 0.0));
        let summed = minutes.finish();
        let cell = |observed_s, read, written| Minute { observed_s, read, written };
        let expected = vec![
            (0, cell(10.0, 10.0, 20.0)),
            (1, cell(60.0, 60.0, 20.0)),
            (2, cell(60.0, 60.0, 0.0)),
            (3, cell(60.0, 60.0, 0.0)),
        ];
        assert_eq!(summed.by_source, [(0, expected)]);
        assert_eq!(summed.repeated, 0);
    }

    #[test]
    fn what_was_told_before_does_not_count_again() {
        let mut minutes = Minutes::default();
        for start in [0.0, 2.0, 2.0, 4.0, 0.0] {
            minutes.add(reading(3, start * 30.0, 60.0, 1.0, 1.0));
        }
        minutes.add(reading(3, 300.0, f64::NAN, 1.0, 1.0));
        minutes.add(reading(3, 300.0, 60.0, -1.0, 1.0));
        let summed = minutes.finish();
        let bytes: f64 = summed.by_source[0].1.iter().map(|(_, minute)| minute.read).sum();
        assert_eq!((bytes, summed.repeated), (180.0, 4));
    }

    #[test]
    fn readings_out_of_order_are_put_where_they_belong() {
        let (mut forth, mut mixed) = (Minutes::default(), Minutes::default());
        let all: Vec<Reading> =
            (0..30).map(|n| reading(1, f64::from(n) * 10.0, 10.0, f64::from(n), 1.0)).collect();
        all.iter().for_each(|&one| forth.add(one));
        [7usize, 3, 11, 29].iter().for_each(|&n| mixed.add(all[n]));
        all.iter()
            .enumerate()
            .filter(|(n, _)| ![7, 3, 11, 29].contains(n))
            .for_each(|(_, &one)| mixed.add(one));
        assert_eq!(mixed.finish(), forth.finish());
    }
}
