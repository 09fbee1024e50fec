//! Phases by ranks: a rank takes part in a phase with one burst, so a phase ends where a rank begins
//! its next.

use std::collections::BTreeMap;

use super::outcome::Phase;
use super::runs::{cuts, joined, pauses};

/// Ranks that tell phases; what the others add is not worth the time.
const MOST_RANKS: usize = 64;
/// Pauses that are tried, and classes of ranks that are looked at for each.
const CUTS: usize = 5;
const CLASSES: usize = 2;

/// Ways to see the bursts of the ranks as phases, each with the share of ranks that take part in a phase.
pub fn by_rank(ranks: &[&[Phase]]) -> Vec<(f64, Vec<Phase>)> {
    if ranks.len() < 2 {
        return Vec::new();
    }
    let ranks = &ranks[..ranks.len().min(MOST_RANKS)];
    let gaps: Vec<f64> = ranks.iter().flat_map(|bursts| pauses(bursts)).collect();
    cuts(gaps, ranks.len(), CUTS).into_iter().flat_map(|cut| at_cut(ranks, cut)).collect()
}

fn at_cut(ranks: &[&[Phase]], cut_s: f64) -> Vec<(f64, Vec<Phase>)> {
    let mut rest: Vec<Vec<Phase>> = ranks.iter().map(|bursts| joined(bursts, cut_s)).collect();
    let mut ways = Vec::new();
    while ways.len() < CLASSES && rest.len() > 1 {
        let (class, others) = heaviest_class(rest);
        let phases = rounds(&class);
        let taking_part = class.iter().map(Vec::len).sum::<usize>() as f64;
        ways.push((taking_part / (class.len() * phases.len()).max(1) as f64, phases));
        rest = others;
    }
    ways
}

/// The ranks with the number of bursts by which most bytes are moved, and the others, which do something
/// else.
fn heaviest_class(ranks: Vec<Vec<Phase>>) -> (Vec<Vec<Phase>>, Vec<Vec<Phase>>) {
    let mut bytes_by_count: BTreeMap<usize, f64> = BTreeMap::new();
    for bursts in &ranks {
        *bytes_by_count.entry(bursts.len()).or_default() += bursts.iter().map(|b| b.bytes).sum::<f64>();
    }
    // A window that is cut, or a rank that sits out, changes the count by a little.
    let near = |count: usize, other: usize| other.abs_diff(count) <= 1 + count / 5;
    let weight = |count: usize| -> f64 {
        bytes_by_count.iter().filter(|(other, _)| near(count, **other)).map(|(_, bytes)| bytes).sum()
    };
    let main = bytes_by_count
        .iter()
        .max_by(|a, b| weight(*a.0).total_cmp(&weight(*b.0)).then(a.1.total_cmp(b.1)))
        .map_or(0, |(&count, _)| count);
    ranks.into_iter().partition(|bursts| near(main, bursts.len()))
}

/// Cuts where a rank that has had its burst begins another.
fn rounds(ranks: &[Vec<Phase>]) -> Vec<Phase> {
    let mut all: Vec<(usize, Phase)> = Vec::new();
    for (rank, bursts) in ranks.iter().enumerate() {
        all.extend(bursts.iter().map(|&burst| (rank, burst)));
    }
    all.sort_by(|a, b| a.1.start_s.total_cmp(&b.1.start_s));
    let mut phases: Vec<Phase> = Vec::new();
    let mut seen_in = vec![0usize; ranks.len()];
    for (rank, burst) in all {
        let round = phases.len();
        if round == 0 || seen_in[rank] == round {
            phases.push(burst);
            seen_in[rank] = round + 1;
        } else if let Some(phase) = phases.last_mut() {
            phase.end_s = phase.end_s.max(burst.end_s);
            phase.bytes += burst.bytes;
            seen_in[rank] = round;
        }
    }
    phases
}
