//! Decoded columns of one row group, and their cells.

use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, Float64Array, Int64Array, RecordBatch, StringArray};

use crate::cell::Cell;
use crate::tables::{Kind, Table};

#[derive(Debug, Clone)]
pub(crate) enum Column {
    /// Not requested, or declared after the part was written.
    Absent,
    Ints(Int64Array),
    Floats(Float64Array),
    Texts(Texts),
}

/// A column of words: one code per row, and the words of the codes.
#[derive(Debug, Clone)]
pub(crate) struct Texts {
    pub codes: arrow_array::Int32Array,
    pub words: StringArray,
}

impl Texts {
    pub fn code(&self, row: usize) -> Option<usize> {
        if self.codes.is_null(row) { None } else { usize::try_from(self.codes.value(row)).ok() }
    }

    pub fn word(&self, code: usize) -> Option<&str> {
        (code < self.words.len() && !self.words.is_null(code)).then(|| self.words.value(code))
    }
}

impl Column {
    fn of(kind: Kind, array: &dyn Array) -> Option<Column> {
        let any = array.as_any();
        match kind {
            Kind::Int => any.downcast_ref::<Int64Array>().cloned().map(Column::Ints),
            Kind::Float => any.downcast_ref::<Float64Array>().cloned().map(Column::Floats),
            Kind::Text => {
                let texts = any.downcast_ref::<DictionaryArray<Int32Type>>()?;
                let words = texts.values().as_any().downcast_ref::<StringArray>()?.clone();
                Some(Column::Texts(Texts { codes: texts.keys().clone(), words }))
            }
        }
    }

    pub fn is_valid(&self, row: usize) -> bool {
        match self {
            Column::Absent => false,
            Column::Ints(ints) => ints.is_valid(row),
            Column::Floats(floats) => floats.is_valid(row),
            Column::Texts(texts) => texts.codes.is_valid(row),
        }
    }

    pub fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Column::Ints(ints) if ints.is_valid(row) => Cell::Int(ints.value(row)),
            Column::Floats(floats) if floats.is_valid(row) => Cell::Float(floats.value(row)),
            Column::Texts(texts) => texts.code(row).and_then(|code| texts.word(code)).into(),
            _ => Cell::Null,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub len: usize,
    /// One per column of the table.
    pub columns: Vec<Column>,
}

impl Block {
    /// Arranges decoded columns, found by name, in the table's order. The error is the index of a
    /// column that is not of the declared kind.
    pub fn of(table: &Table, batch: &RecordBatch) -> Result<Block, usize> {
        let place = |(at, column): (usize, &crate::tables::Column)| match batch.column_by_name(column.name) {
            Some(array) => Column::of(column.kind, array.as_ref()).ok_or(at),
            None => Ok(Column::Absent),
        };
        let columns = table.columns.iter().enumerate().map(place).collect::<Result<_, _>>()?;
        Ok(Block { len: batch.num_rows(), columns })
    }

    pub fn row(&self, row: usize) -> Vec<Cell<'_>> {
        self.columns.iter().map(|column| column.cell(row)).collect()
    }
}
