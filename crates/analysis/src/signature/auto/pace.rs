//! When bursts begin: the time from the start of one to the start of the next.
//!
//! What delays a burst delays all after it, unless a cache takes the burst; and which law it obeys
//! is unknown. So several ways to take delays out compete, and the one after which runs agree best
//! about the distances between bursts is used.
//!
//! Computing takes longer in some runs than in others, and never less than at best. As long as this
//! moves the last burst by less than the bursts are long, the shortest distances give the
//! signature. Beyond that no run looks like the fastest, and the mean over undisturbed runs is
//! taken.

use super::estimate::{Gap, Runs, shortest};
use super::template::{Phase, Template};
use crate::quantile;

/// How late the last burst is on average, in lengths of bursts, from where the mean begins to count
/// to where only the mean counts.
const LATE: (f64, f64) = (1.0, 1.5);
/// Times above the upper quartile by this multiple of the interquartile range are delays by others
/// (far out, in the terms of Tukey 1977).
const FENCE: f64 = 3.0;

/// What others' traffic explains also has a part that is the same in all runs and so does not show
/// in their agreement. Other ways must agree better by this factor.
const CLEARLY: f64 = 1.15;

/// Place of the way that takes no delays out.
const LEFT_IN: usize = 2;

/// Seconds by which each burst of each run delays the next.
type Delays = Vec<Vec<f64>>;

/// A template with the times of its bursts, and what they would be otherwise.
pub struct Paced {
    pub template: Template,
    pub fastest: Template,
    pub usual: Template,
    /// With the delays that were left in taken out, or the other way round.
    pub otherwise_delayed: Template,
}

/// Lays out bursts of these lengths; `delays` are those that others' traffic explains.
pub fn paced(runs: &Runs<'_>, template: &Template, lengths: &[f64], delays: Delays) -> Paced {
    let none: Delays = delays.iter().map(|delays| vec![0.0; delays.len()]).collect();
    let longer = |(at, length): (usize, &f64)| -> Vec<f64> {
        runs.seen.iter().map(|seen| (seen[at].length_s() - length).max(0.0)).collect()
    };
    let longer: Delays = lengths.iter().enumerate().map(longer).collect();
    let tried = [delays, longer, none].map(|delays| distances(runs, template, &delays));
    let cost = |(at, distances): &(usize, Vec<Vec<Gap>>)| {
        distances.iter().map(|gaps| disagreement(gaps)).sum::<f64>() * if *at > 0 { CLEARLY } else { 1.0 }
    };
    let mut tried: Vec<(usize, Vec<Vec<Gap>>)> = tried.into_iter().enumerate().collect();
    tried.sort_by(|one, other| cost(one).total_cmp(&cost(other)));
    let chosen = tried.first().map_or(0, |one| one.0);
    let times = |(_, distances): &(usize, Vec<Vec<Gap>>)| {
        let usual: Vec<f64> = distances.iter().map(|gaps| mean(gaps)).collect();
        let fastest: Vec<f64> = distances.iter().map(|gaps| shortest(gaps.clone())).collect();
        (fastest, usual)
    };
    let laid = |(fastest, usual): &(Vec<f64>, Vec<f64>), share: f64| -> Template {
        let phase = |(at, phase): (usize, &Phase)| {
            let distance = fastest[at] + share * (usual[at] - fastest[at]).max(0.0);
            let before = at.checked_sub(1).map_or(0.0, |before| lengths[before]);
            Phase { gap_s: (distance - before).max(0.0), length_s: lengths[at], ..*phase }
        };
        template.iter().enumerate().map(phase).collect()
    };
    let paces = |one: &(Vec<f64>, Vec<f64>)| laid(one, share_of_mean(&one.0, &one.1, lengths));
    let best = tried.first().map(times).unwrap_or_default();
    // Leaving delays in is the last way, and the opposite of both others.
    let opposite = tried.iter().find(|one| (one.0 == LEFT_IN) != (chosen == LEFT_IN)).map(times);
    Paced {
        template: paces(&best),
        fastest: laid(&best, 0.0),
        usual: laid(&best, 1.0),
        otherwise_delayed: paces(&opposite.unwrap_or_default()),
    }
}

/// For each burst the time from the start of the one before in each run, without delays.
fn distances(runs: &Runs<'_>, template: &Template, delays: &Delays) -> Vec<Vec<Gap>> {
    let distance = |at: usize, run: usize| {
        let before = at.checked_sub(1);
        let begin = before.map_or(0.0, |before| runs.seen[run][before].start_s + delays[before][run]);
        let clean = |at: usize| runs.is_clean(run, at, template[at].bytes);
        Gap { seconds: runs.seen[run][at].start_s - begin, clean: clean(at) && before.is_none_or(clean) }
    };
    let of_burst = |at: usize| (0..runs.seen.len()).map(|run| distance(at, run)).collect();
    (0..template.len()).map(of_burst).collect()
}

