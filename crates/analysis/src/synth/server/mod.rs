//! Server and scheduler logs of a synthetic centre in which known applications run among others.
//!
//! The applications are drawn at random ([`Kind`]), or are those of the IOSI study. The background
//! is interactive load with a daily cycle, disk rebuilds, spikes, bursts of jobs that run once,
//! unknown periodic applications, and storms. Concurrent traffic slows a burst down ([`Law`]) and
//! delays everything after it.

mod application;
mod kind;
mod law;
mod load;
mod paper;
mod queue;
mod run;
mod truth;

use marigraph_model::BatchJob;

use super::random::Random;
pub use application::{Application, CleanBurst};
pub use kind::Kind;
pub use law::Law;
use law::Storage;
use load::Load;
use run::Pace;
pub use run::{RunBurst, SyntheticRun};
pub use truth::Tempo;

/// Server throughput in bytes per second.
pub const CAPACITY: f64 = 10e9;
/// Start of the logs: the first Monday of 2026, midnight UTC.
pub const EPOCH: f64 = 1_767_571_200.0;

/// Which applications run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The four of the IOSI study, the same for every seed.
    Paper,
    /// Drawn, of one kind.
    Only(Kind),
    /// Drawn, of all kinds in turn.
    Mixed,
}

/// Number of drawn applications in a log.
const DRAWN: usize = 6;

/// The parameters of the server logs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServerPlan {
    pub seed: u64,
    pub applications: Chosen,
    /// How others slow bursts down; `None` draws a law for each application.
    pub law: Option<Law>,
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
            applications: Chosen::Mixed,
            law: None,
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

/// An application and what became of its runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// As the servers would see it alone: the signature to find.
    pub application: Application,
    pub tempo: Tempo,
    /// `None` if it is one of the study.
    pub kind: Option<Kind>,
    pub law: Law,
    /// In order of start.
    pub runs: Vec<SyntheticRun>,
}

/// Logs and the truth about them.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    pub lines: Vec<Line>,
    /// In order of start.
    pub jobs: Vec<BatchJob>,
    pub applications: Vec<Known>,
}

/// An application as its program asks for it, and the servers it uses.
struct Planned {
    application: Application,
    kind: Option<Kind>,
    storage: Storage,
}

fn planned(plan: &ServerPlan) -> Vec<Planned> {
    // Not the generator of the log: the applications of a seed do not depend on its other traffic.
    let mut random = Random::new(plan.seed ^ 0x00a9_911c);
    let law = |at: usize| plan.law.unwrap_or(Law::ALL[at % Law::ALL.len()]);
    let mut draw = |at: usize, kind: Kind, law: Law| {
        let application = kind.draw(at, &mut random);
        let storage = Storage::draw(law, plan.contention, &application.write, &mut random);
        Planned { application, kind: Some(kind), storage }
    };
    let of_paper = |application: Application| {
        let storage = match plan.law.unwrap_or(Law::Efficiency) {
            Law::Efficiency => Storage::losing(plan.contention),
            law => Storage::draw(law, plan.contention, &application.write, &mut Random::new(plan.seed)),
        };
        Planned { application, kind: None, storage }
    };
    match plan.applications {
        Chosen::Paper => paper::applications().into_iter().map(of_paper).collect(),
        Chosen::Only(kind) => (0..DRAWN).map(|at| draw(at, kind, law(at + plan.seed as usize))).collect(),
        Chosen::Mixed => {
            let first = plan.seed as usize;
            (0..DRAWN)
                .map(|at| draw(at, Kind::ALL[(first + at) % Kind::ALL.len()], law(first / 3 + at)))
                .collect()
        }
    }
}

pub fn server(plan: &ServerPlan) -> Server {
    let mut random = Random::new(plan.seed ^ 0x5e7_0e75);
    let seconds = (plan.days * 86_400.0).max(3_600.0) as usize;
    let mut load = Load::new(seconds, plan.noise, &mut random);
    let planned = planned(plan);
    let runs = runs(&planned, plan, &mut load, &mut random);
    let jobs = queue::jobs(planned.iter().map(|one| &one.application).zip(&runs), seconds, &mut random);
    let lines = lost(load.lines(plan.interval_s), plan.gaps, &mut random);
    let applications = planned.into_iter().zip(runs).map(|(one, runs)| one.known(plan, runs)).collect();
    Server { lines, jobs, applications }
}

impl Planned {
    fn known(self, plan: &ServerPlan, runs: Vec<SyntheticRun>) -> Known {
        let law = self.storage.law;
        let (application, tempo) = match (self.kind, law) {
            (None, Law::Efficiency) => (self.application, Tempo::Shortest),
            _ => truth::alone(&self.application, &self.storage, plan.jitter),
        };
        Known { application, tempo, kind: self.kind, law, runs }
    }
}

