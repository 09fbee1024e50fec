//! The time axis: when bursts begin and how long they last without other jobs.
//!
//! Other jobs slow a burst down while they move data, so its delay is summed interval by interval.
//! The strength of this effect, and whether traffic in the other direction counts, are chosen so
//! that the lengths of each burst agree best over runs. The time axis then uses the distance
//! between the starts of bursts without that delay. It ignores where bursts end, because other jobs
//! blur that most.

use super::curve::Curve;
use super::estimate::{Runs, Seen};
use super::pace::{Paced, paced};
use super::template::{Phase, Template};
use crate::quantile;

/// Traffic above this multiple of a burst's own stands out.
const ABOVE: f64 = 1.15;
/// Weight of intervals where nothing stands out, relative to the burst's own rate; without peaks
/// others' traffic is spread evenly over the burst.
const EVENLY: f64 = 1e-3;
/// Maximum number of parts of a burst's shape, and the minimum seconds of each.
const PARTS: (f64, f64) = (12.0, 2.0);
/// Bursts with more of others' traffic, relative to their own, are not used to fit the slowdown.
const DISTURBED: f64 = 0.6;
/// Minimum number of runs to compare lengths.
const MIN: usize = 3;
/// Quantile over runs of the lengths without delays.
const USUAL: f64 = 0.4;

#[derive(Debug, Clone, Copy)]
struct Law {
    /// Whether traffic in the other direction counts.
    beside: bool,
    /// Whether the slowdown grows less than linearly with the traffic.
    levels_off: bool,
}

const LAWS: [Law; 4] = [
    Law { beside: false, levels_off: false },
    Law { beside: true, levels_off: false },
    Law { beside: false, levels_off: true },
    Law { beside: true, levels_off: true },
];

/// Largest slowdown at the highest traffic, number of steps to it, and number of refinements.
const TRIED: (f64, u32, u32) = (10.0, 10, 4);

struct Burst {
    length_s: f64,
    /// Others' traffic beyond the background, relative to its own.
    disturbed: f64,
    /// For each interval, the seconds inside the burst and others' traffic in both directions.
    parts: Vec<(f64, [f64; 2])>,
}

impl Burst {
    fn new(curve: &Curve, seen: &Seen, phase: &Phase, heights: &[f64]) -> Burst {
        let length_s = seen.length_s();
        let own = phase.bytes / length_s;
        let mut stands_out = 0.0;
        let mut part = |at: usize| {
            let (begin, end) = (curve.second(at).max(seen.start_s), curve.second(at + 1).min(seen.end_s));
            let (middle, seconds) = ((begin + end) / 2.0 - seen.start_s, (end - begin).max(0.0));
            let place = (middle / length_s * heights.len() as f64).max(0.0) as usize;
            let height = heights.get(place).or(heights.last()).copied().unwrap_or(1.0);
            let more = (curve.rates[at] - ABOVE * own * height).max(0.0) + EVENLY * own;
            stands_out += more * seconds;
            (seconds, [more, curve.beside[at]])
        };
        let (from, to) = (curve.within(seen.start_s), (curve.within(seen.end_s) + 1).min(curve.len()));
        let mut parts: Vec<(f64, [f64; 2])> = (from..to).map(&mut part).collect();
        // The amount that others moved is known only for the whole burst; it goes where traffic
        // stands out.
        let others = (seen.bytes - phase.bytes).max(0.0) / stands_out.max(f64::MIN_POSITIVE);
        for ((_, [more, _]), usual) in parts.iter_mut().zip(&curve.usual[from..to]) {
            *more = usual + *more * others;
        }
        Burst { length_s, disturbed: seen.bytes / phase.bytes.max(1.0) - 1.0, parts }
    }
}

/// Returns the shape of a burst, relative to its mean: the median over undisturbed runs.
fn heights(runs: &Runs<'_>, at: usize, phase: &Phase) -> Vec<f64> {
    let parts = (phase.length_s / PARTS.1).clamp(1.0, PARTS.0) as usize;
    let of_run = |run: usize| -> Option<Vec<f64>> {
        let (curve, seen) = (runs.curves.get(run)?, runs.seen.get(run)?.get(at)?);
        let until =
            |part: usize| curve.bytes_until(seen.start_s + seen.length_s() * part as f64 / parts as f64);
        let mean = (until(parts) - until(0)).max(1.0) / parts as f64;
        Some((0..parts).map(|part| (until(part + 1) - until(part)) / mean).collect())
    };
    let all: Vec<Vec<f64>> = runs.clean(at, phase.bytes).into_iter().filter_map(of_run).collect();
    let middle =
        |part: usize| quantile::between(&mut all.iter().map(|one| one[part]).collect::<Vec<_>>(), 0.5);
    (0..parts).map(middle).collect()
}

