//! I/O performance of projects: figures 10 and 11, Tables V to VII. Only large runs count.

use std::collections::BTreeMap;

use super::{Choice, Five, Joined, RecordedRun, UNKNOWN_PROJECT};
use crate::quantile::mean;

pub const SIZE_COUNT: usize = marigraph_model::SIZE_BINS;
const MIB: f64 = marigraph_model::MIB as f64;
const LISTED: usize = 20;

/// A run in the study of projects.
#[derive(Debug, Clone, Copy)]
pub struct ProjectRun<'a> {
    pub run: &'a RecordedRun,
    pub project: &'a str,
    pub nodes: Option<u64>,
}

impl ProjectRun<'_> {
    /// MiB/s per compute node; `None` where throughput or nodes are unknown.
    pub fn per_node(&self) -> Option<f64> {
        Some(self.run.mib_per_s? / self.nodes? as f64)
    }

    fn metadata_share(&self) -> Option<f64> {
        let all: f64 = self.run.times_s.iter().sum();
        (all > 0.0).then(|| self.run.times_s[2] / all)
    }
}

/// Access sizes of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct AccessSizes {
    pub project: String,
    pub read: [f64; SIZE_COUNT],
    pub write: [f64; SIZE_COUNT],
}

/// The distribution of MiB/s per compute node over a project's runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PerformanceBox {
    pub project: String,
    /// Runs with a known throughput and number of nodes.
    pub runs: u64,
    pub five: Five,
}

/// Characteristics of a project's runs: means over the runs with the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Characteristics {
    pub project: String,
    pub runs: u64,
    /// MiB/s per compute node.
    pub per_node: Option<f64>,
    /// Share of I/O time in metadata calls.
    pub metadata_share: Option<f64>,
    pub files_per_process: Option<f64>,
    /// Files written per process.
    pub written_per_process: Option<f64>,
    /// Files created per process.
    pub made_per_process: Option<f64>,
    /// Share of accesses at a higher offset than the previous one.
    pub sequential: Option<f64>,
    pub aligned: Option<f64>,
    pub mib_per_process: Option<f64>,
    /// Share of the run time that the slowest process spends in I/O.
    pub io_share: Option<f64>,
}

/// One run of a project.
#[derive(Debug, Clone, PartialEq)]
pub struct ByRun {
    pub job_id: u64,
    pub exe: String,
    pub processes: u64,
    /// MiB/s per compute node.
    pub per_node: Option<f64>,
    pub metadata_share: Option<f64>,
    /// The most common access size in bytes.
    pub common_access: Option<f64>,
}

/// Runs of a project on the same number of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct ByNodes {
    pub nodes: u64,
    pub runs: u64,
    /// Mean MiB/s per compute node.
    pub per_node: Option<f64>,
    /// Mean over the runs.
    pub mib_per_process: Option<f64>,
}

/// The study of projects.
#[derive(Debug, Clone, Default)]
pub struct ProjectStudy {
    /// Runs that are large enough.
    pub runs: u64,
    /// Figure 10: most bytes first.
    pub sizes: Vec<AccessSizes>,
    /// Figure 11.
    pub boxes: Vec<PerformanceBox>,
    /// Runs above the limit of a node: job, project, MiB/s per compute node.
    pub beyond: Vec<(u64, String, f64)>,
    /// Table V.
    pub characteristics: Vec<Characteristics>,
    /// Table VI: the project with the most bytes and its runs, fastest first.
    pub by_run: Option<(String, Vec<ByRun>)>,
    /// Table VII: the project with the most node counts and its runs by node count.
    pub by_nodes: Option<(String, Vec<ByNodes>)>,
}

