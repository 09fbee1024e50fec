//! Defects of an input, as data.

use crate::module::Module;

/// Kind of a problem. Readers continue after it as far as they can.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The instrument ran out of memory or records: the data are a lower bound.
    Partial,
    Truncated,
    Corrupt,
    /// A record contradicts itself or the format.
    BadRecord,
    ClockWentBack,
    UnknownModule,
    UnknownVersion,
    InflateLimit,
    /// A known defect of the log's writer may have damaged these data.
    KnownDefect,
    /// The log lacks something users would expect.
    NotRecorded,
    BadText,
    BadLine,
}

impl ProblemKind {
    const ALL: [ProblemKind; 12] = [
        ProblemKind::Partial,
        ProblemKind::Truncated,
        ProblemKind::Corrupt,
        ProblemKind::BadRecord,
        ProblemKind::ClockWentBack,
        ProblemKind::UnknownModule,
        ProblemKind::UnknownVersion,
        ProblemKind::InflateLimit,
        ProblemKind::KnownDefect,
        ProblemKind::NotRecorded,
        ProblemKind::BadText,
        ProblemKind::BadLine,
    ];

    /// The inverse of [`ProblemKind::code`].
    pub fn from_code(code: &str) -> Option<ProblemKind> {
        ProblemKind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Stable identifier for programs.
    pub const fn code(&self) -> &'static str {
        match self {
            ProblemKind::Partial => "partial",
            ProblemKind::Truncated => "truncated",
            ProblemKind::Corrupt => "corrupt",
            ProblemKind::BadRecord => "bad_record",
            ProblemKind::ClockWentBack => "clock_went_back",
            ProblemKind::UnknownModule => "unknown_module",
            ProblemKind::UnknownVersion => "unknown_version",
            ProblemKind::InflateLimit => "inflate_limit",
            ProblemKind::KnownDefect => "known_defect",
            ProblemKind::NotRecorded => "not_recorded",
            ProblemKind::BadText => "bad_text",
            ProblemKind::BadLine => "bad_line",
        }
    }
}

/// A problem and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub message: String,
    /// Module, region, offset or line; empty for the whole input.
    pub place: String,
}

impl Problem {
    /// Concerns the whole input.
    pub fn new(kind: ProblemKind, message: impl Into<String>) -> Problem {
        Problem { kind, message: message.into(), place: String::new() }
    }

    pub fn at(mut self, place: impl Into<String>) -> Problem {
        self.place = place.into();
        self
    }

    pub fn in_module(self, module: Module) -> Problem {
        self.at(module.name())
    }
}
