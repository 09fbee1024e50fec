//! One number of a unit over all streams that have the unit, in their order.

use marigraph_model::folded;
use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::fold::Node;
use marigraph_wire::sequence::{Bench, Values, put_varint};

const CONSTANT: u8 = 0;
const AFFINE: u8 = 1;
const FOLDED: u8 = 2;
const RAW: u8 = 3;
/// Kinds of files that are written by the number of ranks: a multiple of the ranks, plus a constant.
const BY_RANKS: u8 = 4;
/// First and step by the number of ranks.
const AFFINE_BY_RANKS: u8 = 5;
/// First, step, and how much that grows.
const SQUARE: u8 = 6;

/// Writes columns of `members` numbers each: how they are kept, in runs, then the numbers.
pub(super) fn put_columns(columns: &[Vec<i64>], bench: &mut Bench, out: &mut Vec<u8>) {
    let mut data = Vec::new();
    let mut run = (0u64, CONSTANT);
    for column in columns {
        let kind = put_column(column, bench, &mut data);
        if kind != run.1 {
            put_run(run, out);
            run = (0, kind);
        }
        run.0 += 1;
    }
    put_run(run, out);
    out.extend(data);
}

/// Writes columns that are known by rule, or value by value, for this many members and ranks.
pub(super) fn put_draft_columns(
    columns: &[&folded::Column],
    (members, ranks): (usize, u64),
    bench: &mut Bench,
    out: &mut Vec<u8>,
) {
    let mut data = Vec::new();
    for column in columns {
        let kind = match column {
            folded::Column::Constant(value) => put_by_ranks(&[*value], ranks, BY_RANKS, &mut data),
            folded::Column::Affine(first, _) if members < 2 => {
                put_by_ranks(&[*first], ranks, BY_RANKS, &mut data)
            }
            folded::Column::Affine(first, step) => {
                put_by_ranks(&[*first, *step], ranks, AFFINE_BY_RANKS, &mut data)
            }
            folded::Column::Values(values) => match square(values) {
                Some(numbers) => {
                    numbers.into_iter().for_each(|number| put_varint(&mut data, zigzag(number)));
                    SQUARE
                }
                None => put_column(values, bench, &mut data),
            },
        };
        put_varint(out, 1 << KIND_BITS | u64::from(kind));
    }
    out.extend(data);
}

/// Bits of a kind in files that are written by the number of ranks.
const KIND_BITS: u32 = 3;

/// Writes numbers as they are, or as multiples of the number of ranks and some, whichever is shorter.
fn put_by_ranks(numbers: &[i64], ranks: u64, by_ranks: u8, out: &mut Vec<u8>) -> u8 {
    let (mut plain, mut parted) = (Vec::new(), Vec::new());
    for &number in numbers {
        put_varint(&mut plain, zigzag(number));
        let (times, more) = parts(number, ranks);
        put_varint(&mut parted, zigzag(times));
        put_varint(&mut parted, zigzag(more));
    }
    if parted.len() < plain.len() {
        out.extend(parted);
        return by_ranks;
    }
    out.extend(plain);
    if let [_, _] = numbers { AFFINE } else { CONSTANT }
}

/// A number as a multiple of the ranks and what is nearest to it.
fn parts(number: i64, ranks: u64) -> (i64, i64) {
    let Some(ranks) = i64::try_from(ranks).ok().filter(|&ranks| ranks > 0) else { return (0, number) };
    let (times, more) = (number.div_euclid(ranks), number.rem_euclid(ranks));
    if more > ranks / 2 { (times + 1, more - ranks) } else { (times, more) }
}

/// First value, first step and growth of the step, if the step always grows by as much.
fn square(values: &[i64]) -> Option<[i64; 3]> {
    let [first, second, third, ..] = *values else { return None };
    let step = second.wrapping_sub(first);
    let growth = third.wrapping_sub(second).wrapping_sub(step);
    let grows = |three: &[i64]| match *three {
        [a, b, c] => c.wrapping_sub(b).wrapping_sub(b.wrapping_sub(a)) == growth,
        _ => false,
    };
    values.windows(3).all(grows).then_some([first, step, growth])
}

/// Writes the numbers of an only member, which are bytes already.
pub(super) fn put_alone(count: usize, numbers: &[u8], out: &mut Vec<u8>) {
    put_run((count as u64, CONSTANT), out);
    out.extend_from_slice(numbers);
}

fn put_run((count, kind): (u64, u8), out: &mut Vec<u8>) {
    if count > 0 {
        put_varint(out, count << 2 | u64::from(kind));
    }
}

