//! Folded sequences as bytes and back: symbols as they are, or values by their differences.
//!
//! Nodes are written in order. A run is its count and its symbol; a loop is 0, its count and the
//! number of tops in its body, which follow.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer, unzigzag, zigzag};
use crate::fold::{Folder, Node, Nodes, expanded_len};

/// Nesting limit for readers. Every level at least doubles the length, so no sequence is deeper.
pub const DEEPEST: usize = 64;

impl Nodes for Writer<'_> {
    #[inline]
    fn node(&mut self, node: Node) {
        if node.len == 0 {
            self.varint(node.count);
            self.varint(zigzag(node.value));
        } else {
            self.byte(0);
            self.varint(node.count);
            self.varint(node.value as u64);
        }
    }
}

pub fn write_symbols(symbols: impl Iterator<Item = i64>, mut folder: Folder<'_>, out: &mut Writer<'_>) {
    for symbol in symbols {
        folder.push(symbol, out);
    }
    folder.finish(out);
}

/// Runs without a loop after which a sequence counts as irregular.
const IRREGULAR: usize = 256;

/// Writes the first value, then the differences, folded.
#[inline]
pub fn write_values(mut values: impl Iterator<Item = i64>, folder: Folder<'_>, out: &mut Writer<'_>) {
    let Some(first) = values.next() else { return };
    out.signed(first);
    let mut last = first;
    let mut runs = Runs { folder: Some(folder) };
    // Equal differences are counted here, because they are the common case.
    let (mut step, mut count) = (0i64, 0u64);
    for value in values {
        let difference = value.wrapping_sub(last);
        last = value;
        if difference == step {
            count += 1;
        } else {
            runs.push(step, count, out);
            (step, count) = (difference, 1);
        }
    }
    runs.push(step, count, out);
    if let Some(folder) = runs.folder {
        folder.finish(out);
    }
}

/// Folds runs until they prove irregular, then writes them directly, to save time in the host
/// process.
struct Runs<'a> {
    folder: Option<Folder<'a>>,
}

impl Runs<'_> {
    fn push(&mut self, step: i64, count: u64, out: &mut Writer<'_>) {
        match &mut self.folder {
            Some(folder) => {
                folder.push_run(step, count, out);
                if folder.height() >= IRREGULAR
                    && let Some(folder) = self.folder.take()
                {
                    folder.finish(out);
                }
            }
            None if count > 0 => out.node(Node::run(step, count)),
            None => {}
        }
    }
}

/// Reads nodes that expand to `len` symbols.
pub fn read_nodes(reader: &mut Reader<'_>, len: u64) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut sum = 0u64;
    while sum < len {
        sum = sum.checked_add(read_top(reader, &mut nodes, 0)?)?;
    }
    (sum == len).then_some(nodes)
}

/// Appends one top; returns the number of symbols it expands to.
fn read_top(reader: &mut Reader<'_>, nodes: &mut Vec<Node>, depth: usize) -> Option<u64> {
    let count = reader.varint()?;
    if count > 0 {
        nodes.push(Node::run(unzigzag(reader.varint()?), count));
        return Some(count);
    }
    if depth >= DEEPEST {
        return None;
    }
    let count = reader.varint()?;
    // Each top takes at least two bytes.
    let tops = reader.count()?;
    if count == 0 || tops == 0 {
        return None;
    }
    let head = nodes.len();
    nodes.push(Node { value: tops as i64, count, len: 0 });
    let mut sum = 0u64;
    for _ in 0..tops {
        sum = sum.checked_add(read_top(reader, nodes, depth + 1)?)?;
    }
    let len = u32::try_from(nodes.len() - head - 1).ok()?;
    nodes.get_mut(head)?.len = len;
    sum.checked_mul(count)
}

/// A sequence of values: the first, and the folded differences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Values {
    pub len: u64,
    pub first: i64,
    pub steps: Vec<Node>,
}

impl Values {
    pub fn read(reader: &mut Reader<'_>, len: u64) -> Option<Values> {
        if len == 0 {
            return Some(Values::default());
        }
        let first = reader.signed()?;
        Some(Values { len, first, steps: read_nodes(reader, len - 1)? })
    }

    /// Writes what [`Values::read`] reads; the caller stores the length.
    pub fn write(&self, out: &mut Vec<u8>) {
        if self.len > 0 {
            put_varint(out, zigzag(self.first));
            write_nodes(&self.steps, out);
        }
    }

    pub fn iter(&self) -> ValuesIter<'_> {
        ValuesIter { left: self.len, next: self.first, steps: Symbols::new(&self.steps) }
    }

    /// Does not expand loops; wraps.
    pub fn sum(&self) -> i128 {
        let walk = Walk::of(&self.steps);
        i128::from(self.first).wrapping_mul(i128::from(self.len)).wrapping_add(walk.sum)
    }
}

/// The effect of a range of differences on a running value that starts at 0: the number of values,
/// the last of them, and their sum.
#[derive(Debug, Clone, Copy, Default)]
struct Walk {
    len: i128,
    last: i128,
    sum: i128,
}

