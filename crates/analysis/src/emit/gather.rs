//! Groups streams that have the same order of calls. What differs between them becomes a column of
//! numbers.

use std::collections::HashMap;

use marigraph_model::folded::{Branch, Column, Name, Sequence, Series, Shape, Steps, Stream};
use marigraph_wire::fold::Node;

#[derive(Debug)]
pub(super) struct Group {
    pub(super) process: u32,
    pub(super) thread: u32,
    /// Ascending.
    pub(super) ranks: Vec<u32>,
    pub(super) order: Vec<Branch>,
    pub(super) units: Vec<Gathered>,
    /// Mean start of the first call.
    pub(super) start: i64,
}

#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) shape: Shape,
    pub(super) names: Vec<Name>,
    /// Run lengths, slot, arguments with the numbers of their names, return value.
    pub(super) sequences: Vec<Series>,
    /// Over all members.
    pub(super) calls: u64,
    /// Mean nanoseconds before a call, and in it.
    pub(super) times: (i64, i64),
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Form {
    process: u32,
    thread: u32,
    order: Vec<(u32, i64)>,
    parts: Vec<(Shape, Vec<Name>, Vec<Bend>)>,
}

/// Whether a sequence stores second differences, and its form unless it has a constant step.
type Bend = (bool, Option<Bones>);

/// The length of each node, and for a loop the number of its tops.
type Bones = Vec<(u32, i64)>;

#[derive(Debug, Default)]
pub(super) struct Gathering {
    forms: HashMap<Form, usize>,
    growing: Vec<Growing>,
}

/// A group under construction: its first member, and columns of all numbers in the order of
/// [`numbers`].
#[derive(Debug)]
struct Growing {
    first: Stream,
    ranks: Vec<u32>,
    columns: Vec<Run>,
    calls: Vec<u64>,
    times: Vec<(i128, i128)>,
    starts: i128,
}

impl Gathering {
    /// Streams of one process and thread must come in the order of ranks.
    pub(super) fn add(&mut self, stream: Stream) {
        let form = form(&stream);
        let at = *self.forms.entry(form).or_insert(self.growing.len());
        if at == self.growing.len() {
            self.growing.push(Growing {
                ranks: Vec::new(),
                columns: Vec::new(),
                calls: vec![0; stream.parts.len()],
                times: vec![(0, 0); stream.parts.len()],
                starts: 0,
                first: stream.clone(),
            });
        }
        if let Some(group) = self.growing.get_mut(at) {
            group.add(&stream);
        }
    }

    /// Returns the groups in the order of their first members.
    pub(super) fn finish(self) -> Vec<Group> {
        self.growing.into_iter().map(Growing::finish).collect()
    }
}

impl Growing {
    fn add(&mut self, stream: &Stream) {
        let (member, columns) = (self.ranks.len(), &mut self.columns);
        let mut place = 0;
        numbers(stream, &mut |number| {
            if columns.len() == place {
                columns.push(Run::default());
            }
            columns[place].push(member, number);
            place += 1;
        });
        self.ranks.push(stream.rank);
        self.starts += i128::from(stream.first_start);
        for (at, part) in stream.parts.iter().enumerate() {
            self.calls[at] = self.calls[at].saturating_add(part.calls);
            self.times[at].0 += part.times.0;
            self.times[at].1 += part.times.1;
        }
    }

    fn finish(self) -> Group {
        let members = self.ranks.len();
        let mut columns = self.columns.into_iter().map(|run| run.column(members));
        let mut next = || columns.next().unwrap_or(Column::Constant(0));
        let order = branches(&self.first.order, true, &mut next);
        let mean = |sum: i128, count: u64| (sum / i128::from(count.max(1))) as i64;
        let units = self.first.parts.into_iter().zip(self.calls).zip(self.times);
        let units = units.map(|((part, calls), times)| Gathered {
            sequences: part.sequences.iter().map(|sequence| series(sequence, &mut next)).collect(),
            shape: part.shape,
            names: part.names,
            calls,
            times: (mean(times.0, calls), mean(times.1, calls)),
        });
        Group {
            process: self.first.process,
            thread: self.first.thread,
            order,
            units: units.collect(),
            start: mean(self.starts, members as u64),
            ranks: self.ranks,
        }
    }
}

/// The constant step of a sequence; the inner `None` means that it has too few values to tell.
fn one_step(sequence: &Sequence) -> Option<Option<i64>> {
    match *sequence.values.steps.as_slice() {
        [] => Some(None),
        [Node { value, len: 0, .. }] => Some(Some(value)),
        _ => None,
    }
}

