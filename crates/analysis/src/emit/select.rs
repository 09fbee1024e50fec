//! Selects the calls of a routine that the program makes.

use std::collections::HashSet;

use marigraph_model::folded::{Column, Steps};
use marigraph_wire::op::{Effect, Layer, Op};

use super::Refused;
use super::gather::{Gathered, Group};
use super::names::templates;
use super::order::Order;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Made,
    /// They should be made but cannot be.
    LeftOut,
    /// They are not I/O, or another call makes them.
    Ignored,
}

#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) units: Vec<Role>,
    /// By place: the unit of its further arguments.
    pub(super) more: Vec<Option<usize>>,
}

/// Slots of standard streams in the processes of a group, as far as they are the same for all
/// members.
pub(super) fn standard(groups: &[Group], of: &Group) -> Vec<i64> {
    let mut slots: Vec<i64> = Vec::new();
    // Other threads of the same processes.
    let beside = |group: &&Group| {
        let ranks: HashSet<u32> = group.ranks.iter().copied().collect();
        group.process == of.process && of.ranks.iter().all(|rank| ranks.contains(rank))
    };
    let beside: Vec<&Group> = groups.iter().filter(beside).collect();
    let units = || beside.iter().flat_map(|group| &group.units);
    for unit in units().filter(|unit| unit.shape.op.effect() == Effect::Holds) {
        slots.extend(constant(unit, 1));
    }
    // A duplicate of a standard stream is one, too.
    for _ in 0..4 {
        for unit in units() {
            let alias = unit.shape.op.alias(constant(unit, 1), constant(unit, 2));
            let Some((from, to)) = alias else { continue };
            if from.is_some_and(|from| slots.contains(&from)) {
                slots.extend(to.filter(|to| !slots.contains(to)));
            }
        }
    }
    slots
}

fn constant(unit: &Gathered, place: usize) -> Option<i64> {
    let series = unit.sequences.get(place)?;
    match (&series.first, &series.steps) {
        (Column::Constant(value), Steps::All(Column::Constant(0))) if series.second.is_none() => Some(*value),
        _ => None,
    }
}

pub(super) fn chosen(group: &Group, order: &Order, standard: &[i64]) -> Result<Chosen, Refused> {
    let units = &group.units;
    let mut roles: Vec<Role> = units.iter().map(|unit| role(unit, standard)).collect();
    inside(units, order, &mut roles);
    let more = further(units, order, &roles)?;
    Ok(Chosen { units: roles, more })
}

fn role(unit: &Gathered, standard: &[i64]) -> Role {
    let op = unit.shape.op;
    let on_standard = constant(unit, 1).is_some_and(|slot| slot != 0 && standard.contains(&slot));
    let nameless = |name| templates(name).iter().all(Option::is_none);
    match op.layer() {
        _ if on_standard || op == Op::Standard => Role::Ignored,
        // The generated program calls it at its start.
        Layer::Mpi if op == Op::Init => Role::Ignored,
        Layer::Mpi | Layer::Posix | Layer::Stdio if unit.names.iter().any(nameless) => Role::LeftOut,
        Layer::Mpi => Role::Made,
        Layer::Note | Layer::Hdf5 | Layer::Pnetcdf => Role::Ignored,
        Layer::Posix | Layer::Stdio if op.is_replayable() => Role::Made,
        Layer::Posix | Layer::Stdio => Role::LeftOut,
    }
}

/// Leaves calls inside a call that is made to that call.
fn inside(units: &[Gathered], order: &Order, roles: &mut [Role]) {
    let own = roles.to_vec();
    let mut places: Vec<usize> = (0..order.units.len()).collect();
    places.retain(|&place| units[order.units[place]].shape.depth() > 0);
    for place in places {
        let mut around = order.around(place, units);
        // From inner to outer calls; few are nested deeply.
        for _ in 0..8 {
            if around
                .iter()
                .any(|&outer| own[order.units[outer]] == Role::Made || is_begin(units, order, outer))
            {
                roles[order.units[place]] = Role::Ignored;
                break;
            }
            around = around.iter().flat_map(|&outer| order.around(outer, units)).collect();
            around.sort_unstable();
            around.dedup();
        }
    }
}

fn is_begin(units: &[Gathered], order: &Order, place: usize) -> bool {
    units[order.units[place]].shape.op == Op::Init
}

fn further(units: &[Gathered], order: &Order, roles: &[Role]) -> Result<Vec<Option<usize>>, Refused> {
    let place = |place: usize| {
        let unit = order.units[place];
        let op = units[unit].shape.op;
        if roles[unit] != Role::Made {
            return Ok(None);
        }
        let more = order.more(place, units).map_err(|()| Refused::Further(op.name()))?;
        // Several calls in a row have no further arguments between them.
        let alone = constant(&units[unit], 0) == Some(1);
        if more.is_some() && !alone { Err(Refused::Further(op.name())) } else { Ok(more) }
    };
    let more: Vec<Option<usize>> = (0..order.units.len()).map(place).collect::<Result<_, _>>()?;
    // Further arguments are consumed in order, so every place that has them must consume them.
    let lists: HashSet<usize> = more.iter().flatten().copied().collect();
    for at in (0..order.units.len()).filter(|&at| more[at].is_none()) {
        let unit = order.units[at];
        if let Ok(Some(list)) = order.more(at, units)
            && units[unit].shape.op != Op::More
            && lists.contains(&list)
        {
            return Err(Refused::Further(units[unit].shape.op.name()));
        }
    }
    Ok(more)
}
