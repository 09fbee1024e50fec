//! SQL queries.
//!
//! Each table is a virtual table of SQLite over the committed parts, which reads only the columns
//! and row groups that a query needs. Two kinds of queries take another way. Common aggregates over
//! one table are computed by a parallel scan of columns ([`crate::aggregate`]). Queries that read
//! several tables, or one several times, get those tables loaded first, with the columns they use:
//! SQLite builds no index over virtual tables, and a join without one compares every row with every
//! other.

mod answer;
mod load;
mod vtab;

use std::io;
use std::sync::Arc;

pub use answer::ParquetAnswer;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Statement};

use crate::cell::Cell;
use crate::error::{Error, INGEST_AGAIN};
use crate::study::Snapshot;
use crate::tables::{TABLES, Table};

/// Receives the answer of a query.
pub trait Output {
    /// Called once, before the rows.
    fn columns(&mut self, names: &[String]) -> io::Result<()>;
    fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()>;
}

pub fn query(
    snapshot: &Arc<Snapshot>,
    sql: &str,
    threads: usize,
    output: &mut dyn Output,
) -> Result<(), Error> {
    if let Some(answer) = crate::aggregate::answer(snapshot, sql, threads)? {
        return answer.give(output);
    }
    ask(snapshot, sql, output)
}

pub(crate) fn ask(snapshot: &Arc<Snapshot>, sql: &str, output: &mut dyn Output) -> Result<(), Error> {
    only_questions(sql)?;
    let failed = |error: rusqlite::Error| refused(sql, &error);
    let connection = Connection::open_in_memory().map_err(failed)?;
    let used = vtab::declare(&connection, snapshot).map_err(failed)?;
    let mut statement = connection.prepare(sql).map_err(failed)?;
    if scans(&connection, sql).map_err(failed)? > 1 {
        let loaded = load::tables(snapshot, &used.tables())?;
        return give(&mut loaded.prepare(sql).map_err(failed)?, sql, output);
    }
    give(&mut statement, sql, output)
}

/// Rejects statements that modify: only `ingest` changes a study, and no other file may be touched.
fn only_questions(sql: &str) -> Result<(), Error> {
    let first: String = sql.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    let asks = ["select", "with", "values", "explain"].iter().any(|word| first.eq_ignore_ascii_case(word));
    if asks {
        return Ok(());
    }
    Err(Error::Query {
        message: "only SELECT and WITH queries are allowed".to_string(),
        hint: Some("use marigraph ingest to add data to a study".to_string()),
    })
}

fn scans(connection: &Connection, sql: &str) -> rusqlite::Result<usize> {
    let mut plan = connection.prepare(&format!("explain query plan {sql}"))?;
    let lines = plan.query_map([], |row| row.get::<_, String>(3))?.collect::<rusqlite::Result<Vec<_>>>();
    // An `explain` query has no plan.
    Ok(lines.map_or(0, |lines| lines.iter().filter(|line| line.contains("VIRTUAL TABLE")).count()))
}

fn give(statement: &mut Statement<'_>, sql: &str, output: &mut dyn Output) -> Result<(), Error> {
    let failed = |error: rusqlite::Error| refused(sql, &error);
    let names: Vec<String> = statement.column_names().into_iter().map(String::from).collect();
    output.columns(&names).map_err(Error::Output)?;
    let mut rows = statement.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let cells = (0..names.len()).map(|at| row.get_ref(at).map(cell));
        let cells = cells.collect::<rusqlite::Result<Vec<_>>>().map_err(failed)?;
        output.row(&cells).map_err(Error::Output)?;
    }
    Ok(())
}

fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Float(value),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => std::str::from_utf8(bytes).ok().into(),
    }
}

fn refused(sql: &str, error: &rusqlite::Error) -> Error {
    let message = match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    };
    let hint = if message.contains("no such table") {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        Some(format!("the tables are {}", names.join(", ")))
    } else if message.contains("no such column") {
        let asked: Vec<&Table> = TABLES.iter().copied().filter(|table| mentions(sql, table.name)).collect();
        let columns = |table: &&Table| {
            let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            format!("{} has the columns {}", table.name, names.join(", "))
        };
        Some(asked.iter().map(columns).collect::<Vec<_>>().join("; ")).filter(|hint| !hint.is_empty())
    } else {
        // A virtual table passes only the message of an error on.
        message.contains(" the column ").then(|| INGEST_AGAIN.to_string())
    };
    Error::Query { message, hint }
}

fn mentions(sql: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    sql.split(|c: char| !is_part(c)).any(|found| found.eq_ignore_ascii_case(word))
}
