//! Results beyond the published study: overwritten files, behaviour week by week, periods,
//! signatures, findings.

use std::collections::BTreeMap;

use super::{Joined, RunFinding};

const WEEK_S: f64 = 604_800.0;
const PERIODIC_APPS: usize = 15;

/// Files that runs wrote to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overwrites {
    /// In runs whose logs tell new files from old ones.
    pub written: u64,
    /// Of `written`, those that were empty or absent before.
    pub new: u64,
    /// Runs that wrote files and whose logs tell new files from old ones.
    pub told: u64,
    /// Runs that wrote files and whose logs do not.
    pub untold: u64,
}

pub fn overwrites(joined: &Joined<'_>) -> Overwrites {
    let mut sums = Overwrites::default();
    for (_, run, _) in joined.runs.iter().filter(|(_, run, _)| run.files_written > 0) {
        match run.files_new {
            Some(new) => {
                sums.written += run.files_written;
                sums.new += new;
                sums.told += 1;
            }
            None => sums.untold += 1,
        }
    }
    sums
}

/// Behaviour of the runs that began in one week.
#[derive(Debug, Clone, PartialEq)]
pub struct Week {
    /// Seconds since 1970.
    pub start_s: f64,
    /// Runs with labels.
    pub runs: u64,
    pub labels: BTreeMap<String, u64>,
}

pub fn weeks(joined: &Joined<'_>) -> Vec<Week> {
    let mut weeks: BTreeMap<i64, Week> = BTreeMap::new();
    for (_, run, _) in joined.runs.iter().filter(|(_, run, _)| !run.labels.is_empty()) {
        let number = (run.start_s / WEEK_S).floor();
        let new = Week { start_s: number * WEEK_S, runs: 0, labels: BTreeMap::new() };
        let week = weeks.entry(number as i64).or_insert(new);
        week.runs += 1;
        for label in &run.labels {
            *week.labels.entry(label.clone()).or_default() += 1;
        }
    }
    weeks.into_values().collect()
}

/// An application whose runs do I/O periodically.
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodicApp {
    pub exe: String,
    /// Runs with a period.
    pub runs: u64,
    /// Median over these runs.
    pub period_s: f64,
    pub bytes: u64,
}

/// The distribution of periods over runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Periods {
    pub periodic: u64,
    pub runs: u64,
    /// Upper end in seconds, and the runs above the previous end up to this one.
    pub bins: Vec<(f64, u64)>,
    /// Most bytes first.
    pub apps: Vec<PeriodicApp>,
}

const PERIODS_S: [f64; 7] = [1.0, 10.0, 60.0, 600.0, 3600.0, 86_400.0, f64::INFINITY];

pub fn periods(joined: &Joined<'_>) -> Periods {
    let mut found = Periods {
        runs: joined.runs.len() as u64,
        bins: PERIODS_S.into_iter().map(|end| (end, 0)).collect(),
        ..Periods::default()
    };
    let mut apps: BTreeMap<&str, (Vec<f64>, u64)> = BTreeMap::new();
    for (_, run, _) in &joined.runs {
        let Some(period) = run.period_s.filter(|&period| period > 0.0) else { continue };
        found.periodic += 1;
        if let Some((_, count)) = found.bins.iter_mut().find(|(end, _)| period <= *end) {
            *count += 1;
        }
        let app = apps.entry(&run.exe).or_default();
        app.0.push(period);
        app.1 = app.1.saturating_add(run.bytes());
    }
    let app = |(exe, (periods, bytes)): (&str, (Vec<f64>, u64))| {
        let runs = periods.len() as u64;
        Some(PeriodicApp { exe: exe.to_string(), runs, period_s: super::Five::of(periods)?.median, bytes })
    };
    found.apps = apps.into_iter().filter_map(app).collect();
    found.apps.sort_by_key(|app| std::cmp::Reverse(app.bytes));
    found.apps.truncate(PERIODIC_APPS);
    found
}

/// The signature of an application.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SignatureFacts {
    pub app: String,
    pub user: String,
    pub nodes: Option<u64>,
    pub runs: u64,
    /// Of one run.
    pub duration_s: f64,
    /// Per run.
    pub bytes_read: f64,
    pub bytes_written: f64,
    pub bursts: u64,
    pub period_s: Option<f64>,
    pub confidence: Option<f64>,
    /// Seconds per sample of `read` and `written`.
    pub step_s: f64,
    /// Bytes per second.
    pub read: Vec<f64>,
    pub written: Vec<f64>,
}

/// Findings of one rule.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingSum {
    pub code: String,
    /// Of the run with the most at stake.
    pub severity: String,
    pub title: String,
    pub runs: u64,
    /// Sum over the runs.
    pub seconds_at_stake: f64,
    /// The projects with the most such runs.
    pub projects: Vec<(String, u64)>,
    pub worst_job: u64,
}

const NAMED_PROJECTS: usize = 3;

/// Sums the findings by rule, most seconds at stake first.
pub fn findings(joined: &Joined<'_>, all: &[RunFinding]) -> Vec<FindingSum> {
    let place: std::collections::HashMap<usize, (u64, &str)> =
        joined.runs.iter().map(|(at, run, job)| (*at, (run.job_id, joined.project(*job)))).collect();
    let mut by: BTreeMap<&str, Vec<(&RunFinding, u64, &str)>> = BTreeMap::new();
    for finding in all {
        if let Some(&(job, project)) = place.get(&finding.run) {
            by.entry(&finding.code).or_default().push((finding, job, project));
        }
    }
    let mut sums: Vec<FindingSum> = by.into_values().filter_map(|found| sum(&found)).collect();
    sums.sort_by(|one, two| {
        two.seconds_at_stake.total_cmp(&one.seconds_at_stake).then(two.runs.cmp(&one.runs))
    });
    sums
}

fn sum(found: &[(&RunFinding, u64, &str)]) -> Option<FindingSum> {
    let stake = |finding: &RunFinding| finding.seconds_at_stake.unwrap_or(0.0);
    let (worst, worst_job, _) =
        found.iter().copied().reduce(|best, next| if stake(next.0) > stake(best.0) { next } else { best })?;
    let mut projects: BTreeMap<&str, u64> = BTreeMap::new();
    found.iter().for_each(|(_, _, project)| *projects.entry(project).or_default() += 1);
    let mut projects: Vec<(String, u64)> =
        projects.into_iter().map(|(name, runs)| (name.to_string(), runs)).collect();
    projects.sort_by_key(|(_, runs)| std::cmp::Reverse(*runs));
    projects.truncate(NAMED_PROJECTS);
    Some(FindingSum {
        code: worst.code.clone(),
        severity: worst.severity.clone(),
        title: worst.title.clone(),
        runs: found.len() as u64,
        seconds_at_stake: found.iter().map(|(finding, _, _)| stake(finding)).sum(),
        projects,
        worst_job,
    })
}
