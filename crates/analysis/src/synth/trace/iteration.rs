//! Places iterations in time, down to the single request.

use super::{Request, Segment, TracePlan, TraceTruth};
use crate::synth::Random;

#[derive(Debug, Clone)]
pub(super) enum Bursts {
    One,
    /// Bursts common to all ranks: start and length as shares of the phase.
    Common(Vec<(f64, f64)>),
    /// This many bursts per rank at its own moments, which fill a share of the phase.
    Own(u32, f64),
}

#[derive(Debug, Clone)]
pub(super) struct Iteration {
    pub cpu_s: f64,
    /// I/O time of a rank that is on time.
    pub io_s: f64,
    pub rank_bytes: u64,
    pub ranks: Vec<Part>,
    pub bursts: Bursts,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// After the start of the phase.
    pub delay_s: f64,
    /// Factor by which it takes longer.
    pub stretch: f64,
    pub present: bool,
}

pub(super) struct Tracer {
    request_bytes: u64,
    kind: super::TraceKind,
    pub requests: Vec<Request>,
    /// Since the application's start.
    pub now_s: f64,
    starts_s: Vec<f64>,
    ends_s: Vec<f64>,
    last_iteration_start_s: f64,
    weights: Vec<f64>,
}

impl Tracer {
    pub fn new(plan: &TracePlan) -> Tracer {
        Tracer {
            request_bytes: plan.request_bytes.max(1),
            kind: plan.kind,
            requests: Vec::new(),
            now_s: 0.0,
            starts_s: Vec::new(),
            ends_s: Vec::new(),
            last_iteration_start_s: 0.0,
            weights: Vec::new(),
        }
    }

    /// Adds the computing and the phase. If `held`, the phase ends with the last rank.
    pub fn lay(&mut self, iteration: &Iteration, held: bool, random: &mut Random) {
        self.last_iteration_start_s = self.now_s;
        let begin_s = self.now_s + iteration.cpu_s;
        let (mut first_s, mut last_s) = (f64::INFINITY, begin_s + iteration.io_s);
        for (rank, part) in (0u32..).zip(&iteration.ranks).filter(|(_, part)| part.present) {
            let (from_s, to_s) = span(iteration, rank, part, begin_s, random);
            first_s = first_s.min(from_s);
            if held {
                last_s = last_s.max(to_s);
            }
            self.rank(rank, (from_s, to_s), iteration, random);
        }
        self.now_s = last_s;
        if first_s.is_finite() {
            self.starts_s.push(first_s);
        }
        self.ends_s.push(last_s);
    }

    /// Adds computing and a phase that is given request by request, in time from its start.
    pub fn replay(&mut self, cpu_s: f64, phase: &[Request]) {
        self.last_iteration_start_s = self.now_s;
        let begin_s = self.now_s + cpu_s;
        let moved = |request: &Request| Request {
            start_s: begin_s + request.start_s,
            end_s: begin_s + request.end_s,
            ..*request
        };
        self.requests.extend(phase.iter().map(moved));
        let last_s = phase.iter().map(|request| request.end_s).fold(0.0, f64::max);
        self.now_s = begin_s + last_s;
        self.starts_s.push(begin_s);
        self.ends_s.push(self.now_s);
    }

    fn rank(&mut self, rank: u32, (from_s, to_s): (f64, f64), iteration: &Iteration, random: &mut Random) {
        let length_s = to_s - from_s;
        let own: Vec<(f64, f64)>;
        let bursts = match &iteration.bursts {
            Bursts::One => &[(0.0, 1.0)][..],
            Bursts::Common(bursts) => bursts,
            Bursts::Own(count, share) => {
                own = scattered(*count, *share, random);
                &own
            }
        };
        let busy: f64 = bursts.iter().map(|(_, share)| share).sum();
        for &(begin, share) in bursts {
            let bytes = (iteration.rank_bytes as f64 * share / busy) as u64;
            let begin_s = from_s + begin * length_s;
            self.write(rank, (begin_s, begin_s + share * length_s), bytes, random);
        }
    }

