//! Derives the numbers in the calls of a routine by visiting its places in order.
//!
//! All values of a kind of call form one sequence, regardless of the place that makes the call.
//! Each place owns a part of it. If the start of that part is known, and the loops around the place
//! contain no other place of that kind, its numbers may follow from its loops alone. If this holds
//! at all places, loops suffice; otherwise all places take their values from the sequence, one by
//! one.

use std::collections::{HashMap, HashSet};

use marigraph_model::folded::{Column, Series, Steps};

use super::gather::Group;
use super::routine::{Around, RUNS, SLOT};
use super::value::{Value, fits, nested};

/// Values and runs consumed of a kind of call; `None` once that is unknown.
#[derive(Debug, Clone, Copy)]
struct Passed {
    runs: Option<u64>,
    calls: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Numbers<'a> {
    group: &'a Group,
    passed: HashMap<usize, Passed>,
    /// Sequences that do not follow the loops at all places, by unit and index.
    unruly: HashSet<(usize, usize)>,
    grown: bool,
    series: Vec<Series>,
    known: HashMap<(usize, usize), Value>,
    /// Turns of the loops around the current place, including its own run.
    turns: Option<Vec<i64>>,
    /// Units that other places in the same loops also consume.
    shared: HashSet<usize>,
    times: Option<u64>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(group: &'a Group) -> Numbers<'a> {
        Numbers {
            group,
            passed: HashMap::new(),
            unruly: HashSet::new(),
            grown: false,
            series: Vec::new(),
            known: HashMap::new(),
            turns: None,
            shared: HashSet::new(),
            times: None,
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        !self.grown
    }

    /// Starts over from the first place, keeping what is known so far.
    pub(super) fn again(self) -> Numbers<'a> {
        Numbers { unruly: self.unruly, ..Numbers::new(self.group) }
    }

    pub(super) fn into_series(self) -> Vec<Series> {
        self.series
    }

    fn of(&self, unit: usize) -> Passed {
        self.passed.get(&unit).copied().unwrap_or(Passed { runs: Some(0), calls: Some(0) })
    }

    /// Moves to the next place. Returns how often in a row its calls come and, if two loops
    /// describe them better, the turns of the outer loop.
    pub(super) fn runs(
        &mut self,
        unit: usize,
        further: Option<usize>,
        around: &[Around],
    ) -> (Value, Option<i64>) {
        let turns: Option<Vec<i64>> = around.iter().map(|around| around.turns).collect();
        let taken = std::iter::once(unit).chain(further);
        self.shared = taken.filter(|&unit| around.iter().any(|around| around.shares(unit))).collect();
        self.times = turns.as_deref().and_then(product);
        self.turns = turns;
        let runs = self.value(unit, RUNS);
        let (Some(around), Some(many)) = (self.turns.take(), runs.as_constant()) else { return (runs, None) };
        let split = self.split(unit, &around, many);
        let inner = split.map_or(many, |(_, inner)| inner);
        let outer = split.map(|(outer, _)| outer);
        self.turns = Some(around.into_iter().chain(outer).chain([inner]).collect());
        (Value::constant(inner), outer)
    }

    /// Splits a run into two loops if its numbers follow two: turns of the outer and the inner
    /// loop.
    fn split(&self, unit: usize, around: &[i64], runs: i64) -> Option<(i64, i64)> {
        let members = self.group.ranks.len();
        let from = self.of(unit).calls.filter(|_| !self.shared.contains(&unit))?;
        let sequences = || self.group.units[unit].sequences.iter().enumerate().skip(SLOT);
        let ruly = || sequences().filter(|(at, _)| !self.unruly.contains(&(unit, *at))).map(|(_, one)| one);
        let follows =
            |turns: &[i64]| ruly().filter(|one| nested(one, from, turns, members).is_some()).count();
        let inner = |series: &Series| match &series.steps {
            Steps::Nodes(nodes) => match nodes.iter().find(|node| node.len == 0)?.count {
                Column::Constant(count) => count.checked_add(1),
                _ => None,
            },
            Steps::All(_) => None,
        };
        let fits = |&inner: &i64| (2..runs).contains(&inner) && runs % inner == 0;
        let inner = sequences().filter_map(|(_, one)| inner(one)).find(fits)?;
        let with = |more: &[i64]| [around, more].concat();
        (follows(&with(&[runs / inner, inner])) > follows(&with(&[runs]))).then_some((runs / inner, inner))
    }

    /// Leaves a place: marks its calls, and as many further arguments, as consumed.
    pub(super) fn pass(&mut self, unit: usize, further: Option<usize>) {
        let calls = self.turns.as_deref().and_then(product);
        for unit in std::iter::once(unit).chain(further) {
            let add = |one: Option<u64>, more: Option<u64>| one?.checked_add(more?);
            let before = self.of(unit);
            let passed = Passed { runs: add(before.runs, self.times), calls: add(before.calls, calls) };
            self.passed.insert(unit, passed);
        }
    }

    pub(super) fn next(&mut self, unit: usize, at: usize) -> Value {
        if let Some(known) = self.known.get(&(unit, at)) {
            return known.clone();
        }
        let Some(series) = self.group.units[unit].sequences.get(at) else { return Value::constant(0) };
        self.series.push(series.clone());
        let value = Value::Next(self.series.len() - 1);
        self.known.insert((unit, at), value.clone());
        value
    }

    pub(super) fn value(&mut self, unit: usize, at: usize) -> Value {
        let members = self.group.ranks.len();
        let gathered = &self.group.units[unit];
        let Some(series) = gathered.sequences.get(at) else { return Value::constant(0) };
        let plain = series.second.is_none();
        if plain && series.steps == Steps::All(Column::Constant(0)) {
            return Value::Affine(series.first.clone(), Vec::new());
        }
        if !self.unruly.contains(&(unit, at)) {
            if let Some(value) = self.by_loops(unit, at, series) {
                return value;
            }
            self.unruly.insert((unit, at));
            self.grown = true;
        }
        let calls = i64::try_from(gathered.calls).unwrap_or(i64::MAX);
        let counted = match &series.steps {
            Steps::All(step) if plain && at != RUNS => {
                let fits = fits(&[(&series.first, 2), (step, calls)], members);
                fits.then(|| Value::Counted(series.first.clone(), step.clone()))
            }
            _ => None,
        };
        match counted {
            Some(value) => {
                self.known.insert((unit, at), value.clone());
                value
            }
            None => self.next(unit, at),
        }
    }

    fn by_loops(&self, unit: usize, at: usize, series: &Series) -> Option<Value> {
        let turns = self.turns.as_ref().filter(|_| !self.shared.contains(&unit))?;
        let passed = self.of(unit);
        let from = if at == RUNS { passed.runs } else { passed.calls }?;
        let (first, mut steps) = nested(series, from, turns, self.group.ranks.len())?;
        while steps.last() == Some(&Column::Constant(0)) {
            steps.pop();
        }
        Some(Value::Affine(first, steps))
    }
}

fn product(turns: &[i64]) -> Option<u64> {
    turns.iter().try_fold(1u64, |all, &turns| all.checked_mul(u64::try_from(turns).ok()?))
}
