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
//! The crate knows neither log formats nor terminals: callers push [`Rows`] and take an [`Output`].

mod aggregate;
mod error;
mod key;
mod part;
mod rows;
mod scan;
mod sql;
mod study;
pub mod tables;

pub use error::Error;
pub use key::JobKey;
pub use part::{Writer, read_file};
pub use rows::{Cell, Rows};
pub use sql::{Output, query};
pub use study::{Ingest, Snapshot, Study};