fn put_column(column: &[i64], bench: &mut Bench, out: &mut Vec<u8>) -> u8 {
    let first = column.first().copied().unwrap_or(0);
    let step = column.get(1).map_or(0, |second| second.wrapping_sub(first));
    let steps = || column.windows(2).map(step_of);
    if steps().all(|found| found == step) {
        put_varint(out, zigzag(first));
        if step == 0 {
            return CONSTANT;
        }
        put_varint(out, zigzag(step));
        return AFFINE;
    }
    let mut folded = Vec::new();
    bench.values(column.iter().copied()).write(&mut folded);
    let mut raw = Vec::new();
    put_varint(&mut raw, zigzag(first));
    steps().for_each(|step| put_varint(&mut raw, zigzag(step)));
    let shorter = folded.len() < raw.len();
    out.extend(if shorter { folded } else { raw });
    if shorter { FOLDED } else { RAW }
}

fn step_of(pair: &[i64]) -> i64 {
    match *pair {
        [a, b] => b.wrapping_sub(a),
        _ => 0,
    }
}

/// A column; its length is kept by its unit.
#[derive(Debug, Clone)]
pub(super) enum Column {
    /// Always this.
    Constant(i64),
    /// First and step.
    Affine(i64, i64),
    /// Nested steps.
    Folded(Box<Folded>),
    /// All values.
    Raw(Vec<i64>),
    /// First, first step, and how much steps grow.
    Square(i64, i64, i64),
}

/// Folded steps that can be entered anywhere.
#[derive(Debug, Clone)]
pub(super) struct Folded {
    first: i64,
    nodes: Vec<Node>,
    /// Steps of one turn of each node, and what they add up to.
    spans: Vec<(u64, i64)>,
    /// For each top: steps before it, what they add up to, its node.
    tops: Vec<(u64, i64, usize)>,
}

/// Reads `count` columns of `members` numbers each; `ranks` is what the file is written by.
pub(super) fn read_columns(
    reader: &mut Reader<'_>,
    count: u64,
    members: u64,
    ranks: Option<u64>,
) -> Option<Vec<Column>> {
    // Each column takes a byte at least.
    let count = usize::try_from(count).ok().filter(|&count| count <= reader.rest().len())?;
    let bits = if ranks.is_some() { KIND_BITS } else { 2 };
    let mut kinds = Vec::with_capacity(count);
    while kinds.len() < count {
        let run = reader.varint()?;
        let len = usize::try_from(run >> bits).ok().filter(|&len| len > 0 && len <= count - kinds.len())?;
        kinds.extend(std::iter::repeat_n((run & ((1 << bits) - 1)) as u8, len));
    }
    let ranks = ranks.unwrap_or(0) as i64;
    kinds.into_iter().map(|kind| Column::read(reader, kind, members, ranks)).collect()
}

impl Column {
    fn read(reader: &mut Reader<'_>, kind: u8, members: u64, ranks: i64) -> Option<Column> {
        let by_ranks = |reader: &mut Reader<'_>| {
            let times = reader.signed()?;
            Some(times.wrapping_mul(ranks).wrapping_add(reader.signed()?))
        };
        match kind {
            CONSTANT => Some(Column::Constant(reader.signed()?)),
            AFFINE => Some(Column::Affine(reader.signed()?, reader.signed()?)),
            FOLDED => Some(Column::Folded(Box::new(Folded::new(Values::read(reader, members)?)?))),
            BY_RANKS => Some(Column::Constant(by_ranks(reader)?)),
            AFFINE_BY_RANKS => Some(Column::Affine(by_ranks(reader)?, by_ranks(reader)?)),
            SQUARE => Some(Column::Square(reader.signed()?, reader.signed()?, reader.signed()?)),
            RAW => {
                let members = usize::try_from(members).ok().filter(|&len| len <= reader.rest().len())?;
                let mut value = 0i64;
                let mut values = Vec::with_capacity(members);
                for _ in 0..members {
                    value = value.wrapping_add(reader.signed()?);
                    values.push(value);
                }
                Some(Column::Raw(values))
            }
            _ => None,
        }
    }

    /// Whether all members have the same number.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Column::Constant(_))
    }

    /// The number of one member.
    pub(super) fn at(&self, member: u64) -> Option<i64> {
        match self {
            Column::Constant(value) => Some(*value),
            Column::Affine(first, step) => Some(first.wrapping_add(step.wrapping_mul(member as i64))),
            Column::Folded(folded) => folded.at(member),
            Column::Raw(values) => values.get(usize::try_from(member).ok()?).copied(),
            Column::Square(first, step, growth) => {
                let steps = i128::from(member);
                let grown = steps.wrapping_mul(steps - 1) / 2;
                let sum = i128::from(*step)
                    .wrapping_mul(steps)
                    .wrapping_add(i128::from(*growth).wrapping_mul(grown));
                Some(first.wrapping_add(sum as i64))
            }
        }
    }
}

