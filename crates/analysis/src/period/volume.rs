//! Phases by volume: when each phase moves the same amount, pauses come at equal distances on an axis
//! of bytes, however irregular they are in time.

use std::sync::{Arc, OnceLock};

use realfft::{RealFftPlanner, RealToComplex};

use super::outcome::Phase;

/// Cells of the axis of bytes, and to how many it is padded.
const CELLS: usize = 4096;
const PADDED: usize = 1 << 15;
/// Most ways that are tried.
const WAYS: usize = 6;
/// Where fewer borders than this have a pause, the volume is none that the phases have.
const COVERED: f64 = 0.7;
/// A pause belongs to a border if it is within this share of a phase's volume.
const NEAR: f64 = 0.01;

/// Planning takes longer than the transform; the plan is the same for all.
static PLAN: OnceLock<Arc<dyn RealToComplex<f64>>> = OnceLock::new();

/// A pause: after how many bytes, and which stretches it lies between.
struct Pause {
    bytes: f64,
    length_s: f64,
    after: usize,
}

/// Ways to group stretches into phases of equal volume, best first.
pub fn equal_volume(runs: &[Phase]) -> Vec<Vec<Phase>> {
    let total: f64 = runs.iter().map(|run| run.bytes).sum();
    if runs.len() < 3 || total <= 0.0 {
        return Vec::new();
    }
    let pauses = pauses(runs);
    let mut found: Vec<Grouped> = peaks(&pauses, total)
        .into_iter()
        .filter_map(|volume| {
            let (volume, offset) = refine(&pauses, volume);
            group(runs, &pauses, volume, offset, total)
        })
        .collect();
    found.sort_by(|a, b| (b.covered * b.aligned).total_cmp(&(a.covered * a.aligned)));
    found.truncate(WAYS);
    found.into_iter().map(|grouped| grouped.phases).collect()
}

/// Stretches grouped into phases.
struct Grouped {
    phases: Vec<Phase>,
    /// Share of borders at which there is a pause.
    covered: f64,
    /// Share of idle time that lies at borders.
    aligned: f64,
}

fn pauses(runs: &[Phase]) -> Vec<Pause> {
    let mut bytes = 0.0;
    let pause = |(after, pair): (usize, &[Phase])| {
        bytes += pair[0].bytes;
        Pause { bytes, length_s: pair[1].start_s - pair[0].end_s, after }
    };
    runs.windows(2).enumerate().map(pause).collect()
}

/// Volumes at whose multiples the pauses stand, by the spectrum of pauses over bytes.
fn peaks(pauses: &[Pause], total: f64) -> Vec<f64> {
    let mut axis = vec![0.0; PADDED];
    for pause in pauses {
        axis[((pause.bytes / total * CELLS as f64) as usize).min(CELLS - 1)] += pause.length_s;
    }
    let plan = PLAN.get_or_init(|| RealFftPlanner::new().plan_fft_forward(PADDED));
    let mut spectrum = plan.make_output_vec();
    if plan.process(&mut axis, &mut spectrum).is_err() {
        return Vec::new();
    }
    let strength: Vec<f64> = spectrum.iter().map(|value| value.norm()).collect();
    let highest = strength.len().min(PADDED / 4);
    let is_peak = |&at: &usize| strength[at] >= strength[at - 1] && strength[at] > strength[at + 1];
    // At least two phases and a half; a frequency counts phases over the whole volume.
    let lowest = (1.5 * PADDED as f64 / CELLS as f64) as usize;
    let mut peaks: Vec<usize> = (lowest..highest - 1).filter(is_peak).collect();
    peaks.sort_by(|&a, &b| strength[b].total_cmp(&strength[a]));
    peaks.truncate(4 * WAYS);
    peaks.into_iter().map(|at| total * PADDED as f64 / (at as f64 * CELLS as f64)).collect()
}

