//! Terms of models over the number of ranks.

use super::ratio::Ratio;

/// What a number may grow with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    One,
    Ranks,
    /// One over the number of ranks plus a constant: work may be divided among all ranks but one.
    Over(i64),
    Square,
    /// Side of the balanced grid: number of dimensions, index.
    Side(usize, usize),
    OverSide(usize, usize),
    /// Product of all sides but this one, of the balanced grid of three dimensions.
    Face(usize),
    OverFace(usize),
    /// Binary logarithm, rounded up if `true`, down otherwise.
    Log(bool),
}

impl Term {
    pub fn at(self, ranks: u64) -> Option<Ratio> {
        let whole = |value: u64| Ratio::whole(i128::from(value));
        let over = |value: u64| Ratio::new(1, i128::from(value));
        let face = |at: usize| ranks / sides(ranks, 3)[at];
        match self {
            Term::One => Some(Ratio::whole(1)),
            Term::Ranks => Some(whole(ranks)),
            Term::Over(more) => over(ranks.checked_add_signed(more)?),
            Term::Square => whole(ranks).times(whole(ranks)),
            Term::Side(dimensions, at) => Some(whole(sides(ranks, dimensions)[at])),
            Term::OverSide(dimensions, at) => over(sides(ranks, dimensions)[at]),
            Term::Face(at) => Some(whole(face(at))),
            Term::OverFace(at) => over(face(at)),
            Term::Log(up) => {
                let down = ranks.checked_ilog2()?;
                Some(whole(u64::from(down) + u64::from(up && !ranks.is_power_of_two())))
            }
        }
    }

    pub fn name(self) -> String {
        let others = |at: usize| {
            let mut names = (0..3).filter(|&other| other != at).map(|at| format!("side{}of3", at + 1));
            format!("({}*{})", names.next().unwrap_or_default(), names.next().unwrap_or_default())
        };
        match self {
            Term::One => String::new(),
            Term::Ranks => "size".into(),
            Term::Over(0) => "1/size".into(),
            Term::Over(more) => format!("1/(size{more:+})"),
            Term::Square => "size^2".into(),
            Term::Side(dimensions, at) => format!("side{}of{dimensions}", at + 1),
            Term::OverSide(dimensions, at) => format!("1/side{}of{dimensions}", at + 1),
            Term::Face(at) => others(at),
            Term::OverFace(at) => format!("1/{}", others(at)),
            Term::Log(false) => "floor(log2(size))".into(),
            Term::Log(true) => "ceil(log2(size))".into(),
        }
    }
}

/// Terms other than a constant. Where the grid is known, only its sides are tried, and no
/// logarithms.
pub fn single(grid: Option<usize>) -> Vec<Term> {
    let mut terms = vec![Term::Ranks, Term::Over(0), Term::Over(-1), Term::Over(1), Term::Square];
    for (dimensions, at) in [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)] {
        if grid.is_none_or(|grid| grid == dimensions) {
            terms.extend([Term::Side(dimensions, at), Term::OverSide(dimensions, at)]);
        }
    }
    match grid {
        None => terms.extend([Term::Log(false), Term::Log(true)]),
        Some(3) => terms.extend((0..3).flat_map(|at| [Term::Face(at), Term::OverFace(at)])),
        Some(_) => {}
    }
    terms
}

/// A number of ranks with its balanced grids, cached because they are slow to find.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub ranks: u64,
    /// With two and with three dimensions.
    grids: [[u64; 3]; 2],
}

impl Size {
    pub fn of(ranks: u64) -> Size {
        Size { ranks, grids: [sides(ranks, 2), sides(ranks, 3)] }
    }

    pub fn sides(&self, dimensions: usize) -> [u64; 3] {
        self.grids[usize::from(dimensions > 2)]
    }

    pub fn coordinates(&self, rank: u64, dimensions: usize, last_fastest: bool) -> [u64; 3] {
        let sides = self.sides(dimensions);
        let mut at = [0; 3];
        let mut rest = rank;
        let mut take = |dimension: usize| {
            at[dimension] = rest % sides[dimension].max(1);
            rest /= sides[dimension].max(1);
        };
        if last_fastest {
            (0..dimensions).rev().for_each(&mut take)
        } else {
            (0..dimensions).for_each(&mut take)
        }
        at
    }
}

/// Sides of a process grid, as equal as possible and in descending order, as `MPI_Dims_create`
/// returns them.
pub fn sides(ranks: u64, dimensions: usize) -> [u64; 3] {
    let mut sides = [1u64; 3];
    let mut factors = Vec::new();
    let (mut rest, mut factor) = (ranks.max(1), 2);
    while factor * factor <= rest {
        while rest.is_multiple_of(factor) {
            factors.push(factor);
            rest /= factor;
        }
        factor += 1;
    }
    factors.extend((rest > 1).then_some(rest));
    for factor in factors.into_iter().rev() {
        if let Some(least) = sides[..dimensions].iter_mut().min() {
            *least *= factor;
        }
    }
    sides[..dimensions].sort_unstable_by(|one, other| other.cmp(one));
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_balanced() {
        let two: Vec<[u64; 2]> =
            [4, 6, 9, 12, 16, 24, 30, 7].map(|n| [sides(n, 2)[0], sides(n, 2)[1]]).into();
        assert_eq!(two, [[2, 2], [3, 2], [3, 3], [4, 3], [4, 4], [6, 4], [6, 5], [7, 1]]);
        assert_eq!(sides(24, 3), [4, 3, 2]);
    }

    #[test]
    fn terms_have_values_and_names() {
        let told = |term: Term| (term.at(12).and_then(Ratio::to_whole), term.name());
        assert_eq!(told(Term::Face(2)), (Some(6), "(side1of3*side2of3)".into()));
        assert_eq!(told(Term::Log(true)), (Some(4), "ceil(log2(size))".into()));
        assert_eq!(Term::Over(-1).at(12), Ratio::new(1, 11));
        assert_eq!(Term::Over(-1).at(1), None);
        assert_eq!(Term::Over(-1).name(), "1/(size-1)");
    }
}
