//! The period of I/O phases while the job runs, and when the next phase will begin.
//!
//! Requests are pushed into a [`Tracker`]; after each flush it makes a [`Prediction`]. The finder of
//! `period` is asked on a window of recent bursts as long as nothing is known, when something does not
//! fit, and now and then to make sure; in between, new bursts are put to the phases that are known, so
//! that an update costs the same however long the job has run.
//!
//! | question | module |
//! |---|---|
//! | which part of the past counts? | [`window`] |
//! | what did all predictions together say? | [`merge`] |
//! | when does the next phase begin? | [`next`] |
//! | has the behaviour changed? | [`change`] |
//!
//! The publication is Tarraf et al., IPDPS 2024, section II-D; changes are found in the phases and not,
//! as elsewhere, in past answers, since answers lag behind.

mod bursts;
pub mod change;
mod finder;
pub mod merge;
pub mod next;
mod phases;
mod tracker;
pub mod window;

use crate::period::Phase;

pub use finder::by_period;
pub use merge::Interval;
pub use next::Next;
pub use tracker::Tracker;
pub use window::Rule;

/// Data that moved without a pause on one rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Burst {
    /// Who moved it; where there are very many ranks, some neighbours are one.
    pub rank: u32,
    /// Beginning, in seconds of the trace.
    pub start_s: f64,
    /// End.
    pub end_s: f64,
    /// How much.
    pub bytes: f64,
}

/// What the finder says of a window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// Seconds from one phase to the next, if there is a period.
    pub period_s: Option<f64>,
    /// Probability that it is right.
    pub confidence: f64,
    /// The phases, in order of time; where there is no period, a guess, if any.
    pub phases: Vec<Phase>,
}

/// Finds the period of bursts, which are in order of time, within a window.
pub type Finder<'a> = &'a mut dyn FnMut(&[Burst], [f64; 2]) -> Found;

/// What is expected after a flush.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Now, in seconds of the trace.
    pub t_s: f64,
    /// Seconds from one phase to the next, if there is a period.
    pub period_s: Option<f64>,
    /// Probability that it is right.
    pub confidence: f64,
    /// The next phase, if there is a period.
    pub next: Option<Next>,
    /// Frequencies of all predictions so far, those that are close taken together.
    pub intervals: Vec<Interval>,
    /// Beginning and end of what this prediction is made from.
    pub window_s: [f64; 2],
    /// What a phase moves.
    pub bytes_per_period: Option<f64>,
    /// The behaviour has changed since the prediction before.
    pub change: bool,
}
