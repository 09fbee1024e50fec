//! A whole system whose parameters are set: batch jobs, logs of their runs, throughput of servers, contents of the file
//! system before and after, and what a study of it should find.
//!
//! The parameters are those of the study of Intrepid (Carns, Harms, Allcock, Bacon, Lang, Latham, Ross: "Understanding
//! and Improving Computational Science Storage Access through Continuous Characterization", 2011) where it tells them.
//! `docs/reference/system-report.md` says what is published and what is chosen.

mod bulk;
mod holdings;
mod idle;
mod log;
mod minutes;
mod patterns;
mod projects;
mod quota;
mod rows;
mod runs;
mod schedule;
mod small;
mod snapshots;
#[cfg(test)]
mod tests;
mod truth;

use marigraph_model::contents::Snapshot;

pub use bulk::{Bulk, Calls, Class, INTERFACES, Sharing, Stack};
pub use holdings::Recent;
pub use idle::IDLE_ROWS;
pub use log::system_log;
pub use minutes::{Annotation, Minutes, dealt};
pub use projects::name as project_name;
pub use runs::RunPlan;
pub use schedule::BatchRow;
pub use snapshots::{ContentsTruth, HoldingTruth};
pub use truth::{JobTruth, LargeRuns, MEANS, ProjectTruth, SizeBin, quartiles};

use super::Random;

/// The first second of the study: 23 January 2010, midnight in UTC.
pub const EPOCH: i64 = 1_264_204_800;
/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// What system to make.
#[derive(Debug, Clone, Copy)]
pub struct SystemPlan {
    /// Decides all that varies.
    pub seed: u64,
    /// Batch jobs that ran and ended.
    pub jobs: u64,
    /// Days of the study.
    pub days: u32,
    /// Share of batch jobs that have a log.
    pub logs_share: f64,
    /// File servers.
    pub servers: u32,
}

/// A synthetic system. [`system_log`] makes each log from its plan.
#[derive(Debug, Clone)]
pub struct System {
    /// The scheduler's log, as it prints it.
    pub jobs: Vec<BatchRow>,
    /// Runs with logs.
    pub runs: Vec<RunPlan>,
    /// Throughput, minute by minute.
    pub minutes: Minutes,
    /// The file system before and after, and what is true of it.
    pub snapshots: [Snapshot; 2],
    /// See `snapshots`.
    pub contents: ContentsTruth,
    /// What is true of jobs and runs.
    pub truth: JobTruth,
}

/// Makes a system.
pub fn system(plan: &SystemPlan) -> System {
    let (jobs, runs) = runs::scheduled(plan);
    let (snapshots, contents) = snapshots::snapshots(plan);
    System {
        truth: truth::of(&jobs, &runs),
        minutes: minutes::minutes(plan),
        jobs,
        runs,
        snapshots,
        contents,
    }
}

/// A generator of its own for each part, so that one does not depend on the other.
fn random(plan: &SystemPlan, part: &str, number: u64) -> Random {
    let name = part.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte)));
    let mut mixed = Random::new(plan.seed ^ Random::new(name ^ Random::new(number).bits()).bits());
    Random::new(mixed.bits())
}
