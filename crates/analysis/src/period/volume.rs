//! Phases by volume: when each phase moves the same amount, pauses come at equal distances on an axis
//! of bytes, however irregular they are in time.

use std::sync::{LazyLock, Mutex, PoisonError};

use realfft::RealFftPlanner;

use super::outcome::Phase;

/// Cells of the axis of bytes at least and at most, and per stretch; it is padded to so many times its cells.
const CELLS: (usize, usize) = (512, 4096);
const CELLS_PER_RUN: usize = 8;
const PADDING: usize = 8;
/// Most ways that are tried.
const WAYS: usize = 6;
/// Steps by which a volume is made more exact.
const STEPS: usize = 14;
/// Long pauses of which two tell a volume; by how much that may differ from the first guess; how close a
/// pause must be to a border; and the share of borders that must fall on pauses.
const ANCHORS: usize = 48;
const ROUGHLY: f64 = 0.08;
const EXACTLY: f64 = 0.002;
const HIT: f64 = 0.9;
/// Where fewer borders than this have a pause, the volume is none that the phases have.
const COVERED: f64 = 0.7;
/// A pause belongs to a border if it is within this share of a phase's volume.
const NEAR: f64 = 0.01;

/// Planning takes longer than the transform, and the same few plans serve all.
static PLANNER: LazyLock<Mutex<RealFftPlanner<f64>>> = LazyLock::new(|| Mutex::new(RealFftPlanner::new()));

/// A pause: after how many bytes, and which stretches it lies between.
struct Pause {
    bytes: f64,
    length_s: f64,
    after: usize,
}

