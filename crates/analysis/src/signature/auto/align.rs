//! Where the bursts of a template are in one run: the cheapest way to lay all of them, by dynamic programming.
//!
//! Costs are one-sided, as the facts are. Traffic where the template has none is somebody else's and costs
//! little; a burst without traffic is nearly impossible. Quiet stretches and bursts may be longer than the
//! template says, and hardly shorter.

use super::curve::Curve;
use super::template::Phase;

/// Costs are in intervals of unexplained traffic.
const SHORTAGE: f64 = 4.0;
/// Traffic below this part of a burst's mean rate is a shortage.
const ENOUGH: f64 = 0.6;
/// For each percent by which a gap or a burst is off.
const OFF: f64 = 0.1;
/// How much shorter and longer than believed gaps may be: shares and seconds.
const GAP: (f64, f64, f64) = (0.03, 0.06, 8.0);
/// The same of bursts.
const BURST: (f64, f64, f64) = (0.2, 1.5, 8.0);

/// How late a burst may begin at most, after all delays: a share and seconds.
const LATE: (f64, f64) = (0.12, 30.0);

/// Where a burst is, in intervals of a run.
pub type Place = (usize, usize);

/// Lays all bursts; their places, and the cost per burst. Nothing if the run is too short for them.
pub fn align(curve: &Curve, template: &[Phase]) -> Option<(Vec<Place>, f64)> {
    let mean_rate = |phase: &Phase| phase.bytes / phase.length_s.max(curve.interval_s);
    let typical = template.iter().map(mean_rate).sum::<f64>() / template.len().max(1) as f64;
    let quiet = summed(curve, |rate| (rate / (0.5 * typical)).min(1.0));
    // Cheapest cost of everything up to an interval where a burst ends, and how it came about.
    let mut ends: Vec<Step> = vec![Step { at: curve.interval(0.0), cost: 0.0, from: 0, start: 0 }];
    let mut history: Vec<Vec<Step>> = Vec::new();
    let mut now = 0.0;
    for phase in template {
        let latest = curve.interval((now + phase.gap_s) * (1.0 + LATE.0) + LATE.1);
        now += phase.gap_s + phase.length_s;
        let starts = starts(curve, phase, &ends, (&quiet, latest));
        let next = stops(curve, phase, &starts, mean_rate(phase));
        history.push(std::mem::replace(&mut ends, next));
        if ends.is_empty() {
            return None;
        }
    }
    let total = |step: &Step| step.cost + quiet[curve.len()] - quiet[step.at];
    let best = ends.iter().enumerate().min_by(|one, other| total(one.1).total_cmp(&total(other.1)))?;
    let cost = total(best.1) / template.len().max(1) as f64;
    let mut places = Vec::with_capacity(template.len());
    let mut step = *best.1;
    for steps in history.iter().rev() {
        places.push((step.start, step.at));
        step = *steps.get(step.from)?;
    }
    places.reverse();
    Some((places, cost))
}

#[derive(Debug, Clone, Copy)]
struct Step {
    /// Interval at which a burst ends (or begins, among starts).
    at: usize,
    cost: f64,
    /// Which step came before.
    from: usize,
    /// Where this burst began.
    start: usize,
}

/// Sums of a cost up to each interval; what was not observed costs nothing.
fn summed(curve: &Curve, cost: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    let costs = curve.rates.iter().zip(&curve.observed).map(|(&rate, &seen)| {
        sum += if seen { cost(rate) } else { 0.0 };
        sum
    });
    std::iter::once(0.0).chain(costs).collect()
}

/// Lengths in intervals that a stretch may have.
fn lengths(seconds: f64, (shorter, longer, more): (f64, f64, f64), interval_s: f64) -> (usize, usize) {
    let low = seconds * (1.0 - shorter) - interval_s;
    let high = seconds * (1.0 + longer) + more;
    ((low / interval_s).floor().max(0.0) as usize, (high / interval_s).ceil() as usize)
}

/// What a length costs that is not as believed; too short costs twice.
fn off(length: usize, seconds: f64, interval_s: f64) -> f64 {
    let off = length as f64 * interval_s - seconds;
    let percent = 100.0 * (off.abs() - interval_s).max(0.0) / seconds.max(20.0);
    OFF * percent * if off < 0.0 { 2.0 } else { 1.0 }
}

/// Where a burst may begin, each with the cheapest end of the one before.
fn starts(curve: &Curve, phase: &Phase, ends: &[Step], (quiet, latest): (&[f64], usize)) -> Vec<Step> {
    let (low, high) = lengths(phase.gap_s, GAP, curve.interval_s);
    let (Some(first), Some(last)) = (ends.first(), ends.last()) else { return Vec::new() };
    let mut starts = Vec::new();
    for at in first.at + low..=(last.at + high).min(latest) {
        let from = ends.partition_point(|end| end.at + high < at);
        let reachable = ends.iter().enumerate().skip(from).take_while(|(_, end)| end.at + low <= at);
        let cost = |end: &Step| {
            end.cost + quiet[at] - quiet[end.at] + off(at - end.at, phase.gap_s, curve.interval_s)
        };
        let best =
            reachable.map(|(from, end)| (cost(end), from)).min_by(|one, other| one.0.total_cmp(&other.0));
        starts.extend(best.map(|(cost, from)| Step { at, cost, from, start: at }));
    }
    starts
}

/// Where it may end, each with its cheapest beginning.
fn stops(curve: &Curve, phase: &Phase, starts: &[Step], rate: f64) -> Vec<Step> {
    let enough = ENOUGH * rate;
    let lack = summed(curve, |rate| SHORTAGE * (1.0 - rate / enough).max(0.0));
    let (low, high) = lengths(phase.length_s, BURST, curve.interval_s);
    let low = low.max(1);
    let (Some(first), Some(last)) = (starts.first(), starts.last()) else { return Vec::new() };
    let mut stops = Vec::new();
    for at in first.at + low..=(last.at + high).min(curve.len()) {
        let from = starts.partition_point(|start| start.at + high < at);
        let reachable = starts.iter().skip(from).take_while(|start| start.at + low <= at);
        let cost = |start: &Step| {
            start.cost + lack[at] - lack[start.at] + off(at - start.at, phase.length_s, curve.interval_s)
        };
        let best = reachable.map(|start| (cost(start), start)).min_by(|one, other| one.0.total_cmp(&other.0));
        stops.extend(best.map(|(cost, start)| Step { at, cost, ..*start }));
    }
    stops
}