/// How well pauses line up at multiples of a volume, and where: the length and angle of their sum.
fn alignment(pauses: &[Pause], volume: f64) -> (f64, f64) {
    let (mut cosine, mut sine) = (0.0, 0.0);
    for pause in pauses {
        let angle = std::f64::consts::TAU * (pause.bytes / volume).fract();
        cosine += pause.length_s * angle.cos();
        sine += pause.length_s * angle.sin();
    }
    (cosine.hypot(sine), sine.atan2(cosine) / std::f64::consts::TAU * volume)
}

/// The volume near a first guess at which the pauses line up best, and the offset of its multiples.
fn refine(pauses: &[Pause], guess: f64) -> (f64, f64) {
    let longest = strongest(pauses);
    let count = longest.last().map_or(1.0, |pause| (pause.bytes / guess).max(1.0));
    let (mut best, mut step) = (guess, guess / count / 4.0);
    for _ in 0..24 {
        let candidates = [best - step, best, best + step];
        let score = |volume: &f64| alignment(&longest, *volume).0;
        best = candidates.into_iter().max_by(|a, b| score(a).total_cmp(&score(b))).unwrap_or(best);
        step *= 0.6;
    }
    (best, alignment(&longest, best).1.rem_euclid(best))
}

/// The longest pauses, in order.
fn strongest(pauses: &[Pause]) -> Vec<Pause> {
    const MOST: usize = 512;
    let mut longest: Vec<&Pause> = pauses.iter().collect();
    longest.sort_by(|a, b| b.length_s.total_cmp(&a.length_s));
    longest.truncate(MOST);
    longest.sort_by_key(|pause| pause.after);
    longest.into_iter().map(|p| Pause { bytes: p.bytes, length_s: p.length_s, after: p.after }).collect()
}

/// Phases between multiples of a volume.
fn group(runs: &[Phase], pauses: &[Pause], volume: f64, offset: f64, total: f64) -> Option<Grouped> {
    let idle: f64 = pauses.iter().map(|pause| pause.length_s).sum();
    let mut borders: Vec<&Pause> = Vec::new();
    let (mut expected, mut border, mut next) = (0usize, offset, 0usize);
    if border < 0.02 * volume {
        border += volume;
    }
    while border < total - 0.02 * volume {
        expected += 1;
        while next < pauses.len() && pauses[next].bytes < border - 3.0 * NEAR * volume {
            next += 1;
        }
        let near = pauses[next..].iter().take_while(|pause| pause.bytes <= border + 3.0 * NEAR * volume);
        let weight = |pause: &Pause| {
            let off = (pause.bytes - border) / (NEAR * volume);
            pause.length_s * (-off * off).exp()
        };
        let best = near.max_by(|a, b| weight(a).total_cmp(&weight(b)));
        borders.extend(best.filter(|pause| pause.length_s > 0.0));
        border += volume;
    }
    if expected < 2 || borders.len() < 2 {
        return None;
    }
    let covered = borders.len() as f64 / expected as f64;
    if covered < COVERED {
        return None;
    }
    let at_borders: f64 = borders.iter().map(|pause| pause.length_s).sum();
    let mut phases: Vec<Phase> = Vec::new();
    let mut from = 0;
    for to in borders.iter().map(|pause| pause.after + 1).chain([runs.len()]) {
        if to > from {
            let bytes = runs[from..to].iter().map(|run| run.bytes).sum();
            phases.push(Phase { start_s: runs[from].start_s, end_s: runs[to - 1].end_s, bytes });
        }
        from = to;
    }
    let aligned = at_borders / idle.max(f64::MIN_POSITIVE);
    Some(Grouped { phases: split(phases, volume), covered, aligned })
}

/// Splits phases that hold a multiple of the usual volume: they touch one another.
fn split(phases: Vec<Phase>, volume: f64) -> Vec<Phase> {
    let mut all = Vec::with_capacity(phases.len());
    for phase in phases {
        let parts = (phase.bytes / volume).round().max(1.0) as usize;
        let length = (phase.end_s - phase.start_s) / parts as f64;
        all.extend((0..parts).map(|part| Phase {
            start_s: phase.start_s + part as f64 * length,
            end_s: phase.start_s + (part + 1) as f64 * length,
            bytes: phase.bytes / parts as f64,
        }));
    }
    all
}
