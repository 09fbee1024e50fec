//! Models every number of a class of streams at another size.

use marigraph_model::folded::{Branch, Class, Column, Part, Series, Stream, Unit};
use marigraph_wire::sequence::Bench;

use super::classes::Group;
use super::derived::numbers;
use super::fit::Known;
use super::lift::{Lift, Seen};
use super::names::doubts;
use super::number::{Modelled, Numbers, Target, modelled};
use super::supplied::supplied;
use super::user::UserModel;
use super::words::{is_called, parameter};
use super::{Detail, Impossible, Outcome, Verdict, known, times};

/// Builds the class for the ranks of `goal`. Events that cannot be modelled are left out and
/// reported.
pub fn class(
    group: &Group<'_>,
    goal: &Target<'_>,
    outcome: &mut Outcome,
    bench: &mut Bench,
) -> Result<Class, Impossible> {
    let first = group.first().ok_or(Impossible::TooFewSizes(0))?;
    let mut order = modelled_order(group, first, goal, outcome)?;
    let mut units = Vec::new();
    let mut dropped = Vec::new();
    for at in 0..first.parts.len() {
        match unit(group, at, goal, outcome, bench)? {
            Some(unit) => units.push(unit),
            None => dropped.push(at as i64),
        }
    }
    if !dropped.is_empty() {
        order = without(&order, &dropped);
    }
    let (process, thread) = (first.process, first.thread);
    let first_start = group.all().map(|(_, stream)| stream.first_start).min().unwrap_or(0);
    Ok(Class { process, thread, ranks: goal.members.to_vec(), order, units, first_start })
}

/// The order of calls with the counts of the target size. Each assumed count is reported as an
/// event.
fn modelled_order(
    group: &Group<'_>,
    first: &Stream,
    goal: &Target<'_>,
    outcome: &mut Outcome,
) -> Result<Vec<Branch>, Impossible> {
    let mut order = Vec::with_capacity(first.order.len());
    for (at, node) in first.order.iter().enumerate() {
        let numbers: Numbers =
            group.all().map(|(ranks, stream)| (ranks, stream.rank, stream.order[at].count as i64)).collect();
        let Modelled { column, verdict, model, why, .. } = modelled(&numbers, goal);
        let event = || {
            let inside = first.order[at..].iter().find(|node| node.len == 0).map_or(0, |node| node.value);
            let call = first.parts.get(inside as usize).map_or("", |part| part.shape.op.name());
            format!("loop at {call} in the {}", group.name())
        };
        match verdict {
            Verdict::Exact => {}
            Verdict::Assumed => {
                let parameter = "turns".to_string();
                outcome.count(verdict);
                outcome.details.push(Detail { event: event(), parameter, verdict, model, why });
            }
            _ => return Err(Impossible::Loops(event(), format!("{model}: {why}"))),
        }
        order.push(Branch { value: Column::Constant(node.value), count: column, len: node.len });
    }
    Ok(order)
}

/// Renumbers the parts that stay.
fn without(order: &[Branch], dropped: &[i64]) -> Vec<Branch> {
    let mut kept = Vec::new();
    let mut rest = order;
    while let Some((head, after)) = rest.split_first() {
        let (body, behind) = after.split_at(after.len().min(head.len as usize));
        rest = behind;
        let value = head.value.at(0).unwrap_or(0);
        if head.len == 0 {
            if !dropped.contains(&value) {
                let before = dropped.iter().filter(|&&dropped| dropped < value).count() as i64;
                kept.push(Branch { value: Column::Constant(value - before), ..head.clone() });
            }
            continue;
        }
        let body = without(body, dropped);
        if !body.is_empty() {
            let (mut tops, mut at) = (0, 0);
            while let Some(node) = body.get(at) {
                at += 1 + node.len as usize;
                tops += 1;
            }
            kept.push(Branch {
                value: Column::Constant(tops),
                count: head.count.clone(),
                len: body.len() as u32,
            });
            kept.extend(body);
        }
    }
    kept
}

