//! What moved when, and by whom: all that finding a period needs, in bounded memory.
//!
//! Requests of a rank that follow one another without a pause become one burst. When there are too
//! many bursts, shorter and shorter pauses are given up, and when there are too many ranks,
//! neighbours are taken together. The volume of the whole application is kept exactly per time bin.

use std::collections::HashMap;

use marigraph_model::Op;

use super::outcome::Phase;
use crate::grid::{Direction as Way, Grid};

/// Which operations count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Both.
    #[default]
    Both,
}

impl Direction {
    /// Whether an operation counts.
    pub fn takes(self, op: Op) -> bool {
        match op {
            Op::Read => self != Direction::Write,
            Op::Write => self != Direction::Read,
            _ => false,
        }
    }
}

/// Bins of the application's signal; between half of them and all are in use. Few requests need few.
const BINS: usize = 1 << 16;
const FEWEST_BINS: usize = 1 << 13;
const BINS_PER_REQUEST: usize = 4;
/// Requests that are put into bins at a time: the first lot tells how long the bins should be.
const LOT: usize = 1 << 14;
/// Bursts that are kept at most.
const BURSTS: usize = 1 << 19;
/// Ranks that are told apart at most.
const RANKS: u32 = 1 << 14;
/// Requests that take no time count as long as this, as their volume must be somewhere.
const SHORTEST_S: f64 = 1e-6;

/// Collects requests.
#[derive(Debug, Clone)]
pub struct Activity {
    window: Option<[f64; 2]>,
    /// Requests that are not in the bins yet.
    pending: Vec<Phase>,
    /// A moment from which time is counted in both directions; nearly always the first request.
    origin_s: f64,
    after: Option<Grid>,
    before: Option<Grid>,
    ranks: HashMap<u32, Vec<Phase>>,
    /// Ranks are taken together by this factor.
    ranks_per_row: u32,
    kept: usize,
    /// Pauses up to this length are not kept.
    join_s: f64,
    requests: u64,
    bytes: f64,
    first_s: f64,
    last_s: f64,
    /// Width of the bins of the source, where it has bins instead of requests.
    source_bin_s: Option<f64>,
}

impl Activity {
    /// Nothing yet; what lies outside the window is left out.
    pub fn new(window: Option<[f64; 2]>) -> Activity {
        Activity {
            window,
            pending: Vec::new(),
            origin_s: 0.0,
            after: None,
            before: None,
            ranks: HashMap::new(),
            ranks_per_row: 1,
            kept: 0,
            join_s: 0.0,
            requests: 0,
            bytes: 0.0,
            first_s: f64::INFINITY,
            last_s: f64::NEG_INFINITY,
            source_bin_s: None,
        }
    }

    /// Adds a request. One that crosses the window's border counts as far as it lies inside.
    pub fn add(&mut self, rank: u32, start_s: f64, end_s: f64, bytes: f64) {
        if !(start_s.is_finite() && end_s.is_finite() && bytes > 0.0 && bytes.is_finite()) {
            return;
        }
        let (start, end) = (start_s, end_s.max(start_s + SHORTEST_S));
        let [from, to] = self.window.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let (inside_from, inside_to) = (start.max(from), end.min(to));
        if inside_to <= inside_from {
            return;
        }
        let bytes = bytes * ((inside_to - inside_from) / (end - start)).min(1.0);
        self.note(Phase { start_s: inside_from, end_s: inside_to, bytes });
        self.keep(rank, Phase { start_s: inside_from, end_s: inside_to, bytes });
    }

    fn note(&mut self, request: Phase) {
        self.requests += 1;
        self.bytes += request.bytes;
        self.first_s = self.first_s.min(request.start_s);
        self.last_s = self.last_s.max(request.end_s);
        self.pending.push(request);
        if self.pending.len() >= LOT {
            self.settle();
        }
    }

    /// Puts pending requests into bins.
    fn settle(&mut self) {
        if self.after.is_none() {
            self.origin_s = self.first_s;
        }
        let origin_s = self.origin_s;
        let wanted = BINS_PER_REQUEST * self.pending.len();
        let bins = wanted.next_power_of_two().clamp(FEWEST_BINS, BINS);
        let after = self.after.get_or_insert_with(|| Grid::new(1, bins, self.last_s - origin_s));
        for request in self.pending.drain(..) {
            let (from, to) = (request.start_s - origin_s, request.end_s - origin_s);
            if from >= 0.0 {
                after.add(0, from, to, request.bytes, Way::Write);
                continue;
            }
            let early = (to.min(0.0) - from) / (to - from);
            let before = self.before.get_or_insert_with(|| Grid::new(1, BINS, after.bin_s() * BINS as f64));
            before.add(0, -to.min(0.0), -from, request.bytes * early, Way::Write);
            if to > 0.0 {
                after.add(0, 0.0, to, request.bytes * (1.0 - early), Way::Write);
            }
        }
    }

