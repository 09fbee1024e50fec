//! Bursts and volumes over time, the input of every search for a period, in bounded memory.
//!
//! Consecutive requests of a rank without a pause become one burst. With too many bursts, ever
//! longer pauses are dropped; with too many ranks, neighbours are merged. The volume of the whole
//! application is kept exactly per time bin.

use marigraph_model::Direction;

use super::bins::Bins;
use super::outcome::Phase;
use super::rows::Rows;

/// The operations to analyse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectionFilter {
    Read,
    Write,
    #[default]
    Both,
}

impl DirectionFilter {
    pub fn takes(self, op: Direction) -> bool {
        match op {
            Direction::Read => self != DirectionFilter::Write,
            Direction::Write => self != DirectionFilter::Read,
        }
    }
}

/// Requests without a duration get this one, since their volume must be somewhere.
const SHORTEST_S: f64 = 1e-6;

/// Collects requests.
#[derive(Debug, Clone)]
pub struct Activity {
    window: Option<[f64; 2]>,
    bins: Bins,
    rows: Rows,
    requests: u64,
    bytes: f64,
    first_s: f64,
    last_s: f64,
    /// Width of the source's bins, if it has bins instead of requests.
    source_bin_s: Option<f64>,
}

impl Activity {
    /// Ignores everything outside the window.
    pub fn new(window: Option<[f64; 2]>) -> Activity {
        Activity {
            window,
            bins: Bins::default(),
            rows: Rows::default(),
            requests: 0,
            bytes: 0.0,
            first_s: f64::INFINITY,
            last_s: f64::NEG_INFINITY,
            source_bin_s: None,
        }
    }

    /// Adds a request, clipped to the window.
    pub fn add(&mut self, rank: u32, start_s: f64, end_s: f64, bytes: f64) {
        if !(start_s.is_finite() && end_s.is_finite() && bytes > 0.0 && bytes.is_finite()) {
            return;
        }
        let (start, end) = (start_s, end_s.max(start_s + SHORTEST_S));
        let mut request = Phase { start_s: start, end_s: end, bytes };
        if let Some([from, to]) = self.window {
            (request.start_s, request.end_s) = (start.max(from), end.min(to));
            if request.end_s <= request.start_s {
                return;
            }
            request.bytes *= ((request.end_s - request.start_s) / (end - start)).min(1.0);
        }
        self.requests += 1;
        self.bytes += request.bytes;
        self.first_s = self.first_s.min(request.start_s);
        self.last_s = self.last_s.max(request.end_s);
        self.bins.add(request);
        self.rows.add(rank, request);
    }

    pub fn lay_out(&mut self) {
        self.bins.lay_out();
    }

    /// Uses the bins of another activity, so that both can be merged.
    pub fn lay_out_like(&mut self, other: &Activity) {
        self.bins.lay_out_like(&other.bins);
    }

    /// Merges both; see [`Bins::and`].
    pub fn and(self, other: Activity) -> Activity {
        Activity {
            window: self.window,
            bins: self.bins.and(other.bins),
            rows: self.rows.and(other.rows),
            requests: self.requests + other.requests,
            bytes: self.bytes + other.bytes,
            first_s: self.first_s.min(other.first_s),
            last_s: self.last_s.max(other.last_s),
            source_bin_s: self.source_bin_s.into_iter().chain(other.source_bin_s).reduce(f64::max),
        }
    }

    /// Drops the ranks and their bursts.
    pub fn without_ranks(self) -> Activity {
        Activity { rows: Rows::default(), ..self }
    }

    /// Sorts the requests; call it before reading.
    pub fn settle(&mut self) {
        self.rows.settle();
        self.bins.settle();
    }

    /// Bursts of each rank in order of time, heaviest rank first. Needs [`Activity::settle`].
    pub fn ranks(&self) -> Vec<&[Phase]> {
        self.rows.by_weight()
    }

    /// Volume per bin, width of a bin, and start of the first bin. Needs [`Activity::settle`].
    pub fn bins(&self) -> (Vec<f64>, f64, f64) {
        self.bins.get()
    }

    /// The window if one was given, otherwise first to last request.
    pub fn window_s(&self) -> [f64; 2] {
        self.window_around(self.first_s, self.last_s)
    }

    pub fn window_with(&self, other: &Activity) -> [f64; 2] {
        self.window_around(self.first_s.min(other.first_s), self.last_s.max(other.last_s))
    }

    fn window_around(&self, first_s: f64, last_s: f64) -> [f64; 2] {
        if first_s > last_s {
            return self.window.unwrap_or_default();
        }
        let [from, to] = self.window.unwrap_or([first_s, last_s]);
        let finite = |bound: f64, otherwise: f64| if bound.is_finite() { bound } else { otherwise };
        [finite(from, first_s), finite(to, last_s)]
    }

    pub fn requests(&self) -> u64 {
        self.requests
    }

    pub fn bytes(&self) -> f64 {
        self.bytes
    }

    pub fn source_bin_s(&self) -> Option<f64> {
        self.source_bin_s
    }

    /// Records that the requests come from bins of this width.
    pub fn from_bins(&mut self, bin_s: f64) {
        self.source_bin_s = Some(self.source_bin_s.unwrap_or(0.0).max(bin_s));
    }
}
