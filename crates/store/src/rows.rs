//! Rows to be written: columns, filled row by row.

use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use crate::cell::Cell;
use crate::error::Error;
use crate::row::{Row, View};
use crate::tables::{JobRow, Kind, TABLES, Table};

/// Rows of any tables in memory, by table.
#[derive(Default)]
pub struct Rows {
    tables: Vec<(&'static Table, Columns)>,
}

impl Rows {
    /// Empty, with every table that has rows per job.
    pub fn per_job() -> Rows {
        let per_job = TABLES.iter().filter(|table| table.columns[0].name == JobRow::TABLE.columns[0].name);
        Rows { tables: per_job.map(|table| (*table, Columns::new(table))).collect() }
    }

    pub fn push<R: Row>(&mut self, row: R) {
        let columns = self.of(R::TABLE);
        row.with_cells(|cells| columns.push(cells));
    }

    pub(crate) fn of(&mut self, table: &'static Table) -> &mut Columns {
        let known = self.tables.iter().position(|(known, _)| std::ptr::eq(*known, table));
        let at = known.unwrap_or_else(|| {
            self.tables.push((table, Columns::new(table)));
            self.tables.len() - 1
        });
        &mut self.tables[at].1
    }

    pub(crate) fn tables(&mut self) -> impl Iterator<Item = (&'static Table, &mut Columns)> {
        self.tables.iter_mut().map(|(table, columns)| (*table, columns))
    }

    pub fn len(&self) -> usize {
        self.tables.iter().map(|(_, columns)| columns.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
            // Most tables have few rows per log, many none.
            Kind::Int => Builder::Int(Int64Builder::with_capacity(0)),
            Kind::Float => Builder::Float(Float64Builder::with_capacity(0)),
            Kind::Text => Builder::Text(StringBuilder::with_capacity(0, 0)),
        }
    }

    /// Appends a value. A column of an answer may hold several kinds: integers are converted to
    /// floats in a column of floats, and all numbers to text in a column of text.
    fn push(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            (Builder::Int(ints), Cell::Int(value)) => ints.append_value(value),
            (Builder::Int(ints), _) => ints.append_null(),
            (Builder::Float(floats), Cell::Float(value)) if !value.is_nan() => floats.append_value(value),
            (Builder::Float(floats), Cell::Int(value)) => floats.append_value(value as f64),
            (Builder::Float(floats), _) => floats.append_null(),
            (Builder::Text(texts), Cell::Text(value)) => texts.append_value(value),
            (Builder::Text(texts), Cell::Int(value)) => texts.append_value(value.to_string()),
            (Builder::Text(texts), Cell::Float(value)) => texts.append_value(value.to_string()),
            (Builder::Text(texts), Cell::Null) => texts.append_null(),
        }
    }

    /// Moves the values of a builder of the same kind behind its own.
    fn append(&mut self, other: &mut Builder) -> Result<(), Error> {
        match (self, other) {
            (Builder::Int(ints), Builder::Int(more)) => ints.append_array(&more.finish()),
            (Builder::Float(floats), Builder::Float(more)) => floats.append_array(&more.finish()),
            (Builder::Text(texts), Builder::Text(more)) => texts.append_array(&more.finish())?,
            _ => debug_assert!(false, "columns of one table"),
        }
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Builder::Int(ints) => Arc::new(ints.finish()),
            Builder::Float(floats) => Arc::new(floats.finish()),
            Builder::Text(texts) => Arc::new(texts.finish()),
        }
    }
}

pub(crate) struct Columns {
    schema: Arc<Schema>,
    builders: Vec<Builder>,
    len: usize,
    bytes: usize,
}

impl Columns {
    pub fn new(table: &Table) -> Columns {
        let columns: Vec<(&str, Kind)> =
            table.columns.iter().map(|column| (column.name, column.kind)).collect();
        Columns::of(&columns)
    }

    /// For columns that no table declares.
    pub fn of(columns: &[(&str, Kind)]) -> Columns {
        let builders = columns.iter().map(|&(_, kind)| Builder::new(kind)).collect();
        let field = |&(name, kind): &(&str, Kind)| Field::new(name, stored(kind), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        Columns { schema, builders, len: 0, bytes: 0 }
    }

    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Appends a row: one cell per column, in the table's order.
    pub fn push(&mut self, cells: &[Cell<'_>]) {
        debug_assert_eq!(cells.len(), self.builders.len(), "a cell per column");
        for (builder, &cell) in self.builders.iter_mut().zip(cells) {
            self.bytes += if let Cell::Text(text) = cell { text.len() + 5 } else { 9 };
            builder.push(cell);
        }
        self.len += 1;
    }

    /// Moves the rows of another set of the same columns behind these.
    pub fn append(&mut self, other: &mut Columns) -> Result<(), Error> {
        for (builder, more) in self.builders.iter_mut().zip(&mut other.builders) {
            builder.append(more)?;
        }
        self.len += std::mem::take(&mut other.len);
        self.bytes += std::mem::take(&mut other.bytes);
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Approximate memory use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

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
