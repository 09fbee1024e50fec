//! Phases by ranks: a rank takes part in a phase with one burst, so a phase ends where a rank
//! starts its next burst.

use std::collections::BTreeMap;

use super::outcome::Phase;
use super::runs::{cuts, in_order, pauses};

/// Maximum number of ranks used; further ones are not worth the time.
const MAX_RANKS: usize = 64;
/// Pauses tried, and classes of ranks examined for each.
const CUTS: usize = 5;
const CLASSES: usize = 2;

/// Splits the bursts of the ranks into phases in several ways, each with the share of ranks that
/// take part in a phase.
pub fn by_rank(ranks: &[&[Phase]]) -> Vec<(f64, Vec<Phase>)> {
    if ranks.len() < 2 {
        return Vec::new();
    }
    let ranks = &ranks[..ranks.len().min(MAX_RANKS)];
    let gaps: Vec<f64> = ranks.iter().flat_map(|bursts| pauses(bursts)).collect();
    let all = Bursts::new(ranks);
    cuts(gaps, ranks.len(), CUTS).into_iter().flat_map(|cut| all.at_cut(cut)).collect()
}

/// Bursts of all ranks in order of time, as every cut needs them.
struct Bursts {
    all: Vec<(usize, Phase)>,
    bytes: Vec<f64>,
}

impl Bursts {
    fn new(ranks: &[&[Phase]]) -> Bursts {
        let bursts: Vec<&Phase> = ranks.iter().flat_map(|bursts| bursts.iter()).collect();
        let rank_of =
            ranks.iter().enumerate().flat_map(|(rank, bursts)| std::iter::repeat_n(rank, bursts.len()));
        let rank_of: Vec<usize> = rank_of.collect();
        // Bursts that all start at once are in order.
        let all = match in_order(&bursts) {
            Some(order) => order.map(|at| (rank_of[at], *bursts[at])).collect(),
            None => rank_of.into_iter().zip(bursts.into_iter().copied()).collect(),
        };
        let bytes = ranks.iter().map(|bursts| bursts.iter().map(|burst| burst.bytes).sum()).collect();
        Bursts { all, bytes }
    }

    fn at_cut(&self, cut_s: f64) -> Vec<(f64, Vec<Phase>)> {
        let counts = self.counts(cut_s);
        let mut rest: Vec<bool> = vec![true; counts.len()];
        let mut ways = Vec::new();
        while ways.len() < CLASSES && rest.iter().filter(|&&is_left| is_left).count() > 1 {
            let class = self.heaviest_class(&counts, &rest);
            let phases = self.rounds(&class, cut_s);
            let ranks = class.iter().filter(|&&belongs| belongs).count();
            let in_class = counts.iter().zip(&class).filter(|(_, belongs)| **belongs);
            let taking_part = in_class.map(|(count, _)| count).sum::<usize>() as f64;
            ways.push((taking_part / (ranks * phases.len()).max(1) as f64, phases));
            rest.iter_mut().zip(class).for_each(|(is_left, belongs)| *is_left &= !belongs);
        }
        ways
    }

    /// Reports for each burst of some ranks, in order, whether it is new or continues the one
    /// before, from which a pause shorter than the cut separates it.
    fn each(&self, ranks: &[bool], cut_s: f64, mut tell: impl FnMut(usize, &Phase, bool)) {
        let mut ends = vec![f64::NEG_INFINITY; ranks.len()];
        for (rank, burst) in self.all.iter().filter(|(rank, _)| ranks[*rank]) {
            let end_s = &mut ends[*rank];
            tell(*rank, burst, burst.start_s > *end_s + cut_s);
            *end_s = end_s.max(burst.end_s);
        }
    }

    fn counts(&self, cut_s: f64) -> Vec<usize> {
        let mut counts = vec![0; self.bytes.len()];
        let all = vec![true; self.bytes.len()];
        self.each(&all, cut_s, |rank, _, is_new| counts[rank] += usize::from(is_new));
        counts
    }

    /// Of the remaining ranks, those with the burst count that moves most bytes; the others have
    /// another activity.
    fn heaviest_class(&self, counts: &[usize], rest: &[bool]) -> Vec<bool> {
        let mut bytes_by_count: BTreeMap<usize, f64> = BTreeMap::new();
        for ((count, bytes), _) in counts.iter().zip(&self.bytes).zip(rest).filter(|(_, is_left)| **is_left) {
            *bytes_by_count.entry(*count).or_default() += bytes;
        }
        // A cut window or an absent rank changes the count slightly.
        let near = |count: usize, other: usize| other.abs_diff(count) <= 1 + count / 5;
        let weight = |count: usize| -> f64 {
            bytes_by_count.iter().filter(|(other, _)| near(count, **other)).map(|(_, bytes)| bytes).sum()
        };
        let main = bytes_by_count
            .iter()
            .max_by(|a, b| weight(*a.0).total_cmp(&weight(*b.0)).then(a.1.total_cmp(b.1)))
            .map_or(0, |(&count, _)| count);
        counts.iter().zip(rest).map(|(&count, &is_left)| is_left && near(main, count)).collect()
    }

    /// Cuts where a rank that has had its burst starts another.
    fn rounds(&self, ranks: &[bool], cut_s: f64) -> Vec<Phase> {
        let mut phases: Vec<Phase> = Vec::new();
        // The round of each rank's last burst, from 1.
        let mut seen_in = vec![0usize; ranks.len()];
        self.each(ranks, cut_s, |rank, burst, is_new| {
            let round = phases.len();
            if round == 0 || is_new && seen_in[rank] == round {
                phases.push(*burst);
                seen_in[rank] = round + 1;
                return;
            }
            if is_new {
                seen_in[rank] = round;
            }
            if let Some(phase) = seen_in[rank].checked_sub(1).and_then(|at| phases.get_mut(at)) {
                phase.end_s = phase.end_s.max(burst.end_s);
                phase.bytes += burst.bytes;
            }
        });
        phases
    }
}