fn bones(nodes: &[Node]) -> Bones {
    nodes.iter().map(|node| (node.len, if node.len > 0 { node.value } else { 0 })).collect()
}

fn form(stream: &Stream) -> Form {
    let of = |sequence: &Sequence| {
        let steps = &sequence.values.steps;
        (sequence.first_of_second.is_some(), one_step(sequence).is_none().then(|| bones(steps)))
    };
    Form {
        process: stream.process,
        thread: stream.thread,
        order: stream.order.iter().map(|node| (node.len, node.value)).collect(),
        parts: stream
            .parts
            .iter()
            .map(|part| (part.shape.clone(), part.names.clone(), part.sequences.iter().map(of).collect()))
            .collect(),
    }
}

/// All numbers of a stream that its form does not determine.
fn numbers(stream: &Stream, give: &mut dyn FnMut(Option<i64>)) {
    stream.order.iter().for_each(|node| give(Some(node.count as i64)));
    for sequence in stream.parts.iter().flat_map(|part| &part.sequences) {
        sequence.first_of_second.into_iter().for_each(|first| give(Some(first)));
        give(Some(sequence.values.first));
        if let Some(step) = one_step(sequence) {
            give(step);
            continue;
        }
        for node in &sequence.values.steps {
            give(Some(node.count as i64));
            if node.len == 0 {
                give(Some(node.value));
            }
        }
    }
}

fn branches(nodes: &[Node], symbols: bool, next: &mut dyn FnMut() -> Column) -> Vec<Branch> {
    let branch = |node: &Node| {
        let count = next();
        let fixed = symbols || node.len > 0;
        Branch { value: if fixed { Column::Constant(node.value) } else { next() }, count, len: node.len }
    };
    nodes.iter().map(branch).collect()
}

fn series(sequence: &Sequence, next: &mut dyn FnMut() -> Column) -> Series {
    let first = next();
    let second = sequence.first_of_second.map(|_| next());
    let steps = match one_step(sequence) {
        Some(_) => Steps::All(next()),
        None => Steps::Nodes(branches(&sequence.values.steps, false, next)),
    };
    Series { first, second, steps }
}

/// A column under construction, kept as affine while that fits.
#[derive(Debug, Default)]
struct Run {
    /// The first member that has a number, and that number.
    first: Option<(usize, i64)>,
    step: Option<i64>,
    /// All numbers, once they are no longer affine.
    all: Option<Vec<i64>>,
}

impl Run {
    fn at(&self, member: usize) -> i64 {
        let (from, first) = self.first.unwrap_or((0, 0));
        let by = (member as i64).wrapping_sub(from as i64);
        first.wrapping_add(self.step.unwrap_or(0).wrapping_mul(by))
    }

    fn push(&mut self, member: usize, number: Option<i64>) {
        let number = match (number, &mut self.all) {
            (number, Some(all)) => {
                all.push(number.unwrap_or_else(|| all.last().copied().unwrap_or(0)));
                return;
            }
            (None, None) => return,
            (Some(number), None) => number,
        };
        let Some((from, first)) = self.first else {
            self.first = Some((member, number));
            return;
        };
        let (by, away) = ((member - from) as i64, number.wrapping_sub(first));
        match self.step {
            None if away % by == 0 => self.step = Some(away / by),
            Some(step) if step.wrapping_mul(by) == away => {}
            _ => self.all = Some((0..member).map(|member| self.at(member)).chain([number]).collect()),
        }
    }

    fn column(self, members: usize) -> Column {
        match (self.at(0), self.step.unwrap_or(0)) {
            _ if self.all.is_some() => Column::Values(self.all.unwrap_or_default()),
            (first, 0) => Column::Constant(first),
            (first, _) if members == 1 => Column::Constant(first),
            (first, step) => Column::Affine(first, step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(numbers: &[Option<i64>]) -> Column {
        let mut run = Run::default();
        numbers.iter().enumerate().for_each(|(member, &number)| run.push(member, number));
        run.column(numbers.len())
    }

    #[test]
    fn columns_are_as_simple_as_they_can_be() {
        assert_eq!(column(&[Some(4), Some(4), Some(4)]), Column::Constant(4));
        assert_eq!(column(&[Some(4), Some(6), Some(8)]), Column::Affine(4, 2));
        assert_eq!(column(&[None, Some(6), None, Some(10)]), Column::Affine(4, 2));
        assert_eq!(column(&[None, Some(6), Some(6)]), Column::Constant(6));
        assert_eq!(column(&[Some(1), Some(2), Some(4)]), Column::Values(vec![1, 2, 4]));
        assert_eq!(column(&[None, None]), Column::Constant(0));
    }
}
