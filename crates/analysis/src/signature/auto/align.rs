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
    let all = (0, curve.len());
    let quiet = summed(curve, all, |rate| (rate / (0.5 * typical)).min(1.0));
    let mut rows: Vec<[Row; 2]> = Vec::with_capacity(template.len());
    let begin = Row { first: curve.interval(0.0), costs: vec![0.0], from: vec![0] };
    let mut now = 0.0;
    for phase in template {
        let latest = curve.interval((now + phase.gap_s) * (1.0 + LATE.0) + LATE.1);
        now += phase.gap_s + phase.length_s;
        let ends = rows.last().map_or(&begin, |[_, ends]| ends);
        let starts = ends.next(&Stretch::new(phase.gap_s, GAP, curve.interval_s), latest, |at| quiet[at])?;
        let length = Stretch::new(phase.length_s, BURST, curve.interval_s);
        let reach = (starts.first, (starts.first + starts.costs.len() + length.high()).min(curve.len()));
        let enough = ENOUGH * mean_rate(phase);
        let lack = summed(curve, reach, |rate| SHORTAGE * (1.0 - rate / enough).max(0.0));
        let stops = starts.next(&length, curve.len(), |at| lack[at - reach.0])?;
        rows.push([starts, stops]);
    }
    let ends = rows.last().map_or(&begin, |[_, ends]| ends);
    let total = |at: usize| ends.costs[at] + quiet[curve.len()] - quiet[ends.first + at];
    let best = (0..ends.costs.len()).min_by(|&one, &other| total(one).total_cmp(&total(other)))?;
    let cost = total(best) / template.len().max(1) as f64;
    let mut places = Vec::with_capacity(template.len());
    let mut end = ends.first + best;
    for [starts, stops] in rows.iter().rev() {
        let start = stops.from[end - stops.first];
        places.push((start, end));
        end = starts.from[start - starts.first];
    }
    places.reverse();
    cost.is_finite().then_some((places, cost))
}

/// Cheapest cost of everything up to each interval of a range, where a gap or a burst ends.
struct Row {
    first: usize,
    costs: Vec<f64>,
    /// Where that gap or burst began.
    from: Vec<usize>,
}

impl Row {
    /// What follows: a stretch behind the cheapest place to begin it. `sum` is its cost up to an interval.
    fn next(&self, stretch: &Stretch, latest: usize, sum: impl Fn(usize) -> f64) -> Option<Row> {
        let last = self.first + self.costs.len() - 1;
        let (first, to) = (self.first + stretch.low, (last + stretch.high()).min(latest));
        if first > to {
            return None;
        }
        // What is left of a cost when the sum up to the end is added.
        let base: Vec<f64> =
            self.costs.iter().enumerate().map(|(at, cost)| cost - sum(self.first + at)).collect();
        let (mut costs, mut from) = (Vec::with_capacity(to + 1 - first), Vec::with_capacity(to + 1 - first));
        for at in first..=to {
            let low = at.saturating_sub(stretch.high()).max(self.first);
            let high = (at - stretch.low).min(last);
            let (mut best, mut place) = (f64::INFINITY, low);
            for begin in low..=high {
                let cost = base[begin - self.first] + stretch.costs[at - begin - stretch.low];
                if cost < best {
                    (best, place) = (cost, begin);
                }
            }
            costs.push(best + sum(at));
            from.push(place);
        }
        Some(Row { first, costs, from })
    }
}

/// Lengths in intervals that a gap or a burst may have, and what each costs.
struct Stretch {
    low: usize,
    costs: Vec<f64>,
}

impl Stretch {
    fn new(seconds: f64, (shorter, longer, more): (f64, f64, f64), interval_s: f64) -> Stretch {
        let low = ((seconds * (1.0 - shorter) - interval_s) / interval_s).floor().max(1.0) as usize;
        let high = (((seconds * (1.0 + longer) + more) / interval_s).ceil() as usize).max(low);
        // A run that begins with a burst has no gap before it.
        let low = if seconds < 2.0 * interval_s && shorter < BURST.0 { 0 } else { low };
        let cost = |length: usize| {
            let off = length as f64 * interval_s - seconds;
            let percent = 100.0 * (off.abs() - interval_s).max(0.0) / seconds.max(20.0);
            OFF * percent * if off < 0.0 { 2.0 } else { 1.0 }
        };
        Stretch { low, costs: (low..=high).map(cost).collect() }
    }

    fn high(&self) -> usize {
        self.low + self.costs.len() - 1
    }
}

/// Sums of a cost up to each interval of a range; what was not observed costs nothing.
fn summed(curve: &Curve, (from, to): (usize, usize), cost: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sum = 0.0;
    let costs = curve.rates[from..to].iter().zip(&curve.observed[from..to]).map(|(&rate, &seen)| {
        sum += if seen { cost(rate) } else { 0.0 };
        sum
    });
    std::iter::once(0.0).chain(costs).collect()
}
