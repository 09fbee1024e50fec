//! A whole system over months: what runs, which projects move the data, how busy the storage is,
//! what it holds, which runs are slow.
//!
//! After Carns et al., "Understanding and Improving Computational Science Storage Access through
//! Continuous Characterization" (2011). There is one result for each figure and table of the paper,
//! under the paper's number. The input is job logs, the scheduler's log, throughput of devices and
//! snapshots of file systems. [`System`] holds the input and [`Study`] the results; either may lack
//! parts.

mod bins;
mod compare;
mod contents;
mod devices;
mod join;
mod performance;
mod projects;
mod strategy;
mod trends;

use std::collections::BTreeMap;

pub use crate::quantile::Five;
pub use bins::{SizeBin, size_bin};
pub use compare::{Comparison, Measured, compare};
pub use contents::{
    Bin, ContentsFacts, FileAges, FileSizes, FileSystem, GrowthRow, GrowthTable, Within, Without,
    most_popular,
};
pub use devices::{Burstiness, Day, Idle, IdleRow, MinuteSum, Point, Timeline};
pub use join::{CLOCK_SLACK_S, Joined};
pub use performance::{
    AccessSizes, ByNodes, ByRun, Characteristics, PerformanceBox, ProjectRun, ProjectStudy, SIZE_COUNT,
};
pub use projects::{Coverage, CoverageRow, FilePoint, FilesPerRun, ProjectBytes, Totals};
pub use strategy::{InterfaceBin, StrategyBin};
pub use trends::{FindingSum, Overwrites, PeriodicApp, Periods, SignatureFacts, Week};

use crate::asked::{Asked, Interface};

pub const UNKNOWN_PROJECT: &str = "(unknown)";

/// One recorded run of a program, from its log.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    pub job_id: u64,
    pub exe: String,
    pub processes: u64,
    pub nodes: Option<u64>,
    /// Seconds since 1970.
    pub start_s: f64,
    pub runtime_s: f64,
    pub files: u64,
    pub files_written: u64,
    /// Of `files_written`, those that were empty or absent before; `None` where the log does not
    /// tell.
    pub files_new: Option<u64>,
    /// At the lowest interface, as storage saw them.
    pub bytes_read: u64,
    /// As `bytes_read`.
    pub bytes_written: u64,
    /// Seconds in reads, writes and metadata calls, summed over all processes.
    pub times_s: [f64; 3],
    /// Estimated throughput; `None` where the log does not suffice.
    pub mib_per_s: Option<f64>,
    /// I/O time of the slowest process.
    pub io_time_s: Option<f64>,
    pub period_s: Option<f64>,
    pub interfaces: Vec<(Interface, Asked)>,
    /// Files used by one process, by several, by all.
    pub sharing: [Asked; 3],
    pub access: Access,
    pub labels: Vec<String>,
}

impl RecordedRun {
    pub fn bytes(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }
}

/// POSIX accesses of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Access {
    /// Reads and writes.
    pub calls: f64,
    /// Calls at a higher offset than the previous one.
    pub sequential: f64,
    pub misaligned: f64,
    pub read_sizes: [f64; SIZE_COUNT],
    pub write_sizes: [f64; SIZE_COUNT],
    /// The most common access size and its number of calls.
    pub common: Option<(f64, f64)>,
}

/// One finished job of the scheduler's log.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRun {
    /// The job id that its logs carry.
    pub number: Option<u64>,
    pub project: String,
    pub nodes: Option<u64>,
    pub core_hours: f64,
    /// Seconds since 1970.
    pub start_s: f64,
    pub end_s: f64,
}

/// A finding about the I/O of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFinding {
    /// Index into [`System::runs`].
    pub run: usize,
    pub code: String,
    pub severity: String,
    pub title: String,
    pub seconds_at_stake: Option<f64>,
}

/// A labelled interval: maintenance, lost data, a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// Seconds since 1970.
    pub from_s: f64,
    pub to_s: f64,
    pub text: String,
}

