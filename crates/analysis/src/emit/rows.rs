//! Numbers that follow rows of members: they depend on the node of a rank, or on its place in a
//! grid.

/// A number that changes by equal steps within rows of equal length, and from row to row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    pub first: i64,
    pub within: i64,
    pub across: i64,
    pub len: i64,
}

impl Rows {
    pub fn of(values: &[i64]) -> Option<Rows> {
        let first = *values.first()?;
        let within = values.get(1)?.checked_sub(first)?;
        let differs = |pair: &[i64]| pair[1].checked_sub(pair[0]) != Some(within);
        let len = values.windows(2).position(differs)? + 1;
        let across = values.get(len)?.checked_sub(first)?;
        let rows = Rows { first, within, across, len: i64::try_from(len).ok()? };
        let holds = |(member, &value): (usize, &i64)| rows.at(member) == Some(value);
        values.iter().enumerate().all(holds).then_some(rows)
    }

    fn at(&self, member: usize) -> Option<i64> {
        let member = i64::try_from(member).ok()?;
        let within = self.within.checked_mul(member % self.len)?;
        let across = self.across.checked_mul(member / self.len)?;
        // In the order in which the generated program adds them.
        self.first.checked_add(within)?.checked_add(across)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found() {
        let values = |of: fn(i64) -> i64| (0..50).map(of).collect::<Vec<_>>();
        let rows = |first, within, across, len| Some(Rows { first, within, across, len });
        assert_eq!(Rows::of(&values(|m| 7 + m / 4)), rows(7, 0, 1, 4));
        assert_eq!(Rows::of(&values(|m| m % 6 * 10)), rows(0, 10, 0, 6));
        assert_eq!(Rows::of(&values(|m| m % 8 * 100 - m / 8 * 3)), rows(0, 100, -3, 8));
        assert_eq!(Rows::of(&values(|m| m * m)), None);
        assert_eq!(Rows::of(&values(|m| m)), None);
        assert_eq!(Rows::of(&[i64::MIN, i64::MAX, 3]), None);
    }
}
