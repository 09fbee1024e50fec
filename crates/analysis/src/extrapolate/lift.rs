//! Converts sequences of one shape on all ranks and sizes into numbers that can be modelled, and
//! back.

use marigraph_model::folded::{Branch, Column, Sequence, Series, Steps, same_form};
use marigraph_wire::fold::Node;
use marigraph_wire::sequence::Bench;

/// A sequence of one rank at one size.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Of the job.
    pub ranks: u64,
    pub rank: u64,
    pub sequence: &'a Sequence,
}

/// Up to this many values are always modelled one by one: they follow simpler rules than their
/// differences.
const FEW: u64 = 64;
const ONE_BY_ONE: u64 = 4096;

/// How a sequence is expressed as numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lift {
    Affine,
    /// The numbers of this folded form, and whether it stores second differences.
    Form(Vec<Node>, bool),
    /// Each of this many values.
    Each(usize),
}

impl Lift {
    pub fn of(seen: &[Seen<'_>]) -> Option<Lift> {
        let first = seen.first()?.sequence;
        let same = seen.iter().all(|seen| seen.sequence.len() == first.len());
        if same && first.len() <= FEW {
            return Some(Lift::Each(first.len() as usize));
        }
        if seen.iter().all(|seen| step(seen.sequence).is_some()) {
            return Some(Lift::Affine);
        }
        let second = first.first_of_second.is_some();
        let alike = |seen: &Seen<'_>| {
            seen.sequence.first_of_second.is_some() == second
                && same_form(&seen.sequence.values.steps, &first.values.steps)
        };
        if seen.iter().all(alike) {
            return Some(Lift::Form(first.values.steps.clone(), second));
        }
        (same && first.len() <= ONE_BY_ONE).then_some(Lift::Each(first.len() as usize))
    }

    pub fn count(&self) -> usize {
        match self {
            Lift::Affine => 2,
            // First, first step of second differences, and per node a count and, unless a loop, a value.
            Lift::Form(nodes, second) => {
                1 + usize::from(*second)
                    + nodes.iter().map(|node| 1 + usize::from(node.len == 0)).sum::<usize>()
            }
            Lift::Each(count) => *count,
        }
    }

    /// The numbers of a sequence; `None` where this rank does not determine one.
    pub fn numbers(&self, sequence: &Sequence) -> Vec<Option<i64>> {
        match self {
            Lift::Affine => {
                let known = sequence.len() > 1;
                vec![Some(sequence.values.first), step(sequence).filter(|_| known)]
            }
            Lift::Form(_, _) => {
                let mut numbers: Vec<Option<i64>> = Vec::new();
                numbers.extend(sequence.first_of_second.map(Some));
                numbers.push(Some(sequence.values.first));
                for node in &sequence.values.steps {
                    numbers.push(Some(node.count as i64));
                    numbers.extend((node.len == 0).then_some(Some(node.value)));
                }
                numbers
            }
            Lift::Each(_) => sequence.iter().map(Some).collect(),
        }
    }

    pub fn series(&self, columns: Vec<Column>, bench: &mut Bench) -> Option<Series> {
        let mut columns = columns.into_iter();
        match self {
            Lift::Affine => {
                Some(Series { first: columns.next()?, second: None, steps: Steps::All(columns.next()?) })
            }
            Lift::Form(nodes, second) => {
                let first = columns.next()?;
                let second = if *second { Some(columns.next()?) } else { None };
                let branch = |node: &Node| {
                    let count = columns.next()?;
                    let value = if node.len == 0 { columns.next()? } else { Column::Constant(node.value) };
                    Some(Branch { value, count, len: node.len })
                };
                let steps = Steps::Nodes(nodes.iter().map(branch).collect::<Option<_>>()?);
                Some(Series { first, second, steps })
            }
            Lift::Each(_) => each(columns.collect(), bench),
        }
    }
}

fn step(sequence: &Sequence) -> Option<i64> {
    match (sequence.first_of_second, sequence.values.steps.as_slice()) {
        (None, []) => Some(0),
        (None, [Node { value, len: 0, .. }]) => Some(*value),
        _ => None,
    }
}

/// Takes values one by one, and folds steps that are the same on all ranks.
fn each(columns: Vec<Column>, bench: &mut Bench) -> Option<Series> {
    let steps: Vec<Column> = columns.windows(2).map(|pair| difference(&pair[1], &pair[0])).collect();
    let constant = |column: &Column| match column {
        Column::Constant(value) => Some(*value),
        _ => None,
    };
    let first = columns.into_iter().next()?;
    let single = |value: Column| Branch { value, count: Column::Constant(1), len: 0 };
    let nodes: Vec<Branch> = match steps.iter().map(constant).collect::<Option<Vec<i64>>>() {
        Some(steps) => bench.symbols(steps.into_iter()).iter().map(fixed).collect(),
        None => steps.into_iter().map(single).collect(),
    };
    let steps = if nodes.is_empty() { Steps::All(Column::Constant(0)) } else { Steps::Nodes(nodes) };
    Some(Series { first, second: None, steps })
}

fn fixed(node: &Node) -> Branch {
    Branch { value: Column::Constant(node.value), count: Column::Constant(node.count as i64), len: node.len }
}

fn difference(one: &Column, other: &Column) -> Column {
    match (one, other) {
        (Column::Constant(one), Column::Constant(other)) => Column::Constant(one.wrapping_sub(*other)),
        (Column::Values(values), _) | (_, Column::Values(values)) => {
            let at = |column: &Column, member: usize| column.at(member).unwrap_or(0);
            Column::of(
                (0..values.len()).map(|member| at(one, member).wrapping_sub(at(other, member))).collect(),
            )
        }
        _ => {
            let (first, step) = (affine(one), affine(other));
            let (first, step) = (first.0.wrapping_sub(step.0), first.1.wrapping_sub(step.1));
            if step == 0 { Column::Constant(first) } else { Column::Affine(first, step) }
        }
    }
}

fn affine(column: &Column) -> (i64, i64) {
    match column {
        Column::Constant(value) => (*value, 0),
        Column::Affine(first, step) => (*first, *step),
        Column::Values(values) => (values.first().copied().unwrap_or(0), 0),
    }
}
