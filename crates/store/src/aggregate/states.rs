//! Running sums, smallest and largest values, one per group.

use arrow_array::Array;

use super::parse::{Aggregate, Function};
use crate::cell::Owned;
use crate::error::Error;
use crate::scan::Selected;
use crate::scan::block::Column;
use crate::tables::{Kind, Table};

/// A sum with what rounding took from it, so that the order of adding makes no difference that one sees.
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
        // Beyond all bounds nothing was lost.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// The values of one aggregate, by the number of the group.
pub(super) enum States {
    Counts(Vec<i64>),
    IntSums(Vec<(i128, i64)>),
    FloatSums(Vec<Sum>),
    Ints(Vec<Option<i64>>, bool),
    Floats(Vec<Option<f64>>, bool),
    Texts(Vec<Option<String>>, bool),
}

impl States {
    /// For an aggregate over a table. The flag says whether the largest is wanted, not the smallest.
    pub fn new(table: &Table, aggregate: Aggregate) -> States {
        let largest = aggregate.function == Function::Max;
        let kind = aggregate.column.map(|column| table.columns[column].kind);
        match (aggregate.function, kind) {
            (Function::Count, _) | (_, None) => States::Counts(Vec::new()),
            (Function::Sum | Function::Avg, Some(Kind::Int)) => States::IntSums(Vec::new()),
            (Function::Sum | Function::Avg, _) => States::FloatSums(Vec::new()),
            (_, Some(Kind::Int)) => States::Ints(Vec::new(), largest),
            (_, Some(Kind::Float)) => States::Floats(Vec::new(), largest),
            (_, Some(Kind::Text)) => States::Texts(Vec::new(), largest),
        }
    }

    /// Makes room for so many groups.
    pub fn grow(&mut self, groups: usize) {
        match self {
            States::Counts(counts) => counts.resize(groups, 0),
            States::IntSums(sums) => sums.resize(groups, (0, 0)),
            States::FloatSums(sums) => sums.resize(groups, Sum::default()),
            States::Ints(edges, _) => edges.resize(groups, None),
            States::Floats(edges, _) => edges.resize(groups, None),
            States::Texts(edges, _) => edges.resize(groups, None),
        }
    }

    /// Adds the selected rows, whose groups are given in the same order.
    pub fn add(&mut self, column: Option<&Column>, selected: &Selected, groups: &[u32]) {
        let each = |visit: &mut dyn FnMut(usize, usize)| {
            let mut groups = groups.iter();
            selected.each(|row| visit(row, groups.next().map_or(0, |&group| group as usize)));
        };
        match (self, column) {
            (States::Counts(counts), None) => groups.iter().for_each(|&group| counts[group as usize] += 1),
            (States::Counts(counts), Some(column)) => {
                each(&mut |row, group| counts[group] += i64::from(column.is_valid(row)));
            }
            (States::IntSums(sums), Some(Column::Ints(ints))) => {
                let mut at = groups.iter();
                selected.each(|row| {
                    let group = at.next().map_or(0, |&group| group as usize);
                    if ints.is_valid(row) {
                        let (sum, count) = &mut sums[group];
                        *sum += i128::from(ints.value(row));
                        *count += 1;
                    }
                });
            }
            (States::FloatSums(sums), Some(Column::Floats(floats))) => {
                let mut at = groups.iter();
                selected.each(|row| {
                    let group = at.next().map_or(0, |&group| group as usize);
                    if floats.is_valid(row) {
                        sums[group].add(floats.value(row));
                        sums[group].count += 1;
                    }
                });
            }
            (States::Ints(edges, largest), Some(Column::Ints(ints))) => each(&mut |row, group| {
                if ints.is_valid(row) {
                    further(&mut edges[group], ints.value(row), *largest);
                }
            }),
            (States::Floats(edges, largest), Some(Column::Floats(floats))) => each(&mut |row, group| {
                if floats.is_valid(row) {
                    further(&mut edges[group], floats.value(row), *largest);
                }
            }),
            (States::Texts(edges, largest), Some(Column::Texts(texts))) => each(&mut |row, group| {
                if let Some(word) = texts.code(row).and_then(|code| texts.word(code)) {
                    let is_further = edges[group]
                        .as_deref()
                        .is_none_or(|edge| if *largest { word > edge } else { word < edge });
                    if is_further {
                        edges[group] = Some(word.to_string());
                    }
                }
            }),
            // The column is not in this part: all its values are missing.
            _ => {}
        }
    }

    /// Adds what another has of its group `from` to the group `to` here.
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
            (States::Ints(here, largest), States::Ints(there, _)) => {
                there[from].into_iter().for_each(|value| further(&mut here[to], value, *largest));
            }
            (States::Floats(here, largest), States::Floats(there, _)) => {
                there[from].into_iter().for_each(|value| further(&mut here[to], value, *largest));
            }
            (States::Texts(here, largest), States::Texts(there, _)) => {
                there[from].iter().for_each(|value| further(&mut here[to], value.clone(), *largest));
            }
            _ => {}
        }
    }

    /// The value of a group.
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
            States::Ints(edges, _) => edges[group].map(Owned::Int),
            States::Floats(edges, _) => edges[group].map(Owned::Float),
            States::Texts(edges, _) => edges[group].clone().map(Owned::Text),
        };
        Ok(value.unwrap_or(Owned::Null))
    }
}

/// SQLite's words.
fn too_large() -> Error {
    Error::Query {
        message: "integer overflow".to_string(),
        hint: Some("use avg(x) * count(x), or total(x)".to_string()),
    }
}

fn further<T: PartialOrd>(edge: &mut Option<T>, value: T, largest: bool) {
    let is_further = edge.as_ref().is_none_or(|edge| if largest { value > *edge } else { value < *edge });
    if is_further {
        *edge = Some(value);
    }
}
