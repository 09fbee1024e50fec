//! An answer as a Parquet file.

use std::io;

use super::Output;
use crate::cell::{Cell, Owned};
use crate::error::Error;
use crate::part::Encoder;
use crate::rows::Columns;
use crate::tables::Kind;

/// Maximum memory of rows before they are encoded.
const FULL_BYTES: usize = 8 << 20;

/// Collects an answer for a Parquet file. SQLite declares no types, so the kind of a column is
/// known only after its last value.
#[derive(Default)]
pub struct ParquetAnswer {
    names: Vec<String>,
    kinds: Vec<Option<Kind>>,
    rows: Vec<Vec<Owned>>,
}

impl ParquetAnswer {
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        let kinds = self.kinds.iter().map(|kind| kind.unwrap_or(Kind::Float));
        let columns: Vec<(&str, Kind)> = self.names.iter().map(String::as_str).zip(kinds).collect();
        let mut columns = Columns::of(&columns);
        let mut encoder = Encoder::new(Vec::new(), &columns)?;
        for row in &self.rows {
            let cells: Vec<Cell<'_>> = row.iter().map(Owned::cell).collect();
            columns.push(&cells);
            if columns.bytes() > FULL_BYTES {
                encoder.take(&mut columns)?;
            }
        }
        encoder.take(&mut columns)?;
        encoder.finish()
    }
}

impl Output for ParquetAnswer {
    fn columns(&mut self, names: &[String]) -> io::Result<()> {
        self.names = names.to_vec();
        self.kinds = vec![None; names.len()];
        Ok(())
    }
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        for (kind, cell) in self.kinds.iter_mut().zip(cells) {
            *kind = match (*kind, cell) {
                (known, Cell::Null) => known,
                (Some(Kind::Text), _) | (_, Cell::Text(_)) => Some(Kind::Text),
                (Some(Kind::Float), _) | (_, Cell::Float(_)) => Some(Kind::Float),
                (_, Cell::Int(_)) => Some(Kind::Int),
            };
        }
        self.rows.push(cells.iter().map(|&cell| cell.into()).collect());
        Ok(())
    }
}
