//! Projects: bytes moved, share of jobs recorded, files per run (figures 4 and 5, Table II).

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Joined, UNKNOWN_PROJECT};
use crate::asked::Interface;

/// Bytes that a project moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectBytes {
    pub project: String,
    pub read: u64,
    pub written: u64,
    pub runs: u64,
}

/// Sums the bytes of all projects with recorded runs, most bytes first.
pub fn bytes(joined: &Joined<'_>) -> Vec<ProjectBytes> {
    let mut by: BTreeMap<&str, ProjectBytes> = BTreeMap::new();
    for (_, run, job) in &joined.runs {
        let project = joined.project(*job);
        let new = ProjectBytes { project: project.to_string(), read: 0, written: 0, runs: 0 };
        let sums = by.entry(project).or_insert(new);
        sums.read = sums.read.saturating_add(run.bytes_read);
        sums.written = sums.written.saturating_add(run.bytes_written);
        sums.runs += 1;
    }
    let mut all: Vec<ProjectBytes> = by.into_values().collect();
    all.sort_by_key(|project| std::cmp::Reverse(project.read.saturating_add(project.written)));
    all
}

/// Jobs and core-hours, recorded and total.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Totals {
    /// Jobs with at least one recorded run.
    pub jobs_recorded: u64,
    pub jobs: u64,
    pub core_hours_recorded: f64,
    pub core_hours: f64,
}

impl Totals {
    fn add(&mut self, core_hours: f64, recorded: bool) {
        self.jobs += 1;
        self.core_hours += core_hours;
        if recorded {
            self.jobs_recorded += 1;
            self.core_hours_recorded += core_hours;
        }
    }
}

/// Recorded share of one project.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverageRow {
    pub project: String,
    pub totals: Totals,
    pub interfaces: BTreeSet<Interface>,
}

/// Recorded share of all projects.
#[derive(Debug, Clone, PartialEq)]
pub struct Coverage {
    /// By bytes, then by jobs, largest first.
    pub rows: Vec<CoverageRow>,
    pub totals: Totals,
    pub projects_recorded: u64,
    pub projects: u64,
}

/// `None` without a scheduler's log.
pub fn coverage(joined: &Joined<'_>) -> Option<Coverage> {
    if joined.batch.is_empty() {
        return None;
    }
    let recorded: HashSet<usize> = joined.runs.iter().filter_map(|(_, _, job)| *job).collect();
    let mut rows: BTreeMap<&str, CoverageRow> = BTreeMap::new();
    let mut totals = Totals::default();
    for (at, job) in joined.batch.iter().enumerate() {
        let project = joined.project(Some(at));
        let row = rows.entry(project).or_insert_with(|| CoverageRow {
            project: project.to_string(),
            totals: Totals::default(),
            interfaces: BTreeSet::new(),
        });
        row.totals.add(job.core_hours, recorded.contains(&at));
        totals.add(job.core_hours, recorded.contains(&at));
    }
    for (_, run, job) in joined.runs.iter().filter(|(_, _, job)| job.is_some()) {
        let used =
            run.interfaces.iter().filter(|(_, asked)| asked.opens > 0).map(|(interface, _)| *interface);
        if let Some(row) = rows.get_mut(joined.project(*job)) {
            row.interfaces.extend(used);
        }
    }
    let named = |row: &&CoverageRow| row.project != UNKNOWN_PROJECT;
    let projects = rows.values().filter(named).count() as u64;
    let projects_recorded =
        rows.values().filter(named).filter(|row| row.totals.jobs_recorded > 0).count() as u64;
    let order: BTreeMap<String, usize> =
        bytes(joined).into_iter().enumerate().map(|(at, project)| (project.project, at)).collect();
    let mut rows: Vec<CoverageRow> = rows.into_values().collect();
    rows.sort_by_key(|row| {
        (order.get(&row.project).copied().unwrap_or(usize::MAX), std::cmp::Reverse(row.totals.jobs))
    });
    Some(Coverage { rows, totals, projects_recorded, projects })
}

/// Runs of one project with the same numbers of processes and files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePoint {
    pub project: String,
    pub processes: u64,
    pub files: u64,
    pub runs: u64,
}

/// Files of runs against their processes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilesPerRun {
    pub points: Vec<FilePoint>,
    /// Runs that used no file.
    pub without: u64,
}

pub fn files(joined: &Joined<'_>) -> FilesPerRun {
    let mut by: BTreeMap<(&str, u64, u64), u64> = BTreeMap::new();
    for (_, run, job) in &joined.runs {
        *by.entry((joined.project(*job), run.processes, run.files)).or_default() += 1;
    }
    let without = by.iter().filter(|((_, _, files), _)| *files == 0).map(|(_, runs)| runs).sum();
    let point = |((project, processes, files), runs): ((&str, u64, u64), u64)| FilePoint {
        project: project.to_string(),
        processes,
        files,
        runs,
    };
    FilesPerRun { points: by.into_iter().map(point).collect(), without }
}
