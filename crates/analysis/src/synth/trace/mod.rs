//! Requests over time with known phases: the semi-synthetic traces of the FTIO study, and dirty
//! ones.
//!
//! An application is a sequence of iterations that do not overlap: some computing, then an I/O
//! phase in which every process writes the same volume in contiguous requests (Tarraf, Bandet,
//! Boito, Pallez, Wolf, "Capturing Periodic I/O Using Frequency Techniques", IPDPS 2024, section
//! III-A). The study cuts its phases out of 99 runs of IOR; here they are drawn to look alike: 10.4
//! s on average, all between 10.22 s and 13.34 s, with a different speed for each process.
//!
//! Each of the other kinds departs from this in one way that occurs in real jobs, or has no period:
//! see [`TraceKind`]. A [`TracePlan`] drawn from a seed sets durations, counts and volumes.

mod aperiodic;
mod dirt;
mod extra;
mod iteration;
mod kind;
mod plan;
mod recorded;
mod window;

#[cfg(test)]
mod tests;

pub use kind::TraceKind;
pub use plan::TracePlan;
pub use recorded::recorded;
pub use window::{Windows, cut};

use super::Random;
use iteration::Tracer;

/// One contiguous access of a rank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    pub rank: u32,
    /// Since the application's start.
    pub start_s: f64,
    pub end_s: f64,
    pub bytes: u64,
    /// Writes if true, reads otherwise.
    pub write: bool,
}

/// Part of a trace with one period, or with none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    pub from_s: f64,
    pub to_s: f64,
    pub period_s: Option<f64>,
}

/// The truth about a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceTruth {
    pub kind: TraceKind,
    /// Mean distance of the phase starts; `None` where there is no period. One odd phase is left
    /// out; of two regimes, the longer one counts.
    pub period_s: Option<f64>,
    /// Earliest request of each phase. Empty where there is no period.
    pub starts_s: Vec<f64>,
    /// When each iteration ends, or would where there is no period; an application would report
    /// then.
    pub ends_s: Vec<f64>,
    pub duration_s: f64,
    /// Regimes in order; most traces have one.
    pub segments: Vec<Segment>,
    /// Periods of all concurrent activities, the one with the largest volume first.
    pub activities: Vec<f64>,
    pub first_iteration_end_s: f64,
    pub last_iteration_start_s: f64,
}

/// Returns the requests in order of start.
pub fn trace(plan: &TracePlan) -> (Vec<Request>, TraceTruth) {
    let mut tracer = Tracer::new(plan);
    // The trace must not repeat the random numbers of its plan.
    let mut random = Random::new(plan.seed ^ 0x7ace_7ace_7ace_7ace);
    let truth = if plan.kind.is_periodic() {
        periodic(plan, &mut tracer, &mut random)
    } else {
        aperiodic::fill(plan, &mut tracer, &mut random)
    };
    let mut requests = tracer.requests;
    requests.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then(a.rank.cmp(&b.rank)));
    (requests, truth)
}

fn periodic(plan: &TracePlan, tracer: &mut Tracer, random: &mut Random) -> TraceTruth {
    let dirt::Course { iterations, begin_s, held, odd, turn } = dirt::course(plan, random);
    tracer.now_s = begin_s;
    for iteration in &iterations {
        tracer.lay(iteration, held, random);
    }
    if plan.kind != TraceKind::Plain {
        // Applications seldom end with a phase.
        tracer.now_s += random.between(0.0, 1.0) * plan.cpu_s;
    }
    let mut truth = tracer.truth(odd, turn);
    extra::add(plan, begin_s, tracer, &mut truth, random);
    truth
}
