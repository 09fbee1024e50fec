//! The study database: what is known of many jobs, in a form that lasts and that others can read.
//!
//! Parquet keeps, SQLite asks. A study is a folder of Parquet files, one folder per table
//! ([`tables`] declares them once), to which any number of processes on any number of hosts add
//! without a server and without locks:
//!
//! - [`Ingest`] adds jobs in batches. A batch is visible from the rename of its commit on, whole or not
//!   at all; a log that was added before is known by its [`JobKey`].
//! - [`Study::snapshot`] is what has been committed so far; [`query`] answers SQL over it.
//! - [`Writer`] and [`read_file`] write and read single Parquet files of any declared table.
//!
//! A row is a struct that follows from its table's declaration, such as [`tables::JobRow`]: callers push them into
//! [`Rows`] and read them, or a [`view!`] of some columns, by [`Snapshot::read`]. Only answers of queries, whose columns
//! are not known before, come as [`Cell`]s to an [`Output`]. The crate knows neither log formats nor terminals.

mod aggregate;
mod cell;
mod error;
mod key;
mod part;
mod row;
mod rows;
mod scan;
mod sql;
mod study;
pub mod tables;

pub use cell::Cell;
pub use error::{Error, Lack};
pub use key::JobKey;
pub use part::{Writer, count_rows, read_file};
pub use row::{Row, Value, View};
pub use rows::Rows;
pub use sql::{Output, ParquetAnswer, query};
pub use study::{Ingest, Snapshot, Study};