/// A law must reduce the disagreement between lengths to less than this share: some strength always
/// fits the errors of measuring a little.
const TELLING: f64 = 0.9;

/// For each run the length of a burst; for its intervals the seconds and the weighted traffic of
/// others.
type Slowed = Vec<(f64, Vec<(f64, f64)>)>;

fn under<'a>(law: Law, bursts: impl Iterator<Item = &'a Burst>, highest: f64) -> Slowed {
    let counted = |&(seconds, [along, beside]): &(f64, [f64; 2])| {
        let share = (along + if law.beside { beside } else { 0.0 }) / highest;
        // The power of three quarters, by square roots: `powf` is slower.
        (seconds, if law.levels_off { (share * share.sqrt()).sqrt() } else { share })
    };
    bursts.map(|burst| (burst.length_s, burst.parts.iter().map(counted).collect())).collect()
}

fn delay(parts: &[(f64, f64)], by: f64) -> f64 {
    parts.iter().map(|(seconds, others)| seconds * by * others / (1.0 + by * others)).sum()
}

/// Returns how much the lengths of a burst disagree after delays are removed, in seconds.
fn disagreement(slowed: &Slowed, by: f64) -> f64 {
    let mut alone: Vec<f64> = slowed.iter().map(|(length_s, parts)| length_s - delay(parts, by)).collect();
    let middle = quantile::between(&mut alone, 0.5).max(f64::MIN_POSITIVE);
    let usual = slowed.iter().map(|(length_s, _)| length_s).sum::<f64>() / slowed.len().max(1) as f64;
    alone.iter().map(|length| (length / middle - 1.0).abs()).sum::<f64>() * usual
}

/// Returns the strength under which lengths agree best, and the remaining disagreement.
fn strength(bursts: &[Slowed]) -> (f64, f64) {
    let cost = |by: f64| bursts.iter().map(|slowed| disagreement(slowed, by)).sum::<f64>();
    let (most, steps, refined) = TRIED;
    let nothing = cost(0.0);
    let mut step = most / f64::from(steps);
    let tried = (0..=steps).map(|at| f64::from(at) * step).map(|by| (by, cost(by)));
    let mut best = tried.fold((0.0, f64::INFINITY), |best, one| if one.1 < best.1 { one } else { best });
    for _ in 0..refined {
        step /= 2.0;
        for by in [best.0 - step, best.0 + step].into_iter().filter(|by| *by >= 0.0) {
            let cost = cost(by);
            best = if cost < best.1 { (by, cost) } else { best };
        }
    }
    if best.1 < TELLING * nothing { best } else { (0.0, nothing) }
}

fn delays(bursts: &[Vec<Burst>], highest: f64) -> Vec<Vec<f64>> {
    let telling = |runs: &Vec<Burst>| runs.iter().filter(|burst| burst.disturbed < DISTURBED).count() >= MIN;
    let tried = LAWS.map(|law| {
        let of_burst =
            |runs: &Vec<Burst>| under(law, runs.iter().filter(|burst| burst.disturbed < DISTURBED), highest);
        let slowed: Vec<Slowed> = bursts.iter().filter(|runs| telling(runs)).map(of_burst).collect();
        (law, strength(&slowed))
    });
    let best = tried.into_iter().min_by(|one, other| one.1.1.total_cmp(&other.1.1));
    let Some((law, (by, _))) = best else { return Vec::new() };
    let of_burst = |runs: &Vec<Burst>| -> Vec<f64> {
        under(law, runs.iter(), highest).iter().map(|(_, parts)| delay(parts, by)).collect()
    };
    bursts.iter().map(of_burst).collect()
}

