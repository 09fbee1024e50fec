//! Models one number of a class at another size.

use marigraph_model::folded::Column;

use super::Verdict;
use super::fit::{Fit, Known, Observed, fit};
use super::forms::Form;
use super::model::Model;
use super::ratio::Ratio;
use super::terms::{Size, Term};
use super::user::UserModel;

/// The size and the ranks that a class is modelled for.
pub struct Target<'a> {
    /// Of the job at the target size.
    pub ranks: u32,
    pub members: &'a [u32],
    pub models: &'a [UserModel],
    pub known: &'a Known,
    /// Ranks whose role was never seen, and why that may matter.
    pub unseen: Option<&'a (String, String)>,
}

/// Observed numbers, one per stream that has it: ranks of the job, rank, number.
pub type Numbers = Vec<(u32, u32, i64)>;

pub fn by_size(numbers: &Numbers) -> Vec<Observed> {
    let mut sizes: Vec<Observed> = Vec::new();
    for &(ranks, rank, value) in numbers {
        let ranks = u64::from(ranks);
        if sizes.last().is_none_or(|last| last.ranks != ranks) {
            sizes.push(Observed { ranks, values: Vec::new() });
        }
        if let Some(last) = sizes.last_mut() {
            last.values.push((u64::from(rank), value));
        }
    }
    sizes
}

/// One number at the target size.
pub struct Modelled {
    /// Over the members.
    pub column: Column,
    pub verdict: Verdict,
    pub model: String,
    pub why: String,
    pub varies_with_rank: bool,
}

impl Modelled {
    fn failed(verdict: Verdict, model: String, why: String) -> Modelled {
        let column = Column::Constant(0);
        Modelled { column, verdict, model, why, varies_with_rank: false }
    }
}

pub fn modelled(numbers: &Numbers, target: &Target<'_>) -> Modelled {
    // Most numbers are the same everywhere.
    if let Some(&(_, _, value)) =
        numbers.first().filter(|first| numbers.iter().all(|other| other.2 == first.2))
    {
        let (model, why) = (value.to_string(), String::new());
        return Modelled {
            column: Column::Constant(value),
            verdict: Verdict::Exact,
            model,
            why,
            varies_with_rank: false,
        };
    }
    let observed = by_size(numbers);
    match fit(&observed, u64::from(target.ranks), target.members, target.known) {
        Fit::Model(model, unproven) => of_model(&model, unproven, &observed, target),
        Fit::Ambiguous(one, other) => {
            let why = format!("both fit, but differ at {} ranks", target.ranks);
            Modelled::failed(Verdict::Ambiguous, format!("{one} or {other}"), why)
        }
        Fit::None => {
            let (model, why) = nearest(&observed, target);
            Modelled::failed(Verdict::Refused, model, why)
        }
    }
}

fn of_model(model: &Model, unproven: Option<String>, observed: &[Observed], target: &Target<'_>) -> Modelled {
    let ranks = u64::from(target.ranks);
    let Some((column, rounded)) = column(model, target) else {
        return Modelled::failed(
            Verdict::Refused,
            model.to_string(),
            format!("it has no value at {ranks} ranks"),
        );
    };
    let doubt = if rounded || is_broken(&column, observed, target) {
        Some("integer division was only seen without a remainder".to_string())
    } else if target.known.grid.is_some()
        && column.at(0).is_some_and(|value| is_logarithm(observed, (ranks, value)))
    {
        Some("it could be the logarithm of the size instead of a side of the grid".to_string())
    } else {
        doubt(model, observed, ranks).or(unproven)
    };
    let verdict = if doubt.is_some() { Verdict::Assumed } else { Verdict::Exact };
    let varies_with_rank = model.form != Form::Constant;
    Modelled { column, verdict, model: model.to_string(), why: doubt.unwrap_or_default(), varies_with_rank }
}

/// Whether the observations all left the same remainder modulo a unit, and the new numbers do not.
fn is_broken(column: &Column, observed: &[Observed], target: &Target<'_>) -> bool {
    let members = if let Column::Constant(_) = column { 1 } else { target.members.len() };
    let unit = |unit: i64| {
        let mut rests = observed.iter().flat_map(|one| &one.values).map(|(_, value)| value.rem_euclid(unit));
        let first = rests.next();
        let other = |at: usize| column.at(at).map(|value| value.rem_euclid(unit)) != first;
        rests.all(|rest| Some(rest) == first) && (0..members).any(other)
    };
    let known = target.known;
    known.units.iter().copied().chain([known.element]).filter(|&unit| unit > 1).any(unit)
}

