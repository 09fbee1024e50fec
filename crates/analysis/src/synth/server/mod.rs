//! Server and scheduler logs of a synthetic centre in which four known applications run among
//! others.
//!
//! The applications are those of the IOSI study (Liu and others 2014): three of IOR with bursts at
//! equal distances, and one like S3D with irregular ones. The background is interactive load with a
//! daily cycle, disk rebuilds, spikes, bursts of jobs that run once, unknown periodic applications,
//! and storms. Concurrent traffic slows a burst down and delays everything after it.

mod application;
mod load;
mod queue;
mod run;

use marigraph_model::BatchJob;

use super::random::Random;
pub use application::{Application, CleanBurst};
use load::Load;
pub use run::{RunBurst, SyntheticRun};

/// Server throughput in bytes per second.
pub const CAPACITY: f64 = 10e9;
/// Start of the logs: the first Monday of 2026, midnight UTC.
pub const EPOCH: f64 = 1_767_571_200.0;

/// The parameters of the server logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerPlan {
    pub seed: u64,
    pub days: f64,
    pub runs: usize,
    /// Runs of each application that start from a checkpoint.
    pub restarts: usize,
    /// Amount of background traffic; 1 is usual.
    pub noise: f64,
    /// Variation of the time between bursts; 1 is usual.
    pub jitter: f64,
    /// How much other traffic slows a burst down; 1 is usual, 6 strong.
    pub contention: f64,
    pub gaps: usize,
    /// Between two lines of the log.
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

/// A line of the throughput log.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Start of the interval in seconds since 1970.
    pub time: f64,
    /// Bytes per second.
    pub write: f64,
    pub read: f64,
}

/// Logs and the truth about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub lines: Vec<Line>,
    /// In order of start.
    pub jobs: Vec<BatchJob>,
    pub applications: Vec<(Application, Vec<SyntheticRun>)>,
}

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
    // Earlier runs are already there when later ones start.
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
