//! Advice: rules that turn counters into findings.
//!
//! [`Survey`] gathers what the rules need beside the sums of [`JobUsage`] and [`Files`], in the
//! same pass over a log; [`advise`] applies every rule. A rule is a function from [`Facts`] to an
//! optional finding, in the file of its family. A rule that finds nothing allocates nothing.
//!
//! Seconds at stake are an estimate, on the high side, of how much shorter the run could be: the
//! time on the slowest path through the I/O ([`Facts::wall`]), times the share that the rule is
//! about (see [`cost`]), at most the run time. Severity follows from the share of the run time, so
//! nothing is severe in a job with little I/O. Findings over several jobs are in [`scaling`].

mod again;
mod balance;
mod code;
mod cost;
mod extents;
mod metadata;
mod mix;
mod mpiio;
mod order;
pub mod scaling;
mod sizes;
mod survey;
mod thresholds;

use marigraph_model::{Direction, FileId, Job, Module, SIZE_BINS};

use crate::files::Files;
use crate::usage::{JobUsage, Usage};

pub use code::Code;
pub use survey::Survey;
pub use thresholds::{Thresholds, USUAL};

/// Importance of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Good,
    Info,
    /// At stake is less than 1 % of the run time.
    Low,
    /// At stake is less than 10 % of the run time.
    Medium,
    /// At stake is 10 % of the run time or more.
    High,
}

/// A figure with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    Count(u64),
    Bytes(u64),
    Seconds(f64),
    /// From 0 to 1.
    Share(f64),
    Times(f64),
    /// Bytes per second.
    Rate(f64),
    Interface(Module),
    /// Whether the figures are exact; otherwise they are lower bounds.
    Exact(bool),
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    pub code: Code,
    pub severity: Severity,
    /// How much shorter the run could be, estimated on the high side.
    pub seconds_at_stake: f64,
    pub figures: Vec<(&'static str, Amount)>,
    /// The most affected files, each with its amount.
    pub files: Vec<(FileId, Amount)>,
    /// Number of affected files, where files are known.
    pub files_concerned: u64,
    pub ranks: Vec<u32>,
}

impl Finding {
    pub fn figure(&self, name: &str) -> Option<Amount> {
        self.figures.iter().find(|(known, _)| *known == name).map(|&(_, amount)| amount)
    }
}

/// The input of the rules.
pub struct Facts<'a> {
    pub job: &'a Job,
    pub usage: &'a JobUsage,
    pub files: &'a Files,
    pub survey: &'a Survey,
    pub nodes: Option<u64>,
}

/// Returns all findings, most severe and then most costly first.
pub fn advise(facts: &Facts<'_>) -> Vec<Finding> {
    let found = |rule: &Rule| (rule.find)(facts).map(|found| found.weighed(rule.code, facts.job.runtime_s()));
    let mut findings: Vec<Finding> =
        RULES.iter().flat_map(|family| family.iter()).filter_map(found).collect();
    findings
        .sort_by(|a, b| b.severity.cmp(&a.severity).then(b.seconds_at_stake.total_cmp(&a.seconds_at_stake)));
    findings
}

