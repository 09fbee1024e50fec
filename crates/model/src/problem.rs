//! What is wrong with an input, or missing from it, as data.

use crate::module::Module;

/// One kind of trouble. Readers go on after it as far as they can.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The instrument ran out of memory or records: the data are a lower bound.
    Partial,
    /// The data end before they should.
    Truncated,
    /// A compressed stream does not decode.
    Corrupt,
    /// A record contradicts itself or the format.
    BadRecord,
    /// The job's clock went back.
    ClockWentBack,
    /// A module that this reader does not know.
    UnknownModule,
    /// A record version that this reader does not know.
    UnknownVersion,
    /// Decompression was stopped at the limit.
    InflateLimit,
    /// The writer of the log had a defect that may have damaged these data.
    KnownDefect,
    /// Something users would expect is not in this log.
    NotRecorded,
    /// A name or text field that does not have the expected form.
    BadText,
    /// A line of a table that is not of the expected form.
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

    /// The kind of a [`ProblemKind::code`].
    pub fn from_code(code: &str) -> Option<ProblemKind> {
        ProblemKind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The stable word for programs.
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

/// A kind of trouble, where it is and what it means for the reader of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub kind: ProblemKind,
    /// A sentence for people.
    pub message: String,
    /// Module, region, offset or line; empty if the whole input.
    pub place: String,
}

impl Problem {
    /// A problem with the whole input.
    pub fn new(kind: ProblemKind, message: impl Into<String>) -> Problem {
        Problem { kind, message: message.into(), place: String::new() }
    }

    /// Says where.
    pub fn at(mut self, place: impl Into<String>) -> Problem {
        self.place = place.into();
        self
    }

    /// Says in which module.
    pub fn in_module(self, module: Module) -> Problem {
        self.at(module.name())
    }
}
