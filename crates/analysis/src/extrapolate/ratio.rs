//! Exact fractions and linear equations, so that a model fits exactly or not at all.

use std::fmt;

/// A fraction in lowest terms with a positive denominator. Operations return `None` on overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: i128,
    denominator: i128,
}

pub fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.abs()
}

impl Ratio {
    pub const ZERO: Ratio = Ratio { numerator: 0, denominator: 1 };

    pub fn whole(value: i128) -> Ratio {
        Ratio { numerator: value, denominator: 1 }
    }

    /// `None` if the denominator is zero.
    pub fn new(numerator: i128, denominator: i128) -> Option<Ratio> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        let common = gcd(numerator, denominator).max(1) * denominator.signum();
        Some(Ratio { numerator: numerator / common, denominator: denominator / common })
    }

    pub fn plus(self, other: Ratio) -> Option<Ratio> {
        let one = self.numerator.checked_mul(other.denominator)?;
        let two = other.numerator.checked_mul(self.denominator)?;
        Ratio::new(one.checked_add(two)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn minus(self, other: Ratio) -> Option<Ratio> {
        self.plus(Ratio { numerator: other.numerator.checked_neg()?, ..other })
    }

    pub fn times(self, other: Ratio) -> Option<Ratio> {
        let numerator = self.numerator.checked_mul(other.numerator)?;
        Ratio::new(numerator, self.denominator.checked_mul(other.denominator)?)
    }

    pub fn over(self, other: Ratio) -> Option<Ratio> {
        self.times(Ratio::new(other.denominator, other.numerator)?)
    }

    pub fn to_whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }

    pub fn is_multiple_of(self, unit: i128) -> bool {
        self.to_whole().is_some_and(|value| value.checked_rem(unit) == Some(0))
    }

    /// Rounds toward zero, as integer division does.
    pub fn truncated(self) -> i128 {
        self.numerator / self.denominator
    }

    pub fn is_zero(self) -> bool {
        self.numerator == 0
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(f, "{}", self.numerator),
            denominator => write!(f, "{}/{denominator}", self.numerator),
        }
    }
}

/// Solutions of a system of linear equations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solved {
    One(Vec<Ratio>),
    Many,
    Impossible,
}

/// Solves equations, each given as one factor per unknown and their weighted sum.
pub fn solve(equations: impl Iterator<Item = (Vec<Ratio>, Ratio)>, unknowns: usize) -> Option<Solved> {
    // Rows in echelon form: the first non-zero factor is one.
    let mut rows: Vec<(usize, Vec<Ratio>, Ratio)> = Vec::new();
    for (mut factors, mut sum) in equations {
        for (pivot, row, row_sum) in &rows {
            let by = factors[*pivot];
            if !by.is_zero() {
                for (factor, of_row) in factors.iter_mut().zip(row) {
                    *factor = factor.minus(by.times(*of_row)?)?;
                }
                sum = sum.minus(by.times(*row_sum)?)?;
            }
        }
        let Some(pivot) = factors.iter().position(|factor| !factor.is_zero()) else {
            if sum.is_zero() {
                continue;
            }
            return Some(Solved::Impossible);
        };
        let by = factors[pivot];
        for factor in &mut factors {
            *factor = factor.over(by)?;
        }
        rows.push((pivot, factors, sum.over(by)?));
    }
    if rows.len() < unknowns {
        return Some(Solved::Many);
    }
    back(rows, unknowns)
}

fn back(rows: Vec<(usize, Vec<Ratio>, Ratio)>, unknowns: usize) -> Option<Solved> {
    let mut solution = vec![Ratio::ZERO; unknowns];
    // A later row has no factor for the pivots of earlier ones.
    for (pivot, factors, sum) in rows.iter().rev() {
        let mut value = *sum;
        for (at, factor) in factors.iter().enumerate().filter(|(at, _)| at != pivot) {
            value = value.minus(factor.times(solution[at])?)?;
        }
        solution[*pivot] = value;
    }
    Some(Solved::One(solution))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(factors: &[i128], sum: i128) -> (Vec<Ratio>, Ratio) {
        (factors.iter().map(|&factor| Ratio::whole(factor)).collect(), Ratio::whole(sum))
    }

    #[test]
    fn fractions_are_exact() {
        let third = Ratio::new(2, -6).expect("not over zero");
        assert_eq!(third.to_string(), "-1/3");
        assert_eq!(third.times(Ratio::whole(3)).and_then(Ratio::to_whole), Some(-1));
        assert_eq!(third.plus(Ratio::whole(1)), Ratio::new(2, 3));
        assert_eq!(Ratio::new(7, 2).map(Ratio::truncated), Some(3));
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::whole(i128::MAX).plus(Ratio::whole(1)), None);
    }

    #[test]
    fn systems_have_one_many_or_no_solution() {
        let solved = solve([row(&[0, 2], 8), row(&[1, 1], 7), row(&[1, 3], 15)].into_iter(), 2);
        assert_eq!(solved, Some(Solved::One(vec![Ratio::whole(3), Ratio::whole(4)])));
        assert_eq!(solve([row(&[1, 1], 7), row(&[2, 2], 14)].into_iter(), 2), Some(Solved::Many));
        let wrong = [row(&[1, 1], 7), row(&[1, 0], 3), row(&[0, 1], 5)];
        assert_eq!(solve(wrong.into_iter(), 2), Some(Solved::Impossible));
    }
}
