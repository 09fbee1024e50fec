//! Findings over several jobs of one application: whether its I/O scales.
//!
//! Under strong scaling each process moves less the more there are. Where the time does not shrink
//! accordingly, the I/O strategy has to change with the scale (Carns et al. 2011: 3.0 to 0.01 MiB/s
//! per node from 1,024 to 32,768 nodes).

use std::collections::BTreeMap;

use super::{Amount, Code, Facts, Finding, Found, Thresholds};

/// The data of one job to compare.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedRun {
    /// User id and program: only jobs of the same application are compared.
    pub application: (i64, String),
    pub nprocs: u64,
    pub bytes: u64,
    /// Seconds on the slowest path through the I/O.
    pub io_s: f64,
    pub runtime_s: f64,
}

impl ComparedRun {
    /// `None` if the log does not tell the I/O time.
    pub fn of(facts: &Facts<'_>) -> Option<ComparedRun> {
        let (_, estimate) = facts.usage.performance()?;
        let program = facts.job.exe.split_whitespace().next()?;
        Some(ComparedRun {
            application: (facts.job.uid, program.to_string()),
            nprocs: facts.job.nprocs.max(1),
            bytes: u64::try_from(estimate.bytes).ok().filter(|&bytes| bytes > 0)?,
            io_s: estimate.seconds(),
            runtime_s: facts.job.runtime_s(),
        })
    }
}

#[derive(Default)]
struct Scale {
    jobs: f64,
    bytes_per_process: f64,
    io_s: f64,
}

/// Returns findings over several jobs, each with the index of its job: the largest job of the
/// application, or of several the one with the most I/O time.
pub fn across_jobs(runs: &[Option<ComparedRun>], thresholds: &Thresholds) -> Vec<(usize, Finding)> {
    let mut applications: BTreeMap<&(i64, String), Vec<(usize, &ComparedRun)>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        if let Some(run) = run {
            applications.entry(&run.application).or_default().push((at, run));
        }
    }
    applications.values().filter_map(|runs| of_application(runs, thresholds)).collect()
}

fn of_application(runs: &[(usize, &ComparedRun)], t: &Thresholds) -> Option<(usize, Finding)> {
    let mut scales: BTreeMap<u64, Scale> = BTreeMap::new();
    for (_, run) in runs {
        let scale = scales.entry(run.nprocs).or_default();
        scale.jobs += 1.0;
        scale.bytes_per_process += run.bytes as f64 / run.nprocs as f64;
        scale.io_s += run.io_s;
    }
    let ((&few, small), (&many, large)) = (scales.first_key_value()?, scales.last_key_value()?);
    let bytes = |scale: &Scale| scale.bytes_per_process / scale.jobs;
    let time = |scale: &Scale| scale.io_s / scale.jobs;
    let growth = many as f64 / few as f64;
    let fall = bytes(small) / bytes(large);
    // The time of the large job if a process moved its bytes as fast as in the small one.
    let kept_up = time(small) / fall;
    let slower = time(large) / kept_up;
    // Bytes per process fall at least with the square root of processes: closer to strong than to
    // weak scaling.
    if growth < t.scale_factor || fall < growth.sqrt() || slower.is_nan() || slower < t.scale_loss {
        return None;
    }
    let of_largest = runs.iter().filter(|(_, run)| run.nprocs == many);
    let &(at, run) = of_largest.max_by(|a, b| a.1.io_s.total_cmp(&b.1.io_s))?;
    let rate = |scale: &Scale| Amount::Rate(bytes(scale) / time(scale));
    let found = Found::costs(run.io_s - kept_up)
        .figure("jobs", Amount::Count(runs.len() as u64))
        .figure("few_processes", Amount::Count(few))
        .figure("many_processes", Amount::Count(many))
        .figure("bytes_at_few", Amount::Bytes(bytes(small) as u64))
        .figure("bytes_at_many", Amount::Bytes(bytes(large) as u64))
        .figure("rate_at_few", rate(small))
        .figure("rate_at_many", rate(large));
    Some((at, found.weighed(Code::StrongScaling, run.runtime_s)))
}

#[cfg(test)]
mod tests {
    use super::super::USUAL;
    use super::*;

    fn run(program: &str, nprocs: u64, bytes: u64, io_s: f64) -> Option<ComparedRun> {
        Some(ComparedRun { application: (1, program.to_string()), nprocs, bytes, io_s, runtime_s: 1000.0 })
    }

    fn told(runs: &[Option<ComparedRun>]) -> Vec<(usize, Finding)> {
        across_jobs(runs, &USUAL)
    }

    #[test]
    fn the_same_work_on_more_processes_that_gets_no_faster_is_found() {
        let runs = [run("a", 1024, 1 << 40, 300.0), None, run("a", 32_768, 1 << 40, 400.0)];
        let found = told(&runs);
        assert_eq!((found.len(), found[0].0, found[0].1.code), (1, 2, Code::StrongScaling));
        assert!((found[0].1.seconds_at_stake - (400.0 - 300.0 / 32.0)).abs() < 1e-9);
        assert_eq!(found[0].1.figure("many_processes"), Some(Amount::Count(32_768)));
    }

    #[test]
    fn jobs_that_keep_up_are_not() {
        let weak = [run("a", 64, 1 << 30, 10.0), run("a", 4096, 64 << 30, 40.0)];
        let strong_and_fast = [run("a", 64, 1 << 36, 64.0), run("a", 4096, 1 << 36, 1.0)];
        let one_scale = [run("a", 64, 1 << 30, 10.0), run("a", 64, 1 << 30, 90.0)];
        let two_programs = [run("a", 64, 1 << 30, 10.0), run("b", 4096, 1 << 30, 10.0)];
        for runs in [&weak, &strong_and_fast, &one_scale, &two_programs] {
            assert_eq!(told(runs), []);
        }
        assert_eq!(told(&[None, None]), []);
    }
}
