//! Activities besides the iterations.

use super::iteration::Tracer;
use super::{Request, TraceKind, TracePlan, TraceTruth};
use crate::synth::Random;

pub(super) fn add(
    plan: &TracePlan,
    begin_s: f64,
    tracer: &mut Tracer,
    truth: &mut TraceTruth,
    random: &mut Random,
) {
    if plan.noise_bytes_per_s > 0.0 {
        noise(plan, tracer, truth.duration_s, random);
    }
    match plan.kind {
        TraceKind::Foreign => foreign(plan, tracer, truth.duration_s, random),
        TraceKind::Two => second(plan, tracer, truth, random),
        TraceKind::Reads => input(plan, begin_s, tracer, random),
        _ => {}
    }
}

/// As in the study: one more process runs sequences of ten periods of about 2.2 s, with random
/// pauses.
fn noise(plan: &TracePlan, tracer: &mut Tracer, until_s: f64, random: &mut Random) {
    let pause_s = random.between(0.5, 20.0);
    let mut now_s = random.exponential(pause_s);
    while now_s < until_s {
        for _ in 0..10 {
            let period_s = 2.2 * random.between(0.95, 1.05);
            let end_s = (now_s + period_s * random.between(0.85, 0.95)).min(until_s);
            let rate = plan.noise_bytes_per_s * random.between(0.9, 1.1);
            if end_s > now_s {
                tracer.write(plan.ranks, (now_s, end_s), (rate * (end_s - now_s)) as u64, random);
            }
            now_s += period_s;
        }
        now_s += random.exponential(pause_s);
    }
}

/// Bursts of others at random moments, at 5 % to 40 % of the phases' rate and for 5 % to 40 % of
/// the time.
fn foreign(plan: &TracePlan, tracer: &mut Tracer, until_s: f64, random: &mut Random) {
    let (share, others) = (random.between(0.05, 0.4), 1 + random.index(4) as u32);
    // The limit keeps very short phases from causing countless bursts.
    let length_s = plan.io_s.max(0.005 * plan.period_s()) * random.between_log(0.2, 2.0);
    let gap_s = length_s * (1.0 / random.between(0.05, 0.4) - 1.0);
    let rate = plan.phase_rate() * share;
    let mut now_s = random.exponential(gap_s);
    while now_s < until_s {
        let end_s = (now_s + random.exponential(length_s).max(0.01 * length_s)).min(until_s);
        let bytes = rate * random.between(0.5, 1.5) * (end_s - now_s);
        let rank = plan.ranks + random.index(others as usize) as u32;
        tracer.write(rank, (now_s, end_s), bytes as u64, random);
        now_s = end_s + random.exponential(gap_s);
    }
}

/// One rank logs a little, more or less often than the phases.
fn second(plan: &TracePlan, tracer: &mut Tracer, truth: &mut TraceTruth, random: &mut Random) {
    let main_s = truth.period_s.unwrap_or_else(|| plan.period_s());
    let often = random.chance(0.7);
    let ratio = if often { random.between_log(0.05, 0.45) } else { random.between_log(2.2, 4.5) };
    let period_s = ratio * main_s;
    // Either a process of the application or one that does nothing else.
    let rank = if random.chance(0.5) { 0 } else { plan.ranks };
    let bytes =
        plan.rank_bytes as f64 * f64::from(plan.ranks) * random.between_log(0.001, 0.03) * ratio.min(1.0);
    let length_s = period_s * random.between(0.02, 0.3);
    let offset_s = random.between(0.0, period_s);
    let count = ((truth.duration_s - offset_s - length_s) / period_s).max(0.0) as u32;
    for n in 0..count {
        let start_s = offset_s + f64::from(n) * period_s * random.between(0.999, 1.001);
        let bytes = bytes * random.between(0.95, 1.05);
        tracer.write(rank, (start_s, start_s + length_s), bytes as u64 + 1, random);
    }
    truth.activities.push(period_s);
}

fn input(plan: &TracePlan, begin_s: f64, tracer: &mut Tracer, random: &mut Random) {
    let bytes = (plan.rank_bytes as f64 * random.between_log(0.3, 5.0)) as u64;
    for rank in 0..plan.ranks {
        let (start_s, end_s) = (random.between(0.0, 0.05) * begin_s, random.between(0.9, 1.0) * begin_s);
        tracer.back_to_back(Request { rank, start_s, end_s, bytes, write: false }, random);
    }
}