/// Performs all runs in order of start: earlier ones are already there when later ones start.
fn runs(
    planned: &[Planned],
    plan: &ServerPlan,
    load: &mut Load,
    random: &mut Random,
) -> Vec<Vec<SyntheticRun>> {
    let seconds = load.seconds();
    let mut starts: Vec<(usize, usize, bool)> = Vec::new();
    for (at, one) in planned.iter().enumerate() {
        for number in 0..plan.runs {
            let latest = seconds.saturating_sub(2 * one.application.write.len() + 600);
            let begin = 300 + random.index(latest.max(1));
            starts.push((begin, at, number + plan.restarts >= plan.runs));
        }
    }
    starts.sort_unstable();
    let mut runs: Vec<Vec<SyntheticRun>> = vec![Vec::new(); planned.len()];
    for (number, (begin, at, restart)) in starts.into_iter().enumerate() {
        let job = 400_000 + 7 * number as u64 + random.bits() % 7;
        let Planned { application, kind, storage } = &planned[at];
        let first = if restart { run::checkpoint(application) } else { 0 };
        for (second, &bytes) in application.read.iter().enumerate() {
            load.add_read(begin + second, bytes);
        }
        let mut pace = match kind {
            None => Pace::Whole(plan.jitter, random),
            Some(_) => Pace::Drawn(plan.jitter, random),
        };
        let (end, bursts) = run::perform(application, storage, (begin, first), &mut pace, load);
        let (start, end) = (EPOCH + begin as f64, EPOCH + end as f64);
        runs[at].push(SyntheticRun { job, restart, start, end, bursts });
    }
    runs
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
        ServerPlan { days: 2.0, applications: Chosen::Paper, ..ServerPlan::default() }
    }

    #[test]
    fn a_seed_decides_everything() {
        assert_eq!(server(&small()), server(&small()));
        assert_ne!(server(&small()).lines, server(&ServerPlan { seed: 2, ..small() }).lines);
    }

    #[test]
    fn what_runs_write_is_in_the_log() {
        let made = server(&small());
        for Known { application, runs, .. } in &made.applications {
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
            let runs = &made.applications[0].runs;
            (runs.iter().map(|run| run.end - run.start).sum::<f64>() / runs.len() as f64, made.lines.len())
        };
        let (usual, all) = mean(small());
        let (slowed, _) = mean(ServerPlan { contention: 6.0, ..small() });
        let (_, fewer) = mean(ServerPlan { gaps: 5, ..small() });
        assert!(slowed > usual + 5.0 && fewer < all, "{slowed} {usual} {fewer} {all}");
    }

    fn drawn(seed: u64, kind: Kind, law: Law) -> ServerPlan {
        let applications = Chosen::Only(kind);
        ServerPlan { seed, applications, law: Some(law), days: 3.0, noise: 0.3, ..ServerPlan::default() }
    }

    #[test]
    fn every_kind_and_law_keeps_its_bytes_and_never_hurries() {
        for (at, kind) in Kind::ALL.into_iter().enumerate() {
            for law in Law::ALL {
                let made = server(&drawn(at as u64, kind, law));
                for known in &made.applications {
                    let alone: f64 = known.application.write.iter().sum();
                    for run in known.runs.iter().filter(|run| !run.restart) {
                        let written: f64 = run.bursts.iter().map(|burst| burst.bytes).sum();
                        assert!((written / alone - 1.0).abs() < 1e-6, "{kind:?} {law:?}: {written} {alone}");
                        let during = |line: &&Line| line.time + 2.0 > run.start && line.time < run.end;
                        let seen: f64 = made.lines.iter().filter(during).map(|line| line.write * 2.0).sum();
                        assert!(seen > 0.999 * alone, "{kind:?} {law:?}: {seen} of {alone}");
                        let longer = run.end - run.start - known.application.write.len() as f64;
                        assert!(known.tempo == Tempo::Mean || longer >= -1.0, "{kind:?} {law:?}: {longer}");
                    }
                }
            }
        }
    }

    #[test]
    fn many_small_bursts_are_told_at_their_mean_pace() {
        let plan = ServerPlan { jitter: 4.0, ..drawn(5, Kind::Small, Law::Efficiency) };
        for known in server(&plan).applications {
            assert_eq!(known.tempo, Tempo::Mean, "{}", known.application.key);
            let runs: Vec<&SyntheticRun> = known.runs.iter().filter(|run| !run.restart).collect();
            let mean = runs.iter().map(|run| run.end - run.start).sum::<f64>() / runs.len() as f64;
            let alone = known.application.write.len() as f64;
            // Others add some seconds of delay.
            assert!((0.98 * alone..1.06 * alone).contains(&mean), "{mean} {alone}");
        }
        let still = ServerPlan { jitter: 0.0, ..plan };
        assert!(server(&still).applications.iter().all(|known| known.tempo == Tempo::Shortest));
    }

    #[test]
    fn laws_differ_where_others_are() {
        let lengths = |law: Law, contention: f64| -> f64 {
            let plan = ServerPlan { contention, noise: 2.0, ..drawn(3, Kind::Regular, law) };
            let made = server(&plan);
            let runs = made.applications.iter().flat_map(|known| &known.runs);
            runs.map(|run| run.end - run.start).sum()
        };
        for law in [Law::Efficiency, Law::Share, Law::Fifo] {
            assert!(lengths(law, 6.0) > lengths(law, 0.1) + 50.0, "{law:?}");
        }
        // A cache hides others from the program, but storage sees longer and lower bursts.
        let peak = |law: Law| {
            let made = server(&drawn(3, Kind::Regular, law));
            made.applications[0].application.write.iter().fold(0.0f64, |most, rate| most.max(*rate))
        };
        assert!(peak(Law::WriteBack) < 0.8 * peak(Law::Share));
    }
}
