//! One number of a class at another size.

use marigraph_wire::skeleton::Column;

use super::Verdict;
use super::fit::{Fit, Model, Observed, fit};
use super::user::UserModel;

/// What a class is made for.
pub struct Target<'a> {
    /// Ranks of the other size.
    pub ranks: u32,
    /// Those of the class.
    pub members: &'a [u32],
    /// What the user knows.
    pub models: &'a [UserModel],
}

/// Observed numbers, one for each stream that tells it: ranks of the job, rank, number.
pub type Numbers = Vec<(u32, u32, i64)>;

fn by_size(numbers: &Numbers) -> Vec<Observed> {
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

/// One number at the other size.
pub struct Modelled {
    /// Over the members.
    pub column: Column,
    /// How good it is.
    pub verdict: Verdict,
    /// The model in words.
    pub model: String,
    /// Why it is not exact.
    pub why: String,
    /// Whether it does.
    pub varies_with_rank: bool,
}

impl Modelled {
    fn failed(verdict: Verdict, model: String, why: String) -> Modelled {
        let column = Column::Constant(0);
        Modelled { column, verdict, model, why, varies_with_rank: false }
    }
}

/// A number at the other size, from what was seen of it.
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
    match fit(&observed, u64::from(target.ranks), target.members) {
        Fit::Model(model) => of_model(&model, target),
        Fit::Ambiguous(one, other) => {
            let why = format!("both fit, and differ at {} ranks", target.ranks);
            Modelled::failed(Verdict::Ambiguous, format!("{one} or {other}"), why)
        }
        Fit::None => {
            let (model, why) = nearest(&observed, target);
            Modelled::failed(Verdict::Refused, model, why)
        }
    }
}

fn of_model(model: &Model, target: &Target<'_>) -> Modelled {
    let ranks = u64::from(target.ranks);
    let Some((column, rounded)) = column(model, target) else {
        return Modelled::failed(
            Verdict::Refused,
            model.to_string(),
            format!("it has no value at {ranks} ranks"),
        );
    };
    let verdict = if rounded { Verdict::Assumed } else { Verdict::Exact };
    let why =
        if rounded { "integer division was only seen where it divides".to_string() } else { String::new() };
    Modelled { column, verdict, model: model.to_string(), why, varies_with_rank: model.varies_with_rank() }
}

/// The model's numbers over the members, and whether any is rounded.
fn column(model: &Model, target: &Target<'_>) -> Option<(Column, bool)> {
    let (ranks, members) = (u64::from(target.ranks), target.members);
    let (first, second) = (*members.first()?, members.get(1).copied().unwrap_or(members[0]));
    let even = members.windows(2).all(|pair| pair[1] - pair[0] == second - first);
    if even && model.is_affine() {
        let (start, rounded) = model.at(u64::from(first), ranks)?;
        let (next, _) = model.at(u64::from(second), ranks)?;
        let step = next.checked_sub(start)?;
        return Some((
            if step == 0 { Column::Constant(start) } else { Column::Affine(start, step) },
            rounded,
        ));
    }
    let mut rounded = false;
    let value = |&rank: &u32| {
        let (value, cut) = model.at(u64::from(rank), ranks)?;
        rounded |= cut;
        Some(value)
    };
    Some((Column::Values(members.iter().map(value).collect::<Option<_>>()?), rounded))
}

/// The model that fits all sizes but one, if there is one, and where it fails; or what was seen.
fn nearest(observed: &[Observed], target: &Target<'_>) -> (String, String) {
    for without in (0..observed.len()).filter(|_| observed.len() > 3) {
        let mut fewer = observed.to_vec();
        let left_out = fewer.remove(without);
        if let Fit::Model(model) = fit(&fewer, u64::from(target.ranks), target.members) {
            let wrong = left_out.values.iter().find_map(|&(rank, value)| {
                let found = model.at(rank, left_out.ranks)?.0;
                (found != value).then_some((rank, found, value))
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
    ("none".to_string(), format!("no model fits what was seen by rank: {}", seen.join("; ")))
}
