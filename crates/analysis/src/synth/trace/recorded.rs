//! Traces put together from recorded phases, as in the study: "we generated application traces by
//! combining I/O phases with a given amount of idle time between them" (section III-A).

use std::collections::BTreeMap;

use super::extra;
use super::iteration::Tracer;
use super::{Request, TraceKind, TracePlan, TraceTruth};
use crate::synth::Random;

/// Each iteration computes for a normally distributed time and then repeats one of the phases,
/// picked at random. All ranks but the first of a phase are delayed by an exponentially distributed
/// time. Counts, computing times, delays and noise come from the plan; what a phase writes, how
/// long it takes and on how many ranks, from its recording. Returns the requests in order of start.
pub fn recorded(plan: &TracePlan, phases: &[Vec<Request>]) -> (Vec<Request>, TraceTruth) {
    let ranks = phases.iter().flatten().map(|request| request.rank + 1).max().unwrap_or(0);
    let plan = TracePlan { kind: TraceKind::Plain, ranks, ..*plan };
    let mut tracer = Tracer::new(&plan);
    let mut random = Random::new(plan.seed ^ 0x7ace_7ace_7ace_7ace);
    for _ in 0..if phases.is_empty() { 0 } else { plan.iterations } {
        let cpu_s = random.positive_normal(plan.cpu_s, plan.cpu_sigma * plan.cpu_s);
        let phase = shifted(&phases[random.index(phases.len())], plan.phi_s, &mut random);
        tracer.replay(cpu_s, &phase);
    }
    let mut truth = tracer.truth(None, None);
    extra::add(&plan, 0.0, &mut tracer, &mut truth, &mut random);
    let mut requests = tracer.requests;
    requests.sort_by(|a, b| a.start_s.total_cmp(&b.start_s).then(a.rank.cmp(&b.rank)));
    (requests, truth)
}

/// A phase from time zero, its ranks delayed.
fn shifted(phase: &[Request], phi_s: f64, random: &mut Random) -> Vec<Request> {
    let begin_s = phase.iter().map(|request| request.start_s).fold(f64::INFINITY, f64::min);
    let ranks: BTreeMap<u32, f64> = phase.iter().map(|request| (request.rank, 0.0)).collect();
    let delayed = |(at, (rank, _)): (usize, (u32, f64))| {
        (rank, if at == 0 || phi_s <= 0.0 { 0.0 } else { random.exponential(phi_s) })
    };
    let delays: BTreeMap<u32, f64> = ranks.into_iter().enumerate().map(delayed).collect();
    let shift = |request: &Request| {
        let by_s = delays.get(&request.rank).copied().unwrap_or(0.0) - begin_s;
        Request { start_s: request.start_s + by_s, end_s: request.end_s + by_s, ..*request }
    };
    phase.iter().map(shift).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks that write for this long, one after the other; recorded late in its run.
    fn phase(length_s: f64) -> Vec<Request> {
        let request = |rank: u32| Request {
            rank,
            start_s: 100.0 + f64::from(rank) * length_s / 2.0,
            end_s: 100.0 + f64::from(rank + 1) * length_s / 2.0,
            bytes: 1000,
            write: true,
        };
        vec![request(0), request(1)]
    }

    fn plan(seed: u64) -> TracePlan {
        let drawn = TracePlan::new(TraceKind::Plain, seed);
        TracePlan { iterations: 30, cpu_s: 8.0, cpu_sigma: 0.0, phi_s: 0.0, noise_bytes_per_s: 0.0, ..drawn }
    }

    #[test]
    fn phases_follow_each_other_after_computing() {
        let (requests, truth) = recorded(&plan(1), &[phase(2.0), phase(4.0)]);
        assert_eq!((requests.len(), truth.starts_s.len()), (60, 30));
        let mut lengths: Vec<f64> = truth.starts_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = lengths.iter().sum::<f64>() / 29.0;
        assert!(truth.period_s.is_some_and(|period| (period - mean).abs() < 1e-9));
        lengths.sort_by(f64::total_cmp);
        assert!((lengths[0] - 10.0).abs() < 1e-9 && (lengths[28] - 12.0).abs() < 1e-9, "{lengths:?}");
        assert!((requests[0].start_s - 8.0).abs() < 1e-9);
    }

    #[test]
    fn delays_and_computing_times_vary() {
        let varied = TracePlan { phi_s: 3.0, cpu_sigma: 0.5, ..plan(2) };
        let (requests, truth) = recorded(&varied, &[phase(2.0)]);
        for &start_s in &truth.starts_s {
            assert!(requests.iter().any(|request| request.rank == 0 && request.start_s == start_s));
        }
        let late = requests.iter().filter(|request| request.rank == 1);
        let late_s: f64 =
            late.zip(&truth.starts_s).map(|(request, start_s)| request.start_s - start_s - 1.0).sum();
        assert!((late_s / 30.0 - 3.0).abs() < 2.0, "{late_s}");
        let distances: Vec<f64> = truth.starts_s.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(distances.iter().fold(0.0, |most: f64, one| most.max(*one)) > 14.0, "{distances:?}");
        assert_eq!(recorded(&varied, &[phase(2.0)]).0, requests, "the seed decides");
    }

    #[test]
    fn without_phases_there_is_nothing() {
        let (requests, truth) = recorded(&plan(3), &[]);
        assert!(requests.is_empty() && truth.period_s.is_none());
    }
}
