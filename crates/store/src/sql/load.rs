//! Tables loaded into SQLite, for queries that read several.

use std::sync::Arc;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::vtab::Use;
use crate::cell::Cell;
use crate::error::Error;
use crate::scan::Scan;
use crate::study::Snapshot;

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Cell::Null => ValueRef::Null,
            Cell::Int(value) => ValueRef::Integer(value),
            Cell::Float(value) => ValueRef::Real(value),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// A database with these tables; unused columns are null. SQLite spills to a temporary file what
/// does not fit into memory.
pub(super) fn tables(snapshot: &Arc<Snapshot>, used: &[Use]) -> Result<Connection, Error> {
    let failed = |error: rusqlite::Error| Error::Query { message: error.to_string(), hint: None };
    let connection = Connection::open("").map_err(failed)?;
    connection.execute_batch("pragma journal_mode = off; pragma synchronous = off; begin").map_err(failed)?;
    for table in crate::tables::TABLES {
        connection.execute_batch(&super::vtab::declaration(table)).map_err(failed)?;
    }
    for Use { table, columns } in used {
        let names: Vec<&str> = columns.iter().map(|&at| table.columns[at].name).collect();
        let marks = vec!["?"; names.len()].join(", ");
        // A query may count rows without using any column.
        let insert = if names.is_empty() {
            format!("insert into {} default values", table.name)
        } else {
            format!("insert into {} ({}) values ({marks})", table.name, names.join(", "))
        };
        let mut insert = connection.prepare(&insert).map_err(failed)?;
        let parts = snapshot.parts(table)?;
        let scan = Scan::new(&parts, columns, &[]);
        for unit in 0..scan.units() {
            for selected in scan.read(unit)? {
                for row in (0..selected.len()).map(|n| selected.row(n)) {
                    let cells = columns.iter().map(|&at| selected.block.columns[at].cell(row));
                    insert.execute(params_from_iter(cells)).map_err(failed)?;
                }
            }
        }
    }
    connection.execute_batch("commit").map_err(failed)?;
    Ok(connection)
}
