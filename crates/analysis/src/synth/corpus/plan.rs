//! A synthetic application, drawn once and run any number of times.

use super::super::Random;
use super::pattern::{self, Pattern};

/// The threshold that a case is drawn close to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Deliberately none.
    Far,
    Bytes,
    Evenness,
    /// A quarter against half of the fullest quarter.
    Halves,
    /// A period against a magnitude.
    Period,
    /// Busy share of a periodic operation.
    Busy,
    Gap,
    Peak,
    Spike,
    Spikes,
    Density,
    /// Requests against processes.
    Load,
}

impl Edge {
    pub const ALL: [(Edge, &str); 12] = [
        (Edge::Far, "far"),
        (Edge::Bytes, "bytes"),
        (Edge::Evenness, "evenness"),
        (Edge::Halves, "halves"),
        (Edge::Period, "period"),
        (Edge::Busy, "busy"),
        (Edge::Gap, "gap"),
        (Edge::Peak, "peak"),
        (Edge::Spike, "spike"),
        (Edge::Spikes, "spikes"),
        (Edge::Density, "density"),
        (Edge::Load, "load"),
    ];

    pub fn name(self) -> &'static str {
        Edge::ALL.iter().find(|(edge, _)| *edge == self).map_or("far", |(_, name)| name)
    }
}

/// How an activity distributes its operations over files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A new file for each operation.
    Numbered,
    /// One file, open from the first operation to the last.
    HeldOpen,
    /// One file, opened and closed for each operation.
    Reopened,
}

/// Bytes moved in one interval; times are shares of the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    pub start: f64,
    pub length: f64,
    pub bytes: f64,
}

/// Accesses in one direction to one family of files.
#[derive(Debug, Clone, PartialEq)]
pub struct Activity {
    pub write: bool,
    pub name: &'static str,
    pub steps: Vec<Step>,
    pub layout: Layout,
    pub own_files: bool,
    pub collective: bool,
    pub stream: bool,
    /// Skew between processes, as a share of an operation.
    pub out_of_step: f64,
    pub call_bytes: f64,
}

/// Metadata requests in addition to those of reading and writing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    Quiet,
    Spikes {
        count: usize,
        requests: f64,
        /// All spikes open one file, whose record cannot tell them apart.
        one_file: bool,
    },
    Storm {
        per_s: f64,
    },
    /// Opens one more file until the total is this multiple of the processes.
    Opens {
        per_process: f64,
    },
}

impl Load {
    pub fn name(self) -> &'static str {
        match self {
            Load::Quiet => "quiet",
            Load::Spikes { .. } => "spikes",
            Load::Storm { .. } => "storm",
            Load::Opens { .. } => "opens",
        }
    }
}

/// What an application does.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub edge: Edge,
    pub patterns: [Pattern; 2],
    pub runtime_s: f64,
    pub nprocs: u64,
    /// All processes open a shared file, not only the few that read and write.
    pub all_open: bool,
    pub activities: Vec<Activity>,
    pub load: Load,
    /// Libraries and modules read at the start.
    pub small_files: usize,
    /// Maximum number of files of an activity with one file per process; real logs hold only some
    /// of them too.
    pub own_files: usize,
}

const EDGES: f64 = 0.08;

impl Plan {
    pub fn draw(random: &mut Random) -> Plan {
        let edge = if random.chance(EDGES) { Edge::ALL[1 + random.index(11)].0 } else { Edge::Far };
        let patterns = patterns(edge, random);
        let nprocs = random.between_log(1.0, 100_001.0) as u64;
        let runtime_s = runtime(edge, random);
        let mut activities = Vec::new();
        for (pattern, write) in patterns.into_iter().zip([false, true]) {
            let bytes = volume(pattern, edge, random).min(nprocs as f64 * runtime_s * 5e9);
            activities.extend(pattern::activities(pattern, edge, (write, runtime_s), bytes, random));
        }
        Plan {
            edge,
            patterns,
            runtime_s,
            nprocs,
            all_open: random.chance(0.4),
            activities,
            load: load(edge, random),
            small_files: small_files(random),
            own_files: (24.0 * random.lognormal(1.3)).min(20_000.0) as usize,
        }
    }
}

/// Patterns of reading and writing; an edge that belongs to a pattern sets one direction to it.
fn patterns(edge: Edge, random: &mut Random) -> [Pattern; 2] {
    let mut patterns = [Pattern::draw(random), Pattern::draw(random)];
    let wanted = match edge {
        Edge::Bytes => Some(Pattern::Bursts),
        Edge::Evenness => Some(Pattern::Even),
        Edge::Halves => Some(Pattern::Bursts),
        Edge::Period | Edge::Busy => Some(Pattern::Periodic),
        Edge::Gap => Some(Pattern::Split),
        _ => None,
    };
    if let Some(wanted) = wanted {
        patterns[random.index(2)] = wanted;
    }
    patterns
}

/// A few, and rarely very many: a year of real logs has a median of some kilobytes and a tail of
/// megabytes.
fn small_files(random: &mut Random) -> usize {
    let count = if random.chance(0.004) { random.between_log(1e3, 3e4) } else { 4.0 * random.lognormal(1.7) };
    count.min(3e4) as usize
}

/// One minute to twelve days, or 6 to 12 times the magnitude that a period is drawn close to.
fn runtime(edge: Edge, random: &mut Random) -> f64 {
    match edge {
        Edge::Period => [60.0, 3600.0, 86_400.0][random.index(3)] * random.between(6.0, 12.0),
        Edge::Density => random.between_log(60.0, 2e4),
        _ if random.chance(0.1) => random.between_log(8.6e4, 1.04e6),
        _ => random.between_log(60.0, 8.6e4),
    }
}

/// A value close to a threshold, but not so close that rounding decides.
pub fn beside(threshold: f64, random: &mut Random) -> f64 {
    let off = random.between(0.04, 0.19);
    threshold * if random.chance(0.5) { 1.0 + off } else { 1.0 - off }
}

fn volume(pattern: Pattern, edge: Edge, random: &mut Random) -> f64 {
    match pattern {
        Pattern::Silent => 0.0,
        Pattern::Trifle => random.between_log(1e3, 7e7),
        Pattern::Bursts if edge == Edge::Bytes => beside(1e8, random),
        _ => random.between_log(1.5e8, 5e12),
    }
}

fn load(edge: Edge, random: &mut Random) -> Load {
    let one_file = random.chance(0.3);
    match edge {
        Edge::Peak => Load::Spikes { count: 1, requests: beside(250.0, random), one_file },
        Edge::Spike => Load::Spikes { count: 4 + random.index(4), requests: beside(50.0, random), one_file },
        Edge::Spikes => {
            Load::Spikes { count: 4 + random.index(3), requests: random.between(60.0, 400.0), one_file }
        }
        Edge::Density => Load::Storm { per_s: beside(50.0, random) },
        Edge::Load => Load::Opens { per_process: beside(1.0, random) },
        _ => match random.index(10) {
            0 | 1 => Load::Spikes {
                count: 1 + random.index(12),
                requests: random.between_log(60.0, 3000.0),
                one_file,
            },
            2 => Load::Storm { per_s: random.between_log(5.0, 2000.0) },
            _ => Load::Quiet,
        },
    }
}