impl Walk {
    fn of(nodes: &[Node]) -> Walk {
        let mut walk = Walk::default();
        let mut at = 0;
        while let Some(node) = nodes.get(at) {
            let body = nodes.get(at + 1..(at + 1).saturating_add(node.len as usize)).unwrap_or(&[]);
            let value = i128::from(node.value);
            let once = if node.len == 0 { Walk { len: 1, last: value, sum: value } } else { Walk::of(body) };
            walk = walk.then(once.times(i128::from(node.count)));
            at += 1 + node.len as usize;
        }
        walk
    }

    fn then(self, next: Walk) -> Walk {
        Walk {
            len: self.len.wrapping_add(next.len),
            last: self.last.wrapping_add(next.last),
            sum: self.sum.wrapping_add(next.sum).wrapping_add(next.len.wrapping_mul(self.last)),
        }
    }

    fn times(self, count: i128) -> Walk {
        let turns = count.wrapping_mul(count - 1) / 2;
        Walk {
            len: self.len.wrapping_mul(count),
            last: self.last.wrapping_mul(count),
            sum: self
                .sum
                .wrapping_mul(count)
                .wrapping_add(self.len.wrapping_mul(self.last).wrapping_mul(turns)),
        }
    }
}

/// Iterates over the values of [`Values`].
#[derive(Debug, Clone)]
pub struct ValuesIter<'a> {
    left: u64,
    next: i64,
    steps: Symbols<'a>,
}

impl Iterator for ValuesIter<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if self.left == 0 {
            return None;
        }
        let value = self.next;
        self.left -= 1;
        if self.left > 0 {
            self.next = value.wrapping_add(self.steps.next().unwrap_or(0));
        }
        Some(value)
    }
}

/// Iterates over the symbols of nodes, in memory proportional to the nesting depth.
#[derive(Debug, Clone)]
pub struct Symbols<'a> {
    nodes: &'a [Node],
    at: usize,
    value: i64,
    left: u64,
    /// Enclosing loops: first node of the body, node after the body, remaining turns.
    loops: Vec<(usize, usize, u64)>,
}

impl<'a> Symbols<'a> {
    pub fn new(nodes: &'a [Node]) -> Symbols<'a> {
        Symbols { nodes, at: 0, value: 0, left: 0, loops: Vec::new() }
    }

    fn next_run(&mut self) -> Option<()> {
        loop {
            while let Some((body, end, turns)) = self.loops.last_mut() {
                if self.at < *end {
                    break;
                }
                if *turns > 0 {
                    *turns -= 1;
                    self.at = *body;
                    break;
                }
                self.loops.pop();
            }
            let node = self.nodes.get(self.at)?;
            self.at += 1;
            if node.len == 0 {
                (self.value, self.left) = (node.value, node.count);
                if node.count > 0 {
                    return Some(());
                }
            } else if node.count == 0 {
                self.at += node.len as usize;
            } else {
                self.loops.push((self.at, self.at + node.len as usize, node.count - 1));
            }
        }
    }
}

impl Iterator for Symbols<'_> {
    type Item = i64;

    #[inline]
    fn next(&mut self) -> Option<i64> {
        if self.left == 0 {
            self.next_run()?;
        }
        self.left -= 1;
        Some(self.value)
    }
}

/// Working memory for folding outside a host process.
#[derive(Debug)]
pub struct Bench {
    nodes: Vec<Node>,
    tops: Vec<crate::fold::Top>,
    places: Vec<u32>,
}

impl Bench {
    /// Nodes kept for folding before they are emitted.
    const WINDOW: usize = 1 << 16;

    pub fn new() -> Bench {
        Bench {
            nodes: alloc::vec![Node::default(); Self::WINDOW],
            tops: alloc::vec![crate::fold::Top::default(); Self::WINDOW],
            places: alloc::vec![0; 1024],
        }
    }

    fn folder(&mut self) -> Folder<'_> {
        self.places.fill(0);
        Folder::new(&mut self.nodes, &mut self.tops, &mut self.places)
    }

    pub fn symbols(&mut self, symbols: impl Iterator<Item = i64>) -> Vec<Node> {
        let mut out = Vec::new();
        let mut folder = self.folder();
        symbols.for_each(|symbol| folder.push(symbol, &mut out));
        folder.finish(&mut out);
        out
    }

    pub fn values(&mut self, mut values: impl Iterator<Item = i64>) -> Values {
        let Some(first) = values.next() else { return Values::default() };
        let (mut last, mut len) = (first, 1);
        let steps = self.symbols(values.map(|value| {
            let step = value.wrapping_sub(last);
            last = value;
            len += 1;
            step
        }));
        Values { len, first, steps }
    }
}

impl Default for Bench {
    fn default() -> Bench {
        Bench::new()
    }
}

/// Appends a number as [`Writer::varint`] does.
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends nodes as [`read_nodes`] reads them.
pub fn write_nodes(nodes: &[Node], out: &mut Vec<u8>) {
    for node in nodes {
        if node.len == 0 {
            put_varint(out, node.count);
            put_varint(out, zigzag(node.value));
        } else {
            out.push(0);
            put_varint(out, node.count);
            put_varint(out, node.value as u64);
        }
    }
}

/// Number of symbols that nodes expand to.
pub fn len(nodes: &[Node]) -> u64 {
    expanded_len(nodes)
}