impl Folded {
    fn new(values: Values) -> Option<Folded> {
        let nodes = values.steps;
        let mut spans = vec![(0, 0); nodes.len()];
        let mut tops = Vec::new();
        let (mut at, mut before, mut sum) = (0, 0u64, 0i64);
        while let Some(node) = nodes.get(at) {
            tops.push((before, sum, at));
            let (len, total) = span(&nodes, at, &mut spans)?;
            before = before.checked_add(len.checked_mul(node.count)?)?;
            sum = sum.wrapping_add(total.wrapping_mul(node.count as i64));
            at += 1 + node.len as usize;
        }
        Some(Folded { first: values.first, nodes, spans, tops })
    }

    fn at(&self, member: u64) -> Option<i64> {
        let after = self.tops.partition_point(|top| top.0 <= member);
        let Some(at) = after.checked_sub(1) else { return Some(self.first) };
        let &(before, sum, node) = self.tops.get(at)?;
        let rest = self.walk(node, self.nodes.len(), member - before)?;
        Some(self.first.wrapping_add(sum).wrapping_add(rest))
    }

    /// What the first `steps` steps from node `at` on add up to.
    fn walk(&self, mut at: usize, end: usize, mut steps: u64) -> Option<i64> {
        let mut sum = 0i64;
        while steps > 0 && at < end {
            let node = self.nodes.get(at)?;
            let &(len, total) = self.spans.get(at)?;
            let turns = (steps / len.max(1)).min(node.count);
            sum = sum.wrapping_add(total.wrapping_mul(turns as i64));
            steps -= turns * len;
            let next = at + 1 + node.len as usize;
            if turns < node.count && node.len > 0 {
                return Some(sum.wrapping_add(self.walk(at + 1, next, steps)?));
            }
            at = next;
        }
        Some(sum)
    }
}

/// Fills in the spans of a node and those within it.
fn span(nodes: &[Node], at: usize, spans: &mut [(u64, i64)]) -> Option<(u64, i64)> {
    let node = nodes.get(at)?;
    let mut found = (1, node.value);
    if node.len > 0 {
        found = (0, 0);
        let end = at + 1 + node.len as usize;
        let mut inner = at + 1;
        while inner < end {
            let body = nodes.get(inner)?;
            let (len, total) = span(nodes, inner, spans)?;
            found.0 = len.checked_mul(body.count)?.checked_add(found.0)?;
            found.1 = total.wrapping_mul(body.count as i64).wrapping_add(found.1);
            inner += 1 + body.len as usize;
        }
    }
    *spans.get_mut(at)? = found;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_member_of_any_column() {
        let grid = |at: i64| at % 7 + at / 7 % 5 * 100 + at / 35 * 9000;
        let columns: Vec<Vec<i64>> = vec![
            vec![5; 200],
            (0..200).map(|at| at * -3).collect(),
            (0..200).map(grid).collect(),
            (0..200).map(|at: i64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) ^ at << 7).collect(),
            (0..200).map(|at| i64::from(at < 11)).collect(),
        ];
        let mut bytes = Vec::new();
        put_columns(&columns, &mut Bench::new(), &mut bytes);
        let mut reader = Reader::new(&bytes);
        let read = read_columns(&mut reader, columns.len() as u64, 200, None).expect("reads");
        assert!(reader.rest().is_empty());
        for (column, read) in columns.iter().zip(&read) {
            for (at, &value) in column.iter().enumerate() {
                assert_eq!(read.at(at as u64), Some(value), "{at} of {read:?}");
            }
        }
    }

    #[test]
    fn columns_by_the_number_of_ranks() {
        use folded::Column as Draft;
        let drafts = [
            Draft::Constant(7),
            Draft::Constant(65_536_000_000),
            Draft::Affine(-999_999, 1_000_000_000),
            Draft::Affine(i64::MIN, i64::MAX),
            Draft::Values((0..1000).map(|at| 5 + at * (at - 1) / 2 * 4096).collect()),
            Draft::Values((0..1000).map(|at: i64| i64::MAX.wrapping_add(at.wrapping_mul(at))).collect()),
            Draft::Values((0..1000).map(|at| at % 7).collect()),
        ];
        let mut bytes = Vec::new();
        let ranks = 1_000_000;
        put_draft_columns(&drafts.each_ref(), (1000, ranks), &mut Bench::new(), &mut bytes);
        assert!(bytes.len() < 100, "{}", bytes.len());
        let mut reader = Reader::new(&bytes);
        let read = read_columns(&mut reader, drafts.len() as u64, 1000, Some(ranks)).expect("reads");
        assert!(reader.rest().is_empty());
        for (draft, read) in drafts.iter().zip(&read) {
            assert!((0..1000).all(|at| read.at(at as u64) == draft.at(at)), "{read:?}");
        }
    }
}