/// Ways to group stretches into phases of equal volume, best first, each with the share of borders
/// between phases at which there is a pause.
pub fn equal_volume(runs: &[Phase]) -> Vec<(f64, Vec<Phase>)> {
    let total: f64 = runs.iter().map(|run| run.bytes).sum();
    if runs.len() < 3 || total <= 0.0 {
        return Vec::new();
    }
    let pauses = pauses(runs);
    let longest = strongest(&pauses);
    let places = Places::new(&pauses, total);
    // Where there are fewer pauses than borders, not enough borders can have one.
    let smallest = total / (pauses.len() as f64 / COVERED + 2.0);
    let mut found: Vec<Grouped> = peaks(&pauses, total)
        .into_iter()
        .filter(|volume| *volume > smallest)
        .filter_map(|volume| {
            let (volume, offset) = refine(&longest, volume);
            let rough = group(runs, &pauses, volume, offset, total);
            if rough.as_ref().is_some_and(|grouped| grouped.covered > HIT) {
                return rough;
            }
            let exact = exact(&pauses, &places, &longest, volume);
            exact.and_then(|(volume, offset)| group(runs, &pauses, volume, offset, total)).or(rough)
        })
        .collect();
    found.sort_by(|a, b| (b.covered * b.aligned).total_cmp(&(a.covered * a.aligned)));
    found.truncate(WAYS);
    found.into_iter().map(|grouped| (grouped.covered, grouped.phases)).collect()
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
    let cells = (CELLS_PER_RUN * pauses.len()).next_power_of_two().clamp(CELLS.0, CELLS.1);
    let padded = PADDING * cells;
    let mut axis = vec![0.0; padded];
    for pause in pauses {
        axis[((pause.bytes / total * cells as f64) as usize).min(cells - 1)] += pause.length_s;
    }
    let plan = PLANNER.lock().unwrap_or_else(PoisonError::into_inner).plan_fft_forward(padded);
    let mut spectrum = plan.make_output_vec();
    if plan.process(&mut axis, &mut spectrum).is_err() {
        return Vec::new();
    }
    let strength: Vec<f64> = spectrum.iter().map(|value| value.norm_sqr()).collect();
    let highest = strength.len().min(padded / 4);
    let is_peak = |&at: &usize| strength[at] >= strength[at - 1] && strength[at] > strength[at + 1];
    // At least two phases and a half; a frequency counts phases over the whole volume.
    let lowest = (1.5 * PADDING as f64) as usize;
    let mut peaks: Vec<usize> = (lowest..highest - 1).filter(is_peak).collect();
    peaks.sort_by(|&a, &b| strength[b].total_cmp(&strength[a]));
    peaks.truncate(2 * WAYS);
    peaks.into_iter().map(|at| total * PADDING as f64 / at as f64).collect()
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
fn refine(longest: &[Pause], guess: f64) -> (f64, f64) {
    let count = longest.last().map_or(1.0, |pause| (pause.bytes / guess).max(1.0));
    let (mut best, mut step) = (guess, guess / count / 4.0);
    let mut height = alignment(longest, best).0;
    for _ in 0..STEPS {
        for volume in [best - step, best + step] {
            let other = alignment(longest, volume).0;
            if other > height {
                (best, height) = (volume, other);
            }
        }
        step *= 0.6;
    }
    (best, alignment(longest, best).1.rem_euclid(best))
}

/// Volume and offset at which all borders but a few fall exactly on pauses, if there are such: two long
/// pauses, a whole number of volumes apart, tell both.
fn exact(pauses: &[Pause], places: &Places, longest: &[Pause], guess: f64) -> Option<(f64, f64)> {
    let mut anchors: Vec<&Pause> = longest.iter().collect();
    anchors.sort_by(|a, b| b.length_s.total_cmp(&a.length_s));
    anchors.truncate(ANCHORS);
    let mut best: Option<(f64, f64, f64)> = None;
    for (at, one) in anchors.iter().enumerate() {
        for other in &anchors[at + 1..] {
            let apart = (one.bytes - other.bytes).abs();
            let volume = apart / (apart / guess).round().max(1.0);
            if (volume / guess - 1.0).abs() > ROUGHLY {
                continue;
            }
            let borders = Borders { volume, offset: one.bytes.rem_euclid(volume), total: places.total };
            if !borders.may_hit(places) {
                continue;
            }
            let (hit, idle) = borders.hit(pauses);
            if hit >= HIT && best.is_none_or(|known| idle > known.0) {
                best = Some((idle, volume, borders.offset));
            }
        }
    }
    best.map(|(_, volume, offset)| (volume, offset))
}

/// How many pauses come before each cell of the axis of bytes: whether a stretch of it holds a pause is
/// then told at once.
struct Places {
    before: Vec<u32>,
    total: f64,
    /// Cells per byte.
    per_byte: f64,
}

impl Places {
    /// Cells of the axis; much shorter than what a border may be off.
    const CELLS: usize = 1 << 14;

    fn new(pauses: &[Pause], total: f64) -> Places {
        let mut before = vec![0; Places::CELLS + 2];
        let per_byte = Places::CELLS as f64 / total;
        let cell = |bytes: f64| ((bytes * per_byte) as usize).min(Places::CELLS);
        pauses.iter().filter(|pause| pause.length_s > 0.0).for_each(|p| before[cell(p.bytes) + 1] += 1);
        let mut sum = 0;
        before.iter_mut().for_each(|count| {
            sum += *count;
            *count = sum;
        });
        Places { before, total, per_byte }
    }

    /// Whether there may be a pause between two places; if not, there is none for certain.
    fn may_hold(&self, from: f64, to: f64) -> bool {
        let cell = |bytes: f64| ((bytes * self.per_byte) as usize).min(Places::CELLS);
        self.before[cell(to) + 1] > self.before[cell(from)]
    }
}

/// Where phases of equal volume would part.
struct Borders {
    volume: f64,
    offset: f64,
    total: f64,
}

impl Borders {
    /// The borders themselves, but for the ends of the run.
    fn places(&self) -> impl Iterator<Item = f64> {
        let (near, last) = (EXACTLY * self.volume, self.total - EXACTLY * self.volume);
        let border = |n: usize| self.offset + n as f64 * self.volume;
        (0..).map(border).take_while(move |border| *border < last).filter(move |border| *border > near)
    }

    /// Whether enough of the borders may fall on a pause.
    fn may_hit(&self, places: &Places) -> bool {
        let near = EXACTLY * self.volume;
        // So many misses and the share of hits is too low, whatever follows.
        let most_misses = ((self.total / self.volume + 1.0) * (1.0 - HIT)) as usize;
        let miss = |border: &f64| !places.may_hold(border - near, border + near);
        self.places().filter(miss).nth(most_misses).is_none()
    }

    /// The share of borders that fall exactly on a pause, and how long those pauses are together.
    fn hit(&self, pauses: &[Pause]) -> (f64, f64) {
        let near = EXACTLY * self.volume;
        let (mut borders, mut hits, mut idle) = (0usize, 0usize, 0.0);
        for border in self.places() {
            let first = pauses.partition_point(|pause| pause.bytes < border - near);
            let exact = pauses[first..].iter().take_while(|pause| pause.bytes <= border + near);
            let longest = exact.map(|pause| pause.length_s).fold(0.0, f64::max);
            borders += 1;
            hits += usize::from(longest > 0.0);
            idle += longest;
        }
        (hits as f64 / borders.max(1) as f64, idle)
    }
}

/// The longest pauses, in order.
fn strongest(pauses: &[Pause]) -> Vec<Pause> {
    const MOST: usize = 128;
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
