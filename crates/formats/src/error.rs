//! Errors for input that cannot be read at all. Lesser trouble is a
//! [`Problem`](marigraph_model::Problem).

use std::fmt;

/// Why an input cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    Empty,
    Unrecognised,
    /// A Darshan header, but all zero: the job died while its log was written.
    Unfinished,
    ShortHeader {
        /// Bytes.
        needed: usize,
        /// Bytes.
        found: usize,
    },
    Version {
        format: &'static str,
        /// As the file states it.
        found: String,
    },
    /// The outer compression (gzip, bzip2, zstd) is damaged from the start.
    Container {
        name: &'static str,
        detail: String,
    },
    InflateLimit {
        /// In bytes.
        limit: u64,
    },
    /// A table whose first lines do not have the expected columns.
    Table {
        /// 1-based.
        line: u64,
        detail: String,
    },
    Trace {
        detail: String,
    },
    NoThroughput,
    NoJobs,
    /// A recognised log that lacks what is needed.
    Lacking {
        detail: String,
        /// How to get a log that has it.
        hint: &'static str,
    },
    /// The log has no data of the kind that the target format stores.
    NothingToWrite {
        what: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Empty => write!(f, "the file is empty"),
            Error::Trace { detail } => write!(f, "{detail}"),
            Error::Unrecognised => write!(f, "not a log of any known format"),
            Error::Unfinished => {
                write!(f, "a Darshan log without a header: the job ended before its log was complete")
            }
            Error::ShortHeader { needed, found } => {
                write!(f, "truncated inside the header ({found} of {needed} bytes)")
            }
            Error::Version { format, found } => write!(f, "{format} version {found:?} is not known"),
            Error::Container { name, detail } => write!(f, "damaged {name} data: {detail}"),
            Error::InflateLimit { limit } => {
                write!(f, "decompression stopped at the limit of {limit} bytes")
            }
            Error::Table { line, detail } => write!(f, "line {line}: {detail}"),
            Error::NoThroughput => write!(f, "not a throughput log of any known form"),
            Error::NoJobs => write!(f, "not a job log of any known form"),
            Error::Lacking { detail, .. } => write!(f, "{detail}"),
            Error::NothingToWrite { what } => write!(f, "the input has no {what}"),
        }
    }
}

impl Error {
    /// Stable identifier for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Error::Empty => "empty",
            Error::Unrecognised | Error::NoThroughput | Error::NoJobs => "not_a_log",
            Error::Lacking { .. } => "lacking",
            Error::Unfinished => "unfinished",
            Error::ShortHeader { .. } => "truncated",
            Error::Version { .. } => "unknown_version",
            Error::Container { .. } | Error::Trace { .. } => "corrupt",
            Error::InflateLimit { .. } => "inflate_limit",
            Error::Table { .. } => "bad_line",
            Error::NothingToWrite { .. } => "nothing_to_write",
        }
    }

    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::Empty | Error::ShortHeader { .. } | Error::Trace { .. } => {
                Some("copy the file again; it may have been truncated")
            }
            Error::Unrecognised => Some(
                "known inputs: Darshan logs (1.1 to today), Marigraph traces, TMIO and GekkoFS files, text dumps of Recorder, CSV (rank,start,end,bytes,op, or rates under read,write), plain or compressed by gzip, bzip2 or zstd",
            ),
            Error::NoThroughput => Some(
                "known forms: CSV (timestamp,write_bytes_per_s,read_bytes_per_s), iostat -x -t as text or -o JSON, sadf -d or -j FILE -- -d, Prometheus range queries as JSON, plain or compressed by gzip, bzip2 or zstd",
            ),
            Error::NoJobs => Some(
                "known forms: sacct -P -o JobID,User,JobName,NNodes,Start,End, sacct --json, CSV (jobid,user,name,nodes,start,end), SWF, plain or compressed by gzip, bzip2 or zstd",
            ),
            Error::Lacking { hint, .. } => Some(hint),
            Error::Unfinished => Some("nothing can be recovered; look for other logs of the job"),
            Error::Version { .. } => Some("a newer release of marigraph may support it"),
            Error::InflateLimit { .. } => Some("raise --max-inflate BYTES if you trust the file"),
            Error::NothingToWrite { .. } => Some("record the job with tracing enabled (DXT in Darshan)"),
            Error::Table { .. } => Some("expected columns: rank,start,end,bytes,op[,file,offset]"),
            Error::Container { .. } => None,
        }
    }
}

impl std::error::Error for Error {}
