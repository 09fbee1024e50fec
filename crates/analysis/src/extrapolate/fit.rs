//! From numbers of ranks and sizes to a model of both, by columns and then across sizes.

use std::fmt;

use super::forms::{Form, tiers};
use super::ratio::{Ratio, Solved, solve};
use super::sizes::{SizeFit, SizeModel, fit_sizes};

/// A number of each rank of a class at one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// Ranks of the job.
    pub ranks: u64,
    /// Rank and number.
    pub values: Vec<(u64, i64)>,
}

/// A number as it follows from rank and size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    form: Form,
    /// The constant, then one for each feature of the form.
    factors: Vec<SizeModel>,
    /// Whether each was a whole number at all sizes seen.
    whole: Vec<bool>,
}

/// What is known of a number at another size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// This model.
    Model(Model),
    /// Two that are equally simple and differ.
    Ambiguous(Model, Model),
    /// None fits.
    None,
}

impl Model {
    /// The number at a rank, and whether it had to be rounded as integer division does.
    pub fn at(&self, rank: u64, ranks: u64) -> Option<(i64, bool)> {
        let (factors, rounded) = self.factors_at(ranks)?;
        let mut sum = *factors.first()?;
        for (factor, feature) in factors.iter().skip(1).zip(self.form.features(rank, ranks)?) {
            sum = sum.plus(factor.times(Ratio::whole(feature))?)?;
        }
        Some((i64::try_from(sum.to_whole()?).ok()?, rounded))
    }

    /// Factors at a size. Those that were whole at all sizes seen are cut off where they are not, as integer
    /// division does; whether any was.
    fn factors_at(&self, ranks: u64) -> Option<(Vec<Ratio>, bool)> {
        let mut rounded = false;
        let factor = |(factor, &whole): (&SizeModel, &bool)| {
            let value = factor.at(ranks)?;
            let cut = whole && value.to_whole().is_none();
            rounded |= cut;
            Some(if cut { Ratio::whole(value.truncated()) } else { value })
        };
        let factors: Option<Vec<Ratio>> = self.factors.iter().zip(&self.whole).map(factor).collect();
        Some((factors?, rounded))
    }

    /// Whether it is affine in the rank.
    pub fn is_affine(&self) -> bool {
        matches!(self.form, Form::Constant | Form::Linear)
    }

    /// Whether it gives what was observed.
    fn explains(&self, observed: &Observed) -> bool {
        let same = |&(rank, value): &(u64, i64)| {
            self.at(rank, observed.ranks).map(|(found, _)| found) == Some(value)
        };
        observed.values.iter().all(same)
    }

    /// Whether it depends on the rank.
    pub fn varies_with_rank(&self) -> bool {
        self.form != Form::Constant
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms: Vec<String> = Vec::new();
        for (factor, name) in self.factors.iter().skip(1).zip(self.form.names()) {
            match factor.to_string().as_str() {
                "0" => {}
                "1" => terms.push(name),
                factor if factor.contains([' ', '/']) => terms.push(format!("({factor})*{name}")),
                factor => terms.push(format!("{factor}*{name}")),
            }
        }
        if let Some(constant) = self.factors.first().filter(|factor| !factor.is_zero() || terms.is_empty()) {
            terms.push(constant.to_string());
        }
        write!(f, "{}", terms.join(" + "))
    }
}

/// Ranks of the other size at which equally simple models are told apart at most.
const COMPARED: usize = 4096;

/// The simplest model of what was observed; `wanted` are the ranks of the other size it is for.
pub fn fit(observed: &[Observed], target: u64, wanted: &[u32]) -> Fit {
    for tier in tiers(total(observed)) {
        let mut found: Option<Model> = None;
        for form in tier {
            let model = match of_form(observed, form, target) {
                Some(Ok(model)) => model,
                Some(Err((one, other))) => return Fit::Ambiguous(one, other),
                None => continue,
            };
            match &found {
                Some(first) if differ(first, &model, target, wanted) => {
                    return Fit::Ambiguous(first.clone(), model);
                }
                Some(_) => {}
                None => found = Some(model),
            }
        }
        if let Some(model) = found {
            return Fit::Model(model);
        }
    }
    Fit::None
}

fn differ(one: &Model, other: &Model, target: u64, wanted: &[u32]) -> bool {
    let step = wanted.len().div_ceil(COMPARED).max(1);
    let at = |model: &Model, rank: u32| model.at(u64::from(rank), target).map(|(value, _)| value);
    wanted.iter().step_by(step).any(|&rank| at(one, rank) != at(other, rank))
}

/// What the numbers of all ranks add up to, if that is the same at all sizes: work that is shared.
fn total(observed: &[Observed]) -> Option<u64> {
    let sum = |one: &Observed| -> Option<i128> {
        let all = one.values.len() as u64 == one.ranks;
        all.then(|| one.values.iter().map(|(_, value)| i128::from(*value)).sum())
    };
    let first = sum(observed.first()?)?;
    let same = observed.iter().all(|one| sum(one) == Some(first));
    u64::try_from(first).ok().filter(|_| same)
}

type Found = Result<Model, (Model, Model)>;

