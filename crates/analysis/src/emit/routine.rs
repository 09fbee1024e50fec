//! A group of threads as a routine.

use std::collections::HashMap;

use marigraph_wire::op::{Layer, Op};
use marigraph_wire::skeleton::{Column, Series, Steps};

use super::gather::Group;
use super::names::templates;
use super::order::{Order, Step};
use super::select::{Chosen, Role};
use super::value::{Value, fits, nested};
use super::{Call, Item, Named, Routine};

/// Places of sequences.
const RUNS: usize = 0;
const SLOT: usize = 1;
/// Nanoseconds that are not worth a pause of their own.
const SHORT: i64 = 1000;
/// The bit of a shape's word that says that the return value is kept less the second argument.
const LESS: u64 = 2;

/// The routine of a group; with threads, standard streams are told, so that nobody waits for them.
pub(super) fn routine(group: &Group, order: &Order, chosen: &Chosen, start: i64, threads: bool) -> Routine {
    let mut uses = vec![0; group.units.len()];
    for (place, &unit) in order.units.iter().enumerate() {
        match chosen.more[place] {
            Some(more) => {
                uses[more] += 1;
                uses[unit] += 1;
            }
            None if group.units[unit].shape.op != Op::More => uses[unit] += 1,
            None => {}
        }
    }
    let mut maker = Maker { group, chosen, threads, uses, series: Vec::new(), known: HashMap::new() };
    let body = maker.items(&order.steps, &mut Vec::new());
    Routine {
        process: group.process,
        thread: group.thread,
        ranks: group.ranks.clone(),
        start,
        body,
        series: maker.series,
    }
}

struct Maker<'a> {
    group: &'a Group,
    chosen: &'a Chosen,
    threads: bool,
    /// Places at which values of each unit are taken.
    uses: Vec<usize>,
    series: Vec<Series>,
    /// Values that were worked out, by unit and sequence.
    known: HashMap<(usize, usize), Value>,
}

