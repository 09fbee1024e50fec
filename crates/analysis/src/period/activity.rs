//! What moved when, and by whom: all that finding a period needs, in bounded memory.
//!
//! Requests of a rank that follow one another without a pause become one burst. When there are too
//! many bursts, shorter and shorter pauses are given up, and when there are too many ranks,
//! neighbours are taken together. The volume of the whole application is kept exactly per time bin.

use marigraph_model::Direction;

use super::bins::Bins;
use super::outcome::Phase;
use super::rows::Rows;

/// Which operations count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectionFilter {
    /// Reads only.
    Read,
    /// Writes only.
    Write,
    /// Both.
    #[default]
    Both,
}

impl DirectionFilter {
    /// Whether an operation counts.
    pub fn takes(self, op: Direction) -> bool {
        match op {
            Direction::Read => self != DirectionFilter::Write,
            Direction::Write => self != DirectionFilter::Read,
        }
    }
}

/// Requests that take no time count as long as this, as their volume must be somewhere.
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
    /// Width of the bins of the source, where it has bins instead of requests.
    source_bin_s: Option<f64>,
}

impl Activity {
    /// Nothing yet; what lies outside the window is left out.
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

    /// Adds a request. One that crosses the window's border counts as far as it lies inside.
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

    /// Chooses bins for what was collected.
    pub fn lay_out(&mut self) {
        self.bins.lay_out();
    }

    /// Chooses bins as those of another, so that both can be put together.
    pub fn lay_out_like(&mut self, other: &Activity) {
        self.bins.lay_out_like(&other.bins);
    }

    /// Both together; see [`Bins::and`].
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

    /// The same without telling ranks apart, or when any of them moved bytes.
    pub fn without_ranks(self) -> Activity {
        Activity { rows: Rows::default(), ..self }
    }

    /// Brings what was collected into order, so that it can be looked at.
    pub fn settle(&mut self) {
        self.rows.settle();
        self.bins.settle();
    }

    /// The bursts of each rank in order of time, heaviest rank first, of what is settled.
    pub fn ranks(&self) -> Vec<&[Phase]> {
        self.rows.by_weight()
    }

    /// The application's volume per bin, the width of a bin, and where the first one begins, of what is settled.
    pub fn bins(&self) -> (Vec<f64>, f64, f64) {
        self.bins.get()
    }

    /// Beginning and end of what is analysed: the window if one was given, else first to last request.
    pub fn window_s(&self) -> [f64; 2] {
        self.window_around(self.first_s, self.last_s)
    }

    /// The same of this and another together.
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
