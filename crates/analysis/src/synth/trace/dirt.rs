//! How each kind of trace departs from equal iterations.

use super::iteration::{Bursts, Iteration, Part};
use super::{TraceKind, TracePlan};
use crate::synth::Random;

pub(super) struct Course {
    pub iterations: Vec<Iteration>,
    pub begin_s: f64,
    /// Late processes hold up the others.
    pub held: bool,
    /// The distance after this phase is unusual.
    pub odd: Option<usize>,
    /// First iteration of a second regime.
    pub turn: Option<usize>,
}

pub(super) fn course(plan: &TracePlan, random: &mut Random) -> Course {
    let iterations = (0..plan.iterations).map(|_| regular(plan, random)).collect();
    let mut course = Course { iterations, begin_s: 0.0, held: true, odd: None, turn: None };
    match plan.kind {
        TraceKind::Hacc => hacc(&mut course),
        TraceKind::Unequal => unequal(&mut course.iterations, random),
        TraceKind::Bursts => bursts(&mut course.iterations, random),
        TraceKind::SubBursts => {
            let (count, share) = (5 + random.index(16) as u32, random.between(0.2, 0.6));
            course.iterations.iter_mut().for_each(|one| one.bursts = Bursts::Own(count, share));
        }
        TraceKind::Stragglers => stragglers(plan, &mut course, random),
        TraceKind::Drift => drift(&mut course.iterations, random),
        TraceKind::Regimes => regimes(plan, &mut course, random),
        TraceKind::Missing => missing(&mut course.iterations, random),
        TraceKind::First => first(&mut course, random),
        TraceKind::Reads => course.begin_s = plan.io_s * random.between(0.5, 3.0),
        _ => {}
    }
    course
}

fn regular(plan: &TracePlan, random: &mut Random) -> Iteration {
    // The study's phases took 10.22 s to 13.34 s, on average 10.4 s.
    let io_s = plan.io_s * ((10.22 + random.exponential(0.18)) / 10.4).min(13.34 / 10.4);
    let delay_s =
        |rank: u32, random: &mut Random| if rank == 0 { 0.0 } else { random.exponential(plan.phi_s) };
    let part = |rank| Part { delay_s: delay_s(rank, random), stretch: 1.0, present: true };
    Iteration {
        io_s,
        rank_bytes: plan.rank_bytes,
        ranks: (0..plan.ranks).map(part).collect(),
        cpu_s: random.positive_normal(plan.cpu_s, plan.cpu_sigma * plan.cpu_s),
        bursts: Bursts::One,
    }
}

impl Iteration {
    fn scale(&mut self, factor: f64) {
        self.cpu_s *= factor;
        self.scale_phase(factor);
    }

    fn scale_phase(&mut self, factor: f64) {
        self.io_s *= factor;
        self.scale_bytes(factor);
    }

    fn scale_bytes(&mut self, factor: f64) {
        self.rank_bytes = (self.rank_bytes as f64 * factor) as u64;
    }
}

fn hacc(course: &mut Course) {
    if let Some(first) = course.iterations.first_mut() {
        first.io_s = 11.0;
        course.odd = Some(0);
    }
}

/// Log-normal volumes, or volumes that grow by a factor of up to 5; the phases get longer or
/// faster.
fn unequal(iterations: &mut [Iteration], random: &mut Random) {
    let longer = random.chance(0.5);
    let growth = random.chance(0.4).then(|| random.between(1.5, 5.0));
    let count = iterations.len().max(2) as f64;
    for (n, iteration) in iterations.iter_mut().enumerate() {
        let factor = match growth {
            Some(growth) => 1.0 + (growth - 1.0) * n as f64 / (count - 1.0),
            None => random.lognormal(0.5),
        };
        if longer { iteration.scale_phase(factor) } else { iteration.scale_bytes(factor) }
    }
}

