//! A folded sequence taken apart: bones, which are its discrete form, and numbers, which may
//! differ from rank to rank.
//!
//! Ranks that run the same program have the same bones, so these are kept once, and each number
//! becomes a column over the ranks. A value sequence is a head (form, and whether it is of second
//! differences), then tops. A top is part of a stretch of single steps, part of a stretch of
//! counted ones, or a loop.

use marigraph_model::folded::{Branch, Column};
use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::fold::Node;
use marigraph_wire::sequence::{DEEPEST, put_varint};

/// Steps that occur once each.
const SINGLE: u64 = 0;
/// Steps with counts.
pub(super) const COUNTED: u64 = 1;
pub(super) const LOOP: u64 = 2;

/// Form of a sequence: all values are equal.
pub(super) const CONSTANT: u64 = 0;
/// One step throughout.
pub(super) const AFFINE: u64 = 1;
/// Added to the number of tops that follow.
pub(super) const TOPS: u64 = 2;

/// Numbers of one unit of one stream, as zigzag varints.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) bytes: Vec<u8>,
    pub(super) count: usize,
}

impl Extend<i64> for Numbers {
    fn extend<T: IntoIterator<Item = i64>>(&mut self, numbers: T) {
        for number in numbers {
            put_varint(&mut self.bytes, zigzag(number));
            self.count += 1;
        }
    }
}

pub(super) trait Bone<'a> {
    /// The number of one stream, or a column over all.
    type Number;

    fn parts(&'a self) -> Parts<Self::Number>;
}

pub(super) struct Parts<N> {
    value: N,
    count: N,
    /// The value where all streams share it: in orders and loops.
    symbol: u64,
    /// Whether it occurs once in all streams.
    single: bool,
    /// Nodes of the loop body; 0 for a run.
    len: usize,
}

impl Bone<'_> for Node {
    type Number = i64;

    fn parts(&self) -> Parts<i64> {
        let Node { value, count, len } = *self;
        Parts { value, count: count as i64, symbol: value as u64, single: count == 1, len: len as usize }
    }
}

impl<'a> Bone<'a> for Branch {
    type Number = &'a Column;

    fn parts(&'a self) -> Parts<&'a Column> {
        let Branch { value, count, len } = self;
        let symbol = value.at(0).unwrap_or(0) as u64;
        Parts { value, count, symbol, single: *count == Column::Constant(1), len: *len as usize }
    }
}

pub(super) enum Steps<'a, T: Bone<'a>> {
    Zero,
    All(T::Number),
    Nodes(&'a [T]),
}

/// Splits a value sequence into bones and numbers. `second` is the first step, for second
/// differences.
pub(super) fn put_values<'a, T: Bone<'a>>(
    (first, second): (T::Number, Option<T::Number>),
    steps: Steps<'a, T>,
    bones: &mut Vec<u8>,
    numbers: &mut impl Extend<T::Number>,
) {
    let form = match &steps {
        Steps::Zero => CONSTANT,
        Steps::All(_) => AFFINE,
        Steps::Nodes(nodes) => TOPS + tops(nodes),
    };
    put_varint(bones, form << 1 | u64::from(second.is_some()));
    numbers.extend([first]);
    numbers.extend(second);
    match steps {
        Steps::Zero => {}
        Steps::All(step) => numbers.extend([step]),
        Steps::Nodes(nodes) => put_level(nodes, false, bones, numbers),
    }
}

/// Splits the order of shapes; its symbols belong to the bones.
pub(super) fn put_order<'a, T: Bone<'a>>(
    nodes: &'a [T],
    bones: &mut Vec<u8>,
    numbers: &mut impl Extend<T::Number>,
) {
    put_varint(bones, tops(nodes));
    put_level(nodes, true, bones, numbers);
}

fn tops<'a, T: Bone<'a>>(nodes: &'a [T]) -> u64 {
    let (mut at, mut count) = (0, 0);
    while let Some(node) = nodes.get(at) {
        at += 1 + node.parts().len;
        count += 1;
    }
    count
}

fn put_level<'a, T: Bone<'a>>(
    nodes: &'a [T],
    symbols: bool,
    bones: &mut Vec<u8>,
    numbers: &mut impl Extend<T::Number>,
) {
    let mut rest = nodes;
    while let Some((head, after)) = rest.split_first() {
        let head = head.parts();
        if head.len > 0 {
            let (body, behind) = after.split_at(after.len().min(head.len));
            put_varint(bones, head.symbol << 2 | LOOP);
            numbers.extend([head.count]);
            put_level(body, symbols, bones, numbers);
            rest = behind;
            continue;
        }
        let alike = |node: &Parts<_>| node.len == 0 && node.single == head.single;
        let len = rest.iter().take_while(|node| alike(&node.parts())).count();
        let (stretch, behind) = rest.split_at(len);
        put_varint(bones, (len as u64) << 2 | if head.single { SINGLE } else { COUNTED });
        for node in stretch.iter().map(Bone::parts) {
            numbers.extend((!node.single).then_some(node.count));
            if symbols {
                put_varint(bones, node.symbol);
            } else {
                numbers.extend([node.value]);
            }
        }
        rest = behind;
    }
}

/// Skips the bones of a value sequence and counts the numbers they need.
pub(super) fn count_values(bones: &mut Reader<'_>) -> Option<u64> {
    let head = bones.varint()?;
    let numbers = 1 + (head & 1);
    match head >> 1 {
        CONSTANT => Some(numbers),
        AFFINE => Some(numbers + 1),
        form => count_level(bones, form - TOPS, false, 0)?.checked_add(numbers),
    }
}

pub(super) fn count_order(bones: &mut Reader<'_>) -> Option<u64> {
    let tops = bones.varint()?;
    count_level(bones, tops, true, 0)
}

fn count_level(bones: &mut Reader<'_>, tops: u64, symbols: bool, depth: usize) -> Option<u64> {
    let (mut left, mut numbers) = (tops, 0u64);
    while left > 0 {
        let token = bones.varint()?;
        let len = token >> 2;
        if len == 0 {
            return None;
        }
        if token & 3 == LOOP {
            let inner =
                if depth < DEEPEST { count_level(bones, len, symbols, depth + 1)? } else { return None };
            numbers = numbers.checked_add(inner)?.checked_add(1)?;
            left -= 1;
            continue;
        }
        left = left.checked_sub(len)?;
        let each = match token & 3 {
            SINGLE => u64::from(!symbols),
            COUNTED => 1 + u64::from(!symbols),
            _ => return None,
        };
        numbers = numbers.checked_add(len.checked_mul(each)?)?;
        if symbols {
            for _ in 0..len {
                bones.varint()?;
            }
        }
    }
    Some(numbers)
}
