//! Models in the number of ranks alone.

use std::fmt;

use super::ratio::{Ratio, Solved, solve};

/// What a number may grow with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// Nothing.
    One,
    /// The ranks.
    Ranks,
    /// One over the ranks.
    Inverse,
    /// The square of the ranks.
    Square,
    /// A side of the balanced grid of so many dimensions.
    Side(usize, usize),
    /// One over a side.
    InverseSide(usize, usize),
    /// The binary logarithm, where ranks are powers of two.
    Log,
}

/// Sides of a grid of ranks, as equal as can be and in descending order, as `MPI_Dims_create` gives them.
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

impl Term {
    fn at(self, ranks: u64) -> Option<Ratio> {
        let whole = |value: u64| Ratio::whole(i128::from(value));
        match self {
            Term::One => Some(Ratio::whole(1)),
            Term::Ranks => Some(whole(ranks)),
            Term::Inverse => Ratio::new(1, i128::from(ranks)),
            Term::Square => whole(ranks).times(whole(ranks)),
            Term::Side(dimensions, at) => Some(whole(sides(ranks, dimensions)[at])),
            Term::InverseSide(dimensions, at) => Ratio::new(1, i128::from(sides(ranks, dimensions)[at])),
            Term::Log => ranks.is_power_of_two().then(|| whole(u64::from(ranks.ilog2()))),
        }
    }

    fn name(self) -> String {
        match self {
            Term::One => String::new(),
            Term::Ranks => "size".into(),
            Term::Inverse => "1/size".into(),
            Term::Square => "size^2".into(),
            Term::Side(dimensions, at) => format!("side{}of{dimensions}", at + 1),
            Term::InverseSide(dimensions, at) => format!("1/side{}of{dimensions}", at + 1),
            Term::Log => "log2(size)".into(),
        }
    }
}

/// A number as it follows from the ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SizeModel {
    /// A sum of terms with factors.
    Sum(Vec<(Term, Ratio)>),
    /// A whole divided by the ranks, rounded down or up; the whole is one of these two or between.
    Divided(i128, i128, bool),
}

impl SizeModel {
    /// Its value for so many ranks.
    pub fn at(&self, ranks: u64) -> Option<Ratio> {
        match self {
            SizeModel::Sum(terms) => terms
                .iter()
                .try_fold(Ratio::ZERO, |sum, (term, factor)| sum.plus(factor.times(term.at(ranks)?)?)),
            SizeModel::Divided(low, _, up) => Some(Ratio::whole(divided(*low, ranks, *up))),
        }
    }

    /// Whether it is nothing for all ranks.
    pub fn is_zero(&self) -> bool {
        matches!(self, SizeModel::Sum(terms) if terms.iter().all(|(_, factor)| factor.is_zero()))
    }
}

fn divided(whole: i128, ranks: u64, up: bool) -> i128 {
    let ranks = i128::from(ranks);
    if up { (whole + ranks - 1).div_euclid(ranks) } else { whole.div_euclid(ranks) }
}

impl fmt::Display for SizeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = match self {
            SizeModel::Divided(low, _, false) => return write!(f, "floor({low}/size)"),
            SizeModel::Divided(low, _, true) => return write!(f, "ceil({low}/size)"),
            SizeModel::Sum(terms) => terms,
        };
        let shown = |(term, factor): &(Term, Ratio)| match (term.name(), factor.to_string()) {
            (name, factor) if name.is_empty() => factor,
            (name, factor) => match name.strip_prefix("1/") {
                Some(name) => format!("{factor}/{name}"),
                None if factor == "1" => name,
                None => format!("{factor}*{name}"),
            },
        };
        let terms: Vec<String> = terms.iter().filter(|(_, factor)| !factor.is_zero()).map(shown).collect();
        write!(f, "{}", if terms.is_empty() { "0".to_string() } else { terms.join(" + ") })
    }
}

/// What numbers of several sizes say about another size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SizeFit {
    /// This model, and no other that is as simple, or others that agree.
    Model(SizeModel),
    /// Two that are as simple and differ at the other size.
    Ambiguous(SizeModel, SizeModel),
    /// None.
    None,
}

/// Sets of terms, simplest first.
fn levels() -> [Vec<Vec<Term>>; 3] {
    let mut single = vec![Term::Ranks, Term::Inverse, Term::Square, Term::Log];
    for (dimensions, at) in [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2)] {
        single.extend([Term::Side(dimensions, at), Term::InverseSide(dimensions, at)]);
    }
    let mut ones: Vec<Vec<Term>> = vec![vec![Term::One]];
    ones.extend(single.iter().map(|&term| vec![term]));
    let mut twos: Vec<Vec<Term>> = single.iter().map(|&term| vec![Term::One, term]).collect();
    twos.extend([vec![Term::Ranks, Term::Inverse], vec![Term::Ranks, Term::Square]]);
    let threes =
        vec![vec![Term::One, Term::Ranks, Term::Inverse], vec![Term::One, Term::Ranks, Term::Square]];
    [ones, twos, threes]
}

