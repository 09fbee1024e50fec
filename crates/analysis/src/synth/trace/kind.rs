//! The kinds of synthetic traces.

/// A kind of trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraceKind {
    /// As in the study: equal phases, apart from `cpu_sigma`, `phi_s` and `noise_bytes_per_s`.
    Plain,
    /// The first of ten phases takes 11 s, the others follow at intervals of 7.7 s.
    Hacc,
    /// Volumes vary from phase to phase, or grow.
    Unequal,
    /// Each phase is a few bursts, with gaps shorter than the computing.
    Bursts,
    /// In each phase every process writes many short bursts at its own moments.
    SubBursts,
    /// A few processes start or end late.
    Stragglers,
    /// Others write too, at random moments.
    Foreign,
    /// The period grows or shrinks steadily.
    Drift,
    /// The period changes once.
    Regimes,
    /// Some processes skip some or all phases; some phases are small.
    Missing,
    /// A second activity has its own period.
    Two,
    /// The first or the last phase is longer, larger or smaller than the others.
    First,
    /// The duration of the computing varies.
    Jitter,
    /// Input is read first.
    Reads,
    /// Bursts at random moments.
    Poisson,
    Single,
    Constant,
    /// A read at the start and a write at the end.
    StartEnd,
    /// A rate that rises or falls steadily.
    Ramp,
    /// A rate that wanders.
    Walk,
    /// Two or three bursts with unequal gaps.
    Few,
}

use TraceKind::*;

impl TraceKind {
    /// The kinds with a period first, then those without.
    pub const ALL: [(TraceKind, &'static str); 21] = [
        (Plain, "plain"),
        (Hacc, "hacc"),
        (Unequal, "unequal"),
        (Bursts, "bursts"),
        (SubBursts, "subbursts"),
        (Stragglers, "stragglers"),
        (Foreign, "foreign"),
        (Drift, "drift"),
        (Regimes, "regimes"),
        (Missing, "missing"),
        (Two, "two"),
        (First, "first"),
        (Jitter, "jitter"),
        (Reads, "reads"),
        (Poisson, "poisson"),
        (Single, "single"),
        (Constant, "constant"),
        (StartEnd, "startend"),
        (Ramp, "ramp"),
        (Walk, "walk"),
        (Few, "few"),
    ];

    /// All kinds that depart from the study.
    pub fn dirty() -> impl Iterator<Item = TraceKind> {
        TraceKind::ALL.into_iter().map(|(kind, _)| kind).filter(|&kind| kind != Plain)
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        TraceKind::ALL.into_iter().find(|&(kind, _)| kind == self).map_or("", |(_, name)| name)
    }

    pub fn named(name: &str) -> Option<TraceKind> {
        TraceKind::ALL.into_iter().find(|&(_, known)| known == name).map(|(kind, _)| kind)
    }

    pub fn is_periodic(self) -> bool {
        !matches!(self, Poisson | Single | Constant | StartEnd | Ramp | Walk | Few)
    }
}
