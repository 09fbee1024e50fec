//! Common aggregates, computed directly from the columns.
//!
//! `select` of columns and `count`, `sum`, `min`, `max`, `avg` from one table, with simple
//! comparisons, `group by`, `order by` and `limit`, is the most common query, and SQLite processes
//! it row by row. [`parse`] recognises such a query; threads then take one row group after another
//! ([`worker`]) and group words by their codes. SQLite answers all other queries; both ways give
//! the same answer.

mod keys;
mod parse;
mod states;
mod token;
mod worker;

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering as Access};

use parse::{Item, Plan};
use worker::Worker;

use crate::cell::{Cell, Owned};
use crate::error::Error;
use crate::scan::Scan;
use crate::sql::Output;
use crate::study::Snapshot;

pub(crate) struct Answer {
    names: Vec<String>,
    rows: Vec<Vec<Owned>>,
}

impl Answer {
    pub fn give(&self, output: &mut dyn Output) -> Result<(), Error> {
        output.columns(&self.names).map_err(Error::Output)?;
        for row in &self.rows {
            let cells: Vec<Cell<'_>> = row.iter().map(Owned::cell).collect();
            output.row(&cells).map_err(Error::Output)?;
        }
        Ok(())
    }
}

/// `None` if the query is not of this kind.
pub(crate) fn answer(snapshot: &Arc<Snapshot>, sql: &str, threads: usize) -> Result<Option<Answer>, Error> {
    let Some(plan) = parse::parse(sql) else { return Ok(None) };
    let parts = snapshot.parts(plan.table)?;
    let scan = Scan::new(&parts, &plan.columns(), &plan.filters);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut worker = Worker::new(&plan);
        while let Some(unit) = Some(next.fetch_add(1, Access::Relaxed)).filter(|&unit| unit < scan.units()) {
            scan.read(unit)?.iter().for_each(|selected| worker.add(selected));
        }
        Ok(worker)
    };
    let count = threads.clamp(1, scan.units().max(1));
    let workers: Vec<Result<Worker<'_>, Error>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..count).map(|_| scope.spawn(work)).collect();
        let first = work();
        let joined = others.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(Error::decoder())));
        std::iter::once(first).chain(joined).collect()
    });
    let mut all: Option<Worker<'_>> = None;
    for worker in workers {
        let worker = worker?;
        match &mut all {
            Some(all) => all.absorb(&worker),
            None => all = Some(worker),
        }
    }
    all.map(|all| finish(&plan, &all)).transpose()
}

/// The groups as rows in the requested order; ties are ordered by the group-by columns.
fn finish(plan: &Plan, all: &Worker<'_>) -> Result<Answer, Error> {
    let mut groups: Vec<(Vec<Owned>, Vec<Owned>)> = Vec::with_capacity(all.groups());
    for group in 0..all.groups() {
        groups.push((all.key(group), all.values(group)?));
    }
    type Group = (Vec<Owned>, Vec<Owned>);
    fn value<'a>(plan: &Plan, group: &'a Group, item: usize) -> &'a Owned {
        match plan.items[item] {
            Item::Group(at) => &group.0[at],
            Item::Aggregate(at) => &group.1[at],
        }
    }
    let by = |one: &Group, other: &Group| {
        let asked = plan.order.iter().map(|&(item, down)| {
            let order = value(plan, one, item).cell().order(value(plan, other, item).cell());
            if down { order.reverse() } else { order }
        });
        let keys = one.0.iter().zip(&other.0).map(|(one, other)| one.cell().order(other.cell()));
        asked.chain(keys).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let wanted = plan.limit.map_or(usize::MAX, |limit| limit.saturating_add(plan.offset));
    if wanted < groups.len() {
        groups.select_nth_unstable_by(wanted, by);
        groups.truncate(wanted);
    }
    groups.sort_unstable_by(by);
    let wanted = groups.iter().skip(plan.offset);
    let row = |group| (0..plan.items.len()).map(|item| value(plan, group, item).clone()).collect();
    Ok(Answer { names: plan.names.clone(), rows: wanted.map(row).collect() })
}
