//! The period of a job's I/O phases, and its confidence.
//!
//! Two methods share one outcome. [`dft`] is the published one (Tarraf et al., IPDPS 2024) to the
//! letter: it samples and transforms the application's bandwidth and finds outliers of the
//! spectrum. [`auto`] finds and counts the phases themselves, in several ways, and trusts the way
//! that has been right most often on traces with known truth.

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
mod each_rank;
pub mod evidence;
pub mod figures;
pub(crate) mod find;
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
pub use dft::{Finder, Finders, Rules};
pub use each_rank::{MAX_RANKS, RankPeriod, RankPeriods, find_per_rank};
pub use find::{Found, Method, Question, Sampling, answer, find, is_timed};
pub use outcome::{Candidate, Metrics, Outcome, Phase, Picture, Segment};
pub use samples::{Extent, Samples, Signal};
