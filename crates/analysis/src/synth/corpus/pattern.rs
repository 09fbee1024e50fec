//! How the bytes of one direction are distributed over time.

use super::super::Random;
use super::plan::{Activity, Edge, Layout, Step, beside};

/// An access pattern of one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    Silent,
    /// Below the significance threshold.
    Trifle,
    /// One operation in some of the quarters.
    Bursts,
    Even,
    Periodic,
    /// Two periodic activities at once, such as checkpoints and a log.
    Twin,
    Irregular,
    /// One operation with a short gap.
    Split,
}

impl Pattern {
    pub const ALL: [(Pattern, &str, usize); 8] = [
        (Pattern::Silent, "silent", 12),
        (Pattern::Trifle, "trifle", 20),
        (Pattern::Bursts, "bursts", 28),
        (Pattern::Even, "even", 12),
        (Pattern::Periodic, "periodic", 18),
        (Pattern::Twin, "twin", 5),
        (Pattern::Irregular, "irregular", 5),
        (Pattern::Split, "split", 0),
    ];

    pub fn draw(random: &mut Random) -> Pattern {
        let mut left = random.index(Pattern::ALL.iter().map(|(_, _, weight)| weight).sum());
        for (pattern, _, weight) in Pattern::ALL {
            if left < weight {
                return pattern;
            }
            left -= weight;
        }
        Pattern::Silent
    }

    pub fn name(self) -> &'static str {
        Pattern::ALL.iter().find(|(pattern, ..)| *pattern == self).map_or("silent", |(_, name, _)| name)
    }
}

pub fn activities(
    pattern: Pattern,
    edge: Edge,
    (write, runtime_s): (bool, f64),
    bytes: f64,
    random: &mut Random,
) -> Vec<Activity> {
    let name = if write { "output" } else { "input" };
    let one = |steps: Vec<Step>, random: &mut Random| vec![activity(write, name, steps, random)];
    match pattern {
        Pattern::Silent => Vec::new(),
        Pattern::Trifle => {
            let start = random.between(0.01, 0.9);
            one(vec![Step { start, length: random.between(0.001, 0.08), bytes }], random)
        }
        Pattern::Bursts => bursts(edge, (write, bytes), random),
        Pattern::Even => one(even(edge, bytes, random), random),
        Pattern::Periodic => one(periodic(edge, runtime_s, bytes, random), random),
        Pattern::Twin => twin(write, bytes, random),
        Pattern::Irregular => one(irregular(bytes, random), random),
        Pattern::Split => one(split(bytes, random), random),
    }
}

fn activity(write: bool, name: &'static str, steps: Vec<Step>, random: &mut Random) -> Activity {
    let layout = [Layout::Numbered, Layout::Numbered, Layout::HeldOpen, Layout::Reopened][random.index(4)];
    let own_files = random.chance(0.35);
    Activity {
        write,
        name,
        steps,
        layout,
        own_files,
        collective: !own_files && random.chance(0.25),
        stream: random.chance(0.1),
        out_of_step: if random.chance(0.5) { random.between(0.0, 0.4) } else { 0.0 },
        call_bytes: [4e3, 65_536.0, 1_048_576.0, 4_194_304.0, 16_777_216.0][random.index(5)],
    }
}

/// One operation in each of some quarters, large enough for these quarters to stand out.
fn bursts(edge: Edge, (write, bytes): (bool, f64), random: &mut Random) -> Vec<Activity> {
    const NAMES: [[&str; 4]; 2] =
        [["mesh", "fields", "tables", "restart"], ["header", "state", "analysis", "result"]];
    let chosen = 1 + random.index(15);
    let heavy =
        [0, 1, 2, 3].map(|quarter| if chosen >> quarter & 1 == 1 { random.between(0.62, 1.0) } else { 0.0 });
    let most = heavy.iter().copied().fold(0.0, f64::max);
    let mut weights = heavy;
    for weight in weights.iter_mut().filter(|weight| **weight == 0.0) {
        *weight = if random.chance(0.4) { most * random.between(0.02, 0.38) } else { 0.0 };
    }
    if edge == Edge::Halves {
        let fullest = weights.iter().position(|&weight| weight == most).unwrap_or(0);
        weights[(fullest + 1 + random.index(3)) % 4] = most * beside(0.5, random);
    }
    let sum: f64 = weights.iter().sum();
    let mut steps = Vec::new();
    for (quarter, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        let length = random.between_log(0.004, 0.15);
        let start = 0.25 * quarter as f64 + random.between(0.004, 0.246 - length);
        steps.push((quarter, Step { start, length, bytes: bytes * weight / sum }));
    }
    if random.chance(0.6) {
        let of_quarter = |(quarter, step): (usize, Step)| {
            activity(write, NAMES[usize::from(write)][quarter], vec![step], random)
        };
        return steps.into_iter().map(of_quarter).collect();
    }
    let steps = steps.into_iter().map(|(_, step)| step).collect();
    vec![activity(write, if write { "output" } else { "input" }, steps, random)]
}

