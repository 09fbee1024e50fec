//! One thread's share of an aggregate: its groups and their values so far.

use super::keys::{Keys, Numbered};
use super::parse::Plan;
use super::states::States;
use crate::cell::Owned;
use crate::error::Error;
use crate::scan::Selected;

/// Groups have numbers. With one group-by column they are its key numbers. Each further column
/// pairs the previous number with its own and numbers the pairs.
pub(super) struct Worker<'a> {
    plan: &'a Plan,
    keys: Vec<Keys>,
    /// One per column after the first.
    pairs: Vec<Numbered<(u32, u32)>>,
    states: Vec<States>,
    /// The groups of the current rows; kept to reuse the memory.
    groups: Vec<u32>,
    numbers: Vec<u32>,
}

impl<'a> Worker<'a> {
    pub fn new(plan: &'a Plan) -> Worker<'a> {
        let kind = |&column: &usize| plan.table.columns[column].kind;
        let mut worker = Worker {
            plan,
            keys: plan.groups.iter().map(|column| Keys::new(kind(column))).collect(),
            pairs: plan.groups.iter().skip(1).map(|_| Numbered::default()).collect(),
            states: plan.aggregates.iter().map(|&one| States::new(plan.table, one)).collect(),
            groups: Vec::new(),
            numbers: Vec::new(),
        };
        worker.grow();
        worker
    }

    /// Number of groups. Without `group by` there is one, even if there are no rows.
    pub fn groups(&self) -> usize {
        match (self.pairs.last(), self.keys.last()) {
            (Some(pairs), _) => pairs.values.len(),
            (None, Some(keys)) => keys.len(),
            (None, None) => 1,
        }
    }

    fn grow(&mut self) {
        let groups = self.groups();
        self.states.iter_mut().for_each(|states| states.grow(groups));
    }

    pub fn add(&mut self, selected: &Selected) {
        self.groups.clear();
        for (at, (keys, &column)) in self.keys.iter_mut().zip(&self.plan.groups).enumerate() {
            let column = &selected.block.columns[column];
            if at == 0 {
                keys.add(column, selected, &mut self.groups);
                continue;
            }
            self.numbers.clear();
            keys.add(column, selected, &mut self.numbers);
            let pairs = &mut self.pairs[at - 1];
            let both = self.groups.iter_mut().zip(&self.numbers);
            both.for_each(|(group, &number)| *group = pairs.number((*group, number)));
        }
        if self.keys.is_empty() {
            self.groups.resize(selected.len(), 0);
        }
        self.grow();
        for (states, aggregate) in self.states.iter_mut().zip(&self.plan.aggregates) {
            let column = aggregate.column.map(|column| &selected.block.columns[column]);
            states.add(column, selected, &self.groups);
        }
    }

    pub fn absorb(&mut self, other: &Worker<'_>) {
        let translated: Vec<Vec<u32>> =
            self.keys.iter_mut().zip(&other.keys).map(|(here, there)| here.translate(there)).collect();
        let mut groups = translated.first().cloned().unwrap_or_else(|| vec![0]);
        for (at, there) in other.pairs.iter().enumerate() {
            let (pairs, numbers) = (&mut self.pairs[at], &translated[at + 1]);
            let pair = |&(before, number): &(u32, u32)| {
                pairs.number((groups[before as usize], numbers[number as usize]))
            };
            groups = there.values.iter().map(pair).collect();
        }
        self.grow();
        for (states, others) in self.states.iter_mut().zip(&other.states) {
            groups.iter().enumerate().for_each(|(from, &to)| states.absorb(others, from, to as usize));
        }
    }

    pub fn key(&self, group: usize) -> Vec<Owned> {
        let mut key = Vec::with_capacity(self.keys.len());
        let mut number = u32::try_from(group).unwrap_or(u32::MAX);
        for (at, keys) in self.keys.iter().enumerate().rev() {
            let own = match at.checked_sub(1).and_then(|at| self.pairs[at].values.get(number as usize)) {
                Some(&(before, own)) => {
                    number = before;
                    own
                }
                None => number,
            };
            key.push(keys.value(own));
        }
        key.reverse();
        key
    }

    pub fn values(&self, group: usize) -> Result<Vec<Owned>, Error> {
        let both = self.states.iter().zip(&self.plan.aggregates);
        both.map(|(states, aggregate)| states.value(aggregate.function, group)).collect()
    }
}
