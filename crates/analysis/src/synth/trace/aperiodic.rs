//! Traces without a period.

use super::iteration::Tracer;
use super::{Request, Segment, TraceKind, TracePlan, TraceTruth};
use crate::synth::Random;

/// Fills a trace as long as the plan's iterations would take.
pub(super) fn fill(plan: &TracePlan, tracer: &mut Tracer, random: &mut Random) -> TraceTruth {
    let duration_s = plan.period_s() * f64::from(plan.iterations);
    match plan.kind {
        TraceKind::Poisson => poisson(plan, tracer, duration_s, random),
        TraceKind::Single => {
            let start_s = random.between(0.0, 0.8) * duration_s;
            let length_s = (duration_s - start_s) * random.between(0.02, 0.9);
            burst(plan, tracer, (start_s, start_s + length_s), random.between_log(0.5, 20.0), random);
        }
        TraceKind::StartEnd => start_and_end(plan, tracer, duration_s, random),
        TraceKind::Few => few(plan, tracer, duration_s, random),
        TraceKind::Ramp => {
            let (low, high) = (random.between(0.0, 0.3), random.between(0.8, 2.0));
            let falls = random.chance(0.5);
            let level = |place: f64| low + (high - low) * if falls { 1.0 - place } else { place };
            rates(plan, tracer, duration_s, random, |place, random| {
                level(place) * random.between(0.95, 1.05)
            });
        }
        TraceKind::Walk => {
            let step = random.between(0.05, 0.4);
            let mut level: f64 = 0.0;
            rates(plan, tracer, duration_s, random, |_, random| {
                // Bounded, or the end would dwarf the beginning.
                level = (level + random.normal(0.0, step)).clamp(-2.0, 2.0);
                level.exp()
            });
        }
        _ => {
            let spread = [0.0, 0.01, 0.1][random.index(3)];
            rates(plan, tracer, duration_s, random, |_, random| 1.0 + spread * random.between(-1.0, 1.0));
        }
    }
    truth(plan, duration_s)
}

fn truth(plan: &TracePlan, duration_s: f64) -> TraceTruth {
    TraceTruth {
        kind: plan.kind,
        period_s: None,
        starts_s: Vec::new(),
        ends_s: (1..=plan.iterations).map(|n| plan.period_s() * f64::from(n)).collect(),
        duration_s,
        segments: vec![Segment { from_s: 0.0, to_s: duration_s, period_s: None }],
        activities: Vec::new(),
        first_iteration_end_s: 0.05 * duration_s,
        last_iteration_start_s: 0.95 * duration_s,
    }
}

/// All ranks at once, with `amount` times the volume of a phase.
fn burst(
    plan: &TracePlan,
    tracer: &mut Tracer,
    (from_s, to_s): (f64, f64),
    amount: f64,
    random: &mut Random,
) {
    let bytes = (plan.rank_bytes as f64 * amount) as u64;
    for rank in 0..plan.ranks {
        let end_s = to_s - 0.1 * (to_s - from_s) * random.unit().powi(2);
        tracer.write(rank, (from_s, end_s), bytes, random);
    }
}

/// Bursts at random moments: all ranks after random gaps, with random or equal volumes, or each
/// rank independently.
fn poisson(plan: &TracePlan, tracer: &mut Tracer, duration_s: f64, random: &mut Random) {
    match random.index(3) {
        0 => bursts_after_gaps(plan, tracer, duration_s, random, |random| random.lognormal(0.8)),
        1 => {
            // Long bursts with equal volumes would be regular.
            let plan = TracePlan { io_s: plan.io_s.min(0.3 * plan.cpu_s), ..*plan };
            bursts_after_gaps(&plan, tracer, duration_s, random, |_| 1.0);
        }
        _ => {
            for _ in 0..plan.iterations * plan.ranks.min(16) {
                let (start_s, length_s) = (random.unit() * duration_s, plan.io_s * random.between(0.2, 1.0));
                let rank = random.index(plan.ranks as usize) as u32;
                tracer.write(rank, (start_s, (start_s + length_s).min(duration_s)), plan.rank_bytes, random);
            }
        }
    }
}

fn bursts_after_gaps(
    plan: &TracePlan,
    tracer: &mut Tracer,
    duration_s: f64,
    random: &mut Random,
    amount: impl Fn(&mut Random) -> f64,
) {
    let mut now_s = random.exponential(plan.cpu_s);
    while now_s < duration_s {
        let amount = amount(random);
        let end_s = now_s + plan.io_s * amount;
        burst(plan, tracer, (now_s, end_s.min(duration_s)), amount, random);
        now_s = end_s + random.exponential(plan.cpu_s);
    }
}

fn start_and_end(plan: &TracePlan, tracer: &mut Tracer, duration_s: f64, random: &mut Random) {
    let (read_s, write_s) =
        (random.between(0.01, 0.15) * duration_s, random.between(0.01, 0.15) * duration_s);
    let bytes = (plan.rank_bytes as f64 * random.between_log(0.5, 5.0)) as u64;
    for rank in 0..plan.ranks {
        let end_s = read_s * random.between(0.9, 1.0);
        tracer.back_to_back(Request { rank, start_s: 0.0, end_s, bytes, write: false }, random);
    }
    let amount = random.between_log(0.5, 5.0);
    burst(plan, tracer, (duration_s - write_s, duration_s), amount, random);
}

/// Two bursts, or three with one gap at least twice the other.
fn few(plan: &TracePlan, tracer: &mut Tracer, duration_s: f64, random: &mut Random) {
    let length_s = duration_s * random.between(0.01, 0.1);
    let starts: &[f64] = match random.index(3) {
        0 => &[random.between(0.0, 0.3), random.between(0.5, 0.85)],
        1 => &[0.05, random.between(0.2, 0.3), random.between(0.75, 0.85)],
        _ => &[0.05, random.between(0.55, 0.62), random.between(0.75, 0.85)],
    };
    for start in starts {
        let amount = random.lognormal(0.8);
        let start_s = start * duration_s;
        burst(plan, tracer, (start_s, start_s + length_s * random.between(0.3, 1.0)), amount, random);
    }
}

/// Ranks write all the time, at a level that is redrawn for each of a few hundred steps.
fn rates(
    plan: &TracePlan,
    tracer: &mut Tracer,
    duration_s: f64,
    random: &mut Random,
    mut level: impl FnMut(f64, &mut Random) -> f64,
) {
    let (steps, ranks) = (100 + random.index(300) as u32, plan.ranks.min(16));
    let step_s = duration_s / f64::from(steps);
    let rate = plan.rank_bytes as f64 / plan.period_s();
    let at_s = |step: u32| f64::from(step) * step_s;
    for step in 0..steps {
        let bytes = rate * step_s * level(f64::from(step) / f64::from(steps), random);
        let (start_s, end_s, bytes) = (at_s(step), at_s(step + 1), bytes as u64 + 1);
        tracer.requests.extend((0..ranks).map(|rank| Request { rank, start_s, end_s, bytes, write: true }));
    }
}
