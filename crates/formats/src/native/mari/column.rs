//! One number of a unit over all streams that have the unit, in their order.

use marigraph_model::folded;
use marigraph_wire::bytes::{Reader, zigzag};
use marigraph_wire::sequence::{Bench, Values, put_varint};

use super::section::Head;
use super::seek::Folded;

const CONSTANT: u8 = 0;
const AFFINE: u8 = 1;
const FOLDED: u8 = 2;
const RAW: u8 = 3;
/// Constant: a multiple of the number of ranks, plus a remainder.
const BY_RANKS: u8 = 4;
/// First and step, each as in [`BY_RANKS`].
const AFFINE_BY_RANKS: u8 = 5;
/// First value, first step, and growth of the step.
const SQUARE: u8 = 6;

pub(super) const KIND_BITS: u32 = 3;

/// Writes the kinds of the columns, in runs, then their numbers. Without runs the size hardly depends
/// on the number of ranks: more ranks change the kinds of some columns.
pub(super) fn put_columns<'c>(
    columns: impl IntoIterator<Item = &'c folded::Column>,
    (members, ranks): (usize, u64),
    in_runs: bool,
    bench: &mut Bench,
    out: &mut Vec<u8>,
) {
    let mut data = Vec::new();
    let mut run = (0u64, CONSTANT);
    for column in columns {
        let ways = ways(column, members, ranks, bench).into_iter();
        // Another kind than that of the column before takes a byte.
        let shortest = ways.min_by_key(|(kind, bytes)| bytes.len() + usize::from(in_runs && *kind != run.1));
        let Some((kind, bytes)) = shortest else { continue };
        if kind != run.1 || !in_runs {
            put_run(run, out);
            run = (0, kind);
        }
        run.0 += 1;
        data.extend(bytes);
    }
    put_run(run, out);
    out.extend(data);
}

/// Writes the numbers of a single member, which are already encoded.
pub(super) fn put_alone(count: usize, numbers: &[u8], out: &mut Vec<u8>) {
    put_run((count as u64, CONSTANT), out);
    out.extend_from_slice(numbers);
}

fn put_run((count, kind): (u64, u8), out: &mut Vec<u8>) {
    if count > 0 {
        put_varint(out, count << KIND_BITS | u64::from(kind));
    }
}

/// The possible kinds of a column, and its bytes in each.
fn ways(column: &folded::Column, members: usize, ranks: u64, bench: &mut Bench) -> Vec<(u8, Vec<u8>)> {
    let parted = |number: i64| parts(number, ranks);
    match *column {
        folded::Column::Affine(first, step) if members > 1 => vec![
            (AFFINE, signed([first, step])),
            (AFFINE_BY_RANKS, signed([first, step].into_iter().flat_map(parted))),
        ],
        folded::Column::Constant(first) | folded::Column::Affine(first, _) => {
            vec![(CONSTANT, signed([first])), (BY_RANKS, signed(parted(first)))]
        }
        folded::Column::Values(ref values) => match square(values) {
            Some(numbers) => vec![(SQUARE, signed(numbers))],
            None => {
                let mut folded = Vec::new();
                bench.values(values.iter().copied()).write(&mut folded);
                let first = values.first().copied();
                let raw = signed(first.into_iter().chain(values.windows(2).map(step)));
                vec![(RAW, raw), (FOLDED, folded)]
            }
        },
    }
}

fn signed(numbers: impl IntoIterator<Item = i64>) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.into_iter().for_each(|number| put_varint(&mut out, zigzag(number)));
    out
}

fn step(pair: &[i64]) -> i64 {
    match *pair {
        [a, b] => b.wrapping_sub(a),
        _ => 0,
    }
}

/// Nearest multiple of `ranks`, and the remainder.
fn parts(number: i64, ranks: u64) -> [i64; 2] {
    let Some(ranks) = i64::try_from(ranks).ok().filter(|&ranks| ranks > 0) else { return [0, number] };
    let (times, more) = (number.div_euclid(ranks), number.rem_euclid(ranks));
    if more > ranks / 2 { [times + 1, more - ranks] } else { [times, more] }
}

