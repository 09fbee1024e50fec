//! Models in the number of ranks alone.

use std::fmt;

use super::ratio::{Ratio, Solved, solve};
use super::rounded::{self, Rounded};
use super::terms::{Term, single};

/// A number as it follows from the ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SizeModel {
    /// A sum of terms with factors.
    Sum(Vec<(Term, Ratio)>),
    /// A division with a rest.
    Rounded(Rounded),
}

impl SizeModel {
    /// Its value for so many ranks.
    pub fn at(&self, ranks: u64) -> Option<Ratio> {
        match self {
            SizeModel::Sum(terms) => terms
                .iter()
                .try_fold(Ratio::ZERO, |sum, (term, factor)| sum.plus(factor.times(term.at(ranks)?)?)),
            SizeModel::Rounded(rounded) => rounded.at(ranks),
        }
    }

    /// Whether it is nothing for all ranks.
    pub fn is_zero(&self) -> bool {
        matches!(self, SizeModel::Sum(terms) if terms.iter().all(|(_, factor)| factor.is_zero()))
    }
}

impl fmt::Display for SizeModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = match self {
            SizeModel::Rounded(rounded) => return write!(f, "{rounded}"),
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
    /// This model, and no other that is as simple, or others that agree; how much there is to it.
    Model(SizeModel, u32),
    /// Two that are as simple and differ at the other size.
    Ambiguous(SizeModel, SizeModel, u32),
    /// None.
    None,
}

/// A sum of terms with unknown factors, and what is added: loops turn one time less or more than what they go over.
type Terms = (Vec<Term>, i128);

/// Sums by their unknowns, simplest first.
fn levels(grid: Option<usize>) -> [(usize, Vec<Terms>); 4] {
    let single = single(grid);
    let plain = |terms: &[Term]| (terms.to_vec(), 0);
    let ones = std::iter::once(Term::One).chain(single.iter().copied()).map(|term| plain(&[term]));
    // Logarithms rounded down and up often differ by one throughout.
    let even = single.iter().filter(|term| !matches!(term, Term::Log(_)));
    let shifted = even.flat_map(|&term| [(vec![term], 1), (vec![term], -1)]);
    let mut twos: Vec<Terms> = single.iter().map(|&term| plain(&[Term::One, term])).collect();
    twos.extend([plain(&[Term::Ranks, Term::Over(0)]), plain(&[Term::Ranks, Term::Square])]);
    let threes = [Term::Over(0), Term::Square].map(|term| plain(&[Term::One, Term::Ranks, term]));
    [(1, ones.collect()), (1, shifted.collect()), (2, twos), (3, threes.into())]
}

/// The simplest model of numbers by their sizes, told apart at another size.
pub fn fit_sizes(points: &[(u64, Ratio)], target: u64, grid: Option<usize>) -> SizeFit {
    // A constant needs no second opinion: nothing else of one term fits it.
    if let Some(&(_, value)) = points.first().filter(|_| points.len() > 1)
        && points.iter().all(|(_, other)| *other == value)
    {
        return SizeFit::Model(SizeModel::Sum(vec![(Term::One, value)]), 0);
    }
    let rounded = || rounded::candidates(points).into_iter().map(SizeModel::Rounded);
    for (cost, (unknowns, sums)) in (1..).zip(levels(grid)) {
        if unknowns >= points.len() {
            break;
        }
        let mut models: Vec<SizeModel> = sums.iter().filter_map(|sum| of_terms(points, sum)).collect();
        if !models.is_empty() {
            // A division that always comes out even is told so elsewhere.
            models.extend(rounded().filter(|_| cost > 1));
            return agreed(models, target, cost);
        }
    }
    agreed(rounded().collect(), target, 3)
}

/// The first of models that all say the same at the other size.
fn agreed(models: Vec<SizeModel>, target: u64, cost: u32) -> SizeFit {
    let mut models = models.into_iter();
    let Some(first) = models.next() else { return SizeFit::None };
    let value = first.at(target);
    match models.find(|other| other.at(target) != value) {
        Some(other) => SizeFit::Ambiguous(first, other, cost),
        None => SizeFit::Model(first, cost),
    }
}

