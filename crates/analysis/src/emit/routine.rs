//! Builds the routine of a group of threads.

use std::collections::HashMap;

use marigraph_model::folded::{Column, Series, Steps};
use marigraph_wire::op::{Layer, Op};

use super::gather::Group;
use super::names::templates;
use super::numbers::Numbers;
use super::order::{Order, Step};
use super::select::{Chosen, Role};
use super::value::Value;
use super::{Call, Item, Named, Routine};

/// Index of the run lengths among the sequences of a unit.
pub(super) const RUNS: usize = 0;
/// Index of the slots, see [`RUNS`].
pub(super) const SLOT: usize = 1;
/// Shorter pauses, in nanoseconds, are accumulated.
const SHORT: i64 = 1000;
/// Bit of a shape's word: the return value is stored minus the second argument.
const LESS: u64 = 2;

/// With threads, keeps the notes of standard streams, so that no thread waits for one to be opened.
pub(super) fn routine(group: &Group, order: &Order, chosen: &Chosen, start: i64, threads: bool) -> Routine {
    let mut numbers = Numbers::new(group);
    loop {
        let mut maker = Maker { group, chosen, threads, numbers };
        let body = maker.items(&order.steps, &mut Vec::new());
        // Numbers that follow loops at only some of their places are consumed one by one: try
        // again.
        if maker.numbers.is_settled() {
            return Routine {
                process: group.process,
                thread: group.thread,
                ranks: group.ranks.clone(),
                start,
                body,
                series: maker.numbers.into_series(),
            };
        }
        numbers = maker.numbers.again();
    }
}

/// A loop around a place: its turns if they are constant, and how often it consumes values of each
/// unit.
pub(super) struct Around {
    pub(super) turns: Option<i64>,
    uses: HashMap<usize, usize>,
}

impl Around {
    pub(super) fn shares(&self, unit: usize) -> bool {
        self.uses.get(&unit).is_some_and(|&places| places > 1)
    }
}

struct Maker<'a> {
    group: &'a Group,
    chosen: &'a Chosen,
    threads: bool,
    numbers: Numbers<'a>,
}

impl Maker<'_> {
    fn items(&mut self, steps: &[Step], around: &mut Vec<Around>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut idle = 0i64;
        for step in steps {
            match step {
                Step::Loop(count, body) => {
                    let turns = if let Column::Constant(count) = count { Some(*count) } else { None };
                    let mut uses = HashMap::new();
                    self.use_in(body, &mut uses);
                    around.push(Around { turns, uses });
                    let body = self.items(body, around);
                    around.pop();
                    match (body.as_slice(), count) {
                        ([], _) => {}
                        ([Item::Pause(pause)], Column::Constant(count)) => {
                            idle = idle.saturating_add(pause.saturating_mul(*count));
                        }
                        _ => {
                            flush(&mut items, &mut idle);
                            items.push(Item::Loop(count.clone(), body));
                        }
                    }
                }
                Step::Place(unit, place) if self.is_made(*unit) => {
                    items.extend(self.placed(*unit, *place, around, &mut idle));
                }
                Step::Place(unit, _) => idle = idle.saturating_add(self.idle(*unit)),
            }
        }
        flush(&mut items, &mut idle);
        items
    }

    fn use_in(&self, steps: &[Step], uses: &mut HashMap<usize, usize>) {
        for step in steps {
            match step {
                Step::Loop(_, body) => self.use_in(body, uses),
                Step::Place(unit, place) if self.is_made(*unit) => {
                    for unit in std::iter::once(*unit).chain(self.chosen.more[*place]) {
                        *uses.entry(unit).or_insert(0) += 1;
                    }
                }
                Step::Place(..) => {}
            }
        }
    }

    fn placed(&mut self, unit: usize, place: usize, around: &[Around], idle: &mut i64) -> Vec<Item> {
        let further = self.chosen.more[place];
        let (runs, outer) = self.numbers.runs(unit, further, around);
        let mut call = self.call(unit, place, runs);
        self.numbers.pass(unit, further);
        let mut items = Vec::new();
        if call.runs.as_constant() == Some(1) {
            // Short pauses accumulate until they are worth a pause.
            let pause = call.pause.saturating_add(*idle);
            (call.pause, *idle) = if pause < SHORT { (0, pause) } else { (pause, 0) };
        } else {
            flush(&mut items, idle);
            call.pause = if call.pause < SHORT { 0 } else { call.pause };
        }
        let call = Item::Call(Box::new(call));
        items.push(match outer {
            Some(outer) => Item::Loop(Column::Constant(outer), vec![call]),
            None => call,
        });
        items
    }

    fn is_made(&self, unit: usize) -> bool {
        let standard = self.threads && self.group.units[unit].shape.op == Op::Standard;
        self.chosen.units[unit] == Role::Made || standard
    }

    /// Nanoseconds of calls that are not made: the recorded program was busy, this one is idle.
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

    fn call(&mut self, unit: usize, place: usize, runs: Value) -> Call {
        let gathered = &self.group.units[unit];
        let slot = self.numbers.value(unit, SLOT);
        let mut args = [0; 3].map(Value::constant);
        let mut names = [None, None];
        let mut at = SLOT + 1;
        for (argument, value) in args.iter_mut().enumerate() {
            *value = self.numbers.value(unit, at);
            at += 1;
            let Some(name) = gathered.names.iter().find(|name| name.argument == argument) else { continue };
            let numbers = (0..name.numbers).map(|number| self.numbers.value(unit, at + number)).collect();
            at += name.numbers;
            let which = std::mem::replace(value, Value::constant(0));
            if let Some(to) = names.get_mut(argument) {
                *to = Some(Named { templates: templates(name), which, numbers });
            }
        }
        let ret = (self.numbers.value(unit, at), gathered.shape.word & LESS != 0);
        let more = self.chosen.more[place].map(|more| {
            let values = [2, 3, 4].map(|at| match gathered.shape.op {
                Op::Type => self.numbers.next(more, at),
                _ => self.numbers.value(more, at),
            });
            (values, more)
        });
        // A type is recorded after the call that first used it.
        let pause = if gathered.shape.op == Op::Type { 0 } else { gathered.times.0.max(0) };
        Call { op: gathered.shape.op, unit, runs, pause, slot, args, ret, names, more }
    }
}

fn flush(items: &mut Vec<Item>, idle: &mut i64) {
    if *idle >= SHORT {
        items.push(Item::Pause(*idle));
    }
    *idle = 0;
}