/// Studies the projects of all runs that reach the limits of `choice`.
pub fn study(joined: &Joined<'_>, choice: &Choice) -> ProjectStudy {
    let mut by: BTreeMap<&str, Vec<ProjectRun<'_>>> = BTreeMap::new();
    let mut runs = 0;
    for (_, run, job) in &joined.runs {
        let project = joined.project(*job);
        if project == UNKNOWN_PROJECT || run.processes < choice.min_procs || run.bytes() < choice.min_bytes {
            continue;
        }
        runs += 1;
        by.entry(project).or_default().push(ProjectRun { run, project, nodes: joined.nodes(run, *job) });
    }
    let bytes = |runs: &[ProjectRun<'_>]| runs.iter().map(|one| u128::from(one.run.bytes())).sum::<u128>();
    let mut projects: Vec<(&str, Vec<ProjectRun<'_>>)> = by.into_iter().collect();
    projects.sort_by_key(|(_, runs)| std::cmp::Reverse(bytes(runs)));
    let limit = choice.node_limit.unwrap_or(f64::INFINITY);
    let beyond = projects.iter().flat_map(|(_, runs)| runs).filter_map(|one| {
        let value = one.per_node().filter(|&value| value > limit)?;
        Some((one.run.job_id, one.project.to_string(), value))
    });
    ProjectStudy {
        runs,
        sizes: projects.iter().map(|(name, runs)| sizes(name, runs)).collect(),
        boxes: projects.iter().filter_map(|(name, runs)| boxed(name, runs)).collect(),
        beyond: beyond.collect(),
        characteristics: projects.iter().map(|(name, runs)| characteristics(name, runs)).collect(),
        by_run: projects.first().map(|(name, runs)| (name.to_string(), by_run(runs))),
        by_nodes: by_nodes(&projects),
    }
}

fn sizes(project: &str, runs: &[ProjectRun<'_>]) -> AccessSizes {
    let mut sums = AccessSizes { project: project.to_string(), read: [0.0; 10], write: [0.0; 10] };
    for one in runs {
        let access = &one.run.access;
        sums.read.iter_mut().zip(access.read_sizes).for_each(|(sum, more)| *sum += more);
        sums.write.iter_mut().zip(access.write_sizes).for_each(|(sum, more)| *sum += more);
    }
    sums
}

fn boxed(project: &str, runs: &[ProjectRun<'_>]) -> Option<PerformanceBox> {
    let values: Vec<f64> = runs.iter().filter_map(ProjectRun::per_node).collect();
    let count = values.len() as u64;
    Some(PerformanceBox { project: project.to_string(), runs: count, five: Five::of(values)? })
}

fn characteristics(project: &str, runs: &[ProjectRun<'_>]) -> Characteristics {
    let over = |of: &dyn Fn(&ProjectRun<'_>) -> Option<f64>| mean(runs.iter().filter_map(of));
    let per_process = |count: u64, run: &RecordedRun| count as f64 / run.processes.max(1) as f64;
    let of_calls = |run: &RecordedRun, part: f64| (run.access.calls > 0.0).then(|| part / run.access.calls);
    Characteristics {
        project: project.to_string(),
        runs: runs.len() as u64,
        per_node: over(&|one| one.per_node()),
        metadata_share: over(&|one| one.metadata_share()),
        files_per_process: over(&|one| Some(per_process(one.run.files, one.run))),
        written_per_process: over(&|one| Some(per_process(one.run.files_written, one.run))),
        // A run that wrote nothing created nothing in any log, so it would only lower the mean.
        made_per_process: over(&|one| {
            let new = one.run.files_new.filter(|_| one.run.files_written > 0)?;
            Some(per_process(new, one.run))
        }),
        sequential: over(&|one| of_calls(one.run, one.run.access.sequential)),
        aligned: over(&|one| Some(1.0 - of_calls(one.run, one.run.access.misaligned)?)),
        mib_per_process: over(&|one| Some(per_process(one.run.bytes(), one.run) / MIB)),
        io_share: over(&|one| {
            let runtime = Some(one.run.runtime_s).filter(|&seconds| seconds > 0.0)?;
            Some((one.run.io_time_s? / runtime).min(1.0))
        }),
    }
}

fn by_run(runs: &[ProjectRun<'_>]) -> Vec<ByRun> {
    let mut rows: Vec<ByRun> = runs
        .iter()
        .map(|one| ByRun {
            job_id: one.run.job_id,
            exe: one.run.exe.clone(),
            processes: one.run.processes,
            per_node: one.per_node(),
            metadata_share: one.metadata_share(),
            common_access: one.run.access.common.map(|(size, _)| size),
        })
        .collect();
    let speed = |row: &ByRun| row.per_node.unwrap_or(0.0);
    rows.sort_by(|one, two| speed(two).total_cmp(&speed(one)).then(one.job_id.cmp(&two.job_id)));
    if rows.len() <= LISTED {
        return rows;
    }
    // Evenly spaced from the fastest to the slowest.
    (0..LISTED).map(|n| rows[n * (rows.len() - 1) / (LISTED - 1)].clone()).collect()
}

fn grouped<'a>(runs: &[ProjectRun<'a>]) -> BTreeMap<u64, Vec<ProjectRun<'a>>> {
    let mut by: BTreeMap<u64, Vec<ProjectRun<'a>>> = BTreeMap::new();
    for one in runs {
        if let Some(nodes) = one.nodes {
            by.entry(nodes).or_default().push(*one);
        }
    }
    by
}

fn by_nodes(projects: &[(&str, Vec<ProjectRun<'_>>)]) -> Option<(String, Vec<ByNodes>)> {
    let all = projects.iter().map(|(name, runs)| (*name, grouped(runs)));
    // On a tie the first project wins: it has the most bytes.
    let (name, by) = all.reduce(|best, next| if next.1.len() > best.1.len() { next } else { best })?;
    let row = |(nodes, runs): (u64, Vec<ProjectRun<'_>>)| {
        let known = characteristics(name, &runs);
        ByNodes { nodes, runs: known.runs, per_node: known.per_node, mib_per_process: known.mib_per_process }
    };
    (!by.is_empty()).then(|| (name.to_string(), by.into_iter().map(row).collect()))
}
