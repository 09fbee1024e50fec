//! Assigns processes to ranks.
//!
//! The rank from MPI comes first, then the environment that launchers set, then the parent a
//! process was forked from. If no process has a rank, each process that made a call is one. A
//! process that called `exec` has several parts.

use std::collections::{BTreeMap, HashMap};

use super::facts::{Facts, Role};

/// Limit on forks followed, in case parts refer to each other in a cycle.
const FORKS: usize = 64;
/// Larger ranks in an environment are ignored as invalid.
const MOST: u32 = 1 << 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seat {
    pub(super) rank: u32,
    /// 0-based ordinal of the process (or program) in the rank, by start time.
    pub(super) ordinal: u32,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Seating {
    /// Per part; `None` for launchers and for processes without calls.
    pub(super) seats: Vec<Option<Seat>>,
    pub(super) nprocs: u32,
    /// Processes without a rank while others have one.
    pub(super) unranked: u32,
    /// Parts of launchers and idle shells that made calls but are left out.
    pub(super) launchers: u32,
}

pub(super) fn seat(facts: &[Facts]) -> Seating {
    let by_stem: HashMap<&str, usize> =
        facts.iter().enumerate().map(|(at, facts)| (facts.stem.as_str(), at)).collect();
    let ranks: Vec<Option<u32>> = (0..facts.len()).map(|at| rank(facts, &by_stem, at)).collect();
    let mut by_rank: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, rank) in ranks.iter().enumerate() {
        rank.iter().for_each(|&rank| by_rank.entry(rank).or_default().push(at));
    }
    let size =
        facts.iter().zip(&ranks).filter(|(_, rank)| rank.is_some()).filter_map(|(facts, _)| facts.size).max();
    let size = size.filter(|&size| size <= MOST).unwrap_or(0);
    let known = by_rank.last_key_value().map_or(0, |(&rank, _)| rank + 1).max(size);
    let mut seating = Seating { seats: vec![None; facts.len()], ..Seating::default() };
    let rest = processes(facts, &ranks, &mut seating.launchers);
    seating.unranked = if known > 0 { rest.len() as u32 } else { 0 };
    let rest = rest.into_iter().zip(known..).map(|(parts, rank)| (rank, parts));
    seating.nprocs = known;
    for (rank, mut parts) in by_rank.into_iter().chain(rest) {
        parts.sort_by_key(|&at| order(facts, at));
        seating.nprocs = seating.nprocs.max(rank + 1);
        for (ordinal, at) in (0..).zip(parts) {
            if let Some(seat) = seating.seats.get_mut(at) {
                *seat = Some(Seat { rank, ordinal });
            }
        }
    }
    seating
}

/// The rank of a part: its own, or that of the part it was forked from.
fn rank(facts: &[Facts], by_stem: &HashMap<&str, usize>, at: usize) -> Option<u32> {
    let mut part = facts.get(at)?;
    if part.role == Role::Launcher && part.mpi.is_none() {
        return None;
    }
    for _ in 0..FORKS {
        if let Some(rank) = part.own_rank() {
            return Some(rank).filter(|&rank| rank < MOST);
        }
        let parent = String::from_utf8_lossy(&part.identity.forked_from).into_owned();
        part = facts.get(*by_stem.get(parent.as_str())?)?;
    }
    None
}

/// The processes without a rank that are to get one, by start time; each with its parts.
fn processes(facts: &[Facts], ranks: &[Option<u32>], launchers: &mut u32) -> Vec<Vec<usize>> {
    let mut chains: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, part) in facts.iter().enumerate().filter(|(at, _)| ranks.get(*at) == Some(&None)) {
        let identity = &part.identity;
        // A part without a process id stands alone.
        let alone = if identity.pid == 0 { at + 1 } else { 0 };
        chains.entry((&identity.host, &identity.boot, identity.pid, alone)).or_default().push(at);
    }
    let part = |at: &usize| facts.get(*at);
    let mut kept: Vec<Vec<usize>> = Vec::new();
    for chain in chains.into_values() {
        let works = chain.iter().filter_map(part).any(|part| part.called && part.role == Role::Program);
        if works {
            kept.push(chain.into_iter().filter(|at| part(at).is_some_and(|part| part.called)).collect());
        } else {
            *launchers += chain.iter().filter_map(part).filter(|part| part.called).count() as u32;
        }
    }
    kept.sort_by_key(|chain| chain.iter().map(|&at| order(facts, at)).min());
    kept
}

/// Sorts by wall time of the start, then by name, so that the result is deterministic.
fn order(facts: &[Facts], at: usize) -> (u64, u64, &str) {
    facts.get(at).map_or((0, 0, ""), |part| {
        let began = part.began();
        // Programs of one process have the same start; their first calls differ.
        (began.wall, part.identity.opened.wall, part.stem.as_str())
    })
}