fn of_terms(points: &[(u64, Ratio)], (terms, added): &Terms) -> Option<SizeModel> {
    let added = Ratio::whole(*added);
    let equation = |&(ranks, value): &(u64, Ratio)| {
        let factors: Option<Vec<Ratio>> = terms.iter().map(|term| term.at(ranks)).collect();
        Some((factors?, value.minus(added)?))
    };
    let equations: Vec<_> = points.iter().map(equation).collect::<Option<_>>()?;
    let Solved::One(factors) = solve(equations.iter().cloned(), terms.len())? else { return None };
    // Each size must be foretold by the others: terms may have too few different values.
    for left_out in 0..equations.len() {
        let others = equations.iter().enumerate().filter(|(at, _)| *at != left_out);
        let Solved::One(_) = solve(others.map(|(_, equation)| equation.clone()), terms.len())? else {
            return None;
        };
    }
    let constant = std::iter::once((Term::One, added)).filter(|(_, added)| !added.is_zero());
    Some(SizeModel::Sum(constant.chain(terms.iter().copied().zip(factors)).collect()))
}

#[cfg(test)]
mod tests {
    use super::super::terms::sides;
    use super::*;

    fn fit(sizes: &[u64], value: impl Fn(i128) -> i128, target: u64) -> Option<i128> {
        let points: Vec<(u64, Ratio)> =
            sizes.iter().map(|&n| (n, Ratio::whole(value(i128::from(n))))).collect();
        match fit_sizes(&points, target, None) {
            SizeFit::Model(model, _) => model.at(target)?.to_whole(),
            _ => None,
        }
    }

    #[test]
    fn models_of_the_paper_and_beyond_foretell() {
        let sizes = [4, 6, 9, 12];
        assert_eq!(fit(&sizes, |_| 7, 30), Some(7));
        assert_eq!(fit(&sizes, |n| 3 * n - 5, 30), Some(85));
        assert_eq!(fit(&sizes, |n| 7200 / n, 30), Some(240));
        assert_eq!(fit(&sizes, |n| 7200 / n + 11, 30), Some(251));
        assert_eq!(fit(&sizes, |n| n * n + n + 1, 30), Some(931));
        let side = |n: u64| (n, Ratio::whole(64 * i128::from(sides(n, 2)[1])));
        let model = fit_sizes(&[4, 6, 9, 12].map(side), 30, Some(2));
        assert!(matches!(model, SizeFit::Model(model, 1) if model.at(30) == Some(Ratio::whole(320))));
        assert_eq!(fit(&sizes, |n| 100_000 / n, 30), Some(3333));
        assert_eq!(fit(&sizes, |n| 512 * (100_000 / n), 30), Some(512 * 3333));
        assert_eq!(fit(&sizes, |n| (100_000 + n - 1) / n, 30), Some(3334));
        assert_eq!(fit(&sizes, |n| 27_720 / (n - 1), 31), Some(924));
        assert_eq!(fit(&sizes, |n| 7200 / n - 1, 30), Some(239));
    }

    #[test]
    fn equally_simple_models_must_agree() {
        let sizes = [4, 6, 9, 12];
        let logarithm = |n: i128| i128::from(n.ilog2());
        assert_eq!((fit(&sizes, logarithm, 30), fit(&sizes, logarithm, 16)), (None, Some(4)), "or a side");
        assert_eq!(fit(&sizes, |n| 10_007 / n, 16), None, "10008/size - 1 would be 624.5");
        assert_eq!(fit(&sizes, |n| (9 + n - 1) / n, 30), None, "or floor(12/size)");
        assert_eq!(fit(&[4, 8, 16, 32], logarithm, 64), Some(6));
        assert_eq!(fit(&[4, 8, 16, 32], logarithm, 48), None);
        assert_eq!(fit(&[8, 12, 18, 27], |n| 10_013 % n, 32), None, "a third side is 2, 2, 2 and 3");
    }

    #[test]
    fn what_nothing_fits_is_not_foretold() {
        let points: Vec<(u64, Ratio)> =
            [(4, 17), (6, 3), (9, 911), (12, 5)].map(|(n, y)| (n, Ratio::whole(y))).into();
        assert_eq!(fit_sizes(&points, 30, None), SizeFit::None);
        assert_eq!(fit_sizes(&points[..1], 30, None), SizeFit::None, "one size proves nothing");
    }
}
