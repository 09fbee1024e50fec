//! Collects the jobs of a scheduler's log.
//!
//! A log may hold a job more than once: parts of a heterogeneous job are merged, runs after a
//! requeue stay separate, and duplicates from overlapping logs count once.

use std::collections::HashMap;

use marigraph_model::{BatchJob, Problem};

use crate::csv::row::Bad;

#[derive(Debug, Default)]
pub(super) struct Jobs {
    jobs: Vec<BatchJob>,
    /// Index of a run, by job id and start.
    places: HashMap<(String, Option<u64>), usize>,
    /// Index of a heterogeneous job, and its parts seen so far.
    joined: HashMap<String, (usize, Vec<u64>)>,
    bad: Bad,
    unit: &'static str,
}

impl Jobs {
    pub fn of(unit: &'static str) -> Jobs {
        Jobs { unit, ..Jobs::default() }
    }

    /// `cluster` distinguishes jobs with the same id; it may be empty.
    pub fn add(&mut self, place: u64, cluster: &str, mut job: BatchJob) {
        if job.id.is_empty() {
            return self.leave_out(place, "it has no id".to_string());
        }
        if [job.submit, job.start, job.end].into_iter().flatten().any(|time| !time.is_finite()) {
            return self.leave_out(place, format!("job {} has a time out of range", job.id));
        }
        if let (Some(start), Some(end)) = (job.start, job.end)
            && end < start
        {
            return self.leave_out(place, format!("job {} ends before it starts", job.id));
        }
        let key = (format!("{cluster}/{}", job.id), job.start.map(f64::to_bits));
        if let Some(&place) = self.places.get(&key) {
            return self.again(place, &job);
        }
        let part = part_of(&job.id).map(|(base, part)| (base.to_string(), part));
        let place = match part {
            Some((base, part)) => {
                job.id = base;
                self.join(cluster, part, job)
            }
            None => self.push(job),
        };
        self.places.insert(key, place);
    }

    pub fn leave_out(&mut self, place: u64, detail: String) {
        self.bad.add(place, detail);
    }

    pub fn finish(self) -> (Vec<BatchJob>, Vec<Problem>) {
        (self.jobs, self.bad.problem_of(self.unit).into_iter().collect())
    }

    fn push(&mut self, job: BatchJob) -> usize {
        self.jobs.push(job);
        self.jobs.len() - 1
    }

    /// Updates a known run: where logs overlap, the later one knows how a running job ended.
    fn again(&mut self, place: usize, job: &BatchJob) {
        if let Some(known) = self.jobs.get_mut(place)
            && known.end.is_none()
            && job.end.is_some()
        {
            (known.end, known.state) = (job.end, job.state.clone());
        }
    }

    /// Merges a part into its heterogeneous job, if that one exists and ran at the same time.
    fn join(&mut self, cluster: &str, part: u64, job: BatchJob) -> usize {
        let key = format!("{cluster}/{}", job.id);
        if let Some((place, parts)) = self.joined.get_mut(&key)
            && let Some(whole) = self.jobs.get_mut(*place)
            && !parts.contains(&part)
            && meet(whole, &job)
        {
            parts.push(part);
            whole.nodes = sum(whole.nodes, job.nodes);
            whole.processes = sum(whole.processes, job.processes);
            whole.start = whole.start.into_iter().chain(job.start).reduce(f64::min);
            whole.end = whole.end.zip(job.end).map(|(one, other)| one.max(other));
            return *place;
        }
        let place = self.push(job);
        self.joined.insert(key, (place, vec![part]));
        place
    }
}

/// The job and the part that an id like `123+1` names.
fn part_of(id: &str) -> Option<(&str, u64)> {
    let (base, part) = id.split_once('+').filter(|(base, _)| !base.is_empty())?;
    Some((base, part.parse().ok()?))
}

fn meet(one: &BatchJob, other: &BatchJob) -> bool {
    let end = |job: &BatchJob| job.end.unwrap_or(f64::INFINITY);
    match (one.start, other.start) {
        (Some(first), Some(second)) => first <= end(other) && second <= end(one),
        (None, None) => true,
        _ => false,
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    one.into_iter().chain(other).reduce(u64::saturating_add)
}
