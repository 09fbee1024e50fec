//! A folded trace, taken apart into forms and numbers: for those that compute with a trace instead of
//! expanding it. A reader gives [`Stream`]s; extrapolation gives [`Class`]es.

use marigraph_wire::fold::Node;
use marigraph_wire::op::Op;
use marigraph_wire::sequence::{Symbols, Values};

/// What a call has of the program text.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shape {
    /// What is called.
    pub op: Op,
    /// Depth, flags and bits, as `.mari` keeps them.
    pub word: u64,
    /// Module of the place in the program; empty unknown.
    pub module: String,
    /// Offset in the module.
    pub offset: u64,
}

impl Shape {
    /// Calls of outer layers that are open.
    pub fn depth(&self) -> u64 {
        self.word >> 12
    }
}

/// A sequence of values: folded differences, or folded second differences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sequence {
    /// First value and differences; of second differences, the first step and theirs.
    pub values: Values,
    /// The first value, for second differences.
    pub first_of_second: Option<i64>,
}

impl Sequence {
    /// How many values.
    pub fn len(&self) -> u64 {
        self.values.len + u64::from(self.first_of_second.is_some())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values in order.
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
    /// As it stands.
    Text(Vec<u8>),
    /// A number padded with zeros to this many digits; unpadded if 0.
    Number(u8),
    /// All that is known is that there is a name.
    Unknown,
}

/// A name but for its numbers.
pub type Template = Vec<Piece>;

/// A name among the arguments of a shape.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// Which argument.
    pub argument: usize,
    /// Its templates; the argument is a place in this list.
    pub templates: Vec<Template>,
    /// Numbers that these have at most.
    pub numbers: usize,
}

/// Place of an argument among the sequences of a [`Part`] with these names.
pub fn place(names: &[Name], argument: usize) -> usize {
    let before = names.iter().filter(|name| name.argument < argument);
    2 + argument + before.map(|name| name.numbers).sum::<usize>()
}

/// All calls of one shape in one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What they share.
    pub shape: Shape,
    /// Names among the arguments.
    pub names: Vec<Name>,
    /// How many.
    pub calls: u64,
    /// Lengths of runs, slot, each argument with the numbers of its name, return value.
    pub sequences: Vec<Sequence>,
    /// Nanoseconds before the calls, and in them, in all.
    pub times: (i128, i128),
}

/// One thread of one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Which process of the rank.
    pub process: u32,
    /// Which thread of the process.
    pub thread: u32,
    /// The rank.
    pub rank: u32,
    /// Places of parts in the order of runs, folded.
    pub order: Vec<Node>,
    /// Its calls by shape.
    pub parts: Vec<Part>,
    /// When the first call began, in nanoseconds.
    pub first_start: i64,
}

/// A number over the members of a class, in the order of ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Column {
    /// Always this.
    Constant(i64),
    /// First and step.
    Affine(i64, i64),
    /// All of them.
    Values(Vec<i64>),
}

impl Column {
    /// The simplest that has these numbers, of which there is one at least.
    pub fn of(values: Vec<i64>) -> Column {
        let first = values.first().copied().unwrap_or(0);
        let step = values.get(1).map_or(0, |second| second.wrapping_sub(first));
        match values.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step) {
            true if step == 0 => Column::Constant(first),
            true => Column::Affine(first, step),
            false => Column::Values(values),
        }
    }

    /// The number of one member.
    pub fn at(&self, member: usize) -> Option<i64> {
        match self {
            Column::Constant(value) => Some(*value),
            Column::Affine(first, step) => Some(first.wrapping_add(step.wrapping_mul(member as i64))),
            Column::Values(values) => values.get(member).copied(),
        }
    }
}

/// A node whose numbers are columns: a run of a step, or a loop over the nodes that follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The step of a run; of an order, the place of the part; of a loop, the number of tops of its body.
    pub value: Column,
    /// How many times.
    pub count: Column,
    /// 0 for a run; for a loop, the number of nodes of its body.
    pub len: u32,
}

/// A sequence whose numbers are columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// The first value.
    pub first: Column,
    /// The first step, of second differences.
    pub second: Option<Column>,
    /// What follows.
    pub steps: Steps,
}

/// What follows a first value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Steps {
    /// The same step throughout, as often as there are values.
    All(Column),
    /// Each as it is.
    Nodes(Vec<Branch>),
}

/// All calls of one shape in the streams of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// What they share.
    pub shape: Shape,
    /// Names among the arguments.
    pub names: Vec<Name>,
    /// As of a [`Part`].
    pub sequences: Vec<Series>,
    /// Nanoseconds before a call, and in it, on average.
    pub times: (f64, f64),
}

/// Streams that differ in numbers only.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Which process of a rank.
    pub process: u32,
    /// Which thread of the process.
    pub thread: u32,
    /// Ascending.
    pub ranks: Vec<u32>,
    /// Places of units in the order of runs.
    pub order: Vec<Branch>,
    /// Calls by shape.
    pub units: Vec<Unit>,
    /// When the first call begins, in nanoseconds.
    pub first_start: i64,
}

/// How often each symbol below `count` occurs in folded nodes; nothing if that is beyond all measure.
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

/// Whether two folded sequences have the same form, whatever their numbers.
pub fn same_form(one: &[Node], other: &[Node]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| one.len == other.len && (one.len == 0 || one.value == other.value))
}

/// Symbols of an order, one by one.
pub fn symbols(order: &[Node]) -> Symbols<'_> {
    Symbols::new(order)
}
