//! The scheduler's log.

use super::super::Random;
use super::patterns::Pattern;
use super::projects::{self, HIGHLIGHTED};
use super::quota::{Quota, quotas};
use super::{DAY, EPOCH, SystemPlan, random};

/// Partition sizes; jobs get a whole partition, however many nodes they use.
const PARTITIONS: [u32; 8] = [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 40_960];
pub const CORES: u32 = 4;
/// Upper limit of the mean hours of jobs without logs.
const USUAL_HOURS: f64 = 5.0;
const SHORTEST_S: f64 = 300.0;
/// The project whose jobs stop after 55 % of the time.
const TAPERING: usize = 0;

/// A row of the scheduler's log.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRow {
    pub id: u64,
    /// Id of the array's first job, and number of the task; `None` if it is not an array task.
    pub array: Option<(u64, u32)>,
    pub project: usize,
    /// Who submitted it; empty where the system does not know.
    pub user: String,
    pub nodes: u32,
    /// Seconds since 1970.
    pub submit: i64,
    pub start: Option<i64>,
    pub end: Option<i64>,
    pub state: &'static str,
    pub steps: bool,
    /// Its runs have logs.
    pub instrumented: bool,
}

impl BatchRow {
    pub fn cpus(&self) -> u32 {
        self.nodes * CORES
    }

    /// `None` unless it started and ended.
    pub fn core_hours(&self) -> Option<f64> {
        let seconds = self.end? - self.start?;
        Some(f64::from(self.cpus()) * seconds as f64 / 3600.0)
    }
}

/// What a job with logs runs.
#[derive(Debug, Clone, Copy)]
pub enum Intent {
    /// A large run: its pattern, and its processes, nodes and MiB/s per node.
    Large(&'static Pattern, (u32, u32, f64)),
    Small(u32),
}

/// A job, and what it runs if it has logs.
pub struct Draft {
    pub row: BatchRow,
    pub intent: Option<Intent>,
}

pub fn partition(nodes: u32) -> u32 {
    PARTITIONS.into_iter().find(|&size| size >= nodes).unwrap_or(PARTITIONS[PARTITIONS.len() - 1])
}

/// All jobs that started and ended, in order of start.
pub fn drafts(plan: &SystemPlan) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (project, quota) in quotas(plan).iter().enumerate() {
        drafts.extend(of_project(plan, project, quota));
    }
    drafts.sort_by_key(|draft| (draft.row.start, draft.row.id));
    for (at, draft) in drafts.iter_mut().enumerate() {
        draft.row.id = 200_000 + at as u64;
    }
    use_again(plan, &mut drafts);
    make_arrays(&mut drafts);
    drafts
}

fn of_project(plan: &SystemPlan, project: usize, quota: &Quota) -> Vec<Draft> {
    let mut random = random(plan, "project", project as u64);
    let intents = intents(project, quota.jobs[0], &mut random);
    let with_logs: Vec<u32> = intents.iter().map(|intent| nodes(*intent)).collect();
    let others = quota.jobs[1] - quota.jobs[0];
    let hours = quota.core_hours[1] - quota.core_hours[0];
    let usual = partition((hours / others.max(1) as f64 / f64::from(CORES) / USUAL_HOURS) as u32);
    let without: Vec<u32> =
        (0..others).map(|_| if random.chance(0.25) { partition(usual * 2) } else { usual }).collect();
    let lengths =
        [durations(&with_logs, quota.core_hours[0], &mut random), durations(&without, hours, &mut random)]
            .concat();
    let kinds = intents.into_iter().map(Some).chain(without.iter().map(|_| None));
    let sizes = with_logs.iter().chain(&without).copied();
    kinds
        .zip(sizes)
        .zip(lengths)
        .enumerate()
        .map(|(number, ((intent, nodes), seconds))| Draft {
            row: row(plan, project, number as u64, nodes, seconds, intent.is_some(), &mut random),
            intent,
        })
        .collect()
}

/// Patterns by their shares, small runs for the rest.
fn intents(project: usize, jobs: u64, random: &mut Random) -> Vec<Intent> {
    let patterns = HIGHLIGHTED.get(project).map_or(&[][..], |project| project.patterns);
    let mut intents = Vec::new();
    let mut before = 0.0;
    for pattern in patterns {
        let from = (before * jobs as f64 + 0.5) as u64;
        before += pattern.jobs;
        let until = (before * jobs as f64 + 0.5) as u64;
        intents.extend(
            pattern
                .sizes
                .iter()
                .cycle()
                .take((until - from) as usize)
                .map(|&size| Intent::Large(pattern, size)),
        );
    }
    let most = if patterns.is_empty() { 8192.0 } else { 1024.0 };
    while (intents.len() as u64) < jobs {
        let alone = random.chance(0.08);
        intents.push(Intent::Small(if alone { 1 } else { random.between_log(2.0, most + 0.99) as u32 }));
    }
    intents
}