/// Returns the template with the times of its bursts without other jobs.
pub fn timed(runs: &Runs<'_>, template: &Template) -> Paced {
    let all = 0..runs.seen.len();
    let of_burst = |(at, phase): (usize, &Phase)| -> Vec<Burst> {
        let heights = heights(runs, at, phase);
        all.clone().map(|run| Burst::new(runs.curves[run], &runs.seen[run][at], phase, &heights)).collect()
    };
    let bursts: Vec<Vec<Burst>> = template.iter().enumerate().map(of_burst).collect();
    let traffic = runs.curves.iter().flat_map(|curve| curve.rates.iter().chain(&curve.beside));
    let highest = traffic.fold(1.0f64, |most, rate| most.max(*rate));
    let delays = delays(&bursts, highest);
    let length = |(bursts, delays): (&Vec<Burst>, &Vec<f64>)| {
        let alone = bursts.iter().zip(delays).map(|(burst, delay)| burst.length_s - delay);
        quantile::between(&mut alone.collect::<Vec<_>>(), USUAL)
    };
    let lengths: Vec<f64> = bursts.iter().zip(&delays).map(length).collect();
    paced(runs, template, &lengths, delays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::sample::Sample;

    /// Bytes per second of bursts, and seconds of each alone; 20 s before, between and after them.
    const OWN: f64 = 100.0;
    const ALONE: usize = 40;
    const GAP: usize = 20;
    /// Two bursts with the gaps around them, and room for delays.
    const RUN: usize = 260;

    /// Traffic of others in each second: a constant level and one peak, in either direction.
    fn others(run: usize) -> [Vec<f64>; 2] {
        let level = |side: usize| [2.0, 9.0][side] + ((run * (3 + side)) % 5) as f64;
        let spike = |side: usize, at: usize| {
            let begin = 25 + 11 * ((run * (2 + side)) % 7);
            if (begin..begin + 8).contains(&at) { [40.0, 90.0][side] } else { 0.0 }
        };
        [0, 1].map(|side| (0..RUN).map(|at| level(side) + spike(side, at)).collect())
    }

    /// A run in which a byte of others slows bursts down by `by`; `beside` counts the other
    /// direction.
    fn run(number: usize, by: f64, beside: bool) -> (Curve, Vec<Seen>) {
        let [mut along, read] = others(number);
        let (mut now, mut seen) = (0, Vec::new());
        for _ in 0..2 {
            now += GAP;
            let (start, mut bytes, mut left) = (now, 0.0, ALONE as f64);
            while left > 1e-9 {
                let slows = along[now] + if beside { read[now] } else { 0.0 };
                let done = (1.0 / (1.0 + by * slows)).min(left);
                bytes += along[now] - (2.0 + ((number * 3) % 5) as f64) + OWN * done;
                along[now] += OWN * done;
                (left, now) = (left - done, now + 1);
            }
            seen.push(Seen { start_s: start as f64, end_s: now as f64, bytes, observed: true });
        }
        let sample = |rates: &[f64]| Sample {
            rates: rates.to_vec(),
            mended: Vec::new(),
            interval_s: 1.0,
            offset_s: 0.0,
            duration_s: RUN as f64,
        };
        (Curve::of(&sample(&along), Some(&sample(&read))), seen)
    }

    #[test]
    fn delays_by_others_are_taken_out_whichever_way_they_go() {
        for beside in [false, true] {
            let (curves, seen): (Vec<Curve>, Vec<Vec<Seen>>) =
                (0..8).map(|number| run(number, 0.01, beside)).unzip();
            let curves: Vec<&Curve> = curves.iter().collect();
            let phase = Phase { gap_s: 25.0, length_s: 45.0, bytes: OWN * ALONE as f64 };
            let timed = timed(&Runs { curves: &curves, seen: &seen }, &vec![phase; 2]).template;
            let shortest = seen.iter().map(|seen| seen[0].length_s()).fold(f64::INFINITY, f64::min);
            assert!(shortest > ALONE as f64 + 1.5, "nobody was alone: {shortest}");
            let second = timed[0].gap_s + timed[0].length_s + timed[1].gap_s;
            assert!((second - 80.0).abs() < 1.3, "{beside}: begins at {second}");
            for phase in &timed {
                assert!((phase.length_s - ALONE as f64).abs() < 1.3, "{beside}: {phase:?}");
            }
        }
    }
}