struct Rule {
    code: Code,
    find: fn(&Facts<'_>) -> Option<Found>,
}

const fn rule(code: Code, find: fn(&Facts<'_>) -> Option<Found>) -> Rule {
    Rule { code, find }
}

const RULES: &[&[Rule]] =
    &[sizes::RULES, order::RULES, again::RULES, metadata::RULES, balance::RULES, mpiio::RULES, mix::RULES];

/// What a rule returns; severity is derived later.
struct Found {
    weight: Weight,
    figures: Vec<(&'static str, Amount)>,
    files: Vec<(FileId, Amount)>,
    files_concerned: u64,
    ranks: Vec<u32>,
}

enum Weight {
    /// Severity by the seconds at stake.
    Seconds(f64),
    /// The same, but capped at medium: the saving is only a possibility.
    Hope(f64),
    Info,
    Good,
}

const MAX_FILES: usize = 10;

impl Found {
    fn new(weight: Weight) -> Found {
        Found { weight, figures: Vec::new(), files: Vec::new(), files_concerned: 0, ranks: Vec::new() }
    }

    fn costs(seconds: f64) -> Found {
        Found::new(Weight::Seconds(seconds))
    }

    fn figure(mut self, name: &'static str, amount: Amount) -> Found {
        self.figures.push((name, amount));
        self
    }

    fn part(self, names: [&'static str; 2], part: u64, whole: u64) -> Found {
        self.figure(names[0], Amount::Count(part))
            .figure(names[1], Amount::Count(whole))
            .figure("share", Amount::Share(share(part, whole)))
    }

    fn files(mut self, of: impl Iterator<Item = (FileId, f64)>, unit: fn(f64) -> Amount) -> Found {
        let mut all: Vec<(FileId, f64)> = of.filter(|(_, amount)| *amount > 0.0).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.files_concerned = all.len() as u64;
        self.files = all.into_iter().take(MAX_FILES).map(|(id, amount)| (id, unit(amount))).collect();
        self
    }

    fn weighed(self, code: Code, runtime_s: f64) -> Finding {
        let by_time = |seconds: f64| {
            let seconds = if seconds.is_finite() { seconds.clamp(0.0, runtime_s.max(0.0)) } else { 0.0 };
            (by_share(seconds / runtime_s.max(f64::MIN_POSITIVE)), seconds)
        };
        let (severity, seconds_at_stake) = match self.weight {
            Weight::Seconds(seconds) => by_time(seconds),
            Weight::Hope(seconds) => (by_time(seconds).0.min(Severity::Medium), by_time(seconds).1),
            Weight::Info => (Severity::Info, 0.0),
            Weight::Good => (Severity::Good, 0.0),
        };
        let Found { figures, files, files_concerned, ranks, .. } = self;
        Finding { code, severity, seconds_at_stake, figures, files, files_concerned, ranks }
    }
}

fn by_share(of_run_time: f64) -> Severity {
    match of_run_time {
        share if share >= 0.1 => Severity::High,
        share if share >= 0.01 => Severity::Medium,
        _ => Severity::Low,
    }
}

struct Accesses<'a> {
    calls: u64,
    bytes: u64,
    seconds: f64,
    sizes: &'a [u64; SIZE_BINS],
}

fn accesses(usage: &Usage, op: Direction) -> Accesses<'_> {
    match op {
        Direction::Write => Accesses {
            calls: usage.writes,
            bytes: usage.written_bytes,
            seconds: usage.write_s,
            sizes: &usage.write_sizes,
        },
        _ => Accesses {
            calls: usage.reads,
            bytes: usage.read_bytes,
            seconds: usage.read_s,
            sizes: &usage.read_sizes,
        },
    }
}

impl Facts<'_> {
    fn usage(&self, module: Module) -> Option<&Usage> {
        self.usage.modules.get(&module)
    }

    fn thresholds(&self) -> &Thresholds {
        &self.survey.thresholds
    }

    fn processes(&self) -> f64 {
        self.job.nprocs.max(1) as f64
    }

    fn lowest_interface(&self) -> Option<(Module, &Usage)> {
        [Module::Posix, Module::Dfs, Module::Daos]
            .into_iter()
            .find_map(|module| self.usage(module).map(|usage| (module, usage)))
    }

    /// Converts seconds over all ranks to seconds that the run waits: the same share of the slowest
    /// path. The slowest path is the longest time of a rank on its own files plus, for every shared
    /// file, the time of its slowest rank. It is the mean over ranks where the log does not tell
    /// the slowest.
    fn wall(&self, module: Module, seconds: f64) -> f64 {
        let Some(usage) = self.usage(module) else { return seconds / self.processes() };
        let all = usage.seconds();
        let path = usage.estimate().seconds().max(all / self.processes());
        if all > 0.0 { (seconds / all).min(1.0) * path } else { 0.0 }
    }

    fn joinable(&self, module: Module, op: Direction) -> f64 {
        let seconds = match (module, self.usage(module)) {
            (Module::Posix, _) => {
                self.survey.files.iter().map(|file| file.ways[survey::side(op)].joinable_s).sum()
            }
            (Module::MpiIo, _) => self.survey.mpi[survey::side(op)].joinable_s,
            (_, Some(usage)) => {
                let of = accesses(usage, op);
                of.seconds * cost::saved_by_joining(of.sizes, of.bytes)
            }
            _ => 0.0,
        };
        self.wall(module, seconds)
    }

    fn metadata_wall(&self) -> f64 {
        let of = |module: Module| self.usage(module).map_or(0.0, |usage| self.wall(module, usage.meta_s));
        self.usage.layers().into_iter().map(of).sum()
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
