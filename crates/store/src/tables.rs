//! Every table of a study, declared once: its columns, and a sentence for each.
//!
//! The row types, the files, the SQL surface and `docs/reference/tables.md` follow from this
//! declaration. A new table is one entry here. A new column is one line at the end of its table,
//! marked `later`: older parts have no value for it. A part that lacks any other column is refused
//! by name.

mod declared;
mod traces;

pub(crate) use declared::{APART, IDENTITIES};
pub use declared::{
    CATEGORIES, COUNTERS, CategoryRow, CounterRow, DEVICES, DeviceRow, FILES, FINDINGS, FileRow, FindingRow,
    INTERFACES, INVALID, InterfaceRow, InvalidRow, JOBLOG, JOBS, JobRow, JoblogRow, OPERATIONS, OperationRow,
    PHASES, PhaseRow, SHARING, SIGNATURES, SNAPSHOTS, SOURCES, SharingRow, SignatureRow, SnapshotRow,
    SourceRow, TABLES,
};
pub use traces::{TRACES, TraceRow};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Booleans are 1 and 0.
    Int,
    Float,
    Text,
}

impl Kind {
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
    pub name: &'static str,
    pub kind: Kind,
    pub optional: bool,
    /// Whether a part may lack the column, because it was declared after parts had been written.
    pub later: bool,
    /// Description in one sentence.
    pub about: &'static str,
}

/// One table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    pub name: &'static str,
    /// Description of a row.
    pub about: &'static str,
    pub columns: &'static [Column],
}

/// Declares a table: its name, static, row type, the description of a row, and per column a field
/// with type and description. The type implies the column's kind and whether it is optional. Tables
/// `per job` begin with the identity of the log.
macro_rules! table {
    (per job: $name:ident as $table:ident, $row:ident<$life:lifetime> = $about:literal; $($columns:tt)+) => {
        table! {
            $name as $table, $row<$life> = $about;
            job_key: &$life str = "Identity of the log: a hash of its content, 32 hexadecimal digits.",
            job_id: i64 = "The scheduler's job id, or a process id if there is none.",
            $($columns)+
        }
    };
    ($name:ident as $table:ident, $row:ident<$life:lifetime> = $about:literal;
     $($field:ident: $type:ty = $($later:ident)? $column:literal,)+) => {
        #[doc = concat!("`", stringify!($name), "`.")]
        pub static $table: $crate::tables::Table =
            $crate::tables::Table { name: stringify!($name), about: $about, columns: $row::COLUMNS_DECLARED };

        #[doc = $about]
        #[derive(Debug, Clone, Copy, Default, PartialEq)]
        pub struct $row<$life> { $(#[doc = $column] pub $field: $type),+ }

        impl<$life> $row<$life> {
            const COLUMNS_DECLARED: &'static [$crate::tables::Column] = &[$($crate::tables::Column {
                name: stringify!($field),
                kind: <$type as $crate::Value<$life>>::KIND,
                optional: <$type as $crate::Value<$life>>::OPTIONAL,
                later: !<[&str]>::is_empty(&[$(stringify!($later))?]),
                about: $column,
            }),+];
        }

        $crate::readable! { $row<$life> of &$table, { $($field: $type),+ } }

        impl $crate::Row for $row<'_> {
            fn with_cells<T>(self, take: impl FnOnce(&[$crate::Cell<'_>]) -> T) -> T {
                take(&[$(self.$field.into()),+])
            }
        }
    };
}
pub(crate) use table;

impl Table {
    /// Finds a table of a study by name, ignoring case as SQL does.
    pub fn named(name: &str) -> Option<&'static Table> {
        TABLES.iter().copied().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// The index of a column that must exist; fails the build when evaluated at compile time.
    ///
    /// # Panics
    /// If there is no such column.
    pub const fn place(&self, name: &str) -> usize {
        let mut at = 0;
        while at < self.columns.len() {
            if is_same(self.columns[at].name.as_bytes(), name.as_bytes()) {
                return at;
            }
            at += 1;
        }
        panic!("the table has no such column")
    }

    /// The index of a column, ignoring case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// `==` on strings is not available in `const` functions.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([first, one @ ..], [second, other @ ..]) => *first == *second && is_same(one, other),
        _ => false,
    }
}

/// The tables as a page, for `docs/reference/tables.md`.
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

`marigraph ingest PATH... --into STUDY` fills them, `marigraph sql STUDY QUERY` queries them. Each table is also a folder
of Parquet files, `STUDY/<table>/*.parquet`, which pandas, Polars, DuckDB and Spark read directly. Times are seconds;
those of a job's start and end count from 1970 (UTC), all others from the job's start. Values that were not measured are null.
Tables join by `job_key`.
";

#[cfg(test)]
#[allow(clippy::expect_used)] // a test may stop
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
            // The first column identifies the job of a row, or the row itself.
            assert!(["job_key", "row_key"].contains(&table.columns[0].name), "{}", table.name);
            assert_eq!(table.columns[0].kind, Kind::Text, "{}", table.name);
            // SQLite reports which of the first 63 columns a query uses.
            assert!(table.columns.len() < 63, "{}", table.name);
            for column in table.columns {
                // Such columns would make old parts unreadable; NaN is stored as missing.
                assert!(column.optional || !column.later && column.kind != Kind::Float, "{}", column.name);
            }
            for name in columns.iter().chain([&table.name]) {
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
            }
            for about in table.columns.iter().map(|column| column.about).chain([table.about]) {
                assert!(about.ends_with('.') && !about.contains('|'), "{about}");
            }
        }
    }

    #[test]
    fn the_page_of_tables_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/tables.md");
        if std::env::var_os("MARIGRAPH_BLESS").is_some() {
            std::fs::write(&path, page()).expect("bless");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, page(), "{} (MARIGRAPH_BLESS=1 writes it)", path.display());
    }
}
