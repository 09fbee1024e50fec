//! Signatures: the traffic that an application would cause alone, mined from server logs of its
//! runs among other jobs.
//!
//! | step | where |
//! |---|---|
//! | readings of all servers on one time axis | [`Gather`] |
//! | runs of an application, from the job log | [`groups`] |
//! | what the servers saw during a run | [`Sample`] |
//! | the published method | [`iosi`] |
//! | its baseline | [`dtw`] |
//! | ours | [`auto`] |
//! | how sure a signature is | [`confidence`] |
//! | all applications of a log | [`sign`], [`Joint`] |
//! | one application on several node counts | [`scalings`] |

mod application;
pub mod auto;
mod bursts;
pub mod confidence;
pub mod dtw;
pub mod iosi;
mod joint;
mod sample;
mod scaling;
pub mod score;
mod sign;
mod throughput;

pub use application::{Application, ApplicationRun, Group, Unusable, groups};
pub use bursts::Burst;
pub use joint::Joint;
pub use sample::Sample;
pub use scaling::{Point, Scales, Scaling, scalings};
pub use sign::{Dropped, Method, Options, Signature, TooFew, Used, sign};
pub use throughput::{Gather, Throughput};