    fn keep(&mut self, rank: u32, request: Phase) {
        let bursts = self.ranks.entry(rank / self.ranks_per_row).or_default();
        match bursts.last_mut() {
            Some(last) if request.start_s >= last.start_s && request.start_s <= last.end_s + self.join_s => {
                last.end_s = last.end_s.max(request.end_s);
                last.bytes += request.bytes;
            }
            _ => {
                bursts.push(request);
                self.kept += 1;
            }
        }
        if self.kept > BURSTS || self.ranks.len() > RANKS as usize {
            self.compact();
        }
    }

    /// Gives up short pauses, and ranks if there are very many, until half of the room is free.
    fn compact(&mut self) {
        while self.ranks.len() > RANKS as usize / 2 {
            self.ranks_per_row = self.ranks_per_row.saturating_mul(2);
            let mut fewer: HashMap<u32, Vec<Phase>> = HashMap::new();
            for (rank, bursts) in self.ranks.drain() {
                fewer.entry(rank / 2).or_default().extend(bursts);
            }
            self.ranks = fewer;
        }
        let shortest = (self.last_s - self.first_s) / BURSTS as f64;
        loop {
            self.kept = self
                .ranks
                .values_mut()
                .map(|bursts| {
                    join(bursts, self.join_s);
                    bursts.len()
                })
                .sum();
            if self.kept <= BURSTS / 2 {
                return;
            }
            self.join_s = (self.join_s * 2.0).max(shortest).max(SHORTEST_S);
        }
    }

    /// The bursts of each rank in order of time, heaviest rank first.
    pub fn take_ranks(&mut self) -> Vec<Vec<Phase>> {
        let join_s = self.join_s;
        let weigh = |(rank, mut bursts): (u32, Vec<Phase>)| {
            join(&mut bursts, join_s);
            (bursts.iter().map(|burst| burst.bytes).sum(), rank, bursts)
        };
        let mut ranks: Vec<(f64, u32, Vec<Phase>)> = self.ranks.drain().map(weigh).collect();
        ranks.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranks.into_iter().map(|(_, _, bursts)| bursts).collect()
    }

    /// The application's volume per bin, the width of a bin, and where the first one begins.
    pub fn take_bins(&mut self) -> (Vec<f64>, f64, f64) {
        self.settle();
        let Some(mut after) = self.after.take() else { return (Vec::new(), 1.0, self.origin_s) };
        let Some(mut before) = self.before.take() else {
            let mut bins = after.row(0, Way::Write);
            bins.truncate(after.used_columns(0.0));
            return (bins, after.bin_s(), self.origin_s);
        };
        // Both began with the same width and doubled it.
        before.widen(after.bin_s());
        after.widen(before.bin_s());
        let early = before.used_columns(0.0);
        let mut bins: Vec<f64> = before.row(0, Way::Write).into_iter().take(early).rev().collect();
        bins.extend(after.row(0, Way::Write).into_iter().take(after.used_columns(0.0)));
        (bins, after.bin_s(), self.origin_s - early as f64 * before.bin_s())
    }

    /// Beginning and end of what is analysed: the window if one was given, else first to last request.
    pub fn window_s(&self) -> [f64; 2] {
        if self.requests == 0 {
            return self.window.unwrap_or_default();
        }
        let [from, to] = self.window.unwrap_or([self.first_s, self.last_s]);
        let finite = |bound: f64, otherwise: f64| if bound.is_finite() { bound } else { otherwise };
        [finite(from, self.first_s), finite(to, self.last_s)]
    }

    /// First and last moment of any request.
    pub fn extent_s(&self) -> [f64; 2] {
        [self.first_s, self.last_s]
    }

    /// Requests so far.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Bytes so far.
    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    /// Width of the source's own bins, if it has bins.
    pub fn source_bin_s(&self) -> Option<f64> {
        self.source_bin_s
    }

    /// Says that the requests come from bins of this width.
    pub fn from_bins(&mut self, bin_s: f64) {
        self.source_bin_s = Some(self.source_bin_s.unwrap_or(0.0).max(bin_s));
    }
}

/// Sorts bursts by time and joins those that overlap or have a pause of at most `join_s` between them.
pub fn join(bursts: &mut Vec<Phase>, join_s: f64) {
    if !bursts.is_sorted_by(|a, b| a.start_s <= b.start_s) {
        bursts.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    }
    bursts.dedup_by(|next, kept| {
        let joins = next.start_s <= kept.end_s + join_s;
        if joins {
            kept.end_s = kept.end_s.max(next.end_s);
            kept.bytes += next.bytes;
        }
        joins
    });
}
