//! A single value of any column.

use std::cmp::Ordering;

/// A single value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Missing: not measured or not known.
    Null,
    Int(i64),
    /// NaN is stored as missing.
    Float(f64),
    Text(&'a str),
}

impl Cell<'_> {
    /// Missing values come first, as in SQLite. Values of one column are of one kind.
    pub(crate) fn order(self, other: Cell<'_>) -> Ordering {
        match (self, other) {
            (Cell::Int(one), Cell::Int(other)) => one.cmp(&other),
            (Cell::Float(one), Cell::Float(other)) => one.partial_cmp(&other).unwrap_or(Ordering::Equal),
            (Cell::Text(one), Cell::Text(other)) => one.cmp(other),
            (Cell::Null, Cell::Null) => Ordering::Equal,
            (Cell::Null, _) => Ordering::Less,
            (_, Cell::Null) => Ordering::Greater,
            _ => Ordering::Equal,
        }
    }
}

impl From<i64> for Cell<'_> {
    fn from(value: i64) -> Self {
        Cell::Int(value)
    }
}

impl From<u64> for Cell<'_> {
    fn from(value: u64) -> Self {
        Cell::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Cell<'_> {
    fn from(value: bool) -> Self {
        Cell::Int(value.into())
    }
}

impl From<f64> for Cell<'_> {
    fn from(value: f64) -> Self {
        Cell::Float(value)
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(value: &'a str) -> Self {
        Cell::Text(value)
    }
}

impl<'a, T: Into<Cell<'a>>> From<Option<T>> for Cell<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Cell::Null, Into::into)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Owned {
    Null,
    Int(i64),
    Float(f64),
    Text(String),
}

impl Owned {
    pub fn cell(&self) -> Cell<'_> {
        match self {
            Owned::Null => Cell::Null,
            Owned::Int(value) => Cell::Int(*value),
            Owned::Float(value) => Cell::Float(*value),
            Owned::Text(text) => Cell::Text(text),
        }
    }
}

impl From<Cell<'_>> for Owned {
    fn from(cell: Cell<'_>) -> Owned {
        match cell {
            Cell::Null => Owned::Null,
            Cell::Int(value) => Owned::Int(value),
            Cell::Float(value) => Owned::Float(value),
            Cell::Text(text) => Owned::Text(text.to_string()),
        }
    }
}
