//! The tables of a study as virtual tables of SQLite. Only this file uses its C interface.

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::types::ValueRef;
use rusqlite::vtab::{
    Context, CreateVTab, Filters, IndexConstraintOp, IndexInfo, VTab, VTabConnection, VTabCursor, VTabKind,
    read_only_module, sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error as SqlError, Result};

use crate::cell::Cell;
use crate::error::Error;
use crate::scan::filter::{Filter, Op, Value};
use crate::scan::part::Part;
use crate::scan::{Scan, Selected};
use crate::study::Snapshot;
use crate::tables::{TABLES, Table};

/// Number of blocks decoded ahead of SQLite.
const AHEAD: usize = 2;

pub(super) struct Use {
    pub table: &'static Table,
    pub columns: Vec<usize>,
}

#[derive(Clone, Default)]
pub(super) struct Used(Arc<Mutex<BTreeMap<&'static str, u64>>>);

impl Used {
    fn add(&self, table: &'static str, mask: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(table).or_default() |= mask;
    }

    pub fn tables(&self) -> Vec<Use> {
        let used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let one = |(name, mask): (&&'static str, &u64)| {
            let table = Table::named(name)?;
            Some(Use { table, columns: columns_of(table, *mask) })
        };
        used.iter().filter_map(one).collect()
    }
}

fn columns_of(table: &Table, mask: u64) -> Vec<usize> {
    (0..table.columns.len()).filter(|at| mask >> at & 1 == 1).collect()
}

pub(super) fn declaration(table: &Table) -> String {
    let columns: Vec<String> =
        table.columns.iter().map(|column| format!("{} {}", column.name, column.kind.sql())).collect();
    format!("create table {} ({})", table.name, columns.join(", "))
}

pub(super) fn declare(connection: &Connection, snapshot: &Arc<Snapshot>) -> Result<Used> {
    let used = Used::default();
    let source = Source { snapshot: Arc::clone(snapshot), used: used.clone() };
    connection.create_module("study", read_only_module::<StudyTable>(), Some(source))?;
    for table in TABLES {
        connection.execute_batch(&format!("create virtual table {0} using study({0})", table.name))?;
    }
    Ok(used)
}

/// Shared by all tables of a connection.
pub(super) struct Source {
    snapshot: Arc<Snapshot>,
    used: Used,
}

#[repr(C)]
pub(super) struct StudyTable {
    /// Must be first: SQLite accesses only this part.
    base: sqlite3_vtab,
    table: &'static Table,
    snapshot: Arc<Snapshot>,
    used: Used,
}

fn module_error(error: &Error) -> SqlError {
    SqlError::ModuleError(error.to_string())
}

// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab`, as the trait asks; nothing else touches
// that part.
unsafe impl<'vtab> VTab<'vtab> for StudyTable {
    type Aux = Source;
    type Cursor = Cursor<'vtab>;

    fn connect(
        _: &mut VTabConnection,
        source: Option<&Source>,
        arguments: &[&[u8]],
    ) -> Result<(String, StudyTable)> {
        let name = arguments.get(3).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default();
        let table = Table::named(name).ok_or_else(|| SqlError::ModuleError(format!("no table {name}")))?;
        let source = source.ok_or_else(|| SqlError::ModuleError("no study".to_string()))?;
        let (snapshot, used) = (Arc::clone(&source.snapshot), source.used.clone());
        Ok((declaration(table), StudyTable { base: sqlite3_vtab::default(), table, snapshot, used }))
    }

    /// Reports which comparisons we evaluate. SQLite checks again, so ours may let more rows
    /// through.
    fn best_index(&self, info: &mut IndexInfo) -> Result<()> {
        let mask = info.col_used();
        self.used.add(self.table.name, mask);
        let mut plan = mask.to_string();
        let mut taken = Vec::new();
        for (at, constraint) in info.constraints().enumerate() {
            let column = usize::try_from(constraint.column()).ok();
            let known = column.filter(|&column| column < self.table.columns.len());
            let op = code(constraint.operator());
            if let (true, Some(column), Some(op)) = (constraint.is_usable(), known, op) {
                taken.push((at, column, op));
            }
        }
        let mut argument = 0;
        for (at, column, op) in taken {
            // Our text comparison is bytewise.
            if info.collation(at).is_ok_and(|name| name.eq_ignore_ascii_case("binary")) {
                argument += 1;
                info.constraint_usage(at).set_argv_index(argument);
                plan.push_str(&format!(" {column}{op}"));
            }
        }
        info.set_idx_str(&plan);
        let rows = self.snapshot.rows(self.table) as f64;
        info.set_estimated_cost(rows / f64::from(1 + argument) + 1.0);
        Ok(())
    }

    fn open(&'vtab mut self) -> Result<Cursor<'vtab>> {
        Ok(Cursor {
            base: sqlite3_vtab_cursor::default(),
            table: self.table,
            snapshot: Arc::clone(&self.snapshot),
            blocks: None,
            current: None,
            at: 0,
            rowid: 0,
            of: PhantomData,
        })
    }
}

impl CreateVTab<'_> for StudyTable {
    const KIND: VTabKind = VTabKind::Default;
}

fn code(op: IndexConstraintOp) -> Option<char> {
    match op {
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => Some('='),
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LT => Some('<'),
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LE => Some('['),
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GT => Some('>'),
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GE => Some(']'),
        _ => None,
    }
}

fn op_of(code: &str) -> Option<Op> {
    match code {
        "=" => Some(Op::Equal),
        "<" => Some(Op::Less),
        "[" => Some(Op::AtMost),
        ">" => Some(Op::More),
        "]" => Some(Op::AtLeast),
        _ => None,
    }
}

#[repr(C)]
pub(super) struct Cursor<'vtab> {
    /// Must be first: SQLite accesses only this part.
    base: sqlite3_vtab_cursor,
    table: &'static Table,
    snapshot: Arc<Snapshot>,
    blocks: Option<Ahead>,
    current: Option<Selected>,
    at: usize,
    rowid: i64,
    of: PhantomData<&'vtab StudyTable>,
}

