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
    /// Its name in the truth.
    pub key: String,
    pub job: String,
    pub user: String,
    pub nodes: u64,
    /// Bytes per second.
    pub write: Vec<f64>,
    pub read: Vec<f64>,
    /// Positions in `write`.
    pub bursts: Vec<CleanBurst>,
}

/// A stretch of a burst: start and end as shares of its length, and the fraction of its rate.
pub(super) type Dip = (f64, f64, f64);

pub(super) const PLAIN: &[Dip] = &[];
pub(super) const PAUSE: &[Dip] = &[(0.42, 0.58, 0.36)];
pub(super) const TAIL: &[Dip] = &[(0.62, 1.0, 0.45)];

/// A burst to draw.
pub(super) struct Shape {
    pub start_s: usize,
    pub bytes: f64,
    /// 0 leaves the rate to chance.
    pub rate: f64,
    pub dips: &'static [Dip],
}

/// What a scheduler knows of an application: its key in the truth, its job name, user and nodes.
pub(super) type Named = (String, String, String, u64);

/// Lays out the bursts; the run lasts `after_s` beyond the last one.
pub(super) fn application(
    (key, job, user, nodes): Named,
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
