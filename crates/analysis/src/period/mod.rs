//! How often the I/O phases of a job come, and how far to trust that.
//!
//! Two methods share one outcome. [`dft`] is the published one (Tarraf et al., IPDPS 2024) to the
//! letter: the application's bandwidth, sampled, transformed, outliers of the spectrum. [`auto`]
//! finds the phases themselves and counts them, in several ways, and trusts the way that has been
//! right most often on traces whose truth is known.

pub mod acf;
pub mod activity;
mod align;
pub mod auto;
mod beats;
mod bins;
mod borders;
mod chance;
mod changes;
pub mod choose;
pub mod dft;
pub mod directions;
pub mod evidence;
pub mod figures;
mod find;
pub mod hypothesis;
mod judge;
mod mend;
pub mod metrics;
pub mod outcome;
pub mod propose;
mod ranks;
pub mod regimes;
pub mod rows;
mod runs;
pub mod samples;
pub mod spectrum;
mod volume;
mod weights;

pub use activity::{Activity, DirectionFilter};
pub use find::{Found, Method, Question, Sampling, answer, find, is_timed};
pub use outcome::{Candidate, Metrics, Outcome, Phase, Picture, Segment};
pub use samples::{Extent, Samples, Signal};
