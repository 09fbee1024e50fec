//! The study database: results of many jobs, in a form that lasts and that other programs can read.
//!
//! Parquet stores, SQLite queries. A study is a folder with one subfolder of Parquet files per
//! table ([`tables`] declares them once). Any number of processes on any number of hosts add to it
//! without a server and without locks:
//!
//! - [`Ingest`] adds jobs in batches. The rename of its commit makes a batch visible, entirely or
//!   not at all; a log that was added before is recognised by its [`JobKey`].
//! - [`Study::snapshot`] is the state committed so far; [`query`] answers SQL over it.
//! - [`Writer`] and [`read_file`] write and read single Parquet files of any declared table.
//!
//! A row is a struct generated from its table's declaration, such as [`tables::JobRow`]. Callers
//! push rows into [`Rows`] and read them, or a [`view!`] of some columns, with [`Snapshot::read`].
//! Only answers of queries, whose columns are not known in advance, arrive as [`Cell`]s at an
//! [`Output`]. The crate knows neither log formats nor terminals.

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
pub use study::{Ingest, Snapshot, Source, Study};
