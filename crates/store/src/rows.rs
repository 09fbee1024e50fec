//! Rows on their way into a file: columns, filled a row at a time.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use crate::error::Error;
use crate::tables::{Kind, Table};

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Not measured, not known.
    Null,
    /// A whole number.
    Int(i64),
    /// A number; what is none is stored as missing.
    Float(f64),
    /// A word.
    Text(&'a str),
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

enum Builder {
    Int(Int64Builder),
    Float(Float64Builder),
    Text(StringBuilder),
}

impl Builder {
    fn new(kind: Kind) -> Builder {
        match kind {
            Kind::Int => Builder::Int(Int64Builder::new()),
            Kind::Float => Builder::Float(Float64Builder::new()),
            Kind::Text => Builder::Text(StringBuilder::new()),
        }
    }

    /// Appends a value; one of another kind is missing, but for whole numbers among numbers.
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Builder::Int(ints), Cell::Int(value)) => ints.append_value(value),
            (Builder::Int(ints), _) => ints.append_null(),
            (Builder::Float(floats), Cell::Float(value)) if !value.is_nan() => floats.append_value(value),
            (Builder::Float(floats), Cell::Int(value)) => floats.append_value(value as f64),
            (Builder::Float(floats), _) => floats.append_null(),
            (Builder::Text(texts), Cell::Text(value)) => texts.append_value(value),
            (Builder::Text(texts), _) => texts.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Int(ints) => Arc::new(ints.finish()),
            Builder::Float(floats) => Arc::new(floats.finish()),
            Builder::Text(texts) => Arc::new(texts.finish()),
        }
    }
}

/// Rows of one table in memory.
pub struct Rows {
    schema: Arc<Schema>,
    builders: Vec<Builder>,
    len: usize,
    bytes: usize,
}

impl Rows {
    /// No rows yet.
    pub fn new(table: &Table) -> Rows {
        let columns: Vec<(&str, Kind)> =
            table.columns.iter().map(|column| (column.name, column.kind)).collect();
        Rows::of(&columns)
    }

    /// No rows yet, of columns that no table declares.
    pub fn of(columns: &[(&str, Kind)]) -> Rows {
        let builders = columns.iter().map(|&(_, kind)| Builder::new(kind)).collect();
        let field = |&(name, kind): &(&str, Kind)| Field::new(name, stored(kind), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        Rows { schema, builders, len: 0, bytes: 0 }
    }

    /// The columns as they are stored.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Appends a row: a cell per column in the table's order. Missing cells at the end are null.
    pub fn push(&mut self, cells: &[Cell<'_>]) {
        debug_assert_eq!(cells.len(), self.builders.len(), "a cell per column");
        let padded = cells.iter().copied().chain(std::iter::repeat(Cell::Null));
        for (builder, cell) in self.builders.iter_mut().zip(padded) {
            self.bytes += if let Cell::Text(text) = cell { text.len() + 5 } else { 9 };
            builder.push(cell);
        }
        self.len += 1;
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// About how much memory they take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The rows as columns; none are left here.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, Error> {
        let columns = self.builders.iter_mut().map(Builder::finish).collect();
        (self.len, self.bytes) = (0, 0);
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

fn stored(kind: Kind) -> DataType {
    match kind {
        Kind::Int => DataType::Int64,
        Kind::Float => DataType::Float64,
        Kind::Text => DataType::Utf8,
    }
}