fn nodes(intent: Intent) -> u32 {
    match intent {
        Intent::Large(_, (_, nodes, _)) => nodes,
        Intent::Small(processes) => partition(processes.div_ceil(CORES)),
    }
}

/// Seconds of each job, which add up to `core_hours`.
fn durations(nodes: &[u32], core_hours: f64, random: &mut Random) -> Vec<i64> {
    let weights: Vec<f64> = nodes.iter().map(|_| random.between(0.6, 1.4)).collect();
    let cores =
        nodes.iter().zip(&weights).map(|(&nodes, weight)| f64::from(nodes * CORES) * weight).sum::<f64>();
    let hours = core_hours / cores.max(1.0);
    weights.iter().map(|weight| (hours * weight * 3600.0).round().max(SHORTEST_S) as i64).collect()
}

fn row(
    plan: &SystemPlan,
    project: usize,
    number: u64,
    nodes: u32,
    seconds: i64,
    instrumented: bool,
    random: &mut Random,
) -> BatchRow {
    let period = i64::from(plan.days) * DAY;
    let latest = if project == TAPERING && instrumented { period * 11 / 20 } else { period };
    let start = EPOCH + (random.unit() * (latest - seconds).max(1) as f64) as i64;
    let state = match random.index(100) {
        0..=87 => "COMPLETED",
        88..=92 => "FAILED",
        93..=96 => "TIMEOUT",
        _ => "CANCELLED by 1042",
    };
    // Some users of one project have left, and their names are gone.
    let user = random.index(3);
    let nameless = project == 12 && user == 2;
    BatchRow {
        id: ((project as u64) << 32) + number,
        array: None,
        project,
        user: if nameless { String::new() } else { format!("u{:03}", project * 3 + user) },
        nodes,
        submit: start - 5 - random.exponential(7200.0) as i64,
        start: Some(start),
        end: Some(start + seconds),
        state,
        steps: random.chance(0.3),
        instrumented,
    }
}

/// Gives a few jobs the id of one that started weeks before.
fn use_again(plan: &SystemPlan, drafts: &mut [Draft]) {
    let distance = (i64::from(plan.days) * DAY / 2).min(25 * DAY);
    for turn in 0..3 {
        let early = drafts.iter().enumerate().filter(|(_, draft)| draft.row.instrumented).nth(20 + turn * 15);
        let Some((_, first)) = early else { return };
        let (id, project, start) = (first.row.id, first.row.project, first.row.start);
        let later = drafts.iter_mut().find(|draft| {
            let far = draft.row.start.zip(start).is_some_and(|(one, other)| one - other > distance);
            far && draft.row.instrumented && draft.row.project != project && draft.row.id > id
        });
        if let Some(later) = later {
            later.row.id = id;
        }
    }
}

/// Turns some jobs without logs of the project with most jobs into array tasks.
fn make_arrays(drafts: &mut [Draft]) {
    let mut candidates: Vec<&mut Draft> =
        drafts.iter_mut().filter(|draft| draft.row.project == 1 && !draft.row.instrumented).collect();
    for tasks in candidates.chunks_mut(6).step_by(10) {
        let first = tasks[0].row.id;
        for (number, task) in tasks.iter_mut().enumerate() {
            task.row.array = Some((first, number as u32 + 1));
        }
    }
}

pub fn unfinished(plan: &SystemPlan, last_id: u64) -> Vec<BatchRow> {
    let mut random = random(plan, "unfinished", 0);
    let end = EPOCH + i64::from(plan.days) * DAY;
    (0..19)
        .map(|at| {
            let project = random.index(HIGHLIGHTED.len());
            let mut row = row(plan, project, 0, 1024, 600, false, &mut random);
            row.id = last_id + 1 + at;
            let submit = end - 4 * 3600 + at as i64 * 60;
            (row.submit, row.steps) = (submit, false);
            (row.start, row.end, row.state) = match at {
                0..=11 => (Some(submit + 300), None, "RUNNING"),
                12..=14 => (None, None, "PENDING"),
                _ => (None, Some(submit + 900), "CANCELLED by 1042"),
            };
            row
        })
        .collect()
}

pub fn program(project: usize) -> String {
    projects::name(project).to_lowercase()
}
