//! Running sums, minima and maxima, one per group.

use arrow_array::{Array, ArrowPrimitiveType, PrimitiveArray};

use super::parse::{Aggregate, Function};
use crate::cell::{Cell, Owned};
use crate::error::Error;
use crate::scan::Selected;
use crate::scan::block::Column;
use crate::tables::{Kind, Table};

/// A compensated sum: the order of addition makes no visible difference.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    sum: f64,
    lost: f64,
    count: i64,
}

impl Sum {
    fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost +=
            if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }

    fn total(self) -> f64 {
        // An infinite sum has no rounding error.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// The values of one aggregate, by group number.
pub(super) enum States {
    Counts(Vec<i64>),
    IntSums(Vec<(i128, i64)>),
    FloatSums(Vec<Sum>),
    /// Minima, or maxima if the flag is set.
    Edges(Vec<Owned>, bool),
}

impl States {
    pub fn new(table: &Table, aggregate: Aggregate) -> States {
        let kind = aggregate.column.map(|column| table.columns[column].kind);
        match (aggregate.function, kind) {
            (Function::Count, _) | (_, None) => States::Counts(Vec::new()),
            (Function::Sum | Function::Avg, Some(Kind::Int)) => States::IntSums(Vec::new()),
            (Function::Sum | Function::Avg, _) => States::FloatSums(Vec::new()),
            (function, _) => States::Edges(Vec::new(), function == Function::Max),
        }
    }

    pub fn grow(&mut self, groups: usize) {
        match self {
            States::Counts(counts) => counts.resize(groups, 0),
            States::IntSums(sums) => sums.resize(groups, (0, 0)),
            States::FloatSums(sums) => sums.resize(groups, Sum::default()),
            States::Edges(edges, _) => edges.resize(groups, Owned::Null),
        }
    }

    pub fn add(&mut self, column: Option<&Column>, selected: &Selected, groups: &[u32]) {
        match (self, column) {
            (States::Counts(counts), None) => groups.iter().for_each(|&group| counts[group as usize] += 1),
            (States::Counts(counts), Some(column)) => {
                each(selected, groups, |row, group| counts[group] += i64::from(column.is_valid(row)));
            }
            (States::IntSums(sums), Some(Column::Ints(ints))) => {
                values(ints, selected, groups, |group, value| {
                    let (sum, count) = &mut sums[group];
                    *sum += i128::from(value);
                    *count += 1;
                })
            }
            (States::FloatSums(sums), Some(Column::Floats(floats))) => {
                values(floats, selected, groups, |group, value| {
                    sums[group].add(value);
                    sums[group].count += 1;
                });
            }
            (States::Edges(edges, largest), Some(column)) => each(selected, groups, |row, group| {
                further(&mut edges[group], column.cell(row), *largest);
            }),
            // This part lacks the column: all its values are missing.
            _ => {}
        }
    }

    pub fn absorb(&mut self, other: &States, from: usize, to: usize) {
        match (self, other) {
            (States::Counts(here), States::Counts(there)) => here[to] += there[from],
            (States::IntSums(here), States::IntSums(there)) => {
                here[to].0 += there[from].0;
                here[to].1 += there[from].1;
            }
            (States::FloatSums(here), States::FloatSums(there)) => {
                let sum = there[from];
                here[to].add(sum.sum);
                here[to].lost += sum.lost;
                here[to].count += sum.count;
            }
            (States::Edges(here, largest), States::Edges(there, _)) => {
                further(&mut here[to], there[from].cell(), *largest);
            }
            _ => {}
        }
    }

    pub fn value(&self, function: Function, group: usize) -> Result<Owned, Error> {
        let average = function == Function::Avg;
        let value = match self {
            States::Counts(counts) => Some(Owned::Int(counts[group])),
            States::IntSums(sums) => match sums[group] {
                (_, 0) => None,
                (sum, count) if average => Some(Owned::Float(sum as f64 / count as f64)),
                (sum, _) => Some(Owned::Int(i64::try_from(sum).map_err(|_| too_large())?)),
            },
            States::FloatSums(sums) => match sums[group] {
                Sum { count: 0, .. } => None,
                sum if average => Some(Owned::Float(sum.total() / sum.count as f64)),
                sum => Some(Owned::Float(sum.total())),
            },
            States::Edges(edges, _) => Some(edges[group].clone()),
        };
        Ok(value.unwrap_or(Owned::Null))
    }
}

fn each(selected: &Selected, groups: &[u32], mut visit: impl FnMut(usize, usize)) {
    let mut groups = groups.iter();
    selected.each(|row| visit(row, groups.next().map_or(0, |&group| group as usize)));
}

fn values<T: ArrowPrimitiveType>(
    column: &PrimitiveArray<T>,
    selected: &Selected,
    groups: &[u32],
    mut visit: impl FnMut(usize, T::Native),
) {
    each(selected, groups, |row, group| {
        if column.is_valid(row) {
            visit(group, column.value(row));
        }
    });
}

/// SQLite's wording.
fn too_large() -> Error {
    Error::Query {
        message: "integer overflow".to_string(),
        hint: Some("use avg(x) * count(x), or total(x)".to_string()),
    }
}

/// Moves an extreme to a value beyond it.
fn further(edge: &mut Owned, value: Cell<'_>, largest: bool) {
    let order = value.order(edge.cell());
    let beyond = if largest { order.is_gt() } else { order.is_lt() };
    if value != Cell::Null && (beyond || *edge == Owned::Null) {
        *edge = value.into();
    }
}
