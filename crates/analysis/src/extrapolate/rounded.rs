//! Work divided by the number of ranks, with the remainder dropped or rounded up.

use std::fmt;

use super::ratio::{Ratio, gcd};

/// `added + unit * (whole / (ranks + more))`, rounded down or up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounded {
    unit: i128,
    added: i128,
    whole: i128,
    more: i64,
    up: bool,
}

impl Rounded {
    /// Whether a constant is added to the quotient: then little can be proven.
    pub fn is_shifted(&self) -> bool {
        self.added != 0
    }

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

/// Divisors of the largest unit that are tried.
const PARTS: i128 = 64;
/// Added constants are tried up to this distance from the middle of their range; they cannot be
/// distinguished anyway.
const ADDED: i128 = 32;
/// Turns that a loop may have in addition to its share.
const OWN: i128 = 2;
/// Divisors tried: the number of ranks plus each of these.
const MORE: [i64; 3] = [0, -1, 1];

/// The points, if all are integers and there are more than two.
fn whole(points: &[(u64, Ratio)]) -> Option<Vec<(u64, i128)>> {
    let values: Option<Vec<(u64, i128)>> =
        points.iter().map(|(ranks, value)| Some((*ranks, value.to_whole()?))).collect();
    values.filter(|values| values.len() > 2)
}

/// Divisions without an added constant that give these numbers. Only the smallest and the largest
/// dividend are returned: the quotient is monotonic between them.
pub fn plain(points: &[(u64, Ratio)]) -> Vec<Rounded> {
    let Some(values) = whole(points) else { return Vec::new() };
    let found = of_unit(&values, 1, 0..=0);
    if !found.is_empty() {
        return found;
    }
    let greatest = values.iter().fold(0, |common, (_, value)| gcd(common, *value));
    parts(greatest).flat_map(|unit| of_unit(&values, unit, 0..=0)).collect()
}

/// Divisions with any added constant that give these numbers, such as offsets with a start.
pub fn added(points: &[(u64, Ratio)]) -> Vec<Rounded> {
    let Some(values) = whole(points) else { return Vec::new() };
    let first = values[0].1;
    let greatest = values.iter().fold(0, |common, (_, value)| gcd(common, value - first));
    parts(greatest).flat_map(|unit| of_unit(&values, unit, i128::MIN..=i128::MAX)).collect()
}

/// The same with unit one and either any added constant or at most [`OWN`].
pub fn added_in_ones(points: &[(u64, Ratio)], anything: bool) -> Vec<Rounded> {
    let Some(values) = whole(points) else { return Vec::new() };
    of_unit(&values, 1, if anything { i128::MIN..=i128::MAX } else { 0..=OWN })
}

/// Fractions of the largest unit, largest first, and one.
fn parts(greatest: i128) -> impl Iterator<Item = i128> {
    let parts = (1..=PARTS).filter(move |part| greatest > 0 && greatest % part == 0);
    let units = parts.map(move |part| greatest / part);
    units.chain((greatest > PARTS).then_some(1))
}

/// All divisions with this unit whose added constant has an allowed number of units.
fn of_unit(values: &[(u64, i128)], unit: i128, allowed: std::ops::RangeInclusive<i128>) -> Vec<Rounded> {
    let mut found = Vec::new();
    let rest = values[0].1.rem_euclid(unit);
    let apart = values.iter().any(|(_, value)| value.rem_euclid(unit) != rest);
    if apart || (allowed == (0..=0) && rest > 0) {
        return found;
    }
    for more in MORE {
        let quotients = values.iter().map(|&(ranks, value)| {
            let by = i128::from(ranks.checked_add_signed(more)?);
            Some((by, (value - rest) / unit))
        });
        let Some(quotients) = quotients.collect::<Option<Vec<(i128, i128)>>>() else { continue };
        for up in [false, true] {
            let Some((least, most)) = own(&quotients, up) else { continue };
            let (least, most) = (least.max(*allowed.start()), most.min(*allowed.end()));
            // Rounding up is rounding down plus one: with any constant added, one of them suffices.
            if least > most || up && allowed != (0..=0) {
                continue;
            }
            let middle = least + (most - least) / 2;
            for own in least.max(middle - ADDED)..=most.min(middle + ADDED) {
                let added = own * unit + rest;
                if let Some((low, high)) = wholes(&quotients, own, up) {
                    found.extend([low, high].map(|whole| Rounded { unit, added, whole, more, up }));
                }
            }
        }
    }
    found
}

/// The range of constants that may be added to shares of a common dividend to give these numbers.
fn own(quotients: &[(i128, i128)], up: bool) -> Option<(i128, i128)> {
    let shift = i128::from(up);
    let (mut least, mut most) = (i128::MIN, quotients.iter().map(|(_, value)| *value).min()?);
    for &(by, value) in quotients {
        for &(other_by, other) in quotients.iter().filter(|(other_by, _)| *other_by != by) {
            // The smallest dividend of one is not above the largest of the other.
            let room = (other - shift)
                .checked_mul(other_by)?
                .checked_add(other_by - 1)?
                .checked_sub((value - shift).checked_mul(by)?)?;
            if other_by > by {
                most = most.min(room.div_euclid(other_by - by));
            } else {
                least = least.max(-room.div_euclid(by - other_by));
            }
        }
    }
    Some((least, most))
}

fn wholes(quotients: &[(i128, i128)], own: i128, up: bool) -> Option<(i128, i128)> {
    let (mut low, mut high) = (0, i128::MAX);
    for &(by, value) in quotients {
        let value = value.checked_sub(own)?;
        let least = if up { value.checked_sub(1)?.checked_mul(by)? + 1 } else { value.checked_mul(by)? };
        low = low.max(least);
        high = high.min(least.checked_add(by - 1)?);
    }
    (low <= high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(value: impl Fn(i128) -> i128) -> Vec<(u64, Ratio)> {
        [4, 6, 9, 12].map(|n| (n, Ratio::whole(value(i128::from(n))))).into()
    }

    fn at(found: &[Rounded], ranks: u64) -> Vec<i128> {
        let mut values: Vec<i128> = found.iter().filter_map(|one| one.at(ranks)?.to_whole()).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    #[test]
    fn divisions_are_found_with_what_is_added() {
        assert_eq!(at(&plain(&points(|n| 100_000 / n)), 30), [3333]);
        assert_eq!(at(&plain(&points(|n| 512 * (100_000 / n))), 30), [512 * 3333]);
        assert_eq!(at(&added(&points(|n| 2048 + 4096 * (100_000 / (n - 1)))), 30), [2048 + 4096 * 3448]);
        assert_eq!(at(&added(&points(|n| 57 + 100_000 / (n + 1))), 30), [57 + 3225]);
    }

    #[test]
    fn all_that_fit_are_among_those_found() {
        for (work, start, more) in (0..400).map(|at| (7 + 13 * at, at % 5, MORE[at as usize % 3])) {
            let value = |n: i128| start + work / (n + i128::from(more));
            for ranks in [7, 16, 30, 45] {
                let found = at(&added(&points(value)), ranks);
                let real = value(i128::from(ranks));
                assert!(found.contains(&real), "{start} + {work}/(size{more:+}): {real} not in {found:?}");
            }
        }
    }
}
