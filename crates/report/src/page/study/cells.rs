//! Cells of the study's tables: text and sort key.

use super::super::html::Cell;
use crate::table::shorten;
use crate::units::{self, count, percent, significant};

pub const UNKNOWN: &str = "–";
/// Maximum length of a name; the rest is cut out of its middle.
const NAME: usize = 60;

/// A cell sorted by `value`; unknown if that is not finite.
fn cell(shown: String, value: f64) -> Cell {
    if value.is_finite() { (shown, Some(value)) } else { unknown() }
}

fn unknown() -> Cell {
    // Sorts below all known values.
    (UNKNOWN.to_string(), Some(-1.0))
}

pub fn word(text: &str) -> Cell {
    (shorten(text, NAME), None)
}

pub fn number(value: f64) -> Cell {
    cell(count(value.max(0.0).round() as u64), value)
}

pub fn share(value: Option<f64>) -> Cell {
    value.map_or_else(unknown, |value| cell(percent(value), value))
}

/// Three significant digits.
pub fn three(value: Option<f64>) -> Cell {
    value.map_or_else(unknown, |value| cell(digits(value), value))
}

/// Three significant digits of a non-negative number.
pub fn digits(value: f64) -> String {
    match value {
        v if v < 0.0995 => significant(v, 3).to_string(),
        v if v < 9.995 => format!("{v:.2}"),
        v if v < 99.95 => format!("{v:.1}"),
        v => count(v.round() as u64),
    }
}

pub fn bytes(value: Option<f64>) -> Cell {
    value.map_or_else(unknown, |value| cell(units::bytes(value), value))
}

pub fn seconds(value: Option<f64>) -> Cell {
    value.map_or_else(unknown, |value| cell(units::seconds(value), value))
}

/// A table that scrolls when it is long.
pub fn tall(table: &str) -> String {
    format!("<div class=\"tall\">{table}</div>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_unknown() {
        assert_eq!(three(Some(f64::NAN)), (UNKNOWN.to_string(), Some(-1.0)));
        assert_eq!(number(f64::INFINITY), unknown());
        assert_eq!(three(Some(0.001_234_5)), ("0.00123".to_string(), Some(0.001_234_5)));
        assert_eq!(share(None), unknown());
    }
}
