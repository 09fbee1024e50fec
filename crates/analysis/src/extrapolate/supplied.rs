//! Evaluates a sequence by a model of the user.

use marigraph_model::folded::{Column, Series};
use marigraph_wire::sequence::Bench;

use super::Impossible;
use super::lift::{Lift, Seen};
use super::number::{Numbers, Target, modelled};
use super::user::UserModel;

const SUPPLIED: u64 = 1 << 24;

/// One sequence by a model of the user, which must agree with all observations.
pub fn supplied(
    model: &UserModel,
    seen: &[Seen<'_>],
    goal: &Target<'_>,
    bench: &mut Bench,
) -> Result<Series, Impossible> {
    let contradicted = |why: String| Impossible::Contradicted(model.to_string(), why);
    for one in seen {
        for (turn, value) in (0..).zip(one.sequence.iter().take(SUPPLIED as usize)) {
            let found = model.at(one.rank, one.ranks, turn);
            if found != Some(value) {
                let found = found.map_or_else(|| "no value".to_string(), |found| found.to_string());
                let place = format!("at {} ranks, rank {}, i = {turn}", one.ranks, one.rank);
                return Err(contradicted(format!("{place} it gives {found} where {value} was seen")));
            }
        }
    }
    let lengths: Numbers =
        seen.iter().map(|one| (one.ranks as u32, one.rank as u32, one.sequence.len() as i64)).collect();
    let length = match modelled(&lengths, goal).column {
        Column::Constant(length) => u64::try_from(length).unwrap_or(0),
        _ => 0,
    };
    let members = goal.members.len() as u64;
    if length == 0 || length.saturating_mul(members) > SUPPLIED {
        return Err(contradicted("the number of calls differs between ranks, or is too large".to_string()));
    }
    let ranks = u64::from(goal.ranks);
    let column = |turn: u64| {
        let values: Option<Vec<i64>> =
            goal.members.iter().map(|&rank| model.at(u64::from(rank), ranks, turn)).collect();
        values.map(Column::of)
    };
    let columns: Option<Vec<Column>> = (0..length).map(column).collect();
    let columns = columns.ok_or_else(|| contradicted(format!("it has no value at {ranks} ranks")))?;
    Lift::Each(columns.len())
        .series(columns, bench)
        .ok_or_else(|| contradicted("there are no calls".to_string()))
}
