//! A year of synthetic logs with known labels.
//!
//! An application is drawn as a [`Plan`](plan), and a run of it is generated event by event
//! ([`Story`](events)). Both the log and the truth ([`truth`]) derive from these events: what
//! happened, and what this log can show of it.

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

/// The parameters of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct CorpusPlan {
    pub seed: u64,
    pub logs: u64,
    /// Share of corrupt logs.
    pub corrupt: f64,
    pub records_only: bool,
}

/// The truth about a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogTruth {
    /// Everything about this log derives from it.
    pub seed: u64,
    /// Read pattern, write pattern, and the threshold that the log was drawn close to.
    pub kind: [&'static str; 3],
    /// How it loads the metadata servers.
    pub load: &'static str,
    /// Best source of bytes over time in the log.
    pub evidence: &'static str,
    pub corruption: Option<Corruption>,
    /// Labels of everything the job did.
    pub happened: Verdict,
    /// Labels that this log can show; empty if the log is corrupt.
    pub shown: Verdict,
    pub user: i64,
    pub exe: String,
}

impl LogTruth {
    /// Whether no label depends on where exactly a threshold is.
    pub fn is_clear(&self) -> bool {
        self.happened.is_clear() && self.shown.is_clear()
    }
}

/// A log and its truth.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusLog {
    /// Without corruption of its bytes.
    pub trace: Trace,
    pub truth: LogTruth,
}

/// Mean number of logs per application.
const RUNS: u64 = 3;
/// Share of applications whose runs have little in common.
const FICKLE: f64 = 0.15;

/// Makes one log of a corpus. It depends only on the plan and the log's number.
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
    let source = mixed(if fickle { seed } else { group_seed }, 0);
    let mut random = Random::new(mixed(seed, 1));
    let drawn = Plan::draw(&mut Random::new(source));
    let folder = format!("/scratch/user{}/run", identity.user);
    let story = story::tell(&drawn, detail, &folder, &mut random);
    let (trace, corruption) = log::log(&story, detail, &identity, wrong, &mut random);
    let usable = corruption.is_none_or(Corruption::is_kept);
    let truth = LogTruth {
        seed,
        kind: [drawn.patterns[0].name(), drawn.patterns[1].name(), drawn.edge.name()],
        load: drawn.load.name(),
        evidence: evidence(&trace),
        corruption,
        happened: judge(&happened(&story)),
        shown: if usable { judge(&shown(&trace, &story)) } else { Verdict::default() },
        user: identity.user,
        exe: identity.command.split(' ').next().unwrap_or_default().to_string(),
    };
    CorpusLog { trace, truth }
}

/// Half of the logs have only records, a fifth every operation.
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

/// Program names; the number of the group makes them distinct.
const PROGRAMS: [&str; 8] = ["lammps", "nek5000", "gromacs", "wrf", "vasp", "hacc", "flash", "chroma"];

fn identity(group: u64, number: u64) -> Identity {
    let program = PROGRAMS[(group % PROGRAMS.len() as u64) as usize];
    Identity {
        job: 1_000_000 + number as i64,
        user: 10_000 + (group % 997) as i64,
        command: format!("/apps/{program}-{group}/bin/{program}-{group} --input run{number}.in"),
    }
}

fn mixed(seed: u64, number: u64) -> u64 {
    Random::new(seed ^ Random::new(number).bits()).bits()
}
