//! Numbers with a simple relation to other numbers: the difference to the previous value, or the
//! sum over one turn of a loop.

use marigraph_model::folded::Column;
use marigraph_wire::fold::Node;

use super::Verdict;
use super::lift::{Lift, Seen};
use super::number::{Modelled, Numbers, Target, modelled};

/// All numbers of a sequence, as one rank at one size has them.
type Said = Vec<Option<i64>>;

/// Models all numbers of one sequence, up to the first that is refused.
pub fn numbers(lift: &Lift, seen: &[Seen<'_>], goal: &Target<'_>) -> Vec<Modelled> {
    let said: Vec<Said> = seen.iter().map(|one| lift.numbers(one.sequence)).collect();
    let mut found: Vec<Modelled> = Vec::with_capacity(lift.count());
    for at in 0..lift.count() {
        let numbers = column(seen, &said, |said| said.get(at).copied().flatten());
        // A step that no rank takes counts as zero.
        let numbers = if numbers.is_empty() { vec![(0, 0, 0)] } else { numbers };
        let derived = || derived((lift, at), (seen, &said), &found, goal);
        let one = if is_step(lift, at, &said) {
            derived().unwrap_or_else(|| modelled(&numbers, goal))
        } else {
            let own = modelled(&numbers, goal);
            if own.verdict > Verdict::Assumed { derived().unwrap_or(own) } else { own }
        };
        found.push(one);
        // One refused number suffices to refuse the event, and a search without a result takes
        // longest.
        if found.last().is_some_and(|last| last.verdict == Verdict::Refused) {
            break;
        }
    }
    found
}

/// Whether a value exceeds the previous one by the same amount everywhere. No model is simpler, and
/// rounding then happens only once.
fn is_step(lift: &Lift, at: usize, said: &[Said]) -> bool {
    let (Lift::Each(_), Some(before)) = (lift, at.checked_sub(1)) else { return false };
    let value = |said: &Said, at: usize| said.get(at).copied().flatten();
    let mut steps = said.iter().map(|said| Some(value(said, at)?.wrapping_sub(value(said, before)?)));
    let first = steps.next().flatten();
    first.is_some() && steps.all(|step| step == first)
}

fn column(seen: &[Seen<'_>], said: &[Said], number: impl Fn(&Said) -> Option<i64>) -> Numbers {
    let of = |(one, said): (&Seen<'_>, &Said)| Some((one.ranks as u32, one.rank as u32, number(said)?));
    seen.iter().zip(said).filter_map(of).collect()
}

enum Base<'a> {
    Before,
    /// Minus the sum of the rest of a loop's turn, so that the whole turn is modelled. Holds the
    /// nodes, the node that owns the value, and the loop.
    Turn(&'a [Node], usize, usize),
}

impl Base<'_> {
    fn of(lift: &Lift, at: usize) -> Option<Base<'_>> {
        match lift {
            Lift::Each(_) => (at > 0).then_some(Base::Before),
            Lift::Form(nodes, false) => jump(nodes, at).map(|(node, around)| Base::Turn(nodes, node, around)),
            _ => None,
        }
    }

    fn at(&self, at: usize, number: Number<'_>) -> Option<i64> {
        match *self {
            Base::Before => number(at.checked_sub(1)?),
            Base::Turn(nodes, node, around) => {
                let once = number(at.checked_sub(1)?)? == 1;
                turn(nodes, around, node, number).filter(|_| once).map(i64::wrapping_neg)
            }
        }
    }
}

type Number<'a> = &'a dyn Fn(usize) -> Option<i64>;

fn derived(
    (lift, at): (&Lift, usize),
    (seen, said): (&[Seen<'_>], &[Said]),
    before: &[Modelled],
    goal: &Target<'_>,
) -> Option<Modelled> {
    let base = Base::of(lift, at)?;
    if before.iter().any(|one| one.verdict > Verdict::Assumed) {
        return None;
    }
    let numbers = column(seen, said, |said| {
        let own = said.get(at).copied().flatten()?;
        Some(own.wrapping_sub(base.at(at, &|number| said.get(number).copied().flatten())?))
    });
    let found = modelled(&numbers, goal);
    if numbers.is_empty() || found.verdict > Verdict::Assumed {
        return None;
    }
    let value = |member: usize| {
        let known = |number: usize| before.get(number)?.column.at(member);
        Some(found.column.at(member)?.wrapping_add(base.at(at, &known)?))
    };
    let mut columns = before.iter().map(|one| &one.column).chain([&found.column]);
    let same = columns.all(|column| matches!(column, Column::Constant(_)));
    let values = (0..if same { 1 } else { goal.members.len() }).map(value).collect::<Option<_>>()?;
    Some(Modelled { column: Column::of(values), ..found })
}

/// Index of each node's count among the numbers; its value follows unless the node is a loop.
fn places(nodes: &[Node]) -> Vec<usize> {
    let mut next = 1;
    let place = |node: &Node| {
        let place = next;
        next += 1 + usize::from(node.len == 0);
        place
    };
    nodes.iter().map(place).collect()
}

/// The node whose value is this number, and its loop, if the node is the last of that loop.
fn jump(nodes: &[Node], number: usize) -> Option<(usize, usize)> {
    let node = places(nodes).iter().position(|place| place + 1 == number)?;
    let ends = |at: usize| at + nodes[at].len as usize == node;
    let around = (0..node).rev().find(|&at| ends(at))?;
    (nodes[node].len == 0).then_some((node, around))
}

/// Sum over one turn of a loop, without one node.
fn turn(nodes: &[Node], around: usize, without: usize, number: &dyn Fn(usize) -> Option<i64>) -> Option<i64> {
    let places = places(nodes);
    let mut sum = 0i64;
    let mut at = around + 1;
    while at <= around + nodes[around].len as usize {
        if at != without {
            let one = match nodes[at].len {
                0 => number(places[at] + 1)?,
                _ => turn(nodes, at, without, number)?,
            };
            sum = sum.wrapping_add(one.wrapping_mul(number(places[at])?));
        }
        at += 1 + nodes[at].len as usize;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_add_up() {
        // Three turns of two steps of 5 and a jump, then a step of 7.
        let node = |value: i64, count: u64, len: u32| Node { value, count, len };
        let nodes = [node(2, 3, 2), node(5, 2, 0), node(90, 1, 0), node(7, 1, 0)];
        let numbers = [0, 3, 2, 5, 1, 90, 1, 7];
        let number = |at: usize| numbers.get(at).copied();
        assert_eq!((jump(&nodes, 5), jump(&nodes, 3), jump(&nodes, 7)), (Some((2, 0)), None, None));
        assert_eq!(turn(&nodes, 0, 2, &number), Some(10));
        assert_eq!(Base::Turn(&nodes, 2, 0).at(5, &number), Some(-10));
    }
}