impl Maker<'_> {
    /// Steps inside loops of so many turns, where that is always the same.
    fn items(&mut self, steps: &[Step], turns: &mut Vec<Option<i64>>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut idle = 0i64;
        for step in steps {
            match step {
                Step::Loop(count, body) => {
                    turns.push(if let Column::Constant(count) = count { Some(*count) } else { None });
                    let body = self.items(body, turns);
                    turns.pop();
                    if !body.is_empty() {
                        flush(&mut items, &mut idle);
                        items.push(Item::Loop(count.clone(), body));
                    }
                }
                Step::Place(unit, place) if self.is_made(*unit) => {
                    let mut call = self.call(*unit, *place, turns);
                    if call.runs.as_constant() == Some(1) {
                        call.pause = call.pause.saturating_add(idle);
                        idle = 0;
                    }
                    flush(&mut items, &mut idle);
                    items.push(Item::Call(Box::new(call)));
                }
                Step::Place(unit, _) => idle = idle.saturating_add(self.idle(*unit)),
            }
        }
        flush(&mut items, &mut idle);
        items
    }

    fn is_made(&self, unit: usize) -> bool {
        let standard = self.threads && self.group.units[unit].shape.op == Op::Standard;
        self.chosen.units[unit] == Role::Made || standard
    }

    /// Nanoseconds of calls that are not made: the program was not idle, but this one is.
    fn idle(&self, unit: usize) -> i64 {
        let unit = &self.group.units[unit];
        let Series { first, second, steps } = &unit.sequences[RUNS];
        let own = !matches!(unit.shape.op.layer(), Layer::Hdf5 | Layer::Pnetcdf) && unit.shape.op != Op::Init;
        match (first, steps) {
            (Column::Constant(runs), Steps::All(Column::Constant(0)))
                if own && second.is_none() && unit.shape.depth() == 0 =>
            {
                unit.times.0.max(0).saturating_add(unit.times.1.max(0)).saturating_mul(*runs)
            }
            _ => 0,
        }
    }

    fn call(&mut self, unit: usize, place: usize, turns: &[Option<i64>]) -> Call {
        let gathered = &self.group.units[unit];
        let around: Option<Vec<i64>> = turns.iter().copied().collect();
        let runs = self.value(unit, RUNS, around.as_deref());
        let within = around.zip(runs.as_constant()).map(|(mut turns, runs)| {
            turns.push(runs);
            turns
        });
        let within = within.as_deref();
        let slot = self.value(unit, SLOT, within);
        let mut args = [0; 3].map(Value::constant);
        let mut names = [None, None];
        let mut at = SLOT + 1;
        for (argument, value) in args.iter_mut().enumerate() {
            *value = self.value(unit, at, within);
            at += 1;
            let Some(name) = gathered.names.iter().find(|name| name.argument == argument) else { continue };
            let numbers = (0..name.numbers).map(|number| self.value(unit, at + number, within)).collect();
            at += name.numbers;
            let which = std::mem::replace(value, Value::constant(0));
            if let Some(to) = names.get_mut(argument) {
                *to = Some(Named { templates: templates(name), which, numbers });
            }
        }
        let ret = (self.value(unit, at, within), gathered.shape.word & LESS != 0);
        let more = self.chosen.more[place].map(|more| {
            let values = [2, 3, 4].map(|at| match gathered.shape.op {
                Op::Type => self.next(more, at),
                _ => self.value(more, at, within),
            });
            (values, (more, self.is_counted(more)))
        });
        let pause = gathered.times.0.max(0);
        let unit = (unit, self.is_counted(unit));
        Call { name: gathered.shape.op.name(), unit, runs, pause, slot, args, ret, names, more }
    }

    /// Whether some value of a unit counts its calls.
    fn is_counted(&self, unit: usize) -> bool {
        let sequences = self.group.units[unit].sequences.len();
        (0..sequences).any(|at| matches!(self.known.get(&(unit, at)), Some(Value::Counted(..))))
    }

    /// The values of a sequence one by one.
    fn next(&mut self, unit: usize, at: usize) -> Value {
        if let Some(known) = self.known.get(&(unit, at)) {
            return known.clone();
        }
        self.series.push(self.group.units[unit].sequences[at].clone());
        let value = Value::Next(self.series.len() - 1);
        self.known.insert((unit, at), value.clone());
        value
    }

    /// A value at a place inside loops of so many turns each.
    fn value(&mut self, unit: usize, at: usize, turns: Option<&[i64]>) -> Value {
        if let Some(known) = self.known.get(&(unit, at)) {
            return known.clone();
        }
        let members = self.group.ranks.len();
        let (uses, gathered) = (self.uses[unit], &self.group.units[unit]);
        let Some(series) = gathered.sequences.get(at) else { return Value::constant(0) };
        let nested = turns.filter(|_| uses == 1).and_then(|turns| nested(series, turns, members));
        let calls = i64::try_from(gathered.calls).unwrap_or(i64::MAX);
        let value = match (nested, &series.steps) {
            (Some((first, mut steps)), _) => {
                while steps.last() == Some(&Column::Constant(0)) {
                    steps.pop();
                }
                Value::Affine(first, steps)
            }
            (None, Steps::All(Column::Constant(0))) if series.second.is_none() => {
                Value::Affine(series.first.clone(), Vec::new())
            }
            (None, Steps::All(step))
                if series.second.is_none()
                    && at != RUNS
                    && fits(&[(&series.first, 2), (step, calls)], members) =>
            {
                Value::Counted(series.first.clone(), step.clone())
            }
            _ => return self.next(unit, at),
        };
        self.known.insert((unit, at), value.clone());
        value
    }
}

/// Time that passed without a call of its own becomes a pause.
fn flush(items: &mut Vec<Item>, idle: &mut i64) {
    if *idle >= SHORT {
        items.push(Item::Pause(*idle));
    }
    *idle = 0;
}
