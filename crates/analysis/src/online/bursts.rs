//! Recent bursts, in bounded memory.

use std::collections::{BTreeMap, VecDeque};

use super::Burst;
use crate::period::Phase;
use crate::period::rows::join;

/// Maximum number of bursts, and of ranks distinguished.
const MOST: usize = 1 << 14;
const ROWS: usize = 256;
/// Pauses up to this length do not separate bursts.
const SHORTEST_PAUSE_S: f64 = 1e-3;
/// Neither do pauses up to this share of the next request: back-to-back requests are not a rhythm.
const BRIEF: f64 = 0.1;
/// Minimum duration of a request, so that its volume has a place in time.
const SHORTEST_S: f64 = 1e-6;

/// Bursts of all ranks, roughly in order of time.
#[derive(Debug, Clone)]
pub(super) struct Bursts {
    kept: VecDeque<Burst>,
    /// Number of the first burst kept, and of the last one of each row.
    first: u64,
    last: BTreeMap<u32, u64>,
    ranks_per_row: u32,
    /// Pauses up to this length are joined.
    join_s: f64,
}

impl Bursts {
    pub(super) fn new() -> Bursts {
        let kept = VecDeque::new();
        Bursts { kept, first: 0, last: BTreeMap::new(), ranks_per_row: 1, join_s: SHORTEST_PAUSE_S }
    }

    /// Adds requests and returns the valid ones in order of time. Joins pauses up to `coarsest_s`
    /// if there are too many bursts.
    pub(super) fn absorb(&mut self, mut requests: Vec<Burst>, coarsest_s: f64) -> Vec<Burst> {
        requests.retain(|request| {
            let finite =
                request.start_s.is_finite() && request.end_s.is_finite() && request.bytes.is_finite();
            finite && request.bytes > 0.0
        });
        requests.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        for request in &mut requests {
            request.end_s = request.end_s.max(request.start_s + SHORTEST_S);
            self.add(*request);
            if self.kept.len() > MOST || self.last.len() > ROWS {
                self.compact(coarsest_s);
            }
        }
        requests
    }

    fn add(&mut self, request: Burst) {
        let rank = request.rank / self.ranks_per_row;
        let pause_s = self.join_s.max(BRIEF * (request.end_s - request.start_s));
        let at = self.last.get(&rank).and_then(|number| number.checked_sub(self.first));
        if let Some(burst) = at.and_then(|at| self.kept.get_mut(usize::try_from(at).ok()?))
            && request.start_s >= burst.start_s
            && request.start_s <= burst.end_s + pause_s
        {
            burst.end_s = burst.end_s.max(request.end_s);
            burst.bytes += request.bytes;
            return;
        }
        self.last.insert(rank, self.first + self.kept.len() as u64);
        self.kept.push_back(Burst { rank, ..request });
    }

    /// Combines neighbouring ranks, joins pauses and at last drops the oldest bursts, until a
    /// quarter of the room is free.
    fn compact(&mut self, coarsest_s: f64) {
        let room = MOST - MOST / 4;
        let mut fewer_ranks = self.last.len() > ROWS;
        loop {
            let mut rows: BTreeMap<u32, Vec<Phase>> = BTreeMap::new();
            for burst in self.kept.drain(..) {
                let row = if fewer_ranks { burst.rank / 2 } else { burst.rank };
                let Burst { start_s, end_s, bytes, .. } = burst;
                rows.entry(row).or_default().push(Phase { start_s, end_s, bytes });
            }
            self.ranks_per_row = self.ranks_per_row.saturating_mul(if fewer_ranks { 2 } else { 1 });
            self.rebuild(rows);
            let crowded = self.kept.len() > room;
            fewer_ranks = self.last.len() > ROWS / 2 || (crowded && self.last.len() > ROWS / 16);
            if !crowded && !fewer_ranks {
                return;
            }
            if !fewer_ranks && self.join_s >= coarsest_s {
                break;
            }
            if crowded {
                self.join_s = (2.0 * self.join_s).min(coarsest_s.max(self.join_s));
            }
        }
        while self.kept.len() > room {
            self.drop_first();
        }
    }

    fn rebuild(&mut self, rows: BTreeMap<u32, Vec<Phase>>) {
        let mut all: Vec<Burst> = Vec::new();
        for (rank, mut bursts) in rows {
            join(&mut bursts, self.join_s);
            let burst = |Phase { start_s, end_s, bytes }| Burst { rank, start_s, end_s, bytes };
            all.extend(bursts.into_iter().map(burst));
        }
        all.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        let numbered = (self.first..).zip(&all);
        self.last = numbered.map(|(number, burst)| (burst.rank, number)).collect();
        self.kept = all.into();
    }

    fn drop_first(&mut self) {
        if let Some(burst) = self.kept.pop_front() {
            if self.last.get(&burst.rank) == Some(&self.first) {
                self.last.remove(&burst.rank);
            }
            self.first += 1;
        }
    }

