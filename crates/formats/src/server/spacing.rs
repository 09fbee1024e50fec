//! Derives the lengths of rows in logs that state only their starts.
//!
//! A row lasts until the next row of its source. If that one is missing, earlier, or so late that
//! rows in between must be missing, the row has the usual length.

use marigraph_model::Reading;

/// A distance of more than this many usual ones is a gap.
pub(super) const GAP: f64 = 1.5;
/// Consecutive distances that must agree on another length to make it the usual one.
const CHANGED: u32 = 8;
/// Minimum number of distances to be certain.
const ENOUGH: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Usual {
    pub seconds: f64,
    /// Whether the evidence is good: there are many rows, in ascending or descending order of time.
    /// Otherwise neighbours in time may be anywhere.
    pub certain: bool,
}

/// The median distance between neighbours in time, from the sources and times of rows in log order.
pub(super) fn usual(mut rows: Vec<(u32, f64)>) -> Option<Usual> {
    rows.sort_by_key(|row| row.0);
    let steps = |rows: &[(u32, f64)]| -> Vec<f64> {
        rows.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1 - pair[0].1).collect()
    };
    let in_file = steps(&rows);
    let (forward, back) = (
        in_file.iter().filter(|step| **step > 0.0).count(),
        in_file.iter().filter(|step| **step < 0.0).count(),
    );
    rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut distances = steps(&rows);
    distances.retain(|distance| *distance > 0.0);
    let middle = distances.len() / 2;
    if distances.is_empty() {
        return None;
    }
    let (_, &mut seconds, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    let certain = distances.len() >= ENOUGH && forward.max(back) * 10 >= (forward + back) * 9;
    Some(Usual { seconds, certain })
}

#[derive(Debug)]
pub(super) struct Spacing {
    usual: Option<f64>,
    sources: Vec<Source>,
    pub unknown: u64,
}

#[derive(Debug)]
struct Source {
    usual: Option<f64>,
    /// The last row, which ends where the next one begins.
    held: Option<Reading>,
    /// An unusual distance, and how often in a row it was seen.
    other: (f64, u32),
}

impl Spacing {
    pub fn new(usual: Option<f64>) -> Spacing {
        Spacing { usual, sources: Vec::new(), unknown: 0 }
    }

    /// Takes the next row, whose length is zero if the log does not state it, and shows the
    /// previous row of its source.
    #[inline]
    pub fn push(&mut self, row: Reading, each: &mut dyn FnMut(Reading)) {
        let at = row.source as usize;
        while self.sources.len() <= at {
            self.sources.push(Source { usual: self.usual, held: None, other: (0.0, 0) });
        }
        let source = &mut self.sources[at];
        if let Some(held) = source.held.replace(row) {
            match source.length(&held, Some(row.start)) {
                Some(seconds) => each(Reading { seconds, ..held }),
                None => self.unknown += 1,
            }
        }
    }

    /// Shows the last row of every source; returns the number of rows without a length.
    pub fn finish(mut self, each: &mut dyn FnMut(Reading)) -> u64 {
        for source in &mut self.sources {
            let Some(held) = source.held.take() else { continue };
            match source.length(&held, None) {
                Some(seconds) => each(Reading { seconds, ..held }),
                None => self.unknown += 1,
            }
        }
        self.unknown
    }
}

impl Source {
    fn length(&mut self, held: &Reading, next: Option<f64>) -> Option<f64> {
        if held.seconds > 0.0 {
            return Some(held.seconds);
        }
        let usual = self.usual?;
        let Some(distance) = next.map(|next| next - held.start).filter(|distance| *distance > 0.0) else {
            // Rows out of order say nothing about distances.
            self.other.1 = 0;
            return Some(usual);
        };
        if distance <= usual * GAP && distance * GAP >= usual {
            self.other.1 = 0;
            return Some(distance);
        }
        self.learn(distance);
        Some(if distance > usual { usual } else { distance })
    }

    fn learn(&mut self, distance: f64) {
        let (other, seen) = self.other;
        let agrees = seen > 0 && distance <= other * GAP && distance * GAP >= other;
        self.other = if agrees { (other, seen + 1) } else { (distance, 1) };
        if self.other.1 >= CHANGED {
            self.usual = Some(distance);
            self.other.1 = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(usual: Option<f64>, starts: &[f64]) -> Vec<f64> {
        let (mut spacing, mut found) = (Spacing::new(usual), Vec::new());
        for &start in starts {
            let row = Reading { source: 0, start, seconds: 0.0, read: 0.0, write: 0.0 };
            spacing.push(row, &mut |reading| found.push(reading.seconds));
        }
        spacing.finish(&mut |reading| found.push(reading.seconds));
        found
    }

    #[test]
    fn rows_last_to_the_next_or_as_long_as_usual() {
        assert_eq!(
            lengths(Some(2.0), &[0.0, 2.0, 5.0, 8.1, 8.1, 6.0, 8.0]),
            [2.0, 3.0, 2.0, 2.0, 2.0, 2.0, 2.0]
        );
        assert_eq!(lengths(Some(2.0), &[0.0, 0.5]), [0.5, 2.0]);
        assert!(lengths(None, &[0.0]).is_empty());
    }

    #[test]
    fn another_interval_becomes_the_usual_one() {
        let starts: Vec<f64> = (0..20).map(|n| f64::from(n) * 10.0).collect();
        let found = lengths(Some(2.0), &starts);
        assert_eq!((found[6], found[7], found[8], found[19]), (2.0, 2.0, 10.0, 10.0));
    }

    #[test]
    fn the_usual_distance_is_a_median() {
        let rows = |times: &[f64]| times.iter().map(|&time| (0, time)).collect::<Vec<_>>();
        let seconds = |times: &[f64]| usual(rows(times)).map(|usual| (usual.seconds, usual.certain));
        assert_eq!(seconds(&[0.0, 2.0, 4.0, 100.0, 102.0]), Some((2.0, false)));
        assert_eq!((seconds(&[5.0]), seconds(&[5.0, 5.0]), seconds(&[])), (None, None, None));
        let down: Vec<f64> = (0..40).map(|n| -2.0 * f64::from(n)).collect();
        assert_eq!(seconds(&down), Some((2.0, true)));
        let mixed: Vec<f64> = (0..40).map(|n| 2.0 * f64::from(n * 7 % 40)).collect();
        assert_eq!(seconds(&mixed), Some((2.0, false)));
    }
}