/// The model of one form, if it fits all sizes exactly.
fn of_form(observed: &[Observed], form: Form, target: u64) -> Option<Found> {
    let mut by_size: Vec<(u64, Vec<Ratio>)> = Vec::with_capacity(observed.len());
    for one in observed {
        match column(one, form)? {
            Solved::One(factors) => by_size.push((one.ranks, factors)),
            // Too few ranks to tell the factors: they are only checked.
            Solved::Many => {}
            Solved::Impossible => return None,
        }
    }
    if by_size.len() < 2 {
        return None;
    }
    let (mut factors, mut others) = (Vec::new(), Vec::new());
    let mut ambiguous = false;
    for at in 0..by_size[0].1.len() {
        let points: Vec<(u64, Ratio)> = by_size.iter().map(|(ranks, found)| (*ranks, found[at])).collect();
        let (factor, other) = match fit_sizes(&points, target) {
            SizeFit::Model(model) => (model.clone(), model),
            SizeFit::Ambiguous(one, other) => {
                ambiguous = true;
                (one, other)
            }
            SizeFit::None => return None,
        };
        factors.push(factor);
        others.push(other);
    }
    // A form all of whose features count for nothing is a constant in disguise.
    if form != Form::Constant && factors.iter().skip(1).all(SizeModel::is_zero) {
        return None;
    }
    let is_whole = |at: usize| by_size.iter().all(|(_, found)| found[at].to_whole().is_some());
    let whole: Vec<bool> = (0..factors.len()).map(is_whole).collect();
    let model = Model { form, factors, whole: whole.clone() };
    let undetermined = by_size.len() < observed.len();
    if undetermined && !observed.iter().all(|one| model.explains(one)) {
        return None;
    }
    Some(if ambiguous { Err((model, Model { form, factors: others, whole })) } else { Ok(model) })
}

/// Factors of a form at one size.
fn column(observed: &Observed, form: Form) -> Option<Solved> {
    let equation = |&(rank, value): &(u64, i64)| {
        let features = form.features(rank, observed.ranks)?;
        let factors = std::iter::once(1).chain(features).map(Ratio::whole).collect();
        Some((factors, Ratio::whole(i128::from(value))))
    };
    let equations: Option<Vec<_>> = observed.values.iter().map(equation).collect();
    let unknowns = 1 + form.names().len();
    solve(equations?.into_iter(), unknowns)
}

#[cfg(test)]
mod tests {
    use super::super::forms::coordinates;
    use super::*;

    const SIZES: [u64; 4] = [4, 6, 9, 12];

    fn observed(value: impl Fn(u64, u64) -> i64) -> Vec<Observed> {
        let one = |&ranks: &u64| Observed {
            ranks,
            values: (0..ranks).map(|rank| (rank, value(rank, ranks))).collect(),
        };
        SIZES.iter().map(one).collect()
    }

    fn check(value: impl Fn(u64, u64) -> i64, target: u64) -> String {
        let wanted: Vec<u32> = (0..target as u32).collect();
        let Fit::Model(model) = fit(&observed(&value), target, &wanted) else {
            panic!("no model: {:?}", fit(&observed(&value), target, &wanted))
        };
        for rank in 0..target {
            assert_eq!(model.at(rank, target).map(|(value, _)| value), Some(value(rank, target)), "{model}");
        }
        model.to_string()
    }

    #[test]
    fn columns_of_many_kinds_are_foretold() {
        for target in [16, 24, 30] {
            check(|rank, _| 4096 * rank as i64 + 7, target);
            check(|rank, ranks| (7200 / ranks * rank) as i64, target);
            check(|rank, ranks| (((rank + 3) % ranks) * 4096) as i64, target);
            check(|rank, _| (rank / 4) as i64, target);
            check(|rank, _| (rank % 4) as i64, target);
            check(|rank, _| (100 * (rank / 4) + rank % 4) as i64, target);
            check(|rank, ranks| (1003 / ranks + u64::from(rank < 1003 % ranks)) as i64, target);
            check(
                |rank, ranks| {
                    let at = coordinates(rank, ranks, 2, true);
                    (1000 * at[0] + 8 * at[1] + 5) as i64
                },
                target,
            );
        }
    }

    #[test]
    fn table_one_of_the_paper() {
        // Offsets of the first turn; 960 more for each further one.
        let one = |ranks: u64| Observed {
            ranks,
            values: (0..ranks).map(|rank| (rank, (rank * (960 / ranks)) as i64)).collect(),
        };
        let Fit::Model(model) = fit(&[one(4), one(6), one(10), one(12)], 8, &[0, 6, 7]) else {
            panic!("a model")
        };
        assert_eq!(model.to_string(), "(960/size)*rank");
        assert_eq!((model.at(6, 8), model.at(7, 8)), (Some((720, false)), Some((840, false))));
        assert_eq!(model.at(6, 7), Some((822, true)), "cut off as integer division does, and told so");
    }

    #[test]
    fn numbers_without_a_rule_have_none() {
        let hash = |rank: u64, ranks: u64| ((rank * 2_654_435_761 + ranks * 40_503) % 9973) as i64;
        assert_eq!(fit(&observed(hash), 16, &(0..16).collect::<Vec<_>>()), Fit::None);
    }
}
