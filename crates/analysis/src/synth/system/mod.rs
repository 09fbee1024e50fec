//! A whole system with given parameters: batch jobs, logs of their runs, server throughput,
//! contents of the file system before and after, and the findings that a study of it should make.
//!
//! The parameters are those of the study of Intrepid (Carns, Harms, Allcock, Bacon, Lang, Latham,
//! Ross: "Understanding and Improving Computational Science Storage Access through Continuous
//! Characterization", 2011) where it reports them. `docs/reference/system-report.md` lists which
//! ones are published and which are chosen.

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

/// Start of the study: 23 January 2010, midnight UTC.
pub const EPOCH: i64 = 1_264_204_800;
pub const DAY: i64 = 86_400;

/// The parameters of a system.
#[derive(Debug, Clone, Copy)]
pub struct SystemPlan {
    pub seed: u64,
    /// Batch jobs that started and ended.
    pub jobs: u64,
    pub days: u32,
    pub logs_share: f64,
    pub servers: u32,
}

/// A synthetic system. [`system_log`] makes each log from its plan.
#[derive(Debug, Clone)]
pub struct System {
    pub jobs: Vec<BatchRow>,
    pub runs: Vec<RunPlan>,
    pub minutes: Minutes,
    /// Before and after.
    pub snapshots: [Snapshot; 2],
    pub contents: ContentsTruth,
    pub truth: JobTruth,
}

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

/// Gives each part its own generator, so that parts are independent of each other.
fn random(plan: &SystemPlan, part: &str, number: u64) -> Random {
    let name = part.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(257).wrapping_add(u64::from(byte)));
    let mut mixed = Random::new(plan.seed ^ Random::new(name ^ Random::new(number).bits()).bits());
    Random::new(mixed.bits())
}
