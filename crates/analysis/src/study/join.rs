//! Matches runs to the jobs of the scheduler's log.

use std::collections::HashMap;

use super::{BatchRun, Choice, Looked, MinuteSum, RecordedRun, System, UNKNOWN_PROJECT};

/// Allowed clock difference between compute nodes and the scheduler, in seconds.
pub const CLOCK_SLACK_S: f64 = 300.0;

/// The chosen runs and jobs, matched.
#[derive(Debug)]
pub struct Joined<'a> {
    /// Runs, with their index in the system and the index of their job in `batch`.
    pub runs: Vec<(usize, &'a RecordedRun, Option<usize>)>,
    pub batch: Vec<&'a BatchRun>,
}

impl<'a> Joined<'a> {
    pub fn new(system: &'a System, choice: &Choice) -> Joined<'a> {
        let all: Vec<&BatchRun> = system.batch.iter().collect();
        let index = Index::new(&all);
        let matched = system.runs.iter().enumerate().map(|(at, run)| (at, run, index.find(&all, run)));
        let wanted = |job: Option<&&BatchRun>| {
            choice.project.as_ref().is_none_or(|wanted| job.is_some_and(|job| job.project == *wanted))
        };
        let runs: Vec<_> = matched
            .filter(|(_, run, job)| choice.takes(run.start_s) && wanted(job.and_then(|at| all.get(at))))
            .collect();
        // Jobs of chosen runs stay, so that a run at the edge of the period does not lose its
        // project.
        let needed: std::collections::HashSet<usize> = runs.iter().filter_map(|(_, _, job)| *job).collect();
        let kept: Vec<usize> = (0..all.len())
            .filter(|at| {
                let job = all[*at];
                needed.contains(at) || choice.takes(job.start_s) && wanted(Some(&job))
            })
            .collect();
        let place: HashMap<usize, usize> = kept.iter().enumerate().map(|(new, &old)| (old, new)).collect();
        let moved = |job: Option<usize>| job.and_then(|at| place.get(&at).copied());
        Joined {
            runs: runs.into_iter().map(|(at, run, job)| (at, run, moved(job))).collect(),
            batch: kept.into_iter().map(|at| all[at]).collect(),
        }
    }

    pub fn project(&self, job: Option<usize>) -> &'a str {
        let name = job.and_then(|at| self.batch.get(at)).map_or("", |job| job.project.as_str());
        if name.is_empty() { UNKNOWN_PROJECT } else { name }
    }

    /// Returns the compute nodes of a run; the scheduler's number comes first.
    pub fn nodes(&self, run: &RecordedRun, job: Option<usize>) -> Option<u64> {
        job.and_then(|at| self.batch.get(at)?.nodes).or(run.nodes).filter(|&nodes| nodes > 0)
    }

    pub fn looked(&self, minutes: &[MinuteSum]) -> Looked {
        let runs = self.runs.iter().map(|(_, run, _)| (run.start_s, run.start_s + run.runtime_s));
        let jobs = self.batch.iter().map(|job| (job.start_s, job.end_s));
        let devices = minutes.first().zip(minutes.last()).map(|(first, last)| (first.start_s, last.end_s()));
        let span = runs.chain(jobs).chain(devices).reduce(|one, two| (one.0.min(two.0), one.1.max(two.1)));
        Looked {
            span_s: span,
            runs: self.runs.len(),
            matched: self.runs.iter().filter(|(_, _, job)| job.is_some()).count(),
            batch: self.batch.len(),
            without_interfaces: self.runs.iter().filter(|(_, run, _)| is_of_old(run)).count(),
            ..Looked::default()
        }
    }
}

fn is_of_old(run: &RecordedRun) -> bool {
    run.interfaces.is_empty() && run.files > 0 && run.bytes() > 0
}

struct Index(HashMap<u64, Vec<usize>>);

impl Index {
    fn new(batch: &[&BatchRun]) -> Index {
        let mut index: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, job) in batch.iter().enumerate() {
            if let Some(number) = job.number {
                index.entry(number).or_default().push(at);
            }
        }
        Index(index)
    }

    /// Finds the job with this number that was running when the run began: schedulers reuse
    /// numbers.
    fn find(&self, batch: &[&BatchRun], run: &RecordedRun) -> Option<usize> {
        let during =
            |job: &BatchRun| (job.start_s - CLOCK_SLACK_S..=job.end_s + CLOCK_SLACK_S).contains(&run.start_s);
        let distance = |at: usize| (batch[at].start_s - run.start_s).abs();
        let candidates = self.0.get(&run.job_id)?.iter().copied().filter(|&at| during(batch[at]));
        candidates.min_by(|&one, &two| distance(one).total_cmp(&distance(two)))
    }
}
