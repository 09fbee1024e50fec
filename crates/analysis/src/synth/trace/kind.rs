//! What can be made.

/// What a trace is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraceKind {
    /// As in the study: equal phases, but for `cpu_sigma`, `phi_s` and `noise_bytes_per_s`.
    Plain,
    /// The first of ten phases takes 11 s, the others follow each other after 7.7 s.
    Hacc,
    /// Volumes vary from phase to phase, or grow.
    Unequal,
    /// Every phase is a few bursts with gaps shorter than the computing.
    Bursts,
    /// Every process writes many short bursts in a phase, at moments of its own.
    SubBursts,
    /// A few processes start or end late.
    Stragglers,
    /// Others write as well, at random moments.
    Foreign,
    /// The period grows or shrinks all the time.
    Drift,
    /// The period changes once.
    Regimes,
    /// Some processes leave out some phases, or all of them; some phases are small.
    Missing,
    /// A second activity with a period of its own.
    Two,
    /// The first or the last phase is longer, larger or smaller than the others.
    First,
    /// The computing takes now longer, now shorter.
    Jitter,
    /// Input is read first.
    Reads,
    /// Bursts at random moments.
    Poisson,
    /// One burst.
    Single,
    /// Always the same rate.
    Constant,
    /// A read at the start, a write at the end.
    StartEnd,
    /// A rate that grows or falls all the time.
    Ramp,
    /// A rate that wanders.
    Walk,
    /// Two or three bursts with unequal gaps.
    Few,
}

use TraceKind::*;

impl TraceKind {
    /// Every kind with its name: first those with a period, then those without.
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

    /// The kinds that spoil the picture of the study, with and without a period.
    pub fn dirty() -> impl Iterator<Item = TraceKind> {
        TraceKind::ALL.into_iter().map(|(kind, _)| kind).filter(|&kind| kind != Plain)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        TraceKind::ALL.into_iter().find(|&(kind, _)| kind == self).map_or("", |(_, name)| name)
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<TraceKind> {
        TraceKind::ALL.into_iter().find(|&(_, known)| known == name).map(|(kind, _)| kind)
    }

    /// Whether its phases have a period.
    pub fn is_periodic(self) -> bool {
        !matches!(self, Poisson | Single | Constant | StartEnd | Ramp | Walk | Few)
    }
}
