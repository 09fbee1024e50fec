//! Every table of a study, declared once: what it holds, its columns, and a sentence for each.
//!
//! The files, the SQL surface and `docs/tables.md` follow from this declaration. A new table is one
//! entry here; a new column is one line at the end of its table (parts that were written before
//! then have no value for it).

mod declared;
mod traces;

pub(crate) use declared::IDENTITIES;
pub use declared::{
    CATEGORIES, COUNTERS, DEVICES, FILES, FINDINGS, INTERFACES, JOBLOG, JOBS, OPERATIONS, PHASES, SHARING,
    SIGNATURES, SNAPSHOTS, TABLES,
};
pub use traces::TRACES;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers; yes and no are 1 and 0.
    Int,
    /// Numbers.
    Float,
    /// Words.
    Text,
}

impl Kind {
    /// Its name in SQL.
    pub fn sql(self) -> &'static str {
        match self {
            Kind::Int => "INTEGER",
            Kind::Float => "REAL",
            Kind::Text => "TEXT",
        }
    }
}

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds. Any value may be missing.
    pub kind: Kind,
    /// What it means.
    pub about: &'static str,
}

/// One table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub about: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Column],
}

/// A column of whole numbers.
pub const fn int(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Int, about }
}

/// A column of numbers.
pub const fn float(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Float, about }
}

/// A column of words.
pub const fn text(name: &'static str, about: &'static str) -> Column {
    Column { name, kind: Kind::Text, about }
}

impl Table {
    /// The table of a study with this name; SQL does not tell capitals from small letters.
    pub fn named(name: &str) -> Option<&'static Table> {
        TABLES.iter().copied().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// The tables as a page, for `docs/tables.md`.
pub fn page() -> String {
    let mut out = String::from(PREFACE);
    TABLES.iter().for_each(|table| out.push_str(&described(table, table.name)));
    out.push_str("\n# A corpus\n\n`marigraph categorize PATH... --into DIR` writes one file of one table.\n");
    out + &described(&TRACES, "traces.parquet")
}

fn described(table: &Table, name: &str) -> String {
    let head = "| column | type | meaning |\n|---|---|---|";
    let mut out = format!("\n## `{name}`\n\n{}\n\n{head}\n", table.about);
    for column in table.columns {
        let kind = column.kind.sql().to_ascii_lowercase();
        out.push_str(&format!("| `{}` | {kind} | {} |\n", column.name, column.about));
    }
    out
}

const PREFACE: &str = "\
# The tables of a study

Written by a test from the declaration in `crates/store/src/tables/declared.rs` (`cargo xtask bless`).

`marigraph ingest PATH... --into STUDY` fills them, `marigraph sql STUDY QUERY` asks them. Each table is also a folder
of Parquet files, `STUDY/<table>/*.parquet`, which pandas, Polars, DuckDB and Spark read as they are. Times are seconds;
those of a job's start and end count from 1970 (UTC), all others from the job's start. What was not measured is null.
Tables join by `job_key`.
";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_plain_and_unique() {
        let names: BTreeSet<&str> = TABLES.iter().map(|table| table.name).collect();
        assert_eq!(names.len(), TABLES.len());
        for table in TABLES {
            let columns: BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(columns.len(), table.columns.len(), "{}", table.name);
            // What identifies a row stands first: the job that it is of, or the row itself.
            assert!(["job_key", "row_key"].contains(&table.columns[0].name), "{}", table.name);
            assert_eq!(table.columns[0].kind, Kind::Text, "{}", table.name);
            // SQLite tells which of the first 63 columns a query uses.
            assert!(table.columns.len() < 63, "{}", table.name);
            for name in columns.iter().chain([&table.name]) {
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
            }
            for about in table.columns.iter().map(|column| column.about).chain([table.about]) {
                assert!(about.ends_with('.') && !about.contains('|'), "{about}");
            }
        }
    }
}
