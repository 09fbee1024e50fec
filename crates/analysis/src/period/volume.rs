//! Phases by volume: when each phase moves the same amount, pauses come at equal distances on an
//! axis of bytes, however irregular they are in time.

use std::sync::{Arc, OnceLock};

use realfft::{RealFftPlanner, RealToComplex};

use super::borders::{HIT, Tried};
use super::outcome::Phase;

/// Minimum and maximum number of cells of the byte axis, and cells per stretch; the axis is padded
/// to this multiple of its cells.
const CELLS: (usize, usize) = (512, 4096);
const CELLS_PER_RUN: usize = 8;
const PADDING: usize = 8;
/// Maximum number of results.
const WAYS: usize = 6;
/// A volume with a smaller share of borders at pauses is rejected.
const COVERED: f64 = 0.7;
/// A pause belongs to a border if it is within this share of a phase's volume.
const NEAR: f64 = 0.01;

/// Transforms for each number of cells, a power of two: planning takes longer than the transform.
static PLANS: [OnceLock<Arc<dyn RealToComplex<f64>>>; 4] = [const { OnceLock::new() }; 4];

/// A pause: the bytes before it, its length, and the stretch that it follows.
pub struct Pause {
    pub bytes: f64,
    pub length_s: f64,
    pub after: usize,
}

/// Groups stretches into phases of equal volume in several ways, best first, each with the share of
/// borders between phases that have a pause.
pub fn equal_volume(runs: &[Phase]) -> Vec<(f64, Vec<Phase>)> {
    let total: f64 = runs.iter().map(|run| run.bytes).sum();
    if runs.len() < 3 || total <= 0.0 {
        return Vec::new();
    }
    let pauses = pauses(runs);
    let mut tried = Tried::new(&pauses, total);
    // With fewer pauses than borders, not enough borders can have one.
    let smallest = total / (pauses.len() as f64 / COVERED + 2.0);
    let mut found: Vec<Grouped> = peaks(&pauses, total)
        .into_iter()
        .filter(|volume| *volume > smallest)
        .filter_map(|volume| {
            let (volume, offset) = tried.refine(volume);
            let rough = group(runs, &pauses, volume, offset, total);
            if rough.as_ref().is_some_and(|grouped| grouped.covered > HIT) {
                return rough;
            }
            tried
                .exact(volume)
                .and_then(|(volume, offset)| group(runs, &pauses, volume, offset, total))
                .or(rough)
        })
        .collect();
    found.sort_by(|a, b| (b.covered * b.aligned).total_cmp(&(a.covered * a.aligned)));
    found.truncate(WAYS);
    found.into_iter().map(|grouped| (grouped.covered, grouped.phases)).collect()
}

struct Grouped {
    phases: Vec<Phase>,
    /// Share of borders with a pause.
    covered: f64,
    /// Share of idle time at borders.
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

/// Volumes at whose multiples the pauses lie, by the spectrum of pauses over bytes.
fn peaks(pauses: &[Pause], total: f64) -> Vec<f64> {
    let cells = (CELLS_PER_RUN * pauses.len()).next_power_of_two().clamp(CELLS.0, CELLS.1);
    let padded = PADDING * cells;
    let mut axis = vec![0.0; padded];
    for pause in pauses {
        axis[((pause.bytes / total * cells as f64) as usize).min(cells - 1)] += pause.length_s;
    }
    let plan = PLANS[(cells / CELLS.0).ilog2() as usize]
        .get_or_init(|| RealFftPlanner::new().plan_fft_forward(padded));
    let mut spectrum = plan.make_output_vec();
    if plan.process(&mut axis, &mut spectrum).is_err() {
        return Vec::new();
    }
    let highest = padded / 4;
    let strength: Vec<f64> = spectrum[..highest].iter().map(|value| value.norm_sqr()).collect();
    let is_peak = |&at: &usize| strength[at] >= strength[at - 1] && strength[at] > strength[at + 1];
    // At least two and a half phases; a frequency counts phases over the whole volume.
    let lowest = (1.5 * PADDING as f64) as usize;
    let mut peaks: Vec<usize> = (lowest..highest - 1).filter(is_peak).collect();
    let strongest_first = |a: &usize, b: &usize| strength[*b].total_cmp(&strength[*a]).then(a.cmp(b));
    if peaks.len() > 2 * WAYS {
        peaks.select_nth_unstable_by(2 * WAYS, strongest_first);
        peaks.truncate(2 * WAYS);
    }
    peaks.sort_unstable_by(strongest_first);
    peaks.into_iter().map(|at| total * PADDING as f64 / at as f64).collect()
}

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

/// Splits phases that hold a multiple of the usual volume: they touch each other.
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
