//! What can go wrong in a study.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use arrow_schema::ArrowError;
use parquet::errors::ParquetError;

/// Why a study could not be read, written or asked.
#[derive(Debug)]
pub enum Error {
    /// The system refuses a file of the study.
    Io {
        /// Which.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A Parquet file is damaged, or cannot be written.
    Parquet(ParquetError),
    /// A part does not have what its table declares.
    Column {
        /// The part.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// What about it.
        what: Lack,
    },
    /// There is no study.
    NoStudy(PathBuf),
    /// A commit that cannot be understood.
    Commit {
        /// Which.
        path: PathBuf,
        /// Why not.
        message: String,
    },
    /// Whoever takes the answer of a query takes no more.
    Output(io::Error),
    /// A query that cannot be answered.
    Query {
        /// What is wrong with it.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
}

/// What a part lacks of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// All of it.
    Column,
    /// Its kind: what is there is of another.
    Kind,
    /// A value in a row that must have one.
    Value,
}

/// What to do about a part that lacks something.
pub(crate) const INGEST_AGAIN: &str =
    "another version of marigraph, or another program, wrote it: ingest the logs again into a new study";

impl Error {
    /// Says which file the system refused.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::Io { path, error }
    }

    /// A decoder gave up in a way that it should not.
    pub(crate) fn decoder() -> Error {
        Error::Parquet(ParquetError::General("a part is damaged".to_string()))
    }

    /// What to do about it.
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