impl Cursor<'_> {
    fn next_block(&mut self) -> Result<()> {
        self.current = None;
        self.at = 0;
        while let Some(ahead) = &self.blocks {
            let Ok(received) = ahead.blocks.recv() else { break };
            let selected = received.map_err(|error| module_error(&error))?;
            if selected.len() > 0 {
                self.current = Some(selected);
                return Ok(());
            }
        }
        // All blocks have arrived, unless the decoder panicked.
        let ended = self.blocks.take().map_or(Ok(()), |ahead| ahead.thread.join());
        ended.map_err(|_| module_error(&Error::decoder()))
    }
}

/// The comparisons of a plan with the values of this run. SQLite evaluates those whose value needs
/// conversion.
fn filters(table: &Table, plan: &str, arguments: &Filters<'_>) -> Vec<Filter> {
    let made = plan.split(' ').skip(1).zip(arguments.iter()).map(|(part, value)| {
        let (column, op) = part.split_at_checked(part.len().checked_sub(1)?)?;
        let (column, op) = (column.parse().ok()?, op_of(op)?);
        let value = match value {
            ValueRef::Integer(value) => Value::Int(value),
            ValueRef::Real(value) => Value::Float(value),
            ValueRef::Text(bytes) => Value::Text(std::str::from_utf8(bytes).ok()?.to_string()),
            ValueRef::Null | ValueRef::Blob(_) => return None,
        };
        Filter::is_plain(table, column, &value).then_some(Filter { column, op, value })
    });
    made.flatten().collect()
}

/// Blocks from a decoding thread, which ends when the receiver is dropped.
struct Ahead {
    blocks: Receiver<std::result::Result<Selected, Error>>,
    thread: JoinHandle<()>,
}

fn decode(parts: Vec<Part>, columns: Vec<usize>, filters: Vec<Filter>) -> Ahead {
    let (send, blocks) = sync_channel(AHEAD);
    let thread = std::thread::spawn(move || {
        let scan = Scan::new(&parts, &columns, &filters);
        for unit in 0..scan.units() {
            let decoded: Vec<_> = match scan.read(unit) {
                Ok(blocks) => blocks.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            };
            if !decoded.into_iter().all(|block| send.send(block).is_ok()) {
                return;
            }
        }
    });
    Ahead { blocks, thread }
}

// SAFETY: the struct is `repr(C)` and begins with `sqlite3_vtab_cursor`, as the trait asks; nothing else
// touches that part.
unsafe impl VTabCursor for Cursor<'_> {
    fn filter(&mut self, _: c_int, plan: Option<&str>, arguments: &Filters<'_>) -> Result<()> {
        let plan = plan.unwrap_or_default();
        let mask: u64 = plan.split(' ').next().and_then(|mask| mask.parse().ok()).unwrap_or(u64::MAX);
        let parts = self.snapshot.parts(self.table).map_err(|error| module_error(&error))?;
        self.blocks = Some(decode(parts, columns_of(self.table, mask), filters(self.table, plan, arguments)));
        self.rowid = 0;
        self.next_block()
    }

    fn next(&mut self) -> Result<()> {
        self.at += 1;
        self.rowid += 1;
        if self.current.as_ref().is_some_and(|block| self.at < block.len()) {
            Ok(())
        } else {
            self.next_block()
        }
    }

    fn eof(&self) -> bool {
        self.current.is_none()
    }

    fn column(&self, context: &mut Context, column: c_int) -> Result<()> {
        let cell = self.current.as_ref().and_then(|selected| {
            let column = selected.block.columns.get(usize::try_from(column).ok()?)?;
            Some(column.cell(selected.row(self.at)))
        });
        context.set_result(&cell.unwrap_or(Cell::Null))
    }

    fn rowid(&self) -> Result<i64> {
        Ok(self.rowid)
    }
}
