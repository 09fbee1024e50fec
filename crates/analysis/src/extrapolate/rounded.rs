//! Work divided by the ranks with a rest that is dropped, or that makes one more.

use std::fmt;

use super::ratio::{Ratio, gcd};

/// A whole divided by the ranks (and so many more), rounded down or up, times a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounded {
    unit: i128,
    whole: i128,
    more: i64,
    up: bool,
}

impl Rounded {
    /// Its value for so many ranks.
    pub fn at(&self, ranks: u64) -> Option<Ratio> {
        let by = i128::from(ranks.checked_add_signed(self.more)?);
        let rest = if self.up { by - 1 } else { 0 };
        Some(Ratio::whole(self.whole.checked_add(rest)?.checked_div_euclid(by)?.checked_mul(self.unit)?))
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rounded { unit, whole, more, up } = self;
        let size = if *more == 0 { "size".to_string() } else { format!("(size{more:+})") };
        let unit = if *unit == 1 { String::new() } else { format!("{unit}*") };
        write!(f, "{unit}{}({whole}/{size})", if *up { "ceil" } else { "floor" })
    }
}

/// Parts of the greatest unit that are tried.
const PARTS: i128 = 64;

/// All that give these numbers. Of wholes that do, the least and the greatest: between them numbers do not fall.
pub fn candidates(points: &[(u64, Ratio)]) -> Vec<Rounded> {
    let Some(values) = points.iter().map(|(ranks, value)| Some((*ranks, value.to_whole()?))).collect() else {
        return Vec::new();
    };
    let values: Vec<(u64, i128)> = values;
    let greatest = values.iter().fold(0, |common, (_, value)| gcd(common, *value));
    let mut units: Vec<i128> =
        (1..=PARTS).filter(|part| greatest % part == 0).map(|part| greatest / part).collect();
    units.push(1);
    units.dedup();
    let mut found = Vec::new();
    for unit in units.into_iter().filter(|unit| *unit > 0) {
        for (more, up) in [(0, false), (0, true), (-1, false), (-1, true)] {
            if let Some((low, high)) = wholes(&values, unit, more, up) {
                found.extend([low, high].map(|whole| Rounded { unit, whole, more, up }));
            }
        }
    }
    found
}

/// The least and the greatest whole.
fn wholes(values: &[(u64, i128)], unit: i128, more: i64, up: bool) -> Option<(i128, i128)> {
    let (mut low, mut high) = (0, i128::MAX);
    for &(ranks, value) in values {
        let (value, by) = (value / unit, i128::from(ranks.checked_add_signed(more)?));
        let least = if up { value.checked_sub(1)?.checked_mul(by)? + 1 } else { value.checked_mul(by)? };
        low = low.max(least);
        high = high.min(least.checked_add(by - 1)?);
    }
    (values.len() > 2 && low <= high).then_some((low, high))
}
