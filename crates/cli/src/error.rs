//! Failures as the user sees them: `error:`, `hint:` and an exit code.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    Input {
        path: String,
        message: String,
        hint: Option<String>,
    },
    Output {
        path: String,
        error: io::Error,
    },
    /// The reader of standard output is gone. Not a failure.
    PipeClosed,
    Usage(String),
    /// Already reported, or another process reports it.
    Told,
    /// Some of many inputs were bad, and `--strict` was given. They have been reported.
    Skipped(usize),
}

impl Failure {
    pub fn format(path: &str, error: &marigraph_formats::Error) -> Failure {
        Failure::Input {
            path: path.to_string(),
            message: error.to_string(),
            hint: error.hint().map(String::from),
        }
    }

    pub fn trace(path: &str, error: &dyn fmt::Display) -> Failure {
        let hint = Some("record with --trace to get a .mari trace".to_string());
        Failure::Input { path: path.to_string(), message: error.to_string(), hint }
    }

    pub fn read(path: &Path, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => Some("check the name".to_string()),
            io::ErrorKind::PermissionDenied => Some("ask its owner for read permission".to_string()),
            _ => None,
        };
        Failure::Input { path: path.display().to_string(), message: error.to_string(), hint }
    }

    /// Unlike a bad log, such a failure is not skipped.
    pub fn store(path: &Path, error: marigraph_store::Error) -> Failure {
        use marigraph_store::Error;
        let hint = error.hint();
        let path = path.display().to_string();
        match error {
            Error::Io { path, error } => Failure::Output { path: path.display().to_string(), error },
            Error::Parquet(error) => Failure::Output { path, error: io::Error::other(error) },
            other => Failure::Input { path, message: other.to_string(), hint },
        }
    }

    /// A closed pipe is not a failure.
    pub fn write(path: &str, error: io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure::PipeClosed;
        }
        Failure::Output { path: path.to_string(), error }
    }

    pub fn message(&self) -> String {
        match self {
            Failure::Input { message, .. } => message.clone(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input { path, message, hint } => {
                write!(f, "error: {path}: {message}")?;
                hint.as_ref().map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
            }
            Failure::Output { path, error } => write!(f, "error: {path}: cannot write: {error}"),
            Failure::PipeClosed | Failure::Told => Ok(()),
            Failure::Usage(message) => write!(f, "error: {message}"),
            Failure::Skipped(1) => write!(f, "error: 1 input was skipped and --strict was given"),
            Failure::Skipped(n) => write!(f, "error: {n} inputs were skipped and --strict was given"),
        }
    }
}

/// Reports a failure and chooses the exit code: 0, 1 for bad input, 2 for wrong usage.
pub fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) | Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(Failure::Told) => ExitCode::from(1),
        Err(failure) => {
            complain(&failure);
            ExitCode::from(if matches!(failure, Failure::Usage(_)) { 2 } else { 1 })
        }
    }
}

pub fn complain(message: &dyn fmt::Display) {
    // A failure here cannot be reported.
    let _ = writeln!(io::stderr(), "{message}");
}
