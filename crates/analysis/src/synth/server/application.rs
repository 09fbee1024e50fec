//! Applications with a known signature.

use crate::synth::random::Random;

/// One burst without interference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CleanBurst {
    /// Since the start of the run.
    pub start_s: usize,
    pub duration_s: usize,
    pub bytes: f64,
}

/// An application and its traffic without interference.
#[derive(Debug, Clone, PartialEq)]
pub struct Application {
    pub key: &'static str,
    pub job: &'static str,
    pub user: &'static str,
    pub nodes: u64,
    /// Bytes per second.
    pub write: Vec<f64>,
    pub read: Vec<f64>,
    /// Positions in `write`.
    pub bursts: Vec<CleanBurst>,
}

/// A burst to draw: start, bytes, usual rate, and stretches at a fraction of the rate.
struct Shape {
    start_s: usize,
    bytes: f64,
    rate: f64,
    /// Start and end as shares of the length, and the fraction of the rate.
    dips: &'static [(f64, f64, f64)],
}

/// Seed for the shapes of bursts; the same for every log, since applications do not change.
const LOOK: u64 = 2014;

impl Application {
    pub fn all() -> Vec<Application> {
        let mut random = Random::new(LOOK);
        let every = |period: usize, first: usize, sizes: &[f64], count: usize| -> Vec<Shape> {
            let size = |at: usize| sizes.get(at % sizes.len()).copied().unwrap_or(0.0);
            (0..count)
                .map(|at| Shape { start_s: first + at * period, bytes: size(at), rate: 0.0, dips: &[] })
                .collect()
        };
        vec![
            application(("ior_a", "ior_a", "u101", 16), every(300, 100, &[128e9], 5), 40, &mut random),
            application(("ior_b", "ior_b", "u102", 16), every(120, 50, &[64e9, 16e9], 10), 40, &mut random),
            application(
                ("ior_c", "ior_c", "u103", 16),
                every(120, 50, &[64e9, 32e9, 16e9], 10),
                40,
                &mut random,
            ),
            Application {
                read: (0..40).map(|at| if (5..20).contains(&at) { 2e9 } else { 0.0 }).collect(),
                ..application(("s3d", "s3d.x", "u201", 1125), irregular(), 60, &mut random)
            },
        ]
    }
}

/// Checkpoints after uneven numbers of steps, some written in parts.
fn irregular() -> Vec<Shape> {
    let plain: &[(f64, f64, f64)] = &[];
    let pause: &[(f64, f64, f64)] = &[(0.42, 0.58, 0.36)];
    let tail: &[(f64, f64, f64)] = &[(0.62, 1.0, 0.45)];
    let all = [
        (140, 42e9, 3.5e9, plain),
        (359, 55e9, 2.8e9, pause),
        (533, 36e9, 3.8e9, plain),
        (804, 60e9, 3.6e9, tail),
        (1002, 12e9, 2.0e9, plain),
        (1238, 48e9, 3.6e9, plain),
        (1443, 50e9, 2.9e9, pause),
        (1708, 58e9, 3.7e9, tail),
    ];
    all.into_iter().map(|(start_s, bytes, rate, dips)| Shape { start_s, bytes, rate, dips }).collect()
}

fn application(
    (key, job, user, nodes): (&'static str, &'static str, &'static str, u64),
    shapes: Vec<Shape>,
    after_s: usize,
    random: &mut Random,
) -> Application {
    let (mut write, mut bursts) = (Vec::new(), Vec::new());
    for shape in shapes {
        let rate = if shape.rate > 0.0 { shape.rate } else { random.between(2.1e9, 2.7e9) };
        let profile = profile(&shape, rate, random);
        write.resize(shape.start_s, 0.0);
        bursts.push(CleanBurst { start_s: shape.start_s, duration_s: profile.len(), bytes: shape.bytes });
        write.extend(profile);
    }
    write.resize(write.len() + after_s, 0.0);
    Application { key, job, user, nodes, write, read: Vec::new(), bursts }
}

/// Bytes in each second of a burst: two seconds of ramp at each end, slow waves in between.
fn profile(shape: &Shape, rate: f64, random: &mut Random) -> Vec<f64> {
    let slowed: f64 = shape.dips.iter().map(|(from, to, part)| (to - from) * (1.0 - part)).sum();
    let seconds = ((shape.bytes / rate / (1.0 - slowed)).round() as usize).max(3);
    let waves = [random.between(5.0, 9.0), random.between(11.0, 23.0)];
    let turns = [random.unit() * 6.0, random.unit() * 6.0];
    let ramps = seconds >= 10;
    let height = |at: usize| {
        let edge = at.min(seconds - 1 - at);
        let ramp = if !ramps { 1.0 } else { [0.45, 0.85].get(edge).copied().unwrap_or(1.0) };
        let share = (at as f64 + 0.5) / seconds as f64;
        let dip =
            shape.dips.iter().find(|(from, to, _)| (*from..*to).contains(&share)).map_or(1.0, |dip| dip.2);
        let wave: f64 = waves
            .iter()
            .zip(turns)
            .map(|(wave, turn)| 0.03 * (at as f64 / wave * std::f64::consts::TAU + turn).sin())
            .sum();
        ramp * dip * (1.0 + wave)
    };
    let heights: Vec<f64> = (0..seconds).map(height).collect();
    let sum: f64 = heights.iter().sum();
    heights.into_iter().map(|height| height / sum * shape.bytes).collect()
}