/// Whether the numbers could also be a rounded logarithm of the size plus a constant, with another
/// value at the target.
fn is_logarithm(observed: &[Observed], (target, value): (u64, i64)) -> bool {
    let more = |ranks: u64, up: bool, value: i64| -> Option<Ratio> {
        Ratio::whole(i128::from(value)).minus(Term::Log(up).at(ranks)?)
    };
    let seen = || observed.iter().flat_map(|one| one.values.iter().map(|(_, value)| (one.ranks, *value)));
    [false, true].into_iter().any(|up| {
        let first = seen().next().and_then(|(ranks, value)| more(ranks, up, value));
        seen().all(|(ranks, value)| more(ranks, up, value) == first) && more(target, up, value) != first
    })
}

/// What the model does at the target size that the observed sizes never show.
fn doubt(model: &Model, observed: &[Observed], target: u64) -> Option<String> {
    let broken = |ranks: u64, group: u64| !ranks.is_multiple_of(group);
    let group = model
        .form
        .group()
        .filter(|&group| broken(target, group) && !observed.iter().any(|one| broken(one.ranks, group)));
    let groups = group.map(|group| format!("groups of {group} ranks were only seen complete"));
    groups
        .or_else(|| hidden_dimension(model, observed, target))
        .or_else(|| few_factors(model, observed, target))
}

/// Whether a grid of two dimensions looks like one of three at all observed sizes, but not at the
/// target: two of the three dimensions are merged or flat.
fn hidden_dimension(model: &Model, observed: &[Observed], target: u64) -> Option<String> {
    let alike = |ranks: u64, side: usize, layer: usize| {
        let size = Size::of(ranks);
        size.sides(2)[side] == ranks / size.sides(3)[layer].max(1)
    };
    let hidden = |(side, layer): (usize, usize)| {
        observed.iter().all(|one| alike(one.ranks, side, layer)) && !alike(target, side, layer)
    };
    let ways = (0..2).flat_map(|side| (0..3).map(move |layer| (side, layer)));
    (model.has_sides_of(2) && ways.into_iter().any(hidden))
        .then(|| "a third dimension of the grid would not have been visible".to_string())
}

/// Doubts a grid or a division that was only seen on powers of one number: other factors may behave
/// differently.
fn few_factors(model: &Model, observed: &[Observed], target: u64) -> Option<String> {
    let power = |of: u64, mut ranks: u64| {
        while ranks.is_multiple_of(of) {
            ranks /= of;
        }
        ranks == 1
    };
    let only = [2, 3, 5, 7].into_iter().find(|&of| observed.iter().all(|one| power(of, one.ranks)))?;
    let what = if model.has_grid() {
        "its grid"
    } else if model.divides() {
        "its division"
    } else {
        return None;
    };
    (!power(only, target)).then(|| format!("{what} was only seen on powers of {only} ranks"))
}

fn column(model: &Model, target: &Target<'_>) -> Option<(Column, bool)> {
    let members = target.members;
    let placed = model.on(u64::from(target.ranks))?;
    let (first, second) = (*members.first()?, members.get(1).copied().unwrap_or(members[0]));
    let even = || members.windows(2).all(|pair| pair[1] - pair[0] == second - first);
    if model.is_affine() && even() {
        let start = placed.at(u64::from(first))?;
        let step = placed.at(u64::from(second))?.checked_sub(start)?;
        let column = if step == 0 { Column::Constant(start) } else { Column::Affine(start, step) };
        return Some((column, placed.rounded));
    }
    let values = members.iter().map(|&rank| placed.at(u64::from(rank))).collect::<Option<_>>()?;
    Some((Column::of(values), placed.rounded))
}

/// The model that fits all sizes but one, and where it fails; otherwise the observations.
fn nearest(observed: &[Observed], target: &Target<'_>) -> (String, String) {
    for without in (0..observed.len()).filter(|_| observed.len() > 3) {
        let mut fewer = observed.to_vec();
        let left_out = fewer.remove(without);
        if let Fit::Model(model, _) = fit(&fewer, u64::from(target.ranks), target.members, target.known) {
            let wrong = model.on(left_out.ranks).and_then(|placed| {
                left_out.values.iter().find_map(|&(rank, value)| {
                    let found = placed.at(rank)?;
                    (found != value).then_some((rank, found, value))
                })
            });
            if let Some((rank, expected, got)) = wrong {
                let why = format!(
                    "at {} ranks, rank {rank}, it gives {expected} where {got} was seen",
                    left_out.ranks
                );
                return (model.to_string(), why);
            }
        }
    }
    let shown = |one: &Observed| {
        let values: Vec<String> =
            one.values.iter().take(4).map(|(rank, value)| format!("{rank}: {value}")).collect();
        format!("{} ranks ({})", one.ranks, values.join(", "))
    };
    let seen: Vec<String> = observed.iter().map(shown).collect();
    ("none".to_string(), format!("no model fits the values by rank: {}", seen.join("; ")))
}