    pub fn write(&mut self, rank: u32, span: (f64, f64), bytes: u64, random: &mut Random) {
        self.back_to_back(Request { rank, start_s: span.0, end_s: span.1, bytes, write: true }, random);
    }

    pub fn back_to_back(&mut self, whole: Request, random: &mut Random) {
        let count = whole.bytes.div_ceil(self.request_bytes);
        let size = |n: u64| self.request_bytes.min(whole.bytes - n * self.request_bytes);
        self.weights.clear();
        self.weights.extend((0..count).map(|n| size(n) as f64 * random.between(0.9, 1.1)));
        let per_weight = (whole.end_s - whole.start_s) / self.weights.iter().sum::<f64>();
        let mut start_s = whole.start_s;
        for (n, weight) in (0..).zip(&self.weights) {
            let end_s = if n + 1 == count { whole.end_s } else { start_s + weight * per_weight };
            self.requests.push(Request { start_s, end_s, bytes: size(n), ..whole });
            start_s = end_s;
        }
    }

    /// The truth about the iterations so far. The distance after phase `odd` does not count; from
    /// `turn` on, the iterations form a second segment.
    pub fn truth(&self, odd: Option<usize>, turn: Option<usize>) -> TraceTruth {
        let starts_s = &self.starts_s;
        let distances: Vec<f64> = starts_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let segment =
            |from_s: f64, to_s: f64, distances: &[f64]| Segment { from_s, to_s, period_s: mean(distances) };
        let segments = match turn.filter(|&turn| turn > 0 && turn < starts_s.len()) {
            Some(turn) => vec![
                segment(0.0, starts_s[turn], &distances[..turn - 1]),
                segment(starts_s[turn], self.now_s, &distances[turn..]),
            ],
            None => {
                let regular: Vec<f64> =
                    (0..).zip(&distances).filter(|&(n, _)| Some(n) != odd).map(|(_, &d)| d).collect();
                vec![segment(0.0, self.now_s, &regular)]
            }
        };
        let longest = segments.iter().max_by(|a, b| (a.to_s - a.from_s).total_cmp(&(b.to_s - b.from_s)));
        let period_s = longest.and_then(|segment| segment.period_s);
        TraceTruth {
            kind: self.kind,
            period_s,
            starts_s: starts_s.clone(),
            ends_s: self.ends_s.clone(),
            duration_s: self.now_s,
            segments,
            activities: period_s.into_iter().collect(),
            first_iteration_end_s: self.ends_s.first().copied().unwrap_or(0.0),
            last_iteration_start_s: self.last_iteration_start_s,
        }
    }
}

/// When a rank is in its phase. Rank 0 starts on time, the others within a few milliseconds. The
/// ends lie in the last tenth of the phase.
fn span(iteration: &Iteration, rank: u32, part: &Part, begin_s: f64, random: &mut Random) -> (f64, f64) {
    let late_s = if rank == 0 { 0.0 } else { random.between(0.0, 0.003).min(0.01 * iteration.io_s) };
    let from_s = begin_s + part.delay_s + late_s;
    // Rank 0 needs the whole time, so the phase has the drawn length.
    let share = if rank == 0 { 1.0 } else { 1.0 - 0.1 * random.unit().powi(2) };
    (from_s, from_s - late_s + iteration.io_s * share * part.stretch)
}

/// Bursts in slots of equal length, each anywhere in its slot.
fn scattered(count: u32, share: f64, random: &mut Random) -> Vec<(f64, f64)> {
    let slot = 1.0 / f64::from(count.max(1));
    let burst = |n: u32, random: &mut Random| {
        let length = slot * (share * random.between(0.5, 1.5)).min(0.95);
        // The first burst starts the phase and the last one ends it.
        let place = if n == 0 {
            0.0
        } else if n + 1 == count {
            1.0
        } else {
            random.unit()
        };
        (f64::from(n) * slot + place * (slot - length), length)
    };
    (0..count.max(1)).map(|n| burst(n, random)).collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