/// The input of a study.
#[derive(Debug, Clone, Default)]
pub struct System {
    pub runs: Vec<RecordedRun>,
    /// The scheduler's jobs, recorded or not.
    pub batch: Vec<BatchRun>,
    /// Traffic of all devices together, in order of time.
    pub minutes: Vec<MinuteSum>,
    pub snapshots: Vec<ContentsFacts>,
    /// Signatures of applications, heaviest first.
    pub signatures: Vec<SignatureFacts>,
    pub findings: Vec<RunFinding>,
    pub annotations: Vec<Annotation>,
    /// Number of logs that cannot be trusted, by reason; they are in no figure.
    pub invalid: BTreeMap<String, u64>,
}

/// The part of a system to study.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Seconds since 1970, inclusive.
    pub from_s: Option<f64>,
    /// Seconds since 1970, exclusive.
    pub to_s: Option<f64>,
    pub project: Option<String>,
    /// Fewest processes of a run in the study of projects.
    pub min_procs: u64,
    /// Fewest bytes of a run in the study of projects.
    pub min_bytes: u64,
    /// MiB/s per compute node above which an estimate is implausible.
    pub node_limit: Option<f64>,
}

impl Choice {
    /// The whole system, with the thresholds that the published study applies to projects.
    pub const ALL: Choice = Choice {
        from_s: None,
        to_s: None,
        project: None,
        min_procs: 1024,
        min_bytes: 500 << 20,
        node_limit: None,
    };

    fn takes(&self, moment_s: f64) -> bool {
        self.from_s.is_none_or(|from| moment_s >= from) && self.to_s.is_none_or(|to| moment_s < to)
    }
}

/// The scope of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Looked {
    /// First and last moment of all data, seconds since 1970.
    pub span_s: Option<(f64, f64)>,
    pub runs: usize,
    pub matched: usize,
    pub batch: usize,
    /// Runs that moved bytes but have no interfaces on record, because an older version added them.
    pub without_interfaces: usize,
    /// Number of logs that cannot be trusted, by reason.
    pub invalid: BTreeMap<String, u64>,
}

/// The results of a study; results without data are `None` or empty.
#[derive(Debug, Clone)]
pub struct Study {
    pub looked: Looked,
    /// Figure 2.
    pub interfaces: Vec<InterfaceBin>,
    /// Figure 3.
    pub strategies: Vec<StrategyBin>,
    /// Figure 4: all projects, most bytes first.
    pub projects: Vec<ProjectBytes>,
    /// Table II.
    pub coverage: Option<Coverage>,
    /// Figure 5.
    pub files_per_run: FilesPerRun,
    /// Figure 6.
    pub timeline: Option<Timeline>,
    /// Figure 7.
    pub burstiness: Option<Burstiness>,
    /// Table III.
    pub idle: Option<Idle>,
    /// Figures 8 and 9, Table IV; most bytes first.
    pub file_systems: Vec<FileSystem>,
    /// Figures 10 and 11, Tables V to VII.
    pub performance: ProjectStudy,
    pub overwrites: Overwrites,
    pub weeks: Vec<Week>,
    pub periods: Periods,
    /// Heaviest first.
    pub signatures: Vec<SignatureFacts>,
    /// By rule.
    pub findings: Vec<FindingSum>,
    pub comparison: Option<Comparison>,
}

pub fn study(system: &System, choice: &Choice) -> Study {
    let joined = Joined::new(system, choice);
    let minutes = devices::within(&system.minutes, choice);
    Study {
        looked: Looked { invalid: system.invalid.clone(), ..joined.looked(minutes) },
        interfaces: strategy::interfaces(&joined),
        strategies: strategy::strategies(&joined),
        projects: projects::bytes(&joined),
        coverage: projects::coverage(&joined),
        files_per_run: projects::files(&joined),
        timeline: devices::timeline(minutes, &system.annotations),
        burstiness: devices::burstiness(minutes),
        idle: devices::idle(minutes),
        file_systems: contents::file_systems(&system.snapshots, choice),
        performance: performance::study(&joined, choice),
        overwrites: trends::overwrites(&joined),
        weeks: trends::weeks(&joined),
        periods: trends::periods(&joined),
        signatures: system.signatures.clone(),
        findings: trends::findings(&joined, &system.findings),
        comparison: compare(system, choice),
    }
}

#[cfg(test)]
mod tests;
