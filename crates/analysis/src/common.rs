//! Merges common values (access sizes, strides) of several records into four slots.
//!
//! This follows Darshan: slot by slot, cut to four at each step, so values outside a record's four
//! are lost and the result can depend on the order. Darshan's runtime and its tools differ.

use marigraph_model::{CommonSlots, Count};

/// Joins counters one by one; a value missing on one side comes from the other.
pub(crate) fn join_all(old: &mut [Count], new: &[Count], join: impl Fn(i64, i64) -> i64) {
    for (old, new) in old.iter_mut().zip(new) {
        *old = match (old.get(), new.get()) {
            (Some(a), Some(b)) => Count::new(join(a, b)),
            (None, _) => *new,
            (_, None) => *old,
        };
    }
}

/// Maximum number of counters per slot (a size, five lengths, five strides).
const WIDEST: usize = 11;

#[derive(Clone, Copy)]
struct Candidate<'a> {
    count: i64,
    value: i64,
    numbers: &'a [Count],
}

fn candidate(ints: &[Count], slots: CommonSlots, n: usize) -> Candidate<'_> {
    let from = slots.values.at() + n * slots.step;
    let numbers = &ints[from..from + slots.step];
    Candidate {
        count: ints[slots.counts.at() + n].get().unwrap_or(0),
        value: numbers.first().and_then(|value| value.get()).unwrap_or(0),
        numbers,
    }
}

fn matters(total: &[Count], new: Candidate<'_>, slots: CommonSlots) -> bool {
    let least = candidate(total, slots, CommonSlots::COUNT - 1);
    let known = |n| candidate(total, slots, n).numbers == new.numbers;
    new.value != 0
        && ((least.count, least.value) <= (new.count, new.value) || (0..CommonSlots::COUNT).any(known))
}

/// Merges the common values of another rank as Darshan's runtime does: sorted by count and then by
/// value.
pub(crate) fn reduce_common(total: &mut [Count], record: &[Count], slots: CommonSlots) {
    const N: usize = CommonSlots::COUNT;
    if record[slots.values.at()].get().is_none() {
        return;
    }
    let read = |ints: &[Count], n| {
        let Candidate { count, value, numbers } = candidate(ints, slots, n);
        (count, value, numbers.to_vec())
    };
    let mut kept: Vec<(i64, i64, Vec<Count>)> =
        (0..N).map(|n| read(total, n)).filter(|known| known.1 != 0).collect();
    for (count, value, numbers) in (0..N).map(|n| read(record, n)).take_while(|new| new.1 != 0) {
        let known = kept.iter().position(|known| known.2 == numbers).map(|at| kept.remove(at).0);
        let count = count.saturating_add(known.unwrap_or(0));
        let at = kept.iter().take_while(|known| (known.0, known.1) > (count, value)).count();
        kept.insert(at, (count, value, numbers));
        kept.truncate(N);
    }
    for n in 0..N {
        let from = slots.values.at() + n * slots.step;
        let (count, numbers) = kept.get(n).map_or((0, &[][..]), |(count, _, numbers)| (*count, numbers));
        for (part, cell) in total[from..from + slots.step].iter_mut().enumerate() {
            *cell = numbers.get(part).copied().unwrap_or(Count::new(0));
        }
        total[slots.counts.at() + n] = Count::new(count);
    }
}

/// Merges the common values of another file as Darshan's tools do: equal ones add their counts, new
/// ones are sorted in by count and then by value, and four stay.
pub(crate) fn merge_common(total: &mut [Count], record: &[Count], slots: CommonSlots) {
    const N: usize = CommonSlots::COUNT;
    if record[slots.values.at()].amount() == 0 && record[slots.counts.at()].amount() == 0 {
        // Slots fill from the first on, so there is nothing to merge; but empty is not unknown.
        if total[slots.values.at()].get().is_none() {
            let cells = slots.values.at()..slots.counts.at() + N;
            join_all(&mut total[cells.clone()], &record[cells], |known, _| known);
        }
        return;
    }
    if !(0..N).any(|n| matters(total, candidate(record, slots, n), slots)) {
        return;
    }
    let before: [Count; N * WIDEST] = std::array::from_fn(|at| {
        total.get(slots.values.at() + at).copied().filter(|_| at < N * slots.step).unwrap_or(Count::MISSING)
    });
    let mut kept: [Candidate<'_>; N] = std::array::from_fn(|n| Candidate {
        numbers: &before[n * slots.step..(n + 1) * slots.step],
        ..candidate(total, slots, n)
    });
    let mut merged = [false; N];
    for (n, merged) in merged.iter_mut().enumerate() {
        let new = candidate(record, slots, n);
        if let Some(known) = kept.iter_mut().find(|known| known.value != 0 && known.numbers == new.numbers) {
            known.count = known.count.saturating_add(new.count);
            *merged = true;
        }
    }
    for n in (0..N).filter(|&n| !merged[n]) {
        let new = candidate(record, slots, n);
        let at = kept.iter().position(|known| (known.count, known.value) <= (new.count, new.value));
        let (Some(at), true) = (at, new.value != 0) else { break };
        kept[at..].rotate_right(1);
        kept[at] = new;
    }
    for (n, slot) in kept.iter().enumerate() {
        let from = slots.values.at() + n * slots.step;
        let empty = slot.value == 0;
        for (cell, &value) in total[from..from + slots.step].iter_mut().zip(slot.numbers) {
            *cell = if empty { Count::new(0) } else { value };
        }
        total[slots.counts.at() + n] = Count::new(if empty { 0 } else { slot.count });
    }
}
