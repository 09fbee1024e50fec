//! Interfaces and file sharing by job size: figures 2 and 3.

use std::collections::BTreeMap;

use super::{Joined, RecordedRun, SizeBin, size_bin};
use crate::asked::Interface;

/// Interfaces of the runs of one job size.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceBin {
    pub bin: SizeBin,
    pub runs: u64,
    /// Runs that used each interface, in the order of [`Interface::ALL`].
    pub used: [u64; Interface::ALL.len()],
    pub read: [u64; Interface::ALL.len()],
    pub written: [u64; Interface::ALL.len()],
}

pub fn interfaces(joined: &Joined<'_>) -> Vec<InterfaceBin> {
    let mut bins: BTreeMap<SizeBin, InterfaceBin> = BTreeMap::new();
    for (_, run, _) in &joined.runs {
        let bin = size_bin(run.processes);
        let new = InterfaceBin { bin, runs: 0, used: [0; 6], read: [0; 6], written: [0; 6] };
        let sums = bins.entry(bin).or_insert(new);
        sums.runs += 1;
        for (interface, asked) in &run.interfaces {
            let at = *interface as usize;
            sums.used[at] += u64::from(asked.opens > 0);
            sums.read[at] = sums.read[at].saturating_add(asked.read);
            sums.written[at] = sums.written[at].saturating_add(asked.written);
        }
    }
    bins.into_values().collect()
}

/// File sharing in the runs of one job size.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyBin {
    pub bin: SizeBin,
    pub runs: u64,
    /// Runs whose bytes mostly go to files of one process, of several, of all; runs without bytes.
    pub strategy: [u64; 4],
    /// Bytes from files of one process, of several, of all.
    pub read: [u64; 3],
    pub written: [u64; 3],
}

pub fn strategies(joined: &Joined<'_>) -> Vec<StrategyBin> {
    let mut bins: BTreeMap<SizeBin, StrategyBin> = BTreeMap::new();
    for (_, run, _) in &joined.runs {
        let bin = size_bin(run.processes);
        let new = StrategyBin { bin, runs: 0, strategy: [0; 4], read: [0; 3], written: [0; 3] };
        let sums = bins.entry(bin).or_insert(new);
        sums.runs += 1;
        sums.strategy[strategy(run)] += 1;
        for (at, asked) in run.sharing.iter().enumerate() {
            sums.read[at] = sums.read[at].saturating_add(asked.read);
            sums.written[at] = sums.written[at].saturating_add(asked.written);
        }
    }
    bins.into_values().collect()
}

/// Returns the kind of sharing that moves most bytes of a run; on a tie, the wider one.
fn strategy(run: &RecordedRun) -> usize {
    let bytes = |at: usize| run.sharing[at].read.saturating_add(run.sharing[at].written);
    let most = (0..3).max_by_key(|&at| (bytes(at), at));
    most.filter(|&at| bytes(at) > 0).unwrap_or(3)
}