/// Two to five bursts, with gaps of 10 % to 60 % of the computing.
fn bursts(iterations: &mut [Iteration], random: &mut Random) {
    let (count, regular) = (2 + random.index(4), random.chance(0.5));
    let usual = random.between(0.1, 0.6);
    for iteration in iterations {
        let gap = |random: &mut Random| if regular { usual } else { random.between(0.1, 0.6) };
        let gaps_s: Vec<f64> = (1..count).map(|_| gap(random) * iteration.cpu_s).collect();
        let weight = |random: &mut Random| if regular { 1.0 } else { random.between(0.4, 1.6) };
        let weights: Vec<f64> = (0..count).map(|_| weight(random)).collect();
        let (busy_s, sum) = (iteration.io_s, weights.iter().sum::<f64>());
        iteration.io_s += gaps_s.iter().sum::<f64>();
        let mut at_s = 0.0;
        let mut places = Vec::new();
        for (n, weight) in weights.iter().enumerate() {
            let length_s = busy_s * weight / sum;
            places.push((at_s / iteration.io_s, length_s / iteration.io_s));
            at_s += length_s + gaps_s.get(n).copied().unwrap_or(0.0);
        }
        iteration.bursts = Bursts::Common(places);
    }
}

/// Up to a quarter of the processes are late in some phases: by 10 % to 70 % of the computing.
fn stragglers(plan: &TracePlan, course: &mut Course, random: &mut Random) {
    course.held = random.chance(0.5);
    let most = (plan.ranks as usize / 4).max(1);
    let (share, worst) = (random.between(0.3, 1.0), random.between(0.1, 0.7));
    for iteration in &mut course.iterations {
        let count = if random.chance(share) { 1 + random.index(most) } else { 0 };
        for _ in 0..count {
            let late_s = plan.cpu_s * worst * random.between(0.3, 1.0);
            let rank = random.index(iteration.ranks.len());
            let starts_late = random.chance(0.5);
            let (io_s, Some(part)) = (iteration.io_s, iteration.ranks.get_mut(rank)) else { continue };
            if starts_late && rank > 0 {
                part.delay_s = late_s;
            } else {
                part.stretch = 1.0 + late_s / io_s.max(1e-9);
            }
        }
    }
}

/// Changes the period linearly, by up to 10 % to 40 % in either direction.
fn drift(iterations: &mut [Iteration], random: &mut Random) {
    let change = random.between(0.1, 0.4) * if random.chance(0.5) { 1.0 } else { -1.0 };
    let count = iterations.len().max(2) as f64;
    for (n, iteration) in iterations.iter_mut().enumerate() {
        iteration.scale(1.0 + change * n as f64 / (count - 1.0));
    }
}

/// A change by a factor of 1.4 to 3 after 30 % to 70 % of the time.
fn regimes(plan: &TracePlan, course: &mut Course, random: &mut Random) {
    let factor = random.between_log(1.4, 3.0);
    let (factor, place) = (if random.chance(0.5) { factor } else { 1.0 / factor }, random.between(0.3, 0.7));
    let total = f64::from(plan.iterations) * factor.sqrt();
    let before = ((total * place).round() as usize).max(4);
    let after = ((total * (1.0 - place) / factor).round() as usize).max(4);
    course.turn = Some(before);
    course.iterations = (0..before + after).map(|_| regular(plan, random)).collect();
    for iteration in &mut course.iterations[before..] {
        if factor > 1.0 {
            // The same phases, further apart.
            iteration.cpu_s = iteration.cpu_s * factor + (factor - 1.0) * plan.io_s;
        } else {
            iteration.scale(factor);
        }
    }
}

fn missing(iterations: &mut [Iteration], random: &mut Random) {
    let (silent, skipped) = (random.between(0.0, 0.5), random.between(0.05, 0.4));
    let small = random.between(0.0, 0.3);
    let count = iterations.first().map_or(0, |iteration| iteration.ranks.len());
    // One rank always takes part, or a whole phase might be missing.
    let steady = random.index(count);
    let silent: Vec<bool> = (0..count).map(|rank| rank != steady && random.chance(silent)).collect();
    for iteration in iterations {
        for (rank, part) in iteration.ranks.iter_mut().enumerate() {
            part.present = rank == steady || !(silent[rank] || random.chance(skipped));
        }
        if random.chance(small) {
            iteration.scale_phase(random.between(0.1, 0.6));
        }
    }
}

fn first(course: &mut Course, random: &mut Random) {
    let (is_first, count) = (random.chance(0.5), course.iterations.len());
    let how = random.index(3);
    let factor = random.between_log(2.0, 5.0);
    let place = if is_first { 0 } else { count.saturating_sub(1) };
    let Some(iteration) = course.iterations.get_mut(place) else { return };
    match how {
        0 => iteration.io_s *= factor,
        1 => iteration.scale_phase(factor * 2.0),
        _ => iteration.scale_phase(0.25 / factor),
    }
    course.odd = is_first.then_some(0);
}
