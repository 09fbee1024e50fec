//! The period of I/O phases while the job runs, and the start of the next phase.
//!
//! Requests are pushed into a [`Tracker`], which makes a [`Prediction`] after each flush. It calls
//! the finder of `period` on a window of recent bursts while nothing is known, when something does
//! not fit, and from time to time as a check. In between it assigns new bursts to the known phases,
//! so that an update costs the same however long the job has run.
//!
//! | question | module |
//! |---|---|
//! | which part of the past counts? | [`window`] |
//! | what did all predictions together say? | [`merge`] |
//! | when does the next phase begin? | [`next`] |
//! | has the behaviour changed? | [`change`] |
//!
//! [`Published`] is the published procedure, to the letter.
//!
//! The publication is Tarraf et al., IPDPS 2024, section II-D. Unlike there, changes are detected
//! in the phases and not in past answers, because answers lag behind.

mod bursts;
pub mod change;
mod finder;
pub mod merge;
pub mod next;
mod phases;
mod published;
mod tracker;
pub mod window;

use crate::period::Phase;

pub use finder::by_period;
pub use merge::Interval;
pub use next::Next;
pub use published::Published;
pub use tracker::Tracker;
pub use window::Rule;

/// Data that moved without a pause on one rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Burst {
    /// With very many ranks, neighbours share a number.
    pub rank: u32,
    /// In seconds of the trace.
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: f64,
}

/// The finder's result for a window.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    pub period_s: Option<f64>,
    /// Probability that the period is right.
    pub confidence: f64,
    /// In order of time; without a period, a guess, if any.
    pub phases: Vec<Phase>,
}

/// Finds the period of time-ordered bursts within a window.
pub type Finder<'a> = &'a mut dyn FnMut(&[Burst], [f64; 2]) -> Found;

/// The prediction after a flush.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Current time, in seconds of the trace.
    pub t_s: f64,
    pub period_s: Option<f64>,
    pub confidence: f64,
    /// `None` if there is no period.
    pub next: Option<Next>,
    /// Clusters of the frequencies of all predictions so far.
    pub intervals: Vec<Interval>,
    /// Start and end of the data that this prediction uses.
    pub window_s: [f64; 2],
    pub bytes_per_period: Option<f64>,
    /// Whether the behaviour has changed since the previous prediction.
    pub change: bool,
}
