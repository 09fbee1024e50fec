//! Reads a table: its parts, their row groups, the needed columns.

pub(crate) mod block;
pub(crate) mod filter;
pub(crate) mod part;
mod shared;

use block::Block;
use filter::{Filter, select};
use part::Part;

use crate::error::Error;

pub(crate) struct Scan<'a> {
    parts: &'a [Part],
    columns: Vec<usize>,
    filters: &'a [Filter],
    /// Part and row group, in order, without those that statistics rule out.
    units: Vec<(usize, usize)>,
}

pub(crate) struct Selected {
    pub block: Block,
    /// `None` if all pass.
    pub rows: Option<Vec<u32>>,
}

impl Selected {
    pub fn len(&self) -> usize {
        self.rows.as_ref().map_or(self.block.len, Vec::len)
    }

    pub fn each(&self, mut visit: impl FnMut(usize)) {
        match &self.rows {
            Some(rows) => rows.iter().for_each(|&row| visit(row as usize)),
            None => (0..self.block.len).for_each(visit),
        }
    }

    pub fn row(&self, n: usize) -> usize {
        self.rows.as_ref().map_or(n, |rows| rows.get(n).map_or(usize::MAX, |&row| row as usize))
    }
}

impl<'a> Scan<'a> {
    pub fn new(parts: &'a [Part], columns: &[usize], filters: &'a [Filter]) -> Scan<'a> {
        let mut columns: Vec<usize> =
            columns.iter().copied().chain(filters.iter().map(|filter| filter.column)).collect();
        columns.sort_unstable();
        columns.dedup();
        let groups = |(at, part): (usize, &'a Part)| {
            let fit = move |group: &usize| part.may_match(*group, filters);
            (0..part.groups()).filter(fit).map(move |group| (at, group))
        };
        let units = parts.iter().enumerate().flat_map(groups).collect();
        Scan { parts, columns, filters, units }
    }

    pub fn units(&self) -> usize {
        self.units.len()
    }

    pub fn part(&self, unit: usize) -> &'a Part {
        &self.parts[self.units[unit].0]
    }

    pub fn read(&self, unit: usize) -> Result<Vec<Selected>, Error> {
        let Some(&(at, group)) = self.units.get(unit) else { return Ok(Vec::new()) };
        let part = &self.parts[at];
        let with_keys: Vec<usize>;
        let mut columns = &self.columns;
        if part.hidden().is_some() && !columns.contains(&0) {
            // The first column of every table is the job's key.
            with_keys = std::iter::once(0).chain(columns.iter().copied()).collect();
            columns = &with_keys;
        }
        let selected = |block: Block| Selected { rows: select(&block, self.filters, part.hidden()), block };
        Ok(part.read(group, columns)?.into_iter().map(selected).collect())
    }
}
