//! Round values of axes: bytes, counts, shares, dates.

use super::frame::{self, Scale, Unit};
use super::plot::Tick;
use crate::units::{count, moment};

const DAY_S: f64 = 86_400.0;
/// Distances between dates on an axis, in seconds.
const DATE_STEPS: [f64; 15] = [
    60.0,
    300.0,
    900.0,
    3600.0,
    3.0 * 3600.0,
    6.0 * 3600.0,
    12.0 * 3600.0,
    DAY_S,
    2.0 * DAY_S,
    7.0 * DAY_S,
    14.0 * DAY_S,
    28.0 * DAY_S,
    91.0 * DAY_S,
    182.0 * DAY_S,
    364.0 * DAY_S,
];

pub fn shares() -> Vec<Tick> {
    [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (share, format!("{:.0} %", share * 100.0))).to_vec()
}

/// Powers of two as bytes, at most about ten.
pub fn powers_of_two([low, high]: [f64; 2]) -> Vec<Tick> {
    let (first, last) = (low.max(1.0).log2().floor() as i32, high.max(1.0).log2().ceil() as i32);
    let step = [1, 2, 5, 10, 20].into_iter().find(|step| (last - first) / step <= 10).unwrap_or(20);
    let round = (first..=last).filter(|power| power % step == 0);
    round
        .map(|power| (2f64.powi(power), binary(power)))
        .filter(|(value, _)| *value >= low && *value <= high)
        .collect()
}

/// A power of two as bytes: `32 KiB`.
pub fn binary(power: i32) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = (power / 10).clamp(0, 6);
    format!("{:.0} {}", 2f64.powi(power - 10 * unit), UNITS[unit as usize])
}

pub fn even(scale: &Scale, most: usize, unit: Unit) -> Vec<Tick> {
    scale.ticks(most, unit.size).into_iter().map(|value| (value, frame::short(value, unit.size))).collect()
}

pub fn powers_of_ten(scale: &Scale) -> Vec<Tick> {
    let word = |value: f64| {
        if value < 1.0 { crate::units::significant(value, 3).to_string() } else { count(value as u64) }
    };
    scale.ticks(10, 1.0).into_iter().map(|value| (value, word(value))).collect()
}

pub fn byte_unit(bytes: f64) -> Unit {
    let Unit { size, name } = frame::rate_unit(bytes);
    Unit { size, name: name.trim_end_matches("/s") }
}

/// Dates, or times of day where the span is short.
pub fn dates([from, to]: [f64; 2], most: usize) -> Vec<Tick> {
    let span = to - from;
    let fits = |step: &f64| span / step <= most as f64;
    // Spans of decades: whole days, as many as needed.
    let step = DATE_STEPS.into_iter().find(fits).unwrap_or((span / most as f64 / DAY_S).ceil() * DAY_S);
    let word = |at: f64| {
        let moment = moment(at as i64);
        if step < DAY_S { part(&moment, 5, 16) } else { part(&moment, 0, 10) }
    };
    let first = (from / step).ceil();
    let number = ((to / step).floor() - first).clamp(-1.0, 2.0 * most as f64) as i64;
    (0..=number).map(|n| (first + n as f64) * step).map(|at| (at, word(at))).collect()
}

/// The date of a moment: `2025-05-09`.
pub fn day(seconds_since_1970: f64) -> String {
    part(&moment(seconds_since_1970 as i64), 0, 10)
}

fn part(text: &str, from: usize, to: usize) -> String {
    text.get(from..to).unwrap_or(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ticks: Vec<Tick>) -> Vec<String> {
        ticks.into_iter().map(|tick| tick.1).collect()
    }

    #[test]
    fn bytes_are_powers_of_two() {
        assert_eq!(
            words(powers_of_two([1.0, 1024.0])),
            ["1 B", "2 B", "4 B", "8 B", "16 B", "32 B", "64 B", "128 B", "256 B", "512 B", "1 KiB"]
        );
        assert_eq!(words(powers_of_two([1000.0, 2e12]))[..3], ["1 KiB", "32 KiB", "1 MiB"]);
        assert_eq!((byte_unit(3e12).name, binary(63)), ("TiB", "8 EiB".to_string()));
    }

    #[test]
    fn dates_suit_the_time_that_is_shown() {
        assert_eq!(
            words(dates([951_782_400.0, 951_782_400.0 + 3.0 * 86_400.0], 4)),
            ["2000-02-29", "2000-03-01", "2000-03-02", "2000-03-03"]
        );
        assert_eq!(
            words(dates([951_782_400.0, 951_782_400.0 + 7200.0], 3)),
            ["02-29 00:00", "02-29 01:00", "02-29 02:00"]
        );
        assert!(dates([0.0, 1e12], 10).len() < 22 && dates([5.0, 5.0], 10).len() < 22);
    }
}
