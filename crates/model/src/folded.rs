//! A folded trace as forms and numbers, to compute with it without expanding it. A reader produces
//! [`Stream`]s; extrapolation produces [`Class`]es.

use marigraph_wire::fold::Node;
use marigraph_wire::op::Op;
use marigraph_wire::sequence::{Symbols, Values};

/// The part of a call that the program text fixes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    pub op: Op,
    /// Depth, flags and bits, as `.mari` stores them.
    pub word: u64,
    /// Module that contains the call site; empty if unknown.
    pub module: String,
    pub offset: u64,
}

impl Shape {
    pub fn depth(&self) -> u64 {
        self.word >> 12
    }
}

/// A sequence of values, as folded differences or folded second differences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequence {
    /// First value and differences; for second differences, the first step and its differences.
    pub values: Values,
    /// The first value, if these are second differences.
    pub first_of_second: Option<i64>,
}

impl Sequence {
    pub fn len(&self) -> u64 {
        self.values.len + u64::from(self.first_of_second.is_some())
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        let mut sum = self.first_of_second;
        let second = self.first_of_second.is_some();
        let plain = self.values.iter().map(move |value| match sum.as_mut() {
            Some(sum) => {
                *sum = sum.wrapping_add(value);
                *sum
            }
            None => value,
        });
        self.first_of_second.filter(|_| second).into_iter().chain(plain)
    }
}

/// A part of a name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    Text(Vec<u8>),
    /// Digits to which the number is padded with zeros; 0 unpadded.
    Number(u8),
    /// Only the presence of the name is known.
    Unknown,
}

/// A name with its numbers left out.
pub type Template = Vec<Piece>;

/// A name among the arguments of a shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    pub argument: usize,
    /// The value of the argument is an index in this list.
    pub templates: Vec<Template>,
    /// Maximum numbers in a template.
    pub numbers: usize,
}

pub fn place(names: &[Name], argument: usize) -> usize {
    let before = names.iter().filter(|name| name.argument < argument);
    2 + argument + before.map(|name| name.numbers).sum::<usize>()
}

/// All calls of one shape in one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub shape: Shape,
    pub names: Vec<Name>,
    pub calls: u64,
    /// Lengths of runs, slot, each argument with the numbers of its name, return value.
    pub sequences: Vec<Sequence>,
    /// Total nanoseconds before the calls, and in them.
    pub times: (i128, i128),
}

/// One thread of one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Ordinal of the process within the rank.
    pub process: u32,
    /// Ordinal of the thread within the process.
    pub thread: u32,
    pub rank: u32,
    /// Indices of parts in the order of runs, folded.
    pub order: Vec<Node>,
    pub parts: Vec<Part>,
    /// In nanoseconds.
    pub first_start: i64,
}

/// A number for each member of a class, in the order of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    Constant(i64),
    /// First value and step.
    Affine(i64, i64),
    Values(Vec<i64>),
}

impl Column {
    /// The simplest column with these numbers, of which there must be at least one.
    pub fn of(values: Vec<i64>) -> Column {
        let first = values.first().copied().unwrap_or(0);
        let step = values.get(1).map_or(0, |second| second.wrapping_sub(first));
        match values.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
            true if step == 0 => Column::Constant(first),
            true => Column::Affine(first, step),
            false => Column::Values(values),
        }
    }

    pub fn at(&self, member: usize) -> Option<i64> {
        match self {
            Column::Constant(value) => Some(*value),
            Column::Affine(first, step) => Some(first.wrapping_add(step.wrapping_mul(member as i64))),
            Column::Values(values) => values.get(member).copied(),
        }
    }
}

/// A node whose numbers are columns: a run, or a loop over the nodes that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The step of a run (in an order, the index of the part); for a loop, the number of tops in
    /// its body.
    pub value: Column,
    pub count: Column,
    /// 0 for a run; for a loop, the number of nodes in its body.
    pub len: u32,
}

/// A sequence whose numbers are columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    pub first: Column,
    /// The first step, if these are second differences.
    pub second: Option<Column>,
    pub steps: Steps,
}

/// The differences after the first value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steps {
    All(Column),
    Nodes(Vec<Branch>),
}

/// All calls of one shape in the streams of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    pub shape: Shape,
    pub names: Vec<Name>,
    /// As in [`Part`].
    pub sequences: Vec<Series>,
    /// Average nanoseconds before a call, and in it.
    pub times: (f64, f64),
}

/// Streams that differ only in numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    pub process: u32,
    pub thread: u32,
    /// Ascending.
    pub ranks: Vec<u32>,
    /// Indices of units in the order of runs.
    pub order: Vec<Branch>,
    pub units: Vec<Unit>,
    /// In nanoseconds.
    pub first_start: i64,
}

/// Occurrences of each symbol below `count` in folded nodes; `None` if a number overflows or a
/// symbol is out of range.
pub fn occurrences(nodes: &[Node], count: usize) -> Option<Vec<u64>> {
    fn add(nodes: &[Node], turns: u64, counts: &mut [u64]) -> Option<()> {
        let mut rest = nodes;
        while let Some((head, after)) = rest.split_first() {
            let turns = turns.checked_mul(head.count)?;
            let (body, behind) = after.split_at_checked(head.len as usize)?;
            if head.len == 0 {
                let count = counts.get_mut(usize::try_from(head.value).ok()?)?;
                *count = count.checked_add(turns)?;
            }
            add(body, turns, counts)?;
            rest = behind;
        }
        Some(())
    }
    let mut counts = vec![0; count];
    add(nodes, 1, &mut counts)?;
    Some(counts)
}

pub fn same_form(one: &[Node], other: &[Node]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| one.len == other.len && (one.len == 0 || one.value == other.value))
}

pub fn symbols(order: &[Node]) -> Symbols<'_> {
    Symbols::new(order)
}
