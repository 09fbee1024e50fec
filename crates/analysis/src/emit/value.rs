//! Derives the numbers of a call from the loops around it.

use marigraph_model::folded::{Branch, Column, Series, Steps};

/// A number of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// First value, and the increment per turn of each loop around the call, from the outermost.
    Affine(Column, Vec<Column>),
    /// First value, and the increment per call of the same unit.
    Counted(Column, Column),
    /// Next value of a sequence, as an index into [`super::Routine::series`].
    Next(usize),
}

impl Value {
    pub fn constant(value: i64) -> Value {
        Value::Affine(Column::Constant(value), Vec::new())
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self {
            Value::Affine(Column::Constant(value), steps) if steps.is_empty() => Some(*value),
            _ => None,
        }
    }
}

/// Maximum number of runs and loop turns visited to check whether a sequence follows loops.
const LOOKED: u64 = 1 << 20;

/// How the values of a series, starting at `from`, follow from loops with these turns (outermost
/// first): the first value and the increment per turn of each loop. `None` if they do not follow,
/// or not provably.
pub(super) fn nested(
    series: &Series,
    from: u64,
    turns: &[i64],
    members: usize,
) -> Option<(Column, Vec<Column>)> {
    let (first, steps) = match &series.steps {
        _ if series.second.is_some() => return None,
        Steps::All(step) => {
            let before = scaled(step, i64::try_from(from).ok()?)?;
            (sum(&series.first, &before)?, flat(step, turns)?)
        }
        Steps::Nodes(nodes) => {
            let (before, steps) = Walk::of(from, turns).steps(nodes)?;
            (sum(&series.first, &column(before))?, steps)
        }
    };
    let all: Vec<&Column> = std::iter::once(&first).chain(&steps).collect();
    let turns = std::iter::once(2).chain(turns.iter().copied());
    let fits = fits(&all.into_iter().zip(turns).collect::<Vec<_>>(), members);
    fits.then_some((first, steps))
}

fn sum(one: &Column, other: &Column) -> Option<Column> {
    if *other == Column::Constant(0) {
        return Some(one.clone());
    }
    let ((first, step), (more, by)) = match (one, other) {
        (Column::Values(_), _) | (_, Column::Values(_)) => return None,
        _ => (linear(one)?, linear(other)?),
    };
    Some(column((first.checked_add(more)?, step.checked_add(by)?)))
}

/// Whether no sum of the columns, each times its turns, can overflow.
pub(super) fn fits(columns: &[(&Column, i64)], members: usize) -> bool {
    let most = |column: &Column| match column {
        Column::Constant(value) => i128::from(*value).abs(),
        Column::Affine(first, step) => {
            i128::from(*first).abs() + i128::from(*step).abs().saturating_mul(members as i128)
        }
        Column::Values(values) => values.iter().map(|&value| i128::from(value).abs()).max().unwrap_or(0),
    };
    let parts = columns.iter().map(|(column, turns)| most(column).saturating_mul(i128::from(*turns).max(2)));
    parts.fold(0, i128::saturating_add) < i128::from(i64::MAX)
}

/// For a constant step, a turn of a loop adds one step per call in it.
fn flat(step: &Column, turns: &[i64]) -> Option<Vec<Column>> {
    let mut steps = Vec::new();
    let mut calls = 1i64;
    for &turns in turns.iter().rev() {
        steps.push(if turns > 1 { scaled(step, calls)? } else { Column::Constant(0) });
        calls = calls.checked_mul(turns)?;
    }
    steps.reverse();
    Some(steps)
}

fn scaled(column: &Column, by: i64) -> Option<Column> {
    Some(match column {
        Column::Constant(value) => Column::Constant(value.checked_mul(by)?),
        Column::Affine(first, step) => Column::Affine(first.checked_mul(by)?, step.checked_mul(by)?),
        Column::Values(values) => {
            Column::Values(values.iter().map(|value| value.checked_mul(by)).collect::<Option<_>>()?)
        }
    })
}

/// A number that is affine over members: first and step.
type Linear = (i64, i64);

fn linear(column: &Column) -> Option<Linear> {
    match column {
        Column::Constant(value) => Some((*value, 0)),
        Column::Affine(first, step) => Some((*first, *step)),
        Column::Values(_) => None,
    }
}

fn column((first, step): Linear) -> Column {
    if step == 0 { Column::Constant(first) } else { Column::Affine(first, step) }
}

struct Walk {
    /// Differences before the first relevant one, and their sum.
    skipped: u64,
    before: Linear,
    calls: u64,
    /// Turns of each loop that has several, from the outermost, and calls per turn.
    loops: Vec<(i64, u64)>,
    /// Which loops have several turns, and the number of all loops.
    places: Vec<usize>,
    all: usize,
    found: Vec<Option<Linear>>,
    at: u64,
    looked: u64,
}

impl Walk {
    fn of(from: u64, turns: &[i64]) -> Walk {
        let places: Vec<usize> = (0..turns.len()).filter(|&at| turns[at] > 1).collect();
        let mut calls = 1u64;
        let mut loops: Vec<(i64, u64)> = Vec::new();
        for &place in places.iter().rev() {
            loops.push((turns[place], calls));
            calls = calls.saturating_mul(turns[place] as u64);
        }
        loops.reverse();
        let found = vec![None; loops.len()];
        let all = turns.len();
        Walk { skipped: from, before: (0, 0), calls, found, loops, places, all, at: 0, looked: 0 }
    }