    pub(super) fn forget_before(&mut self, moment_s: f64) {
        while self.kept.front().is_some_and(|burst| burst.end_s < moment_s) {
            self.drop_first();
        }
    }

    /// Returns all bursts from a moment on, in order of time; a burst in progress is cut there.
    pub(super) fn since(&self, moment_s: f64) -> Vec<Burst> {
        self.between(moment_s, f64::INFINITY)
    }

    /// Returns all bursts between two moments, in order of time, cut to that interval.
    pub(super) fn between(&self, from_s: f64, to_s: f64) -> Vec<Burst> {
        let inside = |burst: &Burst| {
            let (start_s, end_s) = (burst.start_s.max(from_s), burst.end_s.min(to_s));
            let share = (end_s - start_s) / (burst.end_s - burst.start_s);
            (share > 0.0).then_some(Burst { start_s, end_s, bytes: burst.bytes * share, ..*burst })
        };
        let mut bursts: Vec<Burst> = self.kept.iter().filter_map(inside).collect();
        bursts.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
        bursts
    }

    pub(super) fn start_s(&self) -> Option<f64> {
        self.kept.front().map(|burst| burst.start_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(rank: u32, start_s: f64, end_s: f64) -> Burst {
        Burst { rank, start_s, end_s, bytes: 1.0 }
    }

    fn volume(bursts: &Bursts) -> f64 {
        bursts.since(f64::NEG_INFINITY).iter().map(|burst| burst.bytes).sum()
    }

    #[test]
    fn requests_without_a_pause_are_one_burst_over_flushes_too() {
        let mut bursts = Bursts::new();
        bursts.absorb(vec![burst(1, 0.5, 1.0), burst(0, 0.0, 1.0), burst(0, 1.0005, 2.0)], 0.0);
        bursts.absorb(vec![burst(0, 2.0, 3.0), burst(1, 5.0, 5.0)], 0.0);
        let kept = bursts.since(0.0);
        let expected = [(0, 0.0, 3.0, 3.0), (1, 0.5, 1.0, 1.0), (1, 5.0, 5.000_001, 1.0)];
        let found: Vec<_> = kept.iter().map(|b| (b.rank, b.start_s, b.end_s, b.bytes)).collect();
        assert_eq!(found, expected);
        let later = bursts.since(1.5);
        assert_eq!(later[0], Burst { rank: 0, start_s: 1.5, end_s: 3.0, bytes: 1.5 });
        assert_eq!((later.len(), bursts.between(1.5, 2.0)[0].bytes), (2, 0.5));
        bursts.forget_before(1.5);
        assert_eq!(bursts.start_s(), Some(0.0), "it lasts until 3");
        bursts.forget_before(4.0);
        assert_eq!(bursts.start_s(), Some(5.0));
        bursts.absorb(vec![burst(0, 6.0, 7.0), burst(1, 5.0, 6.0)], 0.0);
        assert_eq!(bursts.since(0.0).len(), 2);
    }

    #[test]
    fn what_cannot_be_is_left_out() {
        let mut bursts = Bursts::new();
        let odd = [
            burst(0, f64::NAN, 1.0),
            burst(0, 0.0, f64::INFINITY),
            Burst { bytes: -1.0, ..burst(0, 0.0, 1.0) },
        ];
        assert!(bursts.absorb(odd.to_vec(), 0.0).is_empty());
        assert_eq!(bursts.start_s(), None);
    }

    #[test]
    fn many_ranks_are_taken_together_without_losing_a_byte() {
        let mut bursts = Bursts::new();
        for phase in 0..4 {
            let start = 30.0 * f64::from(phase);
            let flush = (0..10_000).map(|rank| burst(rank, start + f64::from(rank) * 1e-5, start + 3.0));
            bursts.absorb(flush.collect(), 1.0);
        }
        assert!(bursts.kept.len() <= 4 * ROWS);
        assert_eq!(volume(&bursts), 40_000.0);
        assert_eq!(bursts.since(60.0).iter().map(|b| b.bytes).sum::<f64>(), 20_000.0);
    }

    #[test]
    fn short_pauses_go_first_and_then_the_oldest() {
        let mut bursts = Bursts::new();
        // 100 phases of 1,000 requests with pauses of 2 ms, 10 s apart.
        let flush = |phase: u32| {
            (0..1000).map(move |n| {
                let start = 10.0 * f64::from(phase) + 0.004 * f64::from(n);
                burst(0, start, start + 0.002)
            })
        };
        (0..100).for_each(|phase| drop(bursts.absorb(flush(phase).collect(), 1.0)));
        assert!(bursts.kept.len() <= MOST);
        assert_eq!(volume(&bursts), 100_000.0);
        // Where no pause may be joined, the oldest bursts go.
        let mut bursts = Bursts::new();
        (0..100).for_each(|phase| drop(bursts.absorb(flush(phase).collect(), 0.0)));
        assert!(bursts.kept.len() <= MOST);
        assert!(bursts.start_s() > Some(800.0));
        assert_eq!(bursts.since(990.0).len(), 1000);
    }
}
