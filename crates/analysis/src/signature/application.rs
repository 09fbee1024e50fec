//! Groups the runs of the same application from the job log.

use std::collections::BTreeMap;

use marigraph_model::BatchJob;

use super::sample::Sample;
use super::throughput::Throughput;
use crate::quantile;

/// A program of one user on one number of nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Application {
    /// The job name in the job log.
    pub app: String,
    pub user: String,
    pub nodes: Option<u64>,
}

/// One run of an application.
#[derive(Debug, Clone, PartialEq)]
pub struct ApplicationRun {
    pub job: String,
    /// Seconds since 1970.
    pub start: f64,
    pub end: f64,
}

/// An application and its runs in order of start.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub application: Application,
    pub runs: Vec<ApplicationRun>,
}

/// Share of the usual duration that a run cut off by the end of the log must reach.
const PART: f64 = 0.5;

impl Group {
    /// Clips runs that outlast the throughput log to its end, where enough of them remains.
    pub fn within(&self, throughput: &Throughput) -> Group {
        let end = throughput.end();
        let mut whole: Vec<f64> =
            self.runs.iter().filter(|run| run.end <= end).map(|run| run.end - run.start).collect();
        let least = PART * quantile::between(&mut whole, 0.5);
        let clipped = |run: &ApplicationRun| {
            let part = run.end > end && end - run.start >= least.max(throughput.interval_s);
            ApplicationRun { end: if part { end } else { run.end }, ..run.clone() }
        };
        Group { application: self.application.clone(), runs: self.runs.iter().map(clipped).collect() }
    }
}

/// Why a run is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// In whole or in part.
    OutsideTheLog,
    GapInTheLog,
    TooShort,
    UnlikeTheOthers,
    DoesNotFit,
}

impl Unusable {
    pub const fn reason(self) -> &'static str {
        match self {
            Unusable::OutsideTheLog => "not within the throughput log",
            Unusable::GapInTheLog => "the throughput log has a gap in it",
            Unusable::TooShort => "shorter than two intervals of the throughput log",
            Unusable::UnlikeTheOthers => "length or bytes unlike the other runs (a restart, another input)",
            Unusable::DoesNotFit => "the bursts of the other runs do not fit into it",
        }
    }
}

/// Groups the finished jobs by application; jobs that never began or still run are left out.
pub fn groups(jobs: &[BatchJob]) -> Vec<Group> {
    let mut groups: BTreeMap<Application, Vec<ApplicationRun>> = BTreeMap::new();
    for job in jobs {
        let (Some(start), Some(end)) = (job.start, job.end) else { continue };
        if end <= start {
            continue;
        }
        let application = Application { app: job.name.clone(), user: job.user.clone(), nodes: job.nodes };
        groups.entry(application).or_default().push(ApplicationRun { job: job.id.clone(), start, end });
    }
    let sorted = |(application, mut runs): (Application, Vec<ApplicationRun>)| {
        runs.sort_by(|one, other| one.start.total_cmp(&other.start).then(one.job.cmp(&other.job)));
        Group { application, runs }
    };
    groups.into_iter().map(sorted).collect()
}

/// Maximum share of a run without readings.
const MISSING: f64 = 0.05;

/// Cuts the server traffic during a run out of the log: written, then read.
pub fn samples(run: &ApplicationRun, throughput: &Throughput) -> Result<[Sample; 2], Unusable> {
    let interval = throughput.interval_s;
    if run.start < throughput.start - interval || run.end > throughput.end() + interval {
        return Err(Unusable::OutsideTheLog);
    }
    let place = (run.start - throughput.start) / interval;
    // Counts the interval in which the run begins and all that begin within the run.
    let from = place.floor().max(0.0) as usize;
    let to = (((run.end - throughput.start) / interval).ceil().max(0.0) as usize).min(throughput.write.len());
    if to < from + 2 {
        return Err(Unusable::TooShort);
    }
    let missing = throughput.write[from..to].iter().filter(|rate| rate.is_nan()).count();
    if missing as f64 > MISSING * (to - from) as f64 {
        return Err(Unusable::GapInTheLog);
    }
    let sample = |rates: &[f64]| Sample {
        rates: rates[from..to].to_vec(),
        mended: Vec::new(),
        interval_s: interval,
        offset_s: (run.start - throughput.start - from as f64 * interval).clamp(0.0, interval),
        duration_s: run.end - run.start,
    };
    Ok([sample(&throughput.write), sample(&throughput.read)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_the_log_ends_in_is_used_as_far_as_it_goes() {
        let run = |start: f64, end: f64| ApplicationRun { job: String::new(), start, end };
        let application = Application { app: "a".into(), user: "u".into(), nodes: None };
        let runs = vec![run(0.0, 100.0), run(100.0, 200.0), run(240.0, 900.0), run(280.0, 380.0)];
        let throughput =
            Throughput { start: 0.0, interval_s: 2.0, write: vec![0.0; 150], read: vec![0.0; 150] };
        let ends: Vec<f64> =
            Group { application, runs }.within(&throughput).runs.iter().map(|run| run.end).collect();
        assert_eq!(ends, [100.0, 200.0, 300.0, 380.0], "20 seconds of the last are too few");
    }
}