/// The simplest model of numbers by their sizes, told apart at another size.
pub fn fit_sizes(points: &[(u64, Ratio)], target: u64) -> SizeFit {
    for (unknowns, sets) in levels().into_iter().enumerate() {
        // One size more than unknowns: each is then foretold by the others.
        if unknowns + 1 >= points.len() {
            break;
        }
        let mut models = sets.iter().filter_map(|terms| of_terms(points, terms));
        let Some(first) = models.next() else { continue };
        // A constant needs no second opinion: nothing else of one term fits it.
        if unknowns == 0 && !points.iter().any(|(_, value)| value != &points[0].1) {
            return SizeFit::Model(first);
        }
        let value = first.at(target);
        return match models.find(|other| other.at(target) != value) {
            Some(other) => SizeFit::Ambiguous(first, other),
            None => SizeFit::Model(first),
        };
    }
    [false, true].into_iter().find_map(|up| of_division(points, target, up)).unwrap_or(SizeFit::None)
}

fn of_terms(points: &[(u64, Ratio)], terms: &[Term]) -> Option<SizeModel> {
    let equation = |&(ranks, value): &(u64, Ratio)| {
        let factors: Option<Vec<Ratio>> = terms.iter().map(|term| term.at(ranks)).collect();
        Some((factors?, value))
    };
    let equations: Option<Vec<_>> = points.iter().map(equation).collect();
    match solve(equations?.into_iter(), terms.len())? {
        Solved::One(factors) => Some(SizeModel::Sum(terms.iter().copied().zip(factors).collect())),
        _ => None,
    }
}

/// A whole that, divided by each size and rounded, gives its number.
fn of_division(points: &[(u64, Ratio)], target: u64, up: bool) -> Option<SizeFit> {
    let (mut low, mut high) = (i128::MIN, i128::MAX);
    for &(ranks, value) in points {
        let (value, ranks) = (value.to_whole()?, i128::from(ranks));
        let least =
            if up { value.checked_sub(1)?.checked_mul(ranks)? + 1 } else { value.checked_mul(ranks)? };
        low = low.max(least);
        high = high.min(least.checked_add(ranks - 1)?);
    }
    if low > high || low < 0 || points.len() < 3 {
        return None;
    }
    let (model, other) = (SizeModel::Divided(low, high, up), SizeModel::Divided(high, high, up));
    let same = divided(low, target, up) == divided(high, target, up);
    Some(if same { SizeFit::Model(model) } else { SizeFit::Ambiguous(model, other) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(sizes: &[u64], value: impl Fn(i128) -> i128, target: u64) -> Option<i128> {
        let points: Vec<(u64, Ratio)> =
            sizes.iter().map(|&n| (n, Ratio::whole(value(i128::from(n))))).collect();
        match fit_sizes(&points, target) {
            SizeFit::Model(model) => model.at(target)?.to_whole(),
            _ => None,
        }
    }

    #[test]
    fn sides_are_balanced() {
        let two: Vec<[u64; 2]> =
            [4, 6, 9, 12, 16, 24, 30, 7].map(|n| [sides(n, 2)[0], sides(n, 2)[1]]).into();
        assert_eq!(two, [[2, 2], [3, 2], [3, 3], [4, 3], [4, 4], [6, 4], [6, 5], [7, 1]]);
        assert_eq!(sides(24, 3), [4, 3, 2]);
    }

    #[test]
    fn models_of_the_paper_and_beyond_foretell() {
        let sizes = [4, 6, 9, 12];
        assert_eq!(fit(&sizes, |_| 7, 30), Some(7));
        assert_eq!(fit(&sizes, |n| 3 * n - 5, 30), Some(85));
        assert_eq!(fit(&sizes, |n| 7200 / n, 30), Some(240));
        assert_eq!(fit(&sizes, |n| 7200 / n + 11, 30), Some(251));
        assert_eq!(fit(&sizes, |n| n * n + n + 1, 30), Some(931));
        assert_eq!(fit(&sizes, |n| 64 * i128::from(sides(n as u64, 2)[1]), 30), Some(320));
        assert_eq!(fit(&sizes, |n| 100_000 / n, 30), Some(3333));
    }

    #[test]
    fn what_nothing_fits_is_not_foretold() {
        let points: Vec<(u64, Ratio)> =
            [(4, 17), (6, 3), (9, 911), (12, 5)].map(|(n, y)| (n, Ratio::whole(y))).into();
        assert_eq!(fit_sizes(&points, 30), SizeFit::None);
        assert_eq!(fit_sizes(&points[..1], 30), SizeFit::None, "one size proves nothing");
    }
}
