//! Errors of a study.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

/// Why a study cannot be read, written or queried.
#[derive(Debug)]
pub enum Error {
    Io {
        path: PathBuf,
        error: io::Error,
    },
    Parquet(ParquetError),
    /// A part does not match its table's declaration.
    Column {
        path: PathBuf,
        table: &'static str,
        column: &'static str,
        what: Lack,
    },
    NoStudy(PathBuf),
    Commit {
        path: PathBuf,
        message: String,
    },
    /// The receiver of an answer failed.
    Output(io::Error),
    Query {
        message: String,
        hint: Option<String>,
    },
}

/// What a part lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    Column,
    /// The declared kind: the column has another.
    Kind,
    /// A value in a row that must have one.
    Value,
}

pub(crate) const INGEST_AGAIN: &str =
    "another version of marigraph, or another program, wrote it: ingest the logs again into a new study";

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::Io { path, error }
    }

    pub(crate) fn decoder() -> Error {
        Error::Parquet(ParquetError::General("a part is damaged".to_string()))
    }

    pub fn hint(&self) -> Option<String> {
        match self {
            Error::NoStudy(_) => Some("create one with marigraph ingest PATH... --into STUDY".to_string()),
            Error::Commit { .. } => {
                Some("it was written by a newer marigraph, or by another program".to_string())
            }
            Error::Column { .. } => Some(INGEST_AGAIN.to_string()),
            Error::Query { hint, .. } => hint.clone(),
            Error::Io { .. } | Error::Parquet(_) | Error::Output(_) => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Error::Parquet(error) => write!(f, "{error}"),
            Error::Output(error) => write!(f, "{error}"),
            Error::NoStudy(path) => write!(f, "{}: no study found", path.display()),
            Error::Commit { path, message } => write!(f, "{}: {message}", path.display()),
            Error::Column { path, table, column, what } => {
                let what = match what {
                    Lack::Column => "is missing",
                    Lack::Kind => "is not of its declared type",
                    Lack::Value => "has a row without a value",
                };
                write!(f, "{}: the column {column} of {table} {what}", path.display())
            }
            Error::Query { message, .. } => write!(f, "{message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Error {
        Error::Parquet(error)
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Error {
        Error::Parquet(ParquetError::ArrowError(error.to_string()))
    }
}
