//! Models over the number of ranks alone.

use std::fmt;

use super::ratio::{Ratio, Solved, solve};
use super::rounded::{self, Rounded};
use super::terms::{Term, single};

/// A model of a number over the number of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SizeModel {
    Sum(Vec<(Term, Ratio)>),
    Rounded(Rounded),
}

impl SizeModel {
    pub fn at(&self, ranks: u64) -> Option<Ratio> {
        match self {
            SizeModel::Sum(terms) => terms
                .iter()
                .try_fold(Ratio::ZERO, |sum, (term, factor)| sum.plus(factor.times(term.at(ranks)?)?)),
            SizeModel::Rounded(rounded) => rounded.at(ranks),
        }
    }

    pub fn has_side(&self) -> bool {
        self.has(|term| {
            matches!(term, Term::Side(..) | Term::OverSide(..) | Term::Face(_) | Term::OverFace(_))
        })
    }

    /// Whether it is a sum with such a term and a non-zero factor.
    pub fn has(&self, such: impl Fn(&Term) -> bool) -> bool {
        matches!(self, SizeModel::Sum(terms) if terms.iter().any(|(term, factor)| !factor.is_zero() && such(term)))
    }

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

/// What numbers at several sizes say about another size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeFit {
    pub model: SizeModel,
    pub cost: u32,
    /// An equally simple model that differs at the target size.
    pub other: Option<SizeModel>,
    /// A more complex model that also fits and differs at the target size.
    pub rival: Option<SizeModel>,
    /// The one size that distinguishes the model from a simpler one.
    pub rests_on: Option<u64>,
}

impl SizeFit {
    pub fn doubt(&self) -> Option<String> {
        let rests = |ranks: &u64| format!("only {ranks} ranks distinguish {} from a constant", self.model);
        let rival =
            || self.rival.as_ref().map(|rival| format!("{rival} would fit in place of {}", self.model));
        let shifted = matches!(&self.model, SizeModel::Rounded(rounded) if rounded.is_shifted())
            .then(|| format!("{} could also be a sum with different rounding", self.model));
        self.rests_on.as_ref().map(rests).or_else(rival).or(shifted)
    }
}

/// A sum of terms with unknown factors, plus a constant: loops may turn once less or more than
/// their range.
type Terms = (Vec<Term>, i128);

/// Sums by number of unknowns, simplest first.
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

pub fn fit_sizes(points: &[(u64, Ratio)], target: u64, grid: Option<usize>) -> Option<SizeFit> {
    // A constant needs no further check: no other single term fits it.
    if let Some(constant) = constant(points) {
        let model = SizeModel::Sum(vec![(Term::One, constant)]);
        return Some(SizeFit { model, cost: 0, other: None, rival: None, rests_on: None });
    }
    let (mut simplest, mut rivals): (Option<(u32, Vec<SizeModel>)>, Vec<SizeModel>) = (None, Vec::new());
    let plain = || rounded::plain(points).into_iter().map(SizeModel::Rounded);
    for (cost, (unknowns, sums)) in (1..).zip(levels(grid)) {
        if unknowns >= points.len() {
            break;
        }
        let mut models: Vec<SizeModel> = sums.iter().filter_map(|sum| of_terms(points, sum)).collect();
        match &simplest {
            Some(_) => rivals.extend(models),
            None if models.is_empty() => {}
            None => {
                // A division that is always exact is flagged elsewhere.
                models.extend(plain().filter(|_| cost > 1));
                simplest = Some((cost, models));
            }
        }
    }
    // A number that divides evenly at all sizes is not suspected of hidden units.
    let divisions = match &simplest {
        Some((cost, _)) => rounded::added_in_ones(points, *cost > 1),
        None => rounded::added(points),
    };
    rivals.extend(divisions.into_iter().map(SizeModel::Rounded));
    let (cost, mut models) = simplest.unwrap_or_else(|| (3, plain().collect()));
    if models.is_empty() {
        models = std::mem::take(&mut rivals);
    }
    let model = models.first()?.clone();
    let value = cut(&model, points, target);
    let differs = |other: &SizeModel| cut(other, points, target) != value;
    let (other, rival) = (models.into_iter().find(differs), rivals.into_iter().find(differs));
    // Where the program is known to have a grid, its sides need no further evidence.
    let rests_on = if grid.is_none() { rests_on(points, &model) } else { None };
    Some(SizeFit { model, cost, other, rival, rests_on })
}

