//! Server and scheduler logs of a synthetic centre in which four known applications run among others.
//!
//! The applications are those of the IOSI study (Liu and others 2014): three of IOR with bursts at equal
//! distances, and one like S3D with irregular ones. What else happens: interactive load with a day's cycle,
//! rebuilds of disks, spikes, bursts of jobs that run once, foreign applications that come periodically, and
//! storms. Whoever writes at the same time slows a burst down, and all that follows comes later.

mod application;
mod load;
mod queue;
mod run;

use marigraph_model::BatchJob;

use super::random::Random;
pub use application::{Application, CleanBurst};
use load::Load;
pub use run::{RunBurst, SyntheticRun};

/// What the servers can do, in bytes per second.
pub const CAPACITY: f64 = 10e9;
/// When logs begin: the first Monday of 2026, midnight in UTC.
pub const EPOCH: f64 = 1_767_571_200.0;

/// What to make.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerPlan {
    /// Decides all that varies.
    pub seed: u64,
    /// Length of the log.
    pub days: f64,
    /// Runs of each application.
    pub runs: usize,
    /// Runs of each that begin from a checkpoint.
    pub restarts: usize,
    /// How much else happens; 1 is usual.
    pub noise: f64,
    /// How much the time between bursts varies; 1 is usual.
    pub jitter: f64,
    /// How much others slow a burst down; 1 is usual, 6 strong.
    pub contention: f64,
    /// Stretches of the log that are lost.
    pub gaps: usize,
    /// Seconds from one line of the log to the next.
    pub interval_s: usize,
}

impl Default for ServerPlan {
    fn default() -> ServerPlan {
        ServerPlan {
            seed: 1,
            days: 14.0,
            runs: 10,
            restarts: 1,
            noise: 1.0,
            jitter: 1.0,
            contention: 1.0,
            gaps: 0,
            interval_s: 2,
        }
    }
}

/// A line of the throughput log: seconds since 1970, bytes written and read per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Beginning of the interval.
    pub time: f64,
    /// Bytes written per second.
    pub write: f64,
    /// Bytes read per second.
    pub read: f64,
}

/// Logs, and what is true of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// The throughput log.
    pub lines: Vec<Line>,
    /// The job log, in the order of beginning.
    pub jobs: Vec<BatchJob>,
    /// The applications and their runs.
    pub applications: Vec<(Application, Vec<SyntheticRun>)>,
}

/// Makes logs.
pub fn server(plan: &ServerPlan) -> Server {
    let mut random = Random::new(plan.seed ^ 0x5e7_0e75);
    let seconds = (plan.days * 86_400.0).max(3_600.0) as usize;
    let mut load = Load::new(seconds, plan.noise, &mut random);
    let applications = Application::all();
    let mut planned: Vec<(usize, usize, bool)> = Vec::new();
    for (at, application) in applications.iter().enumerate() {
        for number in 0..plan.runs {
            let latest = seconds.saturating_sub(2 * application.write.len() + 600);
            let begin = 300 + random.index(latest.max(1));
            planned.push((begin, at, number + plan.restarts >= plan.runs));
        }
    }
    // Those that begin earlier are there when later ones come.
    planned.sort_unstable();
    let mut runs: Vec<Vec<SyntheticRun>> = vec![Vec::new(); applications.len()];
    for (number, (begin, at, restart)) in planned.into_iter().enumerate() {
        let kind = if restart { run::Kind::Restart } else { run::Kind::Normal };
        let job = 400_000 + 7 * number as u64 + random.bits() % 7;
        let run = run::perform(&applications[at], (job, begin, kind), plan, &mut load, &mut random);
        runs[at].push(run);
    }
    let jobs = queue::jobs(&applications, &runs, seconds, &mut random);
    let lines = lost(load.lines(plan.interval_s), plan.gaps, &mut random);
    Server { lines, jobs, applications: applications.into_iter().zip(runs).collect() }
}

/// Without some stretches.
fn lost(lines: Vec<Line>, gaps: usize, random: &mut Random) -> Vec<Line> {
    let holes: Vec<(usize, usize)> = (0..gaps)
        .map(|_| {
            let from = random.index(lines.len());
            (from, from + random.between_log(10.0, 3_000.0) as usize)
        })
        .collect();
    let kept = |at: usize| !holes.iter().any(|&(from, to)| (from..to).contains(&at));
    lines.into_iter().enumerate().filter(|&(at, _)| kept(at)).map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> ServerPlan {
        ServerPlan { days: 2.0, ..ServerPlan::default() }
    }

    #[test]
    fn a_seed_decides_everything() {
        assert_eq!(server(&small()), server(&small()));
        assert_ne!(server(&small()).lines, server(&ServerPlan { seed: 2, ..small() }).lines);
    }

    #[test]
    fn what_runs_write_is_in_the_log() {
        let made = server(&small());
        for (application, runs) in &made.applications {
            let clean: f64 = application.bursts.iter().map(|burst| burst.bytes).sum();
            for run in runs.iter().filter(|run| !run.restart) {
                let during = |line: &&Line| line.time + 2.0 > run.start && line.time < run.end;
                let seen: f64 = made.lines.iter().filter(during).map(|line| line.write * 2.0).sum();
                assert!(seen > 0.999 * clean, "{seen} of {clean}");
                let written: f64 = run.bursts.iter().map(|burst| burst.bytes).sum();
                assert!((written / clean - 1.0).abs() < 1e-9);
                assert!(run.end - run.start >= application.write.len() as f64);
            }
        }
    }

    #[test]
    fn contention_prolongs_runs_and_gaps_lose_lines() {
        let mean = |plan: ServerPlan| {
            let made = server(&plan);
            let (_, runs) = &made.applications[0];
            (runs.iter().map(|run| run.end - run.start).sum::<f64>() / runs.len() as f64, made.lines.len())
        };
        let (usual, all) = mean(small());
        let (slowed, _) = mean(ServerPlan { contention: 6.0, ..small() });
        let (_, fewer) = mean(ServerPlan { gaps: 5, ..small() });
        assert!(slowed > usual + 5.0 && fewer < all, "{slowed} {usual} {fewer} {all}");
    }
}
