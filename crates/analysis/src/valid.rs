//! Whether a log can be trusted: one check for categories, studies and reports.
//!
//! [`Collector`](crate::category::Collector) finds what a log's records say of themselves,
//! [`check`] and [`check_bytes`] say whether the log as a whole is sound. A log that is not has no
//! categories, is no job of a study, and is no part of a summary over many logs.

use marigraph_model::{Job, Problem, ProblemKind};

macro_rules! reasons {
    ($($name:ident $code:literal $meaning:literal;)*) => {
        /// Why a log is not trusted.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Invalid {
            $(#[doc = $meaning] $name,)*
        }

        impl Invalid {
            /// Every reason; of several the first counts.
            pub const ALL: [Invalid; [$($code),*].len()] = [$(Invalid::$name),*];

            pub const fn code(self) -> &'static str {
                match self { $(Invalid::$name => $code,)* }
            }

            pub const fn meaning(self) -> &'static str {
                match self { $(Invalid::$name => $meaning,)* }
            }
        }
    };
}

reasons! {
    Truncated "truncated" "It is truncated or cannot be decoded.";
    EndBeforeStart "end_before_start" "The run ends before it starts.";
    ZeroRuntime "zero_runtime" "The run has zero length.";
    NoProcesses "no_processes" "No process ran.";
    NegativeTimestamp "negative_timestamp" "A time is before the run, or not a number.";
    LateTimestamp "late_timestamp" "A time is after the run.";
    CloseBeforeOpen "close_before_open" "A file was closed before it was opened.";
    LastBeforeFirst "last_before_first" "The last access of a file is before its first.";
    BytesWithoutTimestamps "bytes_without_timestamps" "Bytes moved without a time.";
    TimestampsWithoutBytes "timestamps_without_bytes" "Accesses have times but moved no bytes.";
    ImplausibleBytes "implausible_bytes" "More bytes moved than any machine can move.";
}

/// Checks the log as a whole; `found` is the worst of what its records say.
pub fn check(job: &Job, problems: &[Problem], found: Option<Invalid>) -> Result<(), Invalid> {
    if problems.iter().any(is_fatal) {
        return Err(Invalid::Truncated);
    }
    if job.end < job.start {
        return Err(Invalid::EndBeforeStart);
    }
    if job.end.seconds_since(job.start) <= 0.0 {
        return Err(Invalid::ZeroRuntime);
    }
    if job.nprocs < 1 {
        return Err(Invalid::NoProcesses);
    }
    found.map_or(Ok(()), Err)
}

/// Checks the sum of the bytes read and written.
pub fn check_bytes(job: &Job, bytes: f64) -> Result<(), Invalid> {
    let most = job.nprocs as f64 * job.runtime_s() * FASTEST;
    if bytes > most { Err(Invalid::ImplausibleBytes) } else { Ok(()) }
}

/// Returns whether a reading problem makes the log unusable: a whole phase may be missing.
fn is_fatal(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::Truncated | ProblemKind::Corrupt | ProblemKind::BadRecord | ProblemKind::InflateLimit
    )
}

pub fn is_incomplete(problem: &Problem) -> bool {
    matches!(
        problem.kind,
        ProblemKind::Partial
            | ProblemKind::UnknownVersion
            | ProblemKind::UnknownModule
            | ProblemKind::KnownDefect
    )
}

/// Tolerance for times after the end of the run, in seconds and as a share of the run.
const LATE_S: f64 = 1.0;
const LATE_SHARE: f64 = 0.01;
/// Maximum plausible bytes per second of one process.
const FASTEST: f64 = 100e9;

pub fn latest_s(runtime_s: f64) -> f64 {
    runtime_s + LATE_S.max(runtime_s * LATE_SHARE)
}