/// First value, first step and growth of the step, if that is constant. At least four values: any
/// three would do.
fn square(values: &[i64]) -> Option<[i64; 3]> {
    let [first, second, third, _, ..] = *values else { return None };
    let growth = step(&[step(&[first, second]), step(&[second, third])]);
    let grows = |three: &[i64]| step(&[step(&three[..2]), step(&three[1..])]) == growth;
    values.windows(3).all(grows).then_some([first, step(&[first, second]), growth])
}

/// A column; its length is the number of streams with the unit.
#[derive(Debug, Clone)]
pub(super) enum Column {
    Constant(i64),
    /// First and step.
    Affine(i64, i64),
    Folded(Box<Folded>),
    Raw(Vec<i64>),
    /// First value, first step, and growth of the step.
    Square(i64, i64, i64),
}

pub(super) fn read_columns(
    reader: &mut Reader<'_>,
    count: u64,
    members: u64,
    head: Head,
) -> Option<Vec<Column>> {
    // Each column takes a byte at least.
    let count = usize::try_from(count).ok().filter(|&count| count <= reader.rest().len())?;
    let bits = head.kind_bits;
    let mut kinds = Vec::with_capacity(count);
    while kinds.len() < count {
        let run = reader.varint()?;
        let len = usize::try_from(run >> bits).ok().filter(|&len| len > 0 && len <= count - kinds.len())?;
        kinds.extend(std::iter::repeat_n((run & ((1 << bits) - 1)) as u8, len));
    }
    kinds.into_iter().map(|kind| Column::read(reader, kind, members, head.ranks as i64)).collect()
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

    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Column::Constant(_))
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use folded::Column as Given;

    /// Checks the round trip; returns the number of bytes.
    fn check(columns: &[Given], members: usize, ranks: u64) -> usize {
        let mut bytes = Vec::new();
        put_columns(columns, (members, ranks), true, &mut Bench::new(), &mut bytes);
        let mut reader = Reader::new(&bytes);
        let head = Head { version: 2, ranks, kind_bits: KIND_BITS, len: 0 };
        let read = read_columns(&mut reader, columns.len() as u64, members as u64, head).expect("reads");
        assert!(reader.rest().is_empty());
        for (column, read) in columns.iter().zip(&read) {
            assert!((0..members).all(|at| read.at(at as u64) == column.at(at)), "{column:?} {read:?}");
        }
        bytes.len()
    }

    #[test]
    fn any_member_of_any_column() {
        let grid = |at: i64| at % 7 + at / 7 % 5 * 100 + at / 35 * 9000;
        let columns = [
            vec![5; 200],
            (0..200).map(|at| at * -3).collect(),
            (0..200).map(grid).collect(),
            (0..200).map(|at: i64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64) ^ at << 7).collect(),
            (0..200).map(|at| i64::from(at < 11)).collect(),
        ];
        check(&columns.map(Given::of), 200, 200);
        check(&[vec![1, 2, 4], vec![4, 2, 1], vec![7, 7, 7]].map(Given::of), 3, 0);
        check(&[Given::Affine(5, 3), Given::Constant(1)], 1, u64::MAX);
    }

    #[test]
    fn columns_by_the_number_of_ranks() {
        let columns = [
            Given::Constant(7),
            Given::Constant(65_536_000_000),
            Given::Affine(-999_999, 1_000_000_000),
            Given::Affine(i64::MIN, i64::MAX),
            Given::Values((0..1000).map(|at| 5 + at * (at - 1) / 2 * 4096).collect()),
            Given::Values((0..1000).map(|at: i64| i64::MAX.wrapping_add(at.wrapping_mul(at))).collect()),
            Given::Values((0..1000).map(|at| at % 7).collect()),
        ];
        let bytes = check(&columns, 1000, 1_000_000);
        assert!(bytes < 100, "{bytes}");
    }

    #[test]
    fn equal_kinds_are_one_run() {
        let columns = [100, 99, 101, 100].map(Given::Constant);
        assert_eq!(check(&columns, 9, 100), 1 + 4 * 2, "by ranks no number is shorter by a run");
    }
}
