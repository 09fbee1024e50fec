//! What parts of a program reveal about each other: divided work, and the process grid.

use std::collections::BTreeSet;

use marigraph_model::folded::{Part, place};
use marigraph_wire::op::Role;

use super::classes::Group;
use super::fit::{Fit, Known, Observed, fit, totals};
use super::number::{Numbers, by_size};
use super::prepare::is_constant;

const SHARED: usize = 8;

/// Presumed element size in bytes: if all shares were multiples of it, a share that is not was
/// never seen.
pub const ELEMENT: i64 = 8;

/// The most telling columns of a group: the count of each call, and the first of each of its
/// numbers.
fn columns<'a>(group: &'a Group<'_>) -> impl Iterator<Item = Vec<Observed>> + 'a {
    let parts = group.first().map_or(0, |first| first.parts.len());
    let places = move |at: usize| group.first().map_or(0, |first| first.parts[at].sequences.len());
    (0..parts).flat_map(move |at| {
        (0..=places(at)).map(move |place| {
            let number = |part: &Part| match part.sequences.get(place) {
                Some(sequence) => sequence.first_of_second.unwrap_or(sequence.values.first),
                None => part.calls as i64,
            };
            let all = group.all().map(|(ranks, stream)| (ranks, stream.rank, number(&stream.parts[at])));
            by_size(&all.collect::<Numbers>())
        })
    })
}

/// Combines what all groups reveal; each group comes with its ranks at the target size.
pub fn known(groups: &[(&Group<'_>, &[u32])], target: u32) -> Vec<Known> {
    let mut all: Vec<Known> =
        groups.iter().map(|(group, _)| Known { shared: shared(group), ..Known::default() }).collect();
    let mut grids: BTreeSet<usize> = BTreeSet::new();
    for ((group, members), known) in groups.iter().zip(&all) {
        for observed in columns(group).filter(|observed| varies(observed)) {
            match fit(&observed, u64::from(target), members, known) {
                Fit::Model(model, _) => grids.extend(model.form.grid()),
                Fit::Ambiguous(one, other) => {
                    grids.extend([one, other].iter().filter_map(|model| model.form.grid()))
                }
                Fit::None => {}
            }
        }
    }
    // Evidence for two grids is evidence for none.
    let grid = grids.first().copied().filter(|_| grids.len() == 1);
    all.iter_mut().for_each(|known| known.grid = grid);
    all
}

/// Bytes that each call of one place moves, if the same on all ranks and at all sizes: offsets are
/// multiples of it.
pub fn unit(group: &Group<'_>, at: usize) -> Option<i64> {
    let first = group.first()?.parts.get(at)?;
    let bytes = place(&first.names, 1);
    let amount = first.sequences.get(bytes)?.values.first;
    let same = |part: &Part| {
        let amounts = &part.sequences[bytes];
        is_constant(amounts) && amounts.values.first == amount
    };
    let moves = first.shape.op.roles()[1] == Role::Bytes;
    (moves && amount > 1 && group.all().all(|(_, stream)| same(&stream.parts[at]))).then_some(amount)
}

/// Distance between the first two values of a place, if the same on all ranks and at all sizes:
/// what is counted in it is a multiple of it.
pub fn stride(group: &Group<'_>, at: usize, place: usize) -> Option<i64> {
    let step = |part: &Part| {
        let mut values = part.sequences.get(place)?.iter();
        let first = values.next()?;
        Some(values.next()?.wrapping_sub(first))
    };
    let mut steps = group.all().filter_map(|(_, stream)| step(stream.parts.get(at)?));
    let first = steps.next()?;
    (steps.all(|step| step == first)).then(|| first.saturating_abs()).filter(|&stride| stride > 1)
}

fn varies(observed: &[Observed]) -> bool {
    observed.iter().any(|one| one.values.iter().any(|value| value.1 != one.values[0].1))
}

/// Amounts that differ between ranks but have the same sum at all sizes.
fn shared(group: &Group<'_>) -> Vec<u64> {
    let uneven = columns(group).filter(|observed| varies(observed));
    let mut found: Vec<u64> = uneven.flat_map(|observed| totals(&observed)).collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(SHARED);
    found
}
