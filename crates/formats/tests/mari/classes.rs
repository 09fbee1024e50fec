//! Streams that were taken apart, as classes.

use marigraph_model::folded::{Branch, Class, Column, Part, Sequence, Series, Steps, Stream, Unit};
use marigraph_wire::fold::Node;

/// Streams whose numbers have the same form are a class; classes are in order of their first streams.
pub fn of(streams: Vec<Stream>) -> Vec<Class> {
    let mut groups: Vec<(Class, Vec<Class>)> = Vec::new();
    for class in streams.into_iter().map(alone) {
        let form = form(&class);
        match groups.iter_mut().find(|(known, _)| *known == form) {
            Some((_, members)) => members.push(class),
            None => groups.push((form, vec![class])),
        }
    }
    groups.into_iter().map(|(_, members)| joined(members)).collect()
}

fn alone(stream: Stream) -> Class {
    Class {
        process: stream.process,
        thread: stream.thread,
        ranks: vec![stream.rank],
        order: branches(&stream.order),
        units: stream.parts.into_iter().map(unit).collect(),
        first_start: stream.first_start,
    }
}

fn branches(nodes: &[Node]) -> Vec<Branch> {
    let branch = |node: &Node| Branch {
        value: Column::Constant(node.value),
        count: Column::Constant(node.count as i64),
        len: node.len,
    };
    nodes.iter().map(branch).collect()
}

fn unit(part: Part) -> Unit {
    let sequences = part.sequences.iter().map(series).collect();
    Unit { shape: part.shape, names: part.names, sequences, times: (0.0, 0.0) }
}

fn series(sequence: &Sequence) -> Series {
    let start = Column::Constant(sequence.values.first);
    let (first, second) = match sequence.first_of_second {
        Some(first) => (Column::Constant(first), Some(start)),
        None => (start, None),
    };
    let steps = match *sequence.values.steps.as_slice() {
        [] => Steps::All(Column::Constant(0)),
        [Node { value, len: 0, .. }] => Steps::All(Column::Constant(value)),
        ref nodes => Steps::Nodes(branches(nodes)),
    };
    Series { first, second, steps }
}

fn form(class: &Class) -> Class {
    let mut form = Class { ranks: Vec::new(), first_start: 0, ..class.clone() };
    columns(&mut form).into_iter().for_each(|column| *column = Column::Constant(0));
    form
}

fn joined(mut members: Vec<Class>) -> Class {
    let numbers = |class: &mut Class| columns(class).iter().map(|column| column.at(0)).collect();
    let numbers: Vec<Vec<Option<i64>>> = members.iter_mut().map(numbers).collect();
    let ranks = members.iter().flat_map(|class| class.ranks.clone()).collect();
    let mut class = Class { ranks, ..members.swap_remove(0) };
    for (at, column) in columns(&mut class).into_iter().enumerate() {
        *column = Column::of(numbers.iter().filter_map(|numbers| numbers[at]).collect());
    }
    class
}

fn columns(class: &mut Class) -> Vec<&mut Column> {
    let mut columns: Vec<&mut Column> = class.order.iter_mut().map(|branch| &mut branch.count).collect();
    for series in class.units.iter_mut().flat_map(|unit| &mut unit.sequences) {
        columns.push(&mut series.first);
        columns.extend(&mut series.second);
        match &mut series.steps {
            Steps::All(Column::Constant(0)) => {}
            Steps::All(step) => columns.push(step),
            Steps::Nodes(nodes) => {
                for node in nodes {
                    columns.push(&mut node.count);
                    columns.extend((node.len == 0).then_some(&mut node.value));
                }
            }
        }
    }
    columns
}