/// A rounded logarithm that fits as well as the model and differs from it at the target size. For
/// programs with a grid, its sides are tried instead of logarithms, but a number that is the same
/// on all ranks may be unrelated to the grid.
pub fn rival_logarithm(points: &[(u64, Ratio)], model: &SizeModel, target: u64) -> Option<SizeModel> {
    let logarithms = [false, true].map(Term::Log);
    let sums = logarithms.into_iter().flat_map(|log| [vec![log], vec![Term::One, log]]);
    let mut models = sums.filter_map(|terms| of_terms(points, &(terms, 0)));
    models.find(|other| model.has_side() && cut(other, points, target) != cut(model, points, target))
}

/// The value of a model as it is used: truncated if all observed numbers were integers.
fn cut(model: &SizeModel, points: &[(u64, Ratio)], target: u64) -> Option<Ratio> {
    let whole = points.iter().all(|(_, value)| value.to_whole().is_some());
    let value = model.at(target)?;
    Some(if whole { Ratio::whole(value.truncated()) } else { value })
}

fn constant(points: &[(u64, Ratio)]) -> Option<Ratio> {
    let &(_, value) = points.first().filter(|_| points.len() > 1)?;
    points.iter().all(|(_, other)| *other == value).then_some(value)
}

/// The one size that keeps a sum from being constant, if there is one: the evidence for more than a
/// constant was seen only once.
fn rests_on(points: &[(u64, Ratio)], model: &SizeModel) -> Option<u64> {
    let SizeModel::Sum(_) = model else { return None };
    (0..points.len()).find_map(|without| {
        let mut others = points.to_vec();
        let (ranks, _) = others.remove(without);
        constant(&others).map(|_| ranks)
    })
}

fn of_terms(points: &[(u64, Ratio)], (terms, added): &Terms) -> Option<SizeModel> {
    let added = Ratio::whole(*added);
    let equation = |&(ranks, value): &(u64, Ratio)| {
        let factors: Option<Vec<Ratio>> = terms.iter().map(|term| term.at(ranks)).collect();
        Some((factors?, value.minus(added)?))
    };
    let equations: Vec<_> = points.iter().map(equation).collect::<Option<_>>()?;
    let Solved::One(factors) = solve(equations.iter().cloned(), terms.len())? else { return None };
    // Repeated equations prove nothing: more of them must differ than there are unknowns.
    let mut different: Vec<&Vec<Ratio>> = Vec::new();
    for (factors, _) in &equations {
        if !different.contains(&factors) {
            different.push(factors);
        }
    }
    if different.len() <= terms.len() {
        return None;
    }
    // The other sizes must predict each size: terms may have too few different values.
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
        let found = fit_sizes(&points, target, None).filter(|found| found.other.is_none())?;
        found.model.at(target)?.to_whole()
    }

    fn certain(sizes: &[u64], value: impl Fn(i128) -> i128, target: u64) -> bool {
        let points: Vec<(u64, Ratio)> =
            sizes.iter().map(|&n| (n, Ratio::whole(value(i128::from(n))))).collect();
        let found = fit_sizes(&points, target, None).expect("a model");
        found.other.is_none() && found.rival.is_none() && found.rests_on.is_none()
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
        let model = model.expect("a model");
        assert_eq!((model.cost, model.model.at(30)), (1, Some(Ratio::whole(320))));
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
    fn what_nothing_fits_is_not_predicted() {
        let points: Vec<(u64, Ratio)> =
            [(4, 17), (6, 3), (9, 911), (12, 5)].map(|(n, y)| (n, Ratio::whole(y))).into();
        assert_eq!(fit_sizes(&points, 30, None), None);
        assert_eq!(fit_sizes(&points[..1], 30, None), None, "one size proves nothing");
    }

    #[test]
    fn what_other_models_would_do_for_is_not_certain() {
        let sizes = [4, 6, 9, 12];
        assert!(certain(&sizes, |n| 3 * n - 5, 30) && certain(&sizes, |n| 7200 / n, 30));
        assert!(certain(&sizes, |n| 100_000 / n, 30), "nothing can be added to so large a share");
        assert!(!certain(&sizes, |n| (1000 + n - 1) / n, 16), "2 + floor(993/size)");
        assert!(!certain(&sizes, |n| 2 + 60 / (n - 1), 30), "the rest hides what is added");
        assert!(!certain(&[4, 6, 9], |n| i128::from(n.ilog2()), 16), "only one size shows anything");
    }
}
