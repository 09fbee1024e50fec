//! The four applications of the IOSI study (Liu and others 2014): three of IOR with bursts at equal
//! distances, and one like S3D with irregular ones.

use super::application::{Application, Named, PAUSE, PLAIN, Shape, TAIL, application};
use crate::synth::random::Random;

/// Seed for the shapes of bursts; the same for every log, since applications do not change.
const LOOK: u64 = 2014;

/// The applications of the study.
pub(super) fn applications() -> Vec<Application> {
    let mut random = Random::new(LOOK);
    let every = |period: usize, first: usize, sizes: &[f64], count: usize| -> Vec<Shape> {
        let size = |at: usize| sizes.get(at % sizes.len()).copied().unwrap_or(0.0);
        (0..count)
            .map(|at| Shape { start_s: first + at * period, bytes: size(at), rate: 0.0, dips: PLAIN })
            .collect()
    };
    vec![
        application(named("ior_a", "ior_a", "u101", 16), every(300, 100, &[128e9], 5), 40, &mut random),
        application(named("ior_b", "ior_b", "u102", 16), every(120, 50, &[64e9, 16e9], 10), 40, &mut random),
        application(
            named("ior_c", "ior_c", "u103", 16),
            every(120, 50, &[64e9, 32e9, 16e9], 10),
            40,
            &mut random,
        ),
        Application {
            read: (0..40).map(|at| if (5..20).contains(&at) { 2e9 } else { 0.0 }).collect(),
            ..application(named("s3d", "s3d.x", "u201", 1125), irregular(), 60, &mut random)
        },
    ]
}

fn named(key: &str, job: &str, user: &str, nodes: u64) -> Named {
    (key.to_string(), job.to_string(), user.to_string(), nodes)
}

/// Checkpoints after uneven numbers of steps, some written in parts.
fn irregular() -> Vec<Shape> {
    let all = [
        (140, 42e9, 3.5e9, PLAIN),
        (359, 55e9, 2.8e9, PAUSE),
        (533, 36e9, 3.8e9, PLAIN),
        (804, 60e9, 3.6e9, TAIL),
        (1002, 12e9, 2.0e9, PLAIN),
        (1238, 48e9, 3.6e9, PLAIN),
        (1443, 50e9, 2.9e9, PAUSE),
        (1708, 58e9, 3.7e9, TAIL),
    ];
    all.into_iter().map(|(start_s, bytes, rate, dips)| Shape { start_s, bytes, rate, dips }).collect()
}
