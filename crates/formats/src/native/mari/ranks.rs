//! Ranks of a class: what follows from the number of all ranks is not kept.

use marigraph_wire::bytes::Reader;
use marigraph_wire::fold::Node;
use marigraph_wire::sequence::{Bench, Values, put_varint};

use super::classes::listed;

/// Any ranks: their number, the first, and nodes.
const LISTED: u64 = 0;

/// `ranks` ascend. Ranks at a constant step up to the end are stored as the step and the first one.
pub(super) fn put(ranks: &[u32], all: u64, bench: &mut Bench, out: &mut Vec<u8>) {
    let values = bench.values(ranks.iter().map(|&rank| i64::from(rank)));
    match *values.steps.as_slice() {
        [Node { value: step @ 1.., len: 0, .. }] if values.len == up_to_end(values.first, step, all) => {
            put_varint(out, step as u64);
            put_varint(out, values.first as u64);
        }
        _ => {
            put_varint(out, LISTED);
            put_varint(out, values.len);
            values.write(out);
        }
    }
}

/// Number of ranks from `first` on.
fn up_to_end(first: i64, step: i64, all: u64) -> u64 {
    all.saturating_sub(first as u64).div_ceil((step as u64).max(1))
}

pub(super) fn read(reader: &mut Reader<'_>, all: u64) -> Option<Values> {
    let step = reader.varint()?;
    if step == LISTED {
        return listed(reader);
    }
    let (first, step) = (u32::try_from(reader.varint()?).ok()?.into(), u32::try_from(step).ok()?.into());
    let len = up_to_end(first, step, all).max(1);
    let steps = if len > 1 { vec![Node::run(step, len - 1)] } else { Vec::new() };
    Some(Values { len, first, steps })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_back_in_few_bytes() {
        let all = 1000;
        let evenly = |first: u32, step: usize| (first..all as u32).step_by(step).collect::<Vec<u32>>();
        let others = (0..all as u32).filter(|rank| rank % 4 != 0).collect();
        let cases = [
            (evenly(0, 1), 2),
            (evenly(3, 1), 2),
            (evenly(0, 4), 2),
            (evenly(2, 7), 2),
            (vec![0], 3),
            (vec![999], 4),
            (vec![0, 4, 8], 5),
            ((0..999).collect(), 7),
            (others, 14),
        ];
        for (ranks, most) in cases {
            let mut bytes = Vec::new();
            put(&ranks, all, &mut Bench::new(), &mut bytes);
            assert!(bytes.len() <= most, "{} bytes for {ranks:?}", bytes.len());
            let mut reader = Reader::new(&bytes);
            let read = read(&mut reader, all).expect("reads");
            assert!(reader.rest().is_empty());
            assert!(read.iter().eq(ranks.iter().map(|&rank| i64::from(rank))), "{ranks:?}: {read:?}");
        }
    }
}
