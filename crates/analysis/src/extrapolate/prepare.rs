//! Removes from a stream what does not belong to the program at another scale.
//!
//! Removed are calls that libraries make inside others (the library decides what it does at another
//! scale), notes about the environment, and calls on standard streams. Open files are renumbered in
//! the order in which they were opened.

use std::collections::{BTreeSet, HashMap, HashSet};

use marigraph_model::folded::{Part, Sequence, Stream, place, symbols};
use marigraph_wire::fold::Node;
use marigraph_wire::op::{Effect, Layer, Op};
use marigraph_wire::sequence::Bench;

/// Maximum number of runs, and of slot values, that are visited one by one.
pub const MOST: u64 = 1 << 22;

/// Index of the run lengths in [`Part::sequences`].
pub const RUNS: usize = 0;
/// Index of the slots, see [`RUNS`].
pub const SLOT: usize = 1;

/// The stream as it is compared across sizes; `None` if it is too long.
pub fn prepared(stream: &Stream, bench: &mut Bench) -> Option<Stream> {
    let standard = standard_slots(stream);
    let kept: Vec<bool> = stream.parts.iter().map(|part| is_kept(part, &standard)).collect();
    let runs: u64 = stream.parts.iter().map(|part| part.sequences[RUNS].len()).sum();
    if runs > MOST {
        return None;
    }
    let mut rebuilt = without(stream, &kept, bench)?;
    renumber(&mut rebuilt.parts, bench)?;
    Some(rebuilt)
}

fn standard_slots(stream: &Stream) -> HashSet<i64> {
    let held = |part: &&Part| part.shape.op.effect() == Effect::Holds;
    stream.parts.iter().filter(held).flat_map(|part| part.sequences[SLOT].iter().take(8)).collect()
}

fn is_kept(part: &Part, standard: &HashSet<i64>) -> bool {
    let op = part.shape.op;
    let note = op.layer() == Layer::Note && !matches!(op, Op::Mark | Op::More);
    let first = part.sequences[SLOT].values.first;
    let on_standard = first != 0 && standard.contains(&first) && is_constant(&part.sequences[SLOT]);
    !note && part.shape.depth() == 0 && !on_standard && op != Op::Standard
}

/// Removes parts and merges runs that become adjacent.
fn without(stream: &Stream, kept: &[bool], bench: &mut Bench) -> Option<Stream> {
    let mut lengths: Vec<_> = stream.parts.iter().map(|part| part.sequences[RUNS].iter()).collect();
    let mut places: HashMap<i64, i64> = HashMap::new();
    let mut order: Vec<i64> = Vec::new();
    let mut runs: Vec<Vec<i64>> = Vec::new();
    for symbol in symbols(&stream.order) {
        let at = usize::try_from(symbol).ok()?;
        let length = lengths.get_mut(at)?.next()?;
        if !*kept.get(at)? {
            continue;
        }
        let next = places.len() as i64;
        let place = *places.entry(symbol).or_insert(next);
        if place == next {
            runs.push(Vec::new());
        }
        match runs[place as usize].last_mut().filter(|_| order.last() == Some(&place)) {
            Some(last) => *last += length,
            None => {
                order.push(place);
                runs[place as usize].push(length);
            }
        }
    }
    let mut olds: Vec<(i64, i64)> = places.into_iter().map(|(old, new)| (new, old)).collect();
    olds.sort_unstable();
    let mut parts: Vec<Part> = olds.iter().map(|&(_, old)| stream.parts[old as usize].clone()).collect();
    for (part, runs) in parts.iter_mut().zip(runs) {
        part.sequences[RUNS] = Sequence { values: bench.values(runs.into_iter()), first_of_second: None };
    }
    Some(Stream { order: bench.symbols(order.into_iter()), parts, ..stream.clone() })
}

fn slot_places(part: &Part) -> Vec<usize> {
    let mut places = vec![SLOT];
    places.extend(part.shape.op.other_slot().map(|argument| place(&part.names, argument)));
    places
}

/// Numbers open files from 1, without gaps.
fn renumber(parts: &mut [Part], bench: &mut Bench) -> Option<()> {
    let mut used: BTreeSet<i64> = BTreeSet::new();
    for part in parts.iter() {
        for place in slot_places(part) {
            let sequence = part.sequences.get(place)?;
            match is_constant(sequence) {
                true => used.extend(sequence.iter().take(1)),
                false if sequence.len() > MOST => return None,
                false => used.extend(sequence.iter()),
            }
        }
    }
    used.remove(&0);
    let dense: HashMap<i64, i64> = used.into_iter().zip(1..).collect();
    let number = |slot: i64| dense.get(&slot).copied().unwrap_or(0);
    for part in parts {
        for place in slot_places(part) {
            let sequence = part.sequences.get_mut(place)?;
            if is_constant(sequence) {
                sequence.values.first = number(sequence.values.first);
            } else {
                let values: Vec<i64> = sequence.iter().map(number).collect();
                *sequence = Sequence { values: bench.values(values.into_iter()), first_of_second: None };
            }
        }
    }
    Some(())
}

pub fn is_constant(sequence: &Sequence) -> bool {
    let still = |step: &Node| step.value == 0 && step.len == 0;
    sequence.first_of_second.is_none() && sequence.values.steps.iter().all(still)
}
