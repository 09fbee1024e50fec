//! Smallest and greatest value and the sum of a folded sequence, without expanding it.

use marigraph_wire::fold::Node;
use marigraph_wire::sequence::Values;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) least: i128,
    pub(super) most: i128,
    pub(super) sum: i128,
}

impl Extent {
    /// The differences must not have wrapped; `None` on overflow.
    pub(super) fn of(values: &Values) -> Option<Extent> {
        let walk = Walk::of(&values.steps)?;
        let first = i128::from(values.first);
        Some(Extent {
            least: first.checked_add(walk.least.min(0))?,
            most: first.checked_add(walk.most.max(0))?,
            sum: first.checked_mul(i128::from(values.len))?.checked_add(walk.sum)?,
        })
    }
}

/// Effect of steps on a value that starts at 0: number of values, last value, extremes and sum.
#[derive(Debug, Clone, Copy, Default)]
struct Walk {
    len: i128,
    last: i128,
    least: i128,
    most: i128,
    sum: i128,
}

impl Walk {
    fn of(nodes: &[Node]) -> Option<Walk> {
        let mut walk = Walk::default();
        let mut rest = nodes;
        while let Some((head, after)) = rest.split_first() {
            let (body, behind) = after.split_at_checked(head.len as usize)?;
            let value = i128::from(head.value);
            let once = match head.len {
                0 => Walk { len: 1, last: value, least: value, most: value, sum: value },
                _ => Walk::of(body)?,
            };
            walk = walk.then(once.times(i128::from(head.count))?)?;
            rest = behind;
        }
        Some(walk)
    }

    fn then(self, next: Walk) -> Option<Walk> {
        if self.len == 0 {
            return Some(next);
        }
        Some(Walk {
            len: self.len.checked_add(next.len)?,
            last: self.last.checked_add(next.last)?,
            least: self.least.min(self.last.checked_add(next.least)?),
            most: self.most.max(self.last.checked_add(next.most)?),
            sum: self.sum.checked_add(next.sum)?.checked_add(next.len.checked_mul(self.last)?)?,
        })
    }

    fn times(self, count: i128) -> Option<Walk> {
        let drift = self.last.checked_mul(count.checked_sub(1)?)?;
        let turns = if count % 2 == 0 { (count / 2) * (count - 1) } else { count * ((count - 1) / 2) };
        Some(Walk {
            len: self.len.checked_mul(count)?,
            last: self.last.checked_mul(count)?,
            least: self.least.checked_add(drift.min(0))?,
            most: self.most.checked_add(drift.max(0))?,
            sum: self
                .sum
                .checked_mul(count)?
                .checked_add(self.len.checked_mul(self.last)?.checked_mul(turns)?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use marigraph_wire::sequence::Bench;

    #[test]
    fn extent_is_that_of_the_expansion() {
        let lists: [Vec<i64>; 4] = [
            vec![3],
            (0..500).map(|at| at % 7 * 5 - at / 7 % 4 * 11 + at / 28).collect(),
            (0..100).map(|at| -at).collect(),
            vec![1, 1, 9, 1, 1, 9, 1, 1, 9, -4],
        ];
        for list in lists {
            let extent = Extent::of(&Bench::new().values(list.iter().copied())).expect("fits");
            let expanded = list.iter().map(|&value| i128::from(value));
            assert_eq!(extent.least, expanded.clone().min().expect("some"));
            assert_eq!(extent.most, expanded.clone().max().expect("some"));
            assert_eq!(extent.sum, expanded.sum::<i128>());
        }
    }
}
