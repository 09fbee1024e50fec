//! Fits a model over rank and size to observed numbers: first within each size, then across sizes.

use super::forms::{Form, layer, tiers};
use super::model::Model;
use super::ratio::{Ratio, Solved, gcd, solve};
use super::sizes::{SizeModel, fit_sizes, rival_logarithm};
use super::terms::Size;

/// A number of each rank of a class at one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    pub ranks: u64,
    /// Pairs of rank and number.
    pub values: Vec<(u64, i64)>,
}

/// What is known about the program besides the number to be modelled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// Amounts of work that the program divides unevenly among its ranks.
    pub shared: Vec<u64>,
    pub grid: Option<usize>,
    /// Bytes per call of a place, and distances between calls: numbers that are multiples of these
    /// are truncated to them.
    pub units: Vec<i64>,
    /// Presumed element size of what the number counts.
    pub element: i64,
}

/// The result of fitting a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// The model, and why it is unproven, if it is.
    Model(Model, Option<String>),
    /// Two equally simple models that differ at the other size.
    Ambiguous(Model, Model),
    None,
}

/// Maximum number of ranks of the new size at which equally simple models are compared.
const COMPARED: usize = 4096;

struct Found {
    cost: u32,
    model: Model,
    /// A model of the same form that is as simple and differs at the other size.
    other: Option<Model>,
    doubt: Option<String>,
    is_overdetermined: bool,
}

/// Finds the simplest model of the observations; `wanted` are the ranks of the target size.
pub fn fit(observed: &[Observed], target: u64, wanted: &[u32], known: &Known) -> Fit {
    let mut found: Vec<Found> = Vec::new();
    for (weight, tier) in tiers(&known.shared, &totals(observed)) {
        let forms = tier.into_iter().filter(|form| is_shown(*form, observed));
        let models = forms.filter_map(|form| of_form(observed, form, target, known));
        found.extend(models.map(|one| Found { cost: weight + one.cost, ..one }));
    }
    let Some(least) = found.iter().map(|one| one.cost).min() else { return Fit::None };
    let (simplest, others): (Vec<Found>, Vec<Found>) = found.into_iter().partition(|one| one.cost == least);
    let mut simplest = simplest.into_iter();
    let Some(first) = simplest.next() else { return Fit::None };
    let values = sampled(&first.model, target, wanted);
    let differs = |model: &Model| sampled(model, target, wanted) != values;
    let equal = simplest.flat_map(|one| std::iter::once(one.model).chain(one.other));
    if let Some(other) = first.other.into_iter().chain(equal).find(|other| differs(other)) {
        return Fit::Ambiguous(first.model, other);
    }
    let seen = observed.iter().map(|one| one.values.len()).max().unwrap_or(0);
    let few = !first.is_overdetermined && wanted.len() > seen;
    let few = few.then(|| format!("{seen} ranks are too few to prove it"));
    // Values rounded to units are handled elsewhere.
    let values = sampled(&first.model.in_ones(), target, wanted);
    let differs = |model: &Model| sampled(&model.in_ones(), target, wanted) != values;
    let rival = others.into_iter().filter(|one| one.is_overdetermined).find(|one| differs(&one.model));
    let rival = rival.map(|rival| format!("{} fits as well", rival.model));
    Fit::Model(first.model, first.doubt.or(few).or(rival))
}

/// Whether the observed ranks can distinguish a form from a simpler one: below 32, `rank^32` is
/// `rank+32` and `rank%32` is `rank`.
fn is_shown(form: Form, observed: &[Observed]) -> bool {
    let shows = |ranks: u64, rank: u64| match form {
        Form::Partner(bits) => rank & bits != 0,
        Form::Remainder(by) => rank >= by,
        Form::Layer(last_fastest) => rank >= layer(&Size::of(ranks), last_fastest),
        Form::Ring(by) => rank.checked_add_signed(by).is_none_or(|neighbour| neighbour >= ranks),
        _ => true,
    };
    observed.iter().any(|one| one.values.iter().any(|&(rank, _)| shows(one.ranks, rank)))
}

fn sampled(model: &Model, target: u64, wanted: &[u32]) -> Vec<Option<i64>> {
    let placed = model.on(target);
    let step = wanted.len().div_ceil(COMPARED).max(1);
    let at = |&rank: &u32| placed.as_ref().and_then(|placed| placed.at(u64::from(rank)));
    wanted.iter().step_by(step).map(at).collect()
}

/// The sum over all ranks, if it is the same at all sizes: shared work, in units of one and in the
/// greatest common divisor of the numbers.
pub fn totals(observed: &[Observed]) -> Vec<u64> {
    let sum = |one: &Observed| -> Option<i128> {
        let all = one.values.len() as u64 == one.ranks && one.values.iter().all(|(_, value)| *value >= 0);
        all.then(|| one.values.iter().map(|(_, value)| i128::from(*value)).sum())
    };
    let Some(first) = observed.first().and_then(sum).filter(|first| *first > 0) else { return Vec::new() };
    if observed.iter().any(|one| sum(one) != Some(first)) {
        return Vec::new();
    }
    let values = observed.iter().flat_map(|one| &one.values);
    let unit = values.fold(0, |common, (_, value)| gcd(common, i128::from(*value))).max(1);
    let mut totals: Vec<u64> =
        [first / unit, first].into_iter().filter_map(|total| u64::try_from(total).ok()).collect();
    totals.dedup();
    totals
}

