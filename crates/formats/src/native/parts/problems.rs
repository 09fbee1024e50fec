//! Reports what is missing from a run: one sentence per kind, over all processes.

use std::collections::{HashMap, HashSet};

use marigraph_model::{Problem, ProblemKind};

use super::facts::Facts;
use super::ranks::Seating;

/// Totals of what the first pass found missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Missing {
    /// Records that the recorder could not keep, or whose ordinals have no record, as after a torn
    /// chunk.
    pub lost: u64,
    /// Calls made while the recorder itself ran on the thread.
    pub skipped: u64,
    /// Uses of names that the user's filters leave out.
    pub excluded: u64,
    /// Ring entries that could not be read.
    pub unseen: u64,
    /// Opens that could not be followed.
    pub unfollowed: u64,
    /// Chunks that could not be written.
    pub unwritten: u64,
    pub killed: u64,
}

impl Missing {
    pub(super) fn of(facts: &[Facts], seating: &Seating) -> Missing {
        let mut sum = Missing { killed: killed(facts, seating), ..Missing::default() };
        for part in facts {
            // A lost record either has no ordinal or leaves a gap, not both.
            sum.lost += part.counters.lost.max(part.missing);
            sum.skipped += part.counters.skipped;
            sum.excluded += part.counters.excluded;
            sum.unseen += part.counters.unseen;
            sum.unfollowed += part.counters.unfollowed;
            sum.unwritten += part.counters.unwritten;
        }
        sum
    }
}

/// Processes in the run that did not end normally. A process that called `exec` did not end: its
/// last program counts.
fn killed(facts: &[Facts], seating: &Seating) -> u64 {
    let mut last: HashMap<_, (u64, bool)> = HashMap::new();
    for (part, _) in facts.iter().zip(&seating.seats).filter(|(_, seat)| seat.is_some()) {
        let process = (&part.identity.host, &part.identity.boot, part.identity.pid);
        let at = part.identity.opened.wall.max(part.began().wall);
        let known = last.entry(process).or_insert((at, part.ended));
        if at >= known.0 {
            *known = (at, part.ended);
        }
    }
    last.values().filter(|(_, ended)| !ended).count() as u64
}

fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

pub(super) fn word(facts: &[Facts], missing: &Missing, seating: &Seating) -> Vec<Problem> {
    use ProblemKind::{Corrupt, NotRecorded, Partial, Truncated};
    let sum = |of: fn(&Facts) -> u64| facts.iter().map(of).sum::<u64>();
    let Missing { lost, skipped, unwritten, unfollowed, excluded, unseen, killed } = *missing;
    let (absent, unranked) = (absent(seating), u64::from(seating.unranked));
    let (torn, unnamed) = (sum(|part| part.torn), sum(|part| u64::from(!part.identified)));
    let calls = count(skipped, "call", "calls");
    let chunks = count(unwritten, "chunk", "chunks");
    let opens = count(unfollowed, "open file", "open files");
    let uses = count(excluded, "use", "uses");
    let entries = count(unseen, "entry", "entries");
    let ranks = count(u64::from(seating.nprocs), "rank", "ranks");
    let processes = count(killed, "process", "processes");
    let bytes = count(torn, "byte", "bytes");
    let parts = count(unnamed, "part", "parts");
    let (was, ran) = (was(lost), ran(unranked));
    let lines = [
        (lost, Partial, format!("{was} lost; sums are lower bounds")),
        (
            skipped,
            Partial,
            format!("{calls} made while the recorder was busy on the same thread are not recorded"),
        ),
        (unwritten, Partial, format!("{chunks} of recorded calls could not be written (is the disk full?)")),
        (
            unfollowed,
            Partial,
            format!("{opens} exceeded the limit of open files; calls on these files are missing"),
        ),
        (excluded, NotRecorded, format!("{uses} of files that --exclude leaves out are not recorded")),
        (
            unseen,
            NotRecorded,
            format!(
                "{entries} of io_uring, submitted without the C library, could not be read: no sum has their bytes"
            ),
        ),
        (
            absent,
            NotRecorded,
            format!("{absent} of {ranks} left no part: no I/O, or no writable parts folder"),
        ),
        (
            killed,
            Truncated,
            format!("{processes} did not end normally (killed?); calls up to that moment are recorded"),
        ),
        (torn, Corrupt, format!("{bytes} of the recorder's logs are damaged")),
        (
            unnamed,
            Corrupt,
            format!(
                "{parts} lost the description of its process; host and process are taken from the file name"
            ),
        ),
        (unranked, NotRecorded, format!("{ran} outside of MPI; they got the ranks after the last one")),
    ];
    let lines = lines.into_iter().filter(|line| line.0 > 0);
    lines.map(|(_, kind, message)| Problem::new(kind, message)).collect()
}

/// Ranks without any part; 0 if no rank has one.
fn absent(seating: &Seating) -> u64 {
    let present: HashSet<u32> = seating.seats.iter().flatten().map(|seat| seat.rank).collect();
    if present.is_empty() { 0 } else { u64::from(seating.nprocs).saturating_sub(present.len() as u64) }
}

fn was(number: u64) -> String {
    if number == 1 { "1 record was".to_string() } else { format!("{number} records were") }
}

fn ran(number: u64) -> String {
    if number == 1 { "1 process ran".to_string() } else { format!("{number} processes ran") }
}

/// Problems of the second pass: data that are present but unreadable.
pub fn unreadable(records: u64, names: u64, operations: u64, clocks: u64) -> Vec<Problem> {
    let lines = [
        (records, format!("{} unreadable", was(records))),
        (
            names,
            format!(
                "{} of files are incomplete; calls on them cannot be distinguished",
                count(names, "name", "names")
            ),
        ),
        (operations, format!("{} of operations unknown to this version", was(operations))),
        (
            clocks,
            format!(
                "the clock of {} could not be measured; their times are approximate",
                count(clocks, "process", "processes")
            ),
        ),
    ];
    let lines = lines.into_iter().filter(|line| line.0 > 0);
    lines.map(|(_, message)| Problem::new(ProblemKind::BadRecord, message)).collect()
}