fn clean(gaps: &[Gap]) -> Vec<f64> {
    let clean: Vec<f64> = gaps.iter().filter(|gap| gap.clean).map(|gap| gap.seconds).collect();
    if clean.is_empty() { gaps.iter().map(|gap| gap.seconds).collect() } else { clean }
}

/// Mean absolute deviation from the median, in seconds.
fn disagreement(gaps: &[Gap]) -> f64 {
    let mut gaps = clean(gaps);
    let middle = quantile::between(&mut gaps, 0.5);
    quantile::mean(gaps.iter().map(|gap| (gap - middle).abs())).unwrap_or(0.0)
}

fn mean(gaps: &[Gap]) -> f64 {
    let mut gaps = clean(gaps);
    let (low, high) = (quantile::between(&mut gaps, 0.25), quantile::between(&mut gaps, 0.75));
    let fence = high + FENCE * (high - low);
    quantile::mean(gaps.into_iter().filter(|gap| *gap <= fence)).unwrap_or(0.0)
}

/// 0 if the signature has the shortest distances, 1 if it has the mean.
fn share_of_mean(fastest: &[f64], usual: &[f64], lengths: &[f64]) -> f64 {
    let late: f64 = fastest.iter().zip(usual).map(|(fastest, usual)| (usual - fastest).max(0.0)).sum();
    let length = quantile::between(&mut lengths.to_vec(), 0.5).max(f64::MIN_POSITIVE);
    ((late / length - LATE.0) / (LATE.1 - LATE.0)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::auto::curve::Curve;
    use crate::signature::auto::estimate::Seen;
    use crate::signature::sample::Sample;

    const RUNS: usize = 9;

    fn curve() -> Curve {
        let rates = vec![0.0; 10];
        let (mended, interval_s) = (Vec::new(), 2.0);
        Curve::of(&Sample { rates, mended, interval_s, offset_s: 0.0, duration_s: 20.0 }, None)
    }

    /// Bursts of `length_s` every 50 s; others delay the end of each by `delays`, and what follows
    /// only if there is no cache. Computing takes up to `late` seconds longer in some runs.
    fn runs(length_s: f64, late: f64, delays: &Delays, cached: bool) -> Vec<Vec<Seen>> {
        let run = |run: usize| {
            let mut now = 0.0;
            let burst = |at: usize| {
                now += 50.0 + late * ((run * 5 + at * 7) % RUNS) as f64 / (RUNS - 1) as f64;
                let (start_s, delay) = (now, delays[at][run]);
                now += length_s + if cached { 0.0 } else { delay };
                Seen { start_s, end_s: start_s + length_s + delay, bytes: 1e9, observed: true }
            };
            (0..delays.len()).map(burst).collect()
        };
        (0..RUNS).map(run).collect()
    }

    /// The start of the last of ten bursts.
    fn last(length_s: f64, late: f64, cached: bool) -> f64 {
        let delay = |at: usize, run: usize| ((run * 4 + at * 2) % RUNS) as f64;
        let delays: Delays = (0..10).map(|at| (0..RUNS).map(|run| delay(at, run)).collect()).collect();
        let seen = runs(length_s, late, &delays, cached);
        let curve = curve();
        let curves = vec![&curve; RUNS];
        let template = vec![Phase { gap_s: 50.0, length_s, bytes: 1e9 }; 10];
        let paced =
            paced(&Runs { curves: &curves, seen: &seen }, &template, &[length_s; 10], delays).template;
        let start = |sum: f64, phase: &Phase| sum + phase.gap_s + phase.length_s;
        paced.iter().fold(0.0, start) - paced[9].length_s
    }

    #[test]
    fn delays_count_unless_a_cache_takes_the_bursts() {
        for cached in [false, true] {
            let start = last(40.0, 0.5, cached);
            assert!((start - (10.0 * 50.0 + 9.0 * 40.0)).abs() < 3.0, "{cached}: {start}");
        }
    }

    #[test]
    fn the_mean_pace_counts_where_the_last_burst_is_late_by_more_than_bursts_are_long() {
        let fastest = 10.0 * 50.0 + 9.0 * 5.0;
        let late = last(5.0, 4.0, false) - fastest;
        assert!((late - 10.0 * 2.0).abs() < 1.5, "{late}");
        let late = last(5.0, 0.4, false) - fastest;
        assert!(late < 1.5, "{late}");
    }
}
