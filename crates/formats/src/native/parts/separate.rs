//! Separates parts of different runs that lie in one folder.
//!
//! Parts belong together if one `record` started them, else by the id of their batch job, and
//! within it by the step or the MPI job. Of parts that say nothing, as outside of a scheduler, all
//! are taken for one run.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{Facts, Role};

/// Set by `record` for all processes that it starts.
pub const RECORDING: &str = "MARIGRAPH_RUN";
/// Variables with the id of the batch job, the most reliable first.
pub const JOB_IDS: [&str; 6] =
    ["SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "LSB_JOBID", "COBALT_JOBID", "JOB_ID"];
/// Variables that differ between the programs of one batch job.
const STEPS: [&str; 3] = ["SLURM_STEP_ID", "PMIX_NAMESPACE", "PMI_JOBID"];

/// The number that an id of a batch job begins with.
pub fn job_number(id: &str) -> Option<i64> {
    id.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

impl Facts {
    pub fn stem(&self) -> &str {
        &self.stem
    }

    fn first_of(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.identity.variable(name))
    }

    /// The batch job, in the words of its scheduler.
    pub fn batch_job(&self) -> Option<String> {
        self.first_of(&JOB_IDS)
    }

    /// Whether it belongs to another recording, or to another batch job.
    pub fn is_foreign(&self, recording: &str, batch_job: Option<&str>) -> bool {
        match (self.identity.variable(RECORDING), self.batch_job(), batch_job) {
            (Some(own), _, _) => own != recording,
            (None, Some(own), Some(batch_job)) => own != batch_job,
            _ => false,
        }
    }

    fn is_rank(&self) -> bool {
        self.own_rank().is_some() && self.role != Role::Launcher
    }
}

struct Marks {
    job: Option<String>,
    recording: Option<String>,
    step: Option<String>,
    ranked: bool,
}

/// Parts by run; runs in order of their jobs, then of their recordings and steps.
pub fn separate(facts: Vec<Facts>) -> Vec<Vec<Facts>> {
    let mut marks: Vec<Marks> = facts.iter().map(marks).collect();
    find_jobs(&facts, &mut marks);
    let mut runs: BTreeMap<_, Vec<Facts>> = BTreeMap::new();
    let keys: Vec<_> = marks.iter().map(|own| (own.job.clone(), key_within(own, &marks))).collect();
    for (key, part) in keys.into_iter().zip(facts) {
        runs.entry(key).or_default().push(part);
    }
    runs.into_values().collect()
}

fn marks(part: &Facts) -> Marks {
    Marks {
        job: part.batch_job(),
        recording: part.identity.variable(RECORDING),
        step: part.first_of(&STEPS),
        ranked: part.is_rank(),
    }
}

/// Launchers need not pass the id of the job on to other hosts: such parts belong to the job of the
/// same recording or MPI job. Ranks and damaged parts belong to the only job there is.
fn find_jobs(facts: &[Facts], marks: &mut [Marks]) {
    let jobs: BTreeSet<String> = marks.iter().filter_map(|own| own.job.clone()).collect();
    for at in 0..marks.len() {
        if marks[at].job.is_some() {
            continue;
        }
        let own = &marks[at];
        let same = |other: &&Marks| {
            let equal = |one: &Option<String>, other: &Option<String>| one.is_some() && one == other;
            other.job.is_some() && (equal(&other.recording, &own.recording) || equal(&other.step, &own.step))
        };
        let found = marks.iter().find(same).and_then(|other| other.job.clone());
        let loose = own.recording.is_none() && (own.ranked || !facts[at].identified);
        let only = || jobs.first().filter(|_| loose && jobs.len() == 1).cloned();
        marks[at].job = found.or_else(only);
    }
}

/// What tells the run of a part from others of the same job; `None` if there is only one.
fn key_within(own: &Marks, all: &[Marks]) -> Option<String> {
    let beside = || all.iter().filter(|other| other.job == own.job);
    let recordings: BTreeSet<&String> = beside().filter_map(|other| other.recording.as_ref()).collect();
    if recordings.len() > 1 {
        let same_step = || beside().find(|other| other.step.is_some() && other.step == own.step);
        return own.recording.clone().or_else(|| same_step()?.recording.clone());
    }
    let mut ranked = beside().filter(|other| other.ranked).peekable();
    let told = ranked.peek().is_some() && ranked.all(|other| other.step.is_some());
    let steps: BTreeSet<&String> =
        beside().filter(|other| other.ranked).filter_map(|other| other.step.as_ref()).collect();
    // Without steps of their own, ranks on the host of a launcher could be of any.
    let several = recordings.is_empty() && told && steps.len() > 1;
    own.step.clone().filter(|_| several)
}