    /// The sum before the first relevant value, and the increment per turn of each loop.
    fn steps(mut self, nodes: &[Branch]) -> Option<(Linear, Vec<Column>)> {
        self.pass(nodes)?;
        let mut steps = vec![Column::Constant(0); self.all];
        // A turn of an outer loop reverts what the inner loops added.
        let mut back = (0i64, 0i64);
        for (at, &(turns, _)) in self.loops.iter().enumerate().rev() {
            let (first, step) = self.found[at]?;
            let own = (first.checked_add(back.0)?, step.checked_add(back.1)?);
            let passed = |one: i64| one.checked_mul(turns - 1);
            back = (back.0.checked_add(passed(own.0)?)?, back.1.checked_add(passed(own.1)?)?);
            steps[self.places[at]] = column(own);
        }
        Some((self.before, steps))
    }

    fn pass(&mut self, nodes: &[Branch]) -> Option<()> {
        let mut rest = nodes;
        while let Some((head, after)) = rest.split_first() {
            let (body, behind) = after.split_at_checked(head.len as usize)?;
            rest = behind;
            let Column::Constant(count) = head.count else { return None };
            if head.len == 0 {
                self.run(linear(&head.value)?, u64::try_from(count).ok()?)?;
                continue;
            }
            for _ in 0..count {
                if self.is_done() {
                    return Some(());
                }
                self.look()?;
                self.pass(body)?;
            }
        }
        Some(())
    }

    /// `None` once the search takes too long.
    fn look(&mut self) -> Option<()> {
        self.looked += 1;
        (self.looked <= LOOKED).then_some(())
    }

    fn is_done(&self) -> bool {
        self.skipped == 0 && self.at + 1 >= self.calls
    }

    fn run(&mut self, difference: Linear, mut count: u64) -> Option<()> {
        let skipped = self.skipped.min(count);
        (self.skipped, count) = (self.skipped - skipped, count - skipped);
        let passed = |one: i64| one.checked_mul(i64::try_from(skipped).ok()?);
        self.before.0 = self.before.0.checked_add(passed(difference.0)?)?;
        self.before.1 = self.before.1.checked_add(passed(difference.1)?)?;
        while count > 0 && !self.is_done() {
            let &(inner, _) = self.loops.last()?;
            self.look()?;
            self.at += 1;
            // The outermost loop that begins a turn here.
            let level = self.loops.iter().position(|&(_, calls)| self.at.is_multiple_of(calls))?;
            match self.found[level] {
                Some(found) if found != difference => return None,
                _ => self.found[level] = Some(difference),
            }
            count -= 1;
            // The remaining turns of the innermost loop are alike.
            if level + 1 == self.loops.len() {
                let left = inner as u64 - 1 - self.at % inner as u64;
                let alike = left.min(count);
                self.at += alike;
                count -= alike;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_wire::sequence::Bench;

    fn series(values: &[i64]) -> Series {
        let values = Bench::new().values(values.iter().copied());
        let branch = |node: &marigraph_wire::fold::Node| Branch {
            value: Column::Constant(node.value),
            count: Column::Constant(node.count as i64),
            len: node.len,
        };
        let steps = Steps::Nodes(values.steps.iter().map(branch).collect());
        Series { first: Column::Constant(values.first), second: None, steps }
    }

    fn grid(turns: [i64; 3], steps: [i64; 3]) -> Vec<i64> {
        let mut values = Vec::new();
        for i in 0..turns[0] {
            for j in 0..turns[1] {
                values.extend((0..turns[2]).map(|k| 7 + i * steps[0] + j * steps[1] + k * steps[2]));
            }
        }
        values
    }

    #[test]
    fn a_part_of_a_series_is_found() {
        let values = [grid([3, 4, 5], [1000, 100, 1]), vec![9, 8, 3], grid([2, 2, 3], [7, -9, 4])].concat();
        let part = |from: u64, turns: &[i64]| nested(&series(&values), from, turns, 1);
        let constants = |steps: &[i64]| steps.iter().map(|&step| Column::Constant(step)).collect::<Vec<_>>();
        assert_eq!(part(0, &[3, 4, 5]), Some((Column::Constant(7), constants(&[1000, 100, 1]))));
        assert_eq!(part(63, &[2, 2, 3]), Some((Column::Constant(7), constants(&[7, -9, 4]))));
        assert_eq!(part(61, &[1]), Some((Column::Constant(8), constants(&[0]))));
        assert_eq!(part(60, &[3]), None);
        assert_eq!(part(20, &[4, 5]), Some((Column::Constant(1007), constants(&[100, 1]))));
    }

    #[test]
    fn what_loops_add_is_found() {
        for (turns, steps) in [
            ([3, 4, 5], [1000, 100, 1]),
            ([3, 4, 5], [20, 5, 1]),
            ([7, 2, 3], [-5, 0, 9]),
            ([2, 2, 2], [0, 0, 1]),
            ([4, 1, 6], [12, 0, 2]),
        ] {
            let found = nested(&series(&grid(turns, steps)), 0, &turns, 1).expect("follows");
            assert_eq!(found.1, steps.map(Column::Constant), "{turns:?}");
        }
    }

    #[test]
    fn what_does_not_follow_is_refused() {
        let mut values = grid([3, 4, 5], [1000, 100, 1]);
        values[31] += 1;
        assert_eq!(nested(&series(&values), 0, &[3, 4, 5], 1), None);
        assert_eq!(nested(&series(&grid([3, 4, 5], [1000, 100, 1])), 0, &[4, 3, 5], 1), None);
    }

    #[test]
    fn numbers_that_would_overflow_are_refused() {
        let step = Steps::All(Column::Constant(i64::MAX / 2));
        let series = Series { first: Column::Constant(0), second: None, steps: step };
        assert_eq!(nested(&series, 0, &[9], 1), None);
    }
}