fn of_form(observed: &[Observed], form: Form, target: u64, known: &Known) -> Option<Found> {
    let mut by_size: Vec<(u64, Vec<Ratio>)> = Vec::with_capacity(observed.len());
    for one in observed {
        match column(one, form)? {
            Solved::One(factors) => by_size.push((one.ranks, factors)),
            // Too few ranks to determine the factors: they are only checked.
            Solved::Many => {}
            Solved::Impossible => return None,
        }
    }
    if by_size.len() < 2 || (1..by_size[0].1.len()).any(|at| comes_and_goes(&by_size, at)) {
        return None;
    }
    let (mut factors, mut others) = (Vec::new(), Vec::new());
    let (mut ambiguous, mut cost, mut doubt) = (false, 0, None);
    for at in 0..by_size[0].1.len() {
        let points: Vec<(u64, Ratio)> = by_size.iter().map(|(ranks, found)| (*ranks, found[at])).collect();
        let mut found = fit_sizes(&points, target, form.grid().or(known.grid))?;
        // Multiples of a side that are the same on all ranks are strides of a grid.
        let is_stride = form == Form::Constant && found.cost == 1;
        if at == 0 && !is_stride && found.rival.is_none() {
            found.rival = rival_logarithm(&points, &found.model, target);
        }
        doubt = doubt.or_else(|| found.doubt());
        ambiguous |= found.other.is_some();
        cost += found.cost;
        others.push(found.other.unwrap_or_else(|| found.model.clone()));
        factors.push(found.model);
    }
    // A form whose features all have factor zero is a constant in disguise.
    let disguised = form != Form::Constant && factors.iter().skip(1).all(SizeModel::is_zero);
    // Two independently rounded divisions fit almost anything.
    let rounded = factors.iter().filter(|factor| matches!(factor, SizeModel::Rounded(_))).count();
    if disguised || rounded > 1 || form.is_fixed() && cost > 0 {
        return None;
    }
    let model = with_units(form, factors, &by_size, known);
    let undetermined = by_size.len() < observed.len();
    if undetermined && !observed.iter().all(|one| model.explains(one)) {
        return None;
    }
    let other = ambiguous.then(|| Model { factors: others, ..model.clone() });
    let is_overdetermined = observed.iter().any(|one| one.values.len() > 1 + form.names().len());
    Some(Found { cost, model, other, doubt, is_overdetermined })
}

fn with_units(form: Form, factors: Vec<SizeModel>, by_size: &[(u64, Vec<Ratio>)], known: &Known) -> Model {
    let all = |at: usize, unit: i128| by_size.iter().all(|(_, found)| found[at].is_multiple_of(unit));
    let unit = |at: usize| {
        let units = known.units.iter().map(|&unit| i128::from(unit));
        units.chain([1]).filter(|&unit| all(at, unit)).max()
    };
    let units: Vec<Option<i128>> = (0..factors.len()).map(unit).collect();
    let element = i128::from(known.element.max(1));
    let elements = (0..factors.len()).map(|at| if all(at, element) { element } else { 1 }).collect();
    Model { form, factors, units, elements }
}

/// Whether a factor is zero at only some sizes: a number that depends on the rank does so at all
/// sizes.
fn comes_and_goes(by_size: &[(u64, Vec<Ratio>)], at: usize) -> bool {
    let mut nothing = by_size.iter().map(|(_, factors)| factors[at].is_zero());
    let first = nothing.next();
    nothing.any(|other| Some(other) != first)
}

fn column(observed: &Observed, form: Form) -> Option<Solved> {
    let size = Size::of(observed.ranks);
    let equation = |&(rank, value): &(u64, i64)| {
        let features = form.features(rank, &size)?;
        let factors = std::iter::once(1).chain(features).map(Ratio::whole).collect();
        Some((factors, Ratio::whole(i128::from(value))))
    };
    // A form is defined for all ranks of a size or for none.
    form.features(0, &size)?;
    solve(observed.values.iter().filter_map(equation), 1 + form.names().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unaided(observed: &[Observed], target: u64, wanted: &[u32]) -> Fit {
        fit(observed, target, wanted, &Known::default())
    }

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
        let Fit::Model(model, None) = unaided(&observed(&value), target, &wanted) else {
            panic!("no model: {:?}", unaided(&observed(&value), target, &wanted))
        };
        let placed = model.on(target).expect("a size");
        for rank in 0..target {
            assert_eq!(placed.at(rank), Some(value(rank, target)), "{model}");
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
                    let at = Size::of(ranks).coordinates(rank, 2, true);
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
        let Fit::Model(model, None) = unaided(&[one(4), one(6), one(10), one(12)], 8, &[0, 6, 7]) else {
            panic!("a model")
        };
        assert_eq!(model.to_string(), "(960/size)*rank");
        let (eight, seven) = (model.on(8).expect("a size"), model.on(7).expect("a size"));
        assert_eq!((eight.at(6), eight.at(7), eight.rounded), (Some(720), Some(840), false));
        assert_eq!(
            (seven.at(6), seven.rounded),
            (Some(822), true),
            "cut off as integer division does, and told so"
        );
    }

    #[test]
    fn a_logarithm_in_a_grid_is_not_taken_for_its_side() {
        let value = |rank: u64, ranks: u64| {
            (rank % Size::of(ranks).sides(2)[1] + 100 * u64::from(ranks.ilog2())) as i64
        };
        let told = unaided(&observed(value), 30, &(0..30).collect::<Vec<_>>());
        let Fit::Model(_, Some(doubt)) = told else { panic!("{told:?}") };
        assert!(doubt.contains("floor(log2(size)) would fit in place of 100*side2of2"), "{doubt}");
    }

    #[test]
    fn numbers_without_a_rule_have_none() {
        let hash = |rank: u64, ranks: u64| ((rank * 2_654_435_761 + ranks * 40_503) % 9973) as i64;
        assert_eq!(unaided(&observed(hash), 16, &(0..16).collect::<Vec<_>>()), Fit::None);
    }
}
