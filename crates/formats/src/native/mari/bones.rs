//! A folded sequence taken apart: bones, which are its discrete form, and numbers, which may
//! differ from rank to rank.
//!
//! Ranks that run the same program have the same bones, so these are kept once, and each number
//! becomes a column over the ranks. A value sequence is a head (form, and whether it is of second
//! differences), then tops. A top is part of a stretch of single steps, part of a stretch of
//! counted ones, or a loop.

use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::fold::Node;
use marigraph_wire::sequence::{DEEPEST, put_varint};

use super::series::Folded;

/// A stretch of steps that occur once each.
pub(super) const SINGLE: u64 = 0;
/// A stretch of steps with counts.
pub(super) const COUNTED: u64 = 1;
/// A loop over a number of tops.
pub(super) const LOOP: u64 = 2;

/// Form of a sequence: all values are equal.
pub(super) const CONSTANT: u64 = 0;
/// One step throughout.
pub(super) const AFFINE: u64 = 1;
/// Number of tops that follow, plus this.
pub(super) const TOPS: u64 = 2;

/// Numbers of one unit of one stream, as bytes.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) bytes: Vec<u8>,
    pub(super) count: usize,
}

impl Numbers {
    fn push(&mut self, number: i64) {
        put_varint(&mut self.bytes, zigzag(number));
        self.count += 1;
    }
}

/// Takes a value sequence apart.
pub(super) fn put_values(folded: &Folded, bones: &mut Vec<u8>, numbers: &mut Numbers) {
    let form = match *folded.nodes.as_slice() {
        [] | [Node { value: 0, len: 0, .. }] => CONSTANT,
        [Node { len: 0, .. }] => AFFINE,
        _ => TOPS + tops(&folded.nodes) as u64,
    };
    put_varint(bones, form << 1 | u64::from(folded.second.is_some()));
    numbers.push(folded.first);
    folded.second.iter().for_each(|&step| numbers.push(step));
    match (form, folded.nodes.first()) {
        (CONSTANT, _) => {}
        (AFFINE, Some(node)) => numbers.push(node.value),
        _ => put_level(&folded.nodes, false, bones, numbers),
    }
}

/// Takes the order of shapes apart: the symbols themselves belong to the bones.
pub(super) fn put_order(nodes: &[Node], bones: &mut Vec<u8>, numbers: &mut Numbers) {
    put_varint(bones, tops(nodes) as u64);
    put_level(nodes, true, bones, numbers);
}

fn tops(nodes: &[Node]) -> usize {
    let (mut at, mut count) = (0, 0);
    while let Some(node) = nodes.get(at) {
        at += 1 + node.len as usize;
        count += 1;
    }
    count
}

fn put_level(nodes: &[Node], symbols: bool, bones: &mut Vec<u8>, numbers: &mut Numbers) {
    let mut rest = nodes;
    while let Some((head, after)) = rest.split_first() {
        if head.len > 0 {
            let (body, behind) = after.split_at(after.len().min(head.len as usize));
            put_varint(bones, (head.value as u64) << 2 | LOOP);
            numbers.push(head.count as i64);
            put_level(body, symbols, bones, numbers);
            rest = behind;
            continue;
        }
        let single = head.count == 1;
        let len = rest.iter().take_while(|node| node.len == 0 && (node.count == 1) == single).count();
        let (stretch, behind) = rest.split_at(len);
        put_varint(bones, (len as u64) << 2 | if single { SINGLE } else { COUNTED });
        for node in stretch {
            if !single {
                numbers.push(node.count as i64);
            }
            if symbols {
                put_varint(bones, node.value as u64);
            } else {
                numbers.push(node.value);
            }
        }
        rest = behind;
    }
}

/// Steps over the bones of a value sequence and counts its numbers.
pub(super) fn count_values(bones: &mut Reader<'_>) -> Option<u64> {
    let head = bones.varint()?;
    let numbers = 1 + (head & 1);
    match head >> 1 {
        CONSTANT => Some(numbers),
        AFFINE => Some(numbers + 1),
        form => count_level(bones, form - TOPS, false, 0)?.checked_add(numbers),
    }
}

/// Steps over the bones of an order and counts its numbers.
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