/// Pieces without gaps over the whole run, at a rate that may differ between quarters.
fn even(edge: Edge, bytes: f64, random: &mut Random) -> Vec<Step> {
    let pieces = 4 * (3 + random.index(8));
    let mut rates = [0; 4].map(|_| random.between(0.9, 1.1));
    if edge == Edge::Evenness {
        // One quarter lies below the others, so that evenness decides and not the table.
        rates = [1.0; 4];
        rates[random.index(4)] = random.between(0.38, 0.62);
    }
    let sum: f64 = (0..pieces).map(|n| rates[n * 4 / pieces]).sum();
    let length = 0.99 / pieces as f64;
    let piece = |n: usize| Step {
        start: 0.005 + n as f64 * length,
        // The overlap makes touching pieces one operation in spite of rounding.
        length: length * 1.0001,
        bytes: bytes * rates[n * 4 / pieces] / sum,
    };
    (0..pieces).map(piece).collect()
}

/// Nearly equal operations at nearly equal distances.
fn comb((from, to): (f64, f64), count: usize, busy: f64, bytes: f64, random: &mut Random) -> Vec<Step> {
    let period = (to - from) / count as f64;
    let jitter = random.between(0.0, 0.025);
    let mut step = |n: usize| Step {
        start: from + period * (n as f64 + random.between(0.0, jitter)),
        length: period * busy * random.between(0.99, 1.01),
        bytes: bytes / count as f64 * random.between(0.97, 1.03),
    };
    (0..count).map(&mut step).collect()
}

fn periodic(edge: Edge, runtime_s: f64, bytes: f64, random: &mut Random) -> Vec<Step> {
    // Fewer than eight operations leave a quarter with exactly half of what another has, where a
    // threshold is.
    let mut count = random.between_log(8.0, 60.0) as usize;
    let whole = random.chance(0.8);
    let mut window =
        if whole { (0.01, 0.98) } else { (random.between(0.01, 0.55), random.between(0.8, 0.98)) };
    if edge == Edge::Period {
        // The run lasts 6 to 12 times the magnitude.
        let cut = [86_400.0, 3600.0, 60.0].into_iter().find(|cut| runtime_s >= cut * 5.0).unwrap_or(60.0);
        let period = beside(cut, random) / runtime_s;
        count = ((0.97 / period) as usize).max(5);
        window = (0.005, 0.005 + period * count as f64);
    }
    let busy = if edge == Edge::Busy { beside(0.25, random) } else { random.between_log(0.02, 0.8) };
    comb(window, count, busy, bytes, random)
}

fn twin(write: bool, bytes: f64, random: &mut Random) -> Vec<Activity> {
    // From eight on, no quarter has exactly half of another.
    let (few, many) = (8 + random.index(9), 24 + random.index(40));
    let large = comb((0.02, 0.98), few, random.between(0.05, 0.2), bytes * 0.97, random);
    let small = comb((0.01, 0.985), many, random.between(0.05, 0.2), bytes * 0.03, random);
    let names = if write { ["checkpoint", "progress"] } else { ["batch", "status"] };
    vec![activity(write, names[0], large, random), activity(write, names[1], small, random)]
}

fn irregular(bytes: f64, random: &mut Random) -> Vec<Step> {
    let count = 4 + random.index(3);
    let mut gaps: Vec<f64> = (0..count).map(|n| 1.8f64.powi(n as i32)).collect();
    for at in (1..count).rev() {
        gaps.swap(at, random.index(at + 1));
    }
    let sum: f64 = gaps.iter().sum();
    let mut start = 0.01;
    let mut steps = Vec::new();
    for gap in gaps {
        let length = gap / sum * random.between(0.1, 0.5);
        steps.push(Step { start, length, bytes: bytes * random.between(0.5, 1.5) / count as f64 });
        start += gap / sum * 0.97;
    }
    steps
}

/// Two halves, separated by about a thousandth of the run.
fn split(bytes: f64, random: &mut Random) -> Vec<Step> {
    let start = random.between(0.01, 0.8);
    // Below a tenth of the run; otherwise the gap is small against the operation.
    let length = random.between(0.01, 0.08);
    let gap = beside(0.001, random);
    let half = |start: f64| Step { start, length, bytes: bytes / 2.0 };
    vec![half(start), half(start + length + gap)]
}
