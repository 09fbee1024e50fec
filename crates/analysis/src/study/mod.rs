//! A whole system over months: what runs, who moves the data, how busy storage is, what it holds, who is slow.
//!
//! After Carns et al., "Understanding and Improving Computational Science Storage Access through Continuous
//! Characterization" (2011): a result for each of its figures and tables, by its number, from logs of jobs, the scheduler's
//! log, throughput of devices and snapshots of file systems. [`System`] is all that is known, [`Study`] what follows from
//! it; either may lack parts.

mod bins;
mod compare;
mod contents;
mod devices;
mod join;
mod performance;
mod projects;
mod strategy;
mod trends;

pub use crate::quantile::Five;
pub use bins::{SizeBin, size_bin};
pub use compare::{Comparison, Measured, compare};
pub use contents::{
    Bin, ContentsFacts, FileAges, FileSizes, GrowthRow, GrowthTable, Within, Without, most_popular,
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

/// Name of what belongs to no known project.
pub const UNKNOWN_PROJECT: &str = "(unknown)";

/// One recorded run of a program: a log.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRun {
    /// The scheduler's number of its job.
    pub job_id: u64,
    /// The program.
    pub exe: String,
    /// Processes.
    pub processes: u64,
    /// Compute nodes; null if the log does not have them.
    pub nodes: Option<u64>,
    /// Start, seconds since 1970.
    pub start_s: f64,
    /// Seconds that it ran.
    pub runtime_s: f64,
    /// Files that it used.
    pub files: u64,
    /// Files that it wrote to, and those of them that were not there or empty before, where the log tells.
    pub files_written: u64,
    /// See `files_written`.
    pub files_new: Option<u64>,
    /// Bytes at the lowest interface, as storage saw them.
    pub bytes_read: u64,
    /// See `bytes_read`.
    pub bytes_written: u64,
    /// Seconds reading, writing, and in metadata calls, over all processes.
    pub times_s: [f64; 3],
    /// Estimated throughput, where the log tells enough.
    pub mib_per_s: Option<f64>,
    /// Seconds of I/O of the slowest process.
    pub io_time_s: Option<f64>,
    /// Period of its phases of I/O.
    pub period_s: Option<f64>,
    /// What it asked of each interface that it used.
    pub interfaces: Vec<(Interface, Asked)>,
    /// Files used by one process, by some, by all.
    pub sharing: [Asked; 3],
    /// Counters of its POSIX calls.
    pub access: Access,
    /// Labels of its behaviour.
    pub labels: Vec<String>,
}

impl RecordedRun {
    /// Bytes read and written.
    pub fn bytes(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }
}

/// How a run accessed files by POSIX.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Access {
    /// Reads and writes.
    pub calls: f64,
    /// Of these, at a higher offset than the one before.
    pub sequential: f64,
    /// Of these, not aligned in the file.
    pub misaligned: f64,
    /// Reads by size, and writes by size.
    pub read_sizes: [f64; SIZE_COUNT],
    /// See `read_sizes`.
    pub write_sizes: [f64; SIZE_COUNT],
    /// The size that most calls had, and how many.
    pub common: Option<(f64, f64)>,
}

/// One job of the scheduler's log that ran and has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRun {
    /// The number by which it knows itself.
    pub number: Option<u64>,
    /// The project that pays.
    pub project: String,
    /// Compute nodes.
    pub nodes: Option<u64>,
    /// Processors times hours.
    pub core_hours: f64,
    /// Start and end, seconds since 1970.
    pub start_s: f64,
    /// See `start_s`.
    pub end_s: f64,
}

/// A thing to be told about the I/O of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFinding {
    /// Position of the run in [`System::runs`].
    pub run: usize,
    /// Which rule.
    pub code: String,
    /// How bad.
    pub severity: String,
    /// In words.
    pub title: String,
    /// Seconds that it may cost.
    pub seconds_at_stake: Option<f64>,
}

/// A stretch of time with a name: maintenance, lost data, a release.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// Beginning and end, seconds since 1970.
    pub from_s: f64,
    /// See `from_s`.
    pub to_s: f64,
    /// What it is.
    pub text: String,
}

/// All that is known of a system.
#[derive(Debug, Clone, Default)]
pub struct System {
    /// Recorded runs.
    pub runs: Vec<RecordedRun>,
    /// The scheduler's jobs, recorded or not.
    pub batch: Vec<BatchRun>,
    /// What all devices moved together, minute by minute, in order.
    pub minutes: Vec<MinuteSum>,
    /// Snapshots of file systems.
    pub snapshots: Vec<ContentsFacts>,
    /// Signatures of applications, heaviest first.
    pub signatures: Vec<SignatureFacts>,
    /// What there is to be told about runs.
    pub findings: Vec<RunFinding>,
    /// Stretches of time with names.
    pub annotations: Vec<Annotation>,
}

/// What is to be looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// From this moment on.
    pub from_s: Option<f64>,
    /// Up to this moment.
    pub to_s: Option<f64>,
    /// Only this project.
    pub project: Option<String>,
    /// Fewest processes of a run in the study of projects.
    pub min_procs: u64,
    /// Fewest bytes of a run in the study of projects.
    pub min_bytes: u64,
    /// MiB/s/CN above which the estimate cannot be true.
    pub node_limit: Option<f64>,
}

impl Choice {
    /// Everything, with the limits of the published study of projects.
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

/// Scope.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Looked {
    /// First and last moment that anything tells of.
    pub span_s: Option<(f64, f64)>,
    /// Runs.
    pub runs: usize,
    /// Runs with a job of the scheduler's log.
    pub matched: usize,
    /// Jobs of the scheduler's log.
    pub batch: usize,
    /// Runs that moved bytes, but of which nobody noted through which interfaces: an older program added them.
    pub without_interfaces: usize,
}

/// What follows from a system. What cannot be told for lack of data is `None` or empty.
#[derive(Debug, Clone)]
pub struct Study {
    /// Scope.
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
    /// Figure 8.
    pub sizes: Option<FileSizes>,
    /// Table IV.
    pub growth: Option<GrowthTable>,
    /// Figure 9.
    pub ages: Option<FileAges>,
    /// Figures 10 and 11, Tables V to VII.
    pub performance: ProjectStudy,
    /// How many files were overwritten.
    pub overwrites: Overwrites,
    /// Labels of behaviour, week by week.
    pub weeks: Vec<Week>,
    /// Periods of runs.
    pub periods: Periods,
    /// Signatures, heaviest first.
    pub signatures: Vec<SignatureFacts>,
    /// Findings, by rule.
    pub findings: Vec<FindingSum>,
    /// This period against the one before.
    pub comparison: Option<Comparison>,
}

/// Works out everything.
pub fn study(system: &System, choice: &Choice) -> Study {
    let joined = Joined::new(system, choice);
    let minutes = devices::within(&system.minutes, choice);
    let snapshots = contents::chosen(&system.snapshots, choice);
    Study {
        looked: joined.looked(minutes),
        interfaces: strategy::interfaces(&joined),
        strategies: strategy::strategies(&joined),
        projects: projects::bytes(&joined),
        coverage: projects::coverage(&joined),
        files_per_run: projects::files(&joined),
        timeline: devices::timeline(minutes, &system.annotations),
        burstiness: devices::burstiness(minutes),
        idle: devices::idle(minutes),
        sizes: contents::sizes(&snapshots, choice),
        growth: contents::growth(&snapshots),
        ages: contents::ages(&snapshots),
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
