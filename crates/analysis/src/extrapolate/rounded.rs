//! Work divided by the ranks with a rest that is dropped, or that makes one more.

use std::fmt;

use super::ratio::{Ratio, gcd};

/// A whole divided by the ranks (and so many more), rounded down or up, times a unit, and some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounded {
    unit: i128,
    added: i128,
    whole: i128,
    more: i64,
    up: bool,
}

impl Rounded {
    /// Its value for so many ranks.
    pub fn at(&self, ranks: u64) -> Option<Ratio> {
        let by = i128::from(ranks.checked_add_signed(self.more)?);
        let rest = if self.up { by - 1 } else { 0 };
        let divided = self.whole.checked_add(rest)?.checked_div_euclid(by)?;
        Some(Ratio::whole(divided.checked_mul(self.unit)?.checked_add(self.added)?))
    }
}

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rounded { unit, added, whole, more, up } = self;
        let size = if *more == 0 { "size".to_string() } else { format!("(size{more:+})") };
        let unit = if *unit == 1 { String::new() } else { format!("{unit}*") };
        let added = if *added == 0 { String::new() } else { format!("{added} + ") };
        write!(f, "{added}{unit}{}({whole}/{size})", if *up { "ceil" } else { "floor" })
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
    let parts = (1..=PARTS).filter(|part| greatest > 0 && greatest % part == 0);
    let units: Vec<i128> = parts.map(|part| greatest / part).collect();
    let plain = of_units(&values, &[1], &[0]);
    if !plain.is_empty() {
        return plain;
    }
    // Loops may have turns of their own beside their share.
    let mut found = of_units(&values, &units, &[0]);
    found.extend(of_units(&values, &[1], &[1, -1, 2, -2]));
    found
}

fn of_units(values: &[(u64, i128)], units: &[i128], own: &[i128]) -> Vec<Rounded> {
    let mut found = Vec::new();
    let all = units.iter().flat_map(|&unit| own.iter().map(move |&added| (unit, added)));
    for ((unit, added), (more, up)) in all.flat_map(|one| WAYS.map(|way| (one, way))) {
        if let Some((low, high)) = wholes(values, (unit, added), more, up) {
            found.extend([low, high].map(|whole| Rounded { unit, added, whole, more, up }));
        }
    }
    found
}

/// Ways to divide: by so many more than there are ranks, rounded up or not.
const WAYS: [(i64, bool); 4] = [(0, false), (0, true), (-1, false), (-1, true)];

/// The least and the greatest whole.
fn wholes(values: &[(u64, i128)], (unit, added): (i128, i128), more: i64, up: bool) -> Option<(i128, i128)> {
    let (mut low, mut high) = (0, i128::MAX);
    for &(ranks, value) in values {
        let (value, by) = ((value - added) / unit, i128::from(ranks.checked_add_signed(more)?));
        let least = if up { value.checked_sub(1)?.checked_mul(by)? + 1 } else { value.checked_mul(by)? };
        low = low.max(least);
        high = high.min(least.checked_add(by - 1)?);
    }
    (values.len() > 2 && low <= high).then_some((low, high))
}
