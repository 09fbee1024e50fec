//! Bones and numbers put together again: sequences of one stream.

use marigraph_model::folded;
use marigraph_wire::bytes::Reader;
use marigraph_wire::fold::{Node, expanded_len};
use marigraph_wire::sequence::{Values, ValuesIter};

use super::bones::{AFFINE, CONSTANT, COUNTED, LOOP, TOPS};

#[derive(Debug, Clone, Default)]
pub(super) struct Sequence {
    /// First value and differences; for second differences, the first step and its differences.
    values: Values,
    /// The first value, if these are second differences.
    second: Option<i64>,
}

impl Sequence {
    /// `None` unless there are exactly `len` values.
    pub(super) fn read(
        bones: &mut Reader<'_>,
        numbers: &mut dyn FnMut() -> Option<i64>,
        len: u64,
    ) -> Option<Sequence> {
        let head = bones.varint()?;
        let first = numbers()?;
        let second = if head & 1 == 1 { Some(numbers()?) } else { None };
        let steps_len = len.checked_sub(1 + (head & 1))?;
        let mut steps = Vec::new();
        match head >> 1 {
            CONSTANT => steps.extend((steps_len > 0).then(|| Node::run(0, steps_len))),
            AFFINE if steps_len > 0 => steps.push(Node::run(numbers()?, steps_len)),
            AFFINE => return None,
            form => read_level(bones, form - TOPS, false, numbers, &mut steps)?,
        }
        if expanded_len(&steps) != steps_len {
            return None;
        }
        Some(match second {
            Some(step) => {
                Sequence { values: Values { len: len - 1, first: step, steps }, second: Some(first) }
            }
            None => Sequence { values: Values { len, first, steps }, second: None },
        })
    }

    pub(super) fn skeleton(&self) -> folded::Sequence {
        folded::Sequence { values: self.values.clone(), first_of_second: self.second }
    }

    /// `None` for second differences.
    pub(super) fn plain(&self) -> Option<&Values> {
        if self.second.is_none() { Some(&self.values) } else { None }
    }

    pub(super) fn iter(&self) -> SequenceIter<'_> {
        match self.second {
            Some(first) => SequenceIter::Second(Some(first), self.values.iter()),
            None => match *self.values.steps.as_slice() {
                [] => SequenceIter::Affine(self.values.first, 0),
                [Node { value, len: 0, .. }] => SequenceIter::Affine(self.values.first, value),
                _ => SequenceIter::Plain(self.values.iter()),
            },
        }
    }

    pub(super) fn describe(&self) -> String {
        match self.second {
            Some(first) => format!("{first} + ({})", describe_values(&self.values)),
            None => describe_values(&self.values),
        }
    }
}

pub(super) fn describe_values(values: &Values) -> String {
    match values.steps.as_slice() {
        [] | [Node { value: 0, len: 0, .. }] => values.first.to_string(),
        steps => format!("{} + {}", values.first, describe(steps)),
    }
}

/// `(8^9 -72)^3` is three times nine steps of 8 and one of -72.
fn describe(nodes: &[Node]) -> String {
    const SHOWN: usize = 40;
    let mut text = Vec::new();
    let mut rest = nodes;
    while let Some((head, after)) = rest.split_first() {
        if text.len() == SHOWN {
            text.push(format!("... {} more", rest.len()));
            break;
        }
        let (body, behind) = after.split_at(after.len().min(head.len as usize));
        text.push(match (head.len, head.count) {
            (0, 1) => head.value.to_string(),
            (0, count) => format!("{}^{count}", head.value),
            (_, count) => format!("({})^{count}", describe(body)),
        });
        rest = behind;
    }
    text.join(" ")
}

/// Cheapest form first. The caller knows the length: constants do not end.
#[derive(Debug, Clone)]
pub(super) enum SequenceIter<'a> {
    /// Next value and step.
    Affine(i64, i64),
    Plain(ValuesIter<'a>),
    /// Next value and steps.
    Second(Option<i64>, ValuesIter<'a>),
}

impl SequenceIter<'_> {
    /// 0 after the last value.
    #[inline]
    pub(super) fn value(&mut self) -> i64 {
        match self {
            SequenceIter::Affine(next, step) => {
                let value = *next;
                *next = value.wrapping_add(*step);
                value
            }
            SequenceIter::Plain(values) => values.next().unwrap_or(0),
            SequenceIter::Second(next, steps) => {
                let value = next.unwrap_or(0);
                *next = steps.next().map(|step| value.wrapping_add(step));
                value
            }
        }
    }
}

/// Also returns how often each of `shapes` shapes begins a run.
pub(super) fn read_order(
    bones: &mut Reader<'_>,
    numbers: &mut dyn FnMut() -> Option<i64>,
    shapes: usize,
) -> Option<(Vec<Node>, Vec<u64>)> {
    let tops = bones.varint()?;
    let mut nodes = Vec::new();
    read_level(bones, tops, true, numbers, &mut nodes)?;
    let counts = folded::occurrences(&nodes, shapes)?;
    Some((nodes, counts))
}

fn read_level(
    bones: &mut Reader<'_>,
    tops: u64,
    symbols: bool,
    numbers: &mut dyn FnMut() -> Option<i64>,
    out: &mut Vec<Node>,
) -> Option<()> {
    let mut left = tops;
    while left > 0 {
        let token = bones.varint()?;
        let len = token >> 2;
        if token & 3 == LOOP {
            let head = out.len();
            out.push(Node { value: len as i64, count: positive(numbers()?)?, len: 0 });
            // The depth was checked when the bones were counted.
            read_level(bones, len, symbols, numbers, out)?;
            let nodes = u32::try_from(out.len() - head - 1).ok()?;
            out.get_mut(head)?.len = nodes;
            left -= 1;
            continue;
        }
        left = left.checked_sub(len)?;
        for _ in 0..len {
            let count = if token & 3 == COUNTED { positive(numbers()?)? } else { 1 };
            let value = if symbols { bones.varint()? as i64 } else { numbers()? };
            out.push(Node::run(value, count));
        }
    }
    Some(())
}

fn positive(number: i64) -> Option<u64> {
    u64::try_from(number).ok().filter(|&number| number > 0)
}
