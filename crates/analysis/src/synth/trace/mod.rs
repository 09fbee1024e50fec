//! Requests in time whose phases are known: the semi-synthetic traces of the study of FTIO, and dirty
//! ones.
//!
//! An application is a sequence of iterations that do not overlap: some computing, then an I/O phase in
//! which every process writes the same volume in contiguous requests (Tarraf, Bandet, Boito, Pallez,
//! Wolf, "Capturing Periodic I/O Using Frequency Techniques", IPDPS 2024, section III-A). The study cuts
//! its phases out of 99 runs of IOR; here they are drawn so that they look like those: 10.4 s on average,
//! all between 10.22 s and 13.34 s, every process with a speed of its own.
//!
//! The other kinds spoil this picture, each in one way that real jobs know, or have no period at all:
//! see [`TraceKind`]. A [`TracePlan`] drawn from a seed says how long, how many and how much.

mod aperiodic;
mod dirt;
mod extra;
mod iteration;
mod kind;
mod plan;
mod window;

#[cfg(test)]
mod tests;

pub use kind::TraceKind;
pub use plan::TracePlan;
pub use window::{Windows, cut};

use super::Random;
use iteration::Tracer;

/// Bytes that one rank moved from one moment to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// Who.
    pub rank: u32,
    /// Seconds since the application's start.
    pub start_s: f64,
    /// Seconds since the application's start.
    pub end_s: f64,
    /// How much.
    pub bytes: u64,
    /// Written, not read.
    pub write: bool,
}

/// Part of a trace with one period, or with none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Its begin in seconds.
    pub from_s: f64,
    /// Its end in seconds.
    pub to_s: f64,
    /// Mean distance of the phase starts in it.
    pub period_s: Option<f64>,
}

/// What is true of a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceTruth {
    /// What was made.
    pub kind: TraceKind,
    /// Mean distance of the phase starts; `None` where there is no period. With one odd phase: of the
    /// others. With two regimes: of the one that lasts longer.
    pub period_s: Option<f64>,
    /// When each phase starts: its earliest request. Empty where there is no period.
    pub starts_s: Vec<f64>,
    /// When each iteration ends (or would, where there is no period), which is when an application would
    /// tell what it did.
    pub ends_s: Vec<f64>,
    /// Seconds from the application's start to its end.
    pub duration_s: f64,
    /// The regimes one after the other; most traces have one.
    pub segments: Vec<Segment>,
    /// Periods of all activities that go on at the same time, the one with the largest volume first.
    pub activities: Vec<f64>,
    /// End of the first iteration.
    pub first_iteration_end_s: f64,
    /// Start of the last iteration.
    pub last_iteration_start_s: f64,
}

/// Makes a trace, its requests in the order of their starts.
pub fn trace(plan: &TracePlan) -> (Vec<Request>, TraceTruth) {
    let mut tracer = Tracer::new(plan);
    // What varies in a trace must not repeat what varied in its plan.
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
