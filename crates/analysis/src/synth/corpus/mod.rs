//! A year of synthetic logs with known labels.
//!
//! An application is drawn as a [`Plan`](plan), a run of it is generated event by event ([`Story`](events)), and from these
//! events come both the log and the truth ([`truth`]): what happened, and what this log can show of it.

mod corruption;
mod events;
mod heat;
mod log;
mod pattern;
mod plan;
mod records;
mod story;
#[cfg(test)]
mod tests;
pub mod truth;

use marigraph_model::Trace;

pub use corruption::Corruption;
pub use events::{Calls, FileUse, Session, Story, Touch};

use super::Random;
use log::Identity;
use plan::Plan;
use story::Detail;
use truth::{Verdict, happened, judge, shown};

/// What corpus to make.
#[derive(Debug, Clone, Copy)]
pub struct CorpusPlan {
    /// Decides all that varies.
    pub seed: u64,
    /// Number of logs.
    pub logs: u64,
    /// Share of logs that went wrong.
    pub corrupt: f64,
    /// Whether all logs hold file records alone.
    pub records_only: bool,
}

/// What is true of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogTruth {
    /// From which everything about this log follows.
    pub seed: u64,
    /// How it reads, how it writes, and the threshold it was made to lie close to.
    pub kind: [&'static str; 3],
    /// The best source of bytes over time in it.
    pub evidence: &'static str,
    /// What is wrong with it.
    pub corruption: Option<Corruption>,
    /// What the job did.
    pub happened: Verdict,
    /// What this log can show of it; nothing if the log is not to be used.
    pub shown: Verdict,
    /// Who ran it.
    pub user: i64,
    /// The executable.
    pub exe: String,
}

/// A log and its truth.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusLog {
    /// The log, but for a corruption of its bytes.
    pub trace: Trace,
    /// What is true of it.
    pub truth: LogTruth,
}

/// Draws of an application until one leaves no label open.
const DRAWS: u64 = 40;
/// Logs per application, on average.
const RUNS: u64 = 3;
/// Share of applications whose runs have little in common.
const FICKLE: f64 = 0.15;

/// Makes one log of a corpus; it depends on nothing but the plan and its number.
pub fn corpus_log(plan: &CorpusPlan, number: u64) -> CorpusLog {
    let seed = mixed(plan.seed, number);
    let mut random = Random::new(seed);
    // Squaring makes few large groups and many small ones.
    let groups = (plan.logs / RUNS).max(1);
    let group = ((random.unit().powi(2) * groups as f64) as u64).min(groups - 1);
    let group_seed = mixed(plan.seed ^ 0x6772_6f75_7073, group);
    let fickle = Random::new(group_seed).chance(FICKLE);
    let detail = if plan.records_only { Detail::Records } else { detail(&mut random) };
    let wrong = random.chance(plan.corrupt).then(|| Corruption::draw(&mut random));
    let identity = identity(group, number);
    let mut draw = 0;
    loop {
        let source = mixed(if fickle { seed } else { group_seed }, draw);
        let mut random = Random::new(mixed(seed, draw + 1));
        let drawn = Plan::draw(&mut Random::new(source));
        let folder = format!("/scratch/user{}/run", identity.user);
        let story = story::tell(&drawn, detail, &folder, &mut random);
        let known = judge(&happened(&story));
        draw += 1;
        if known.doubtful && draw < DRAWS {
            continue;
        }
        let (trace, corruption) = log::log(&story, detail, &identity, wrong, &mut random);
        let usable = corruption.is_none_or(Corruption::is_kept);
        let seen = if usable { judge(&shown(&trace, &story)) } else { Verdict::default() };
        if seen.doubtful && draw < DRAWS {
            continue;
        }
        let truth = LogTruth {
            seed,
            kind: [drawn.patterns[0].name(), drawn.patterns[1].name(), drawn.edge.name()],
            evidence: evidence(&trace),
            corruption,
            happened: known,
            shown: seen,
            user: identity.user,
            exe: identity.command.split(' ').next().unwrap_or_default().to_string(),
        };
        return CorpusLog { trace, truth };
    }
}

/// Half of the logs have records alone, a fifth every operation.
fn detail(random: &mut Random) -> Detail {
    match random.index(10) {
        0..=4 => Detail::Records,
        5..=7 => Detail::Heatmap,
        _ => Detail::Dxt,
    }
}

fn evidence(trace: &Trace) -> &'static str {
    match (trace.events.is_empty(), trace.series.is_empty()) {
        (false, _) => "dxt",
        (true, false) => "heatmap",
        (true, true) => "records",
    }
}

/// Names of programs; the number of the group makes them distinct.
const PROGRAMS: [&str; 8] = ["lammps", "nek5000", "gromacs", "wrf", "vasp", "hacc", "flash", "chroma"];

fn identity(group: u64, number: u64) -> Identity {
    let program = PROGRAMS[(group % PROGRAMS.len() as u64) as usize];
    Identity {
        job: 1_000_000 + number as i64,
        user: 10_000 + (group % 997) as i64,
        command: format!("/apps/{program}-{group}/bin/{program}-{group} --input run{number}.in"),
    }
}

/// One seed from two numbers.
fn mixed(seed: u64, number: u64) -> u64 {
    Random::new(seed ^ Random::new(number).bits()).bits()
}
