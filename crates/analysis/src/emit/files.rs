//! Lists the files of a program, grouping those whose names differ only in numbers.

use std::collections::BTreeMap;

use super::names::Piece;
use crate::replay::{Plan, Planned};

/// An arithmetic sequence of numbers in a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Range {
    pub first: i64,
    pub step: i64,
    pub count: u64,
}

/// Files or folders that are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// Relative to the root.
    pub name: Vec<Piece>,
    /// One range per number of the name; the files are their Cartesian product.
    pub ranges: Vec<Range>,
    pub folder: bool,
    /// They must exist before the program runs.
    pub before: bool,
    /// The trace creates, changes or removes them.
    pub changed: bool,
    /// Required size in bytes.
    pub size: i64,
}

impl Files {
    pub fn depth(&self) -> usize {
        let slashes = |piece: &Piece| match piece {
            Piece::Text(text) => text.iter().filter(|&&byte| byte == b'/').count(),
            Piece::Number(..) => 0,
        };
        self.name.iter().map(slashes).sum()
    }
}

/// What the files of one list share: pieces, folder, before, changed, size.
type Key = (Vec<Piece>, bool, bool, bool, i64);

/// All files of a plan, folders before their contents.
pub(super) fn listed(plan: &Plan) -> Vec<Files> {
    let mut lists: BTreeMap<Key, Vec<Vec<Range>>> = BTreeMap::new();
    for (path, planned) in plan.paths.iter().filter(|(path, _)| !path.is_empty()) {
        let (name, numbers) = split(path);
        let Planned { folder, before, size, changed, .. } = *planned;
        let changed = changed || plan.changes_open_files;
        let size = if before { size } else { 0 };
        let one = |first: i64| Range { first, step: 1, count: 1 };
        let key = (name, folder, before, changed, size);
        lists.entry(key).or_default().push(numbers.into_iter().map(one).collect());
    }
    let mut files: Vec<Files> = Vec::new();
    for ((name, folder, before, changed, size), numbers) in lists {
        for ranges in folded(numbers) {
            files.push(Files { name: name.clone(), ranges, folder, before, changed, size });
        }
    }
    files.sort_by_key(Files::depth);
    files
}

fn split(path: &[u8]) -> (Vec<Piece>, Vec<i64>) {
    let (mut pieces, mut numbers, mut rest) = (Vec::new(), Vec::new(), path);
    while let Some(&byte) = rest.first() {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = rest.iter().take_while(|byte| !byte.is_ascii_digit()).count();
        let (part, after) = rest.split_at(digits.max(text));
        rest = after;
        if (1..=18).contains(&digits) && numbers.len() < 16 {
            // A number with leading zeros has a fixed width; others may grow.
            let width = if byte == b'0' && digits > 1 { digits } else { 0 };
            pieces.push(Piece::Number(numbers.len(), width));
            numbers.push(part.iter().fold(0, |value, byte| value * 10 + i64::from(byte - b'0')));
            continue;
        }
        match pieces.last_mut() {
            Some(Piece::Text(text)) => text.extend(part),
            _ => pieces.push(Piece::Text(part.to_vec())),
        }
    }
    (pieces, numbers)
}

/// Folds numbers that differ in one place by equal steps into a range, place by place from the
/// last.
fn folded(mut all: Vec<Vec<Range>>) -> Vec<Vec<Range>> {
    let places = all.first().map_or(0, Vec::len);
    for place in (0..places).rev() {
        let others = |one: &[Range]| {
            let mut others = one.to_vec();
            others.remove(place);
            others
        };
        all.sort_by_cached_key(|one| (others(one), one[place]));
        let mut kept: Vec<Vec<Range>> = Vec::new();
        for next in all {
            let grown = kept.last_mut().is_some_and(|last| {
                let alike = others(last) == others(&next) && next[place].count == 1;
                alike && grow(&mut last[place], next[place].first)
            });
            if !grown {
                kept.push(next);
            }
        }
        all = kept;
    }
    all
}

fn grow(range: &mut Range, number: i64) -> bool {
    let Some(step) = number.checked_sub(range.first) else { return false };
    if range.count == 1 {
        *range = Range { step, count: 2, ..*range };
        return step > 0;
    }
    let fits = (range.step as i128) * i128::from(range.count) == i128::from(step);
    range.count += u64::from(fits);
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(all: &[[i64; 2]]) -> Vec<Vec<Range>> {
        let one = |first: i64| Range { first, step: 1, count: 1 };
        folded(all.iter().map(|pair| pair.iter().map(|&number| one(number)).collect()).collect())
    }

    #[test]
    fn names_of_a_grid_are_one_list() {
        let grid: Vec<[i64; 2]> = (0..5).flat_map(|i| (0..4).map(move |j| [i, 10 + 3 * j])).collect();
        let found = numbers(&grid);
        let (i, j) = (Range { first: 0, step: 1, count: 5 }, Range { first: 10, step: 3, count: 4 });
        assert_eq!(found, [vec![i, j]]);
        assert_eq!(numbers(&[[1, 1], [2, 2], [3, 3]]).len(), 3);
    }
}