/// Models all sequences of one event; `None` if one of them cannot be modelled.
fn unit(
    group: &Group<'_>,
    at: usize,
    goal: &Target<'_>,
    outcome: &mut Outcome,
    bench: &mut Bench,
) -> Result<Option<Unit>, Impossible> {
    let Some(first) = group.first().and_then(|first| first.parts.get(at)) else { return Ok(None) };
    let (series, mut said) = sequences(group, at, goal, bench)?;
    if let Some((ranks, why)) = goal.unseen {
        said.push(("ranks".to_string(), (Verdict::Assumed, ranks.clone(), why.clone())));
    }
    if series.len() == first.sequences.len() {
        let seen = |place: usize| group.all().map(|(_, stream)| &stream.parts[at].sequences[place]).collect();
        let doubts = doubts(&first.names, seen, &series, goal.members.len());
        said.extend(doubts.into_iter().map(|said| ("number in the name".to_string(), said)));
    }
    let event = format!("{} (call {} by first use), {}", first.shape.op.name(), at + 1, group.name());
    let worst = said.iter().map(|(_, (verdict, ..))| *verdict).max().unwrap_or(Verdict::Exact);
    outcome.count(worst);
    outcome.details.extend(said.into_iter().map(|(parameter, (verdict, model, why))| Detail {
        event: event.clone(),
        parameter,
        verdict,
        model,
        why,
    }));
    let (shape, names) = (first.shape.clone(), first.names.clone());
    let made = || Unit { shape, names, sequences: series, times: estimated(group, at, goal) };
    Ok((worst <= Verdict::Assumed).then(made))
}

/// Verdict, model, and reason.
type Said = (Verdict, String, String);

/// Sequences, and findings by parameter.
type Sequences = (Vec<Series>, Vec<(String, Said)>);

fn sequences(
    group: &Group<'_>,
    at: usize,
    goal: &Target<'_>,
    bench: &mut Bench,
) -> Result<Sequences, Impossible> {
    let (mut series, mut said) = (Vec::new(), Vec::new());
    let Some(first) = group.first().map(|first| &first.parts[at]) else { return Ok((series, said)) };
    let in_bytes = Known { element: known::ELEMENT, ..goal.known.clone() };
    let units =
        |place: usize| known::unit(group, at).into_iter().chain(known::stride(group, at, place)).collect();
    for place in 0..first.sequences.len() {
        let parameter = parameter(first.shape.op, &first.names, place);
        let seen: Vec<Seen<'_>> = group
            .all()
            .map(|(ranks, stream)| Seen {
                ranks: u64::from(ranks),
                rank: u64::from(stream.rank),
                sequence: &stream.parts[at].sequences[place],
            })
            .collect();
        let op = first.shape.op;
        let given = |model: &&UserModel| {
            model.call == op.name() && is_called(&model.parameter, op, &first.names, place)
        };
        let known = match parameter.as_str() {
            "offset" => &Known { units: units(place), ..in_bytes.clone() },
            "bytes" => &in_bytes,
            _ => goal.known,
        };
        let (found, details) = match goal.models.iter().find(given) {
            Some(model) => (Some(supplied(model, &seen, goal, bench)?), Vec::new()),
            None => one_sequence(&seen, &Target { known, ..*goal }, bench),
        };
        said.extend(details.into_iter().map(|said| (parameter.clone(), said)));
        series.extend(found);
    }
    Ok((series, said))
}

fn one_sequence(seen: &[Seen<'_>], goal: &Target<'_>, bench: &mut Bench) -> (Option<Series>, Vec<Said>) {
    let Some(lift) = Lift::of(seen) else {
        let why = "its values change their form between ranks or sizes".to_string();
        return (None, vec![(Verdict::Refused, "none".to_string(), why)]);
    };
    let found = numbers(&lift, seen, goal);
    let told = found.iter().filter(|one| one.verdict > Verdict::Exact || one.varies_with_rank);
    let details = told.map(|one| (one.verdict, one.model.clone(), one.why.clone())).collect();
    (lift.series(found.into_iter().map(|one| one.column).collect(), bench), details)
}

/// Mean times of a call: the time before it belongs to the program and is modelled; the time in it
/// belongs to the storage system and is taken from the largest size.
fn estimated(group: &Group<'_>, at: usize, goal: &Target<'_>) -> (f64, f64) {
    let mean = |value: &dyn Fn(&Part) -> i128| -> Vec<(u64, f64)> {
        let of = |(ranks, streams): &(u32, Vec<&Stream>)| {
            let parts = || streams.iter().map(|stream| &stream.parts[at]);
            let calls: u64 = parts().map(|part| part.calls).sum();
            (u64::from(*ranks), parts().map(value).sum::<i128>() as f64 / calls.max(1) as f64)
        };
        group.sizes.iter().map(of).collect()
    };
    let inside = mean(&|part| part.times.1).last().map_or(0.0, |(_, mean)| *mean);
    (times::at_size(&mean(&|part| part.times.0), u64::from(goal.ranks)), inside)
}
